"""Hold'em hands written in the PHH format (poker hand history, a form of TOML); see phh.py."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from riverboat.cards.card import cards_text
from riverboat.errors import UsageError
from riverboat.games.base import TERMINAL
from riverboat.holdem.rules.actions import CALL, FOLD, parse_betting
from riverboat.holdem.rules.state import HoldemState

__all__ = ["write_phh", "write_phhs"]

_STREETS = (0, 3, 1, 1)


def write_phh(state: HoldemState, *, unit: Decimal | int = 1, **fields: Any) -> str:
    """A hand, finished or not, as PHH; `fields` such as players=[…] and hand=7 are added.

    One chip is written as `unit` of the file's money: Decimal("0.01") where chips are cents.
    """
    game = state.game
    if (game.ranks, game.suits, game.hole_cards, game.board_cards) != (13, 4, 2, _STREETS):
        raise UsageError("PHH holds hold'em with 52 cards and four streets only.")
    rules = game.betting_rules
    sizes = rules.bet_sizes
    if len(set(sizes[:2])) > 1 or len(set(sizes[2:] if rules.fixed else sizes)) > 1:
        raise UsageError("PHH has one bet size for two streets each; this game has others.")
    order = slice(None, None, -1) if game.players == 2 else slice(None)

    def money(chips: Iterable[int]) -> list[Decimal | int]:
        return [_plain(number * unit) for number in chips]

    bets, least = (("small_bet", sizes[0]), ("big_bet", sizes[2])), (("min_bet", sizes[0]),)
    record: dict[str, Any] = {
        "variant": "FT" if rules.fixed else "NT",
        "ante_trimming_status": not rules.dead_antes,
        "antes": money(rules.antes[order]),
        "blinds_or_straddles": money(rules.blinds[order]),
        **{name: _plain(size * unit) for name, size in (bets if rules.fixed else least)},
        "starting_stacks": money(rules.stacks),
        "actions": _actions(state, unit),
    }
    if state.actor == TERMINAL and game.odd_chips == "left" and _comparable(state):
        ended = zip(rules.stacks, state.returns(), strict=True)
        record["finishing_stacks"] = money(stack + int(gain) for stack, gain in ended)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in (record | fields).items())


def write_phhs(hands: Iterable[str]) -> str:
    """Hands as write_phh gives them, in one text with a numbered section each."""
    return "\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(hands, 1))


def _comparable(state: HoldemState) -> bool:
    """Whether the winner is known: one player is left, or every hand at the showdown is seen."""
    in_hand = state.betting.in_hand
    return sum(in_hand) == 1 or all(
        hand for hand, here in zip(state.holes, in_hand, strict=True) if here
    )


def _plain(amount: Decimal | int) -> Decimal | int:
    """An amount without zeros at its end, as in 0.5 and 20."""
    if isinstance(amount, int) or amount == amount.to_integral_value():
        return int(amount)
    return amount.normalize()


def _actions(state: HoldemState, unit: Decimal | int) -> list[str]:
    """Deals, betting and the showdown in the order in which they happen."""
    game = state.game
    lines = [
        f"d dh p{player} {cards_text(hand) if hand else '??' * game.hole_cards}"
        for player, hand in enumerate(state.holes, 1)
    ]
    now = game.with_hands(state.holes)
    board = list(state.board)
    opener, shown = now.actor, False
    for action in [*parse_betting(state.history), ""]:
        while now.pending and board:
            # An all-in showdown comes before the cards that are still to be dealt.
            if not now.betting.queue and not shown:
                lines += _showdown(state, opener)
                shown = True
            cards, board = board[: now.pending], board[now.pending :]
            lines.append(f"d db {cards_text(cards)}")
            now = now.deal(cards)
            opener = 0
        if action in ("", "/"):
            continue
        player = now.actor
        words = {FOLD: "f", CALL: "cc"}.get(action) or f"cbr {_plain(int(action[1:]) * unit)}"
        lines.append(f"p{player + 1} {words}")
        opener = player if action.startswith("r") else opener
        now = now.give_up() if action == FOLD else now.after(action)
    if state.actor == TERMINAL and sum(state.betting.in_hand) > 1 and not shown:
        lines += _showdown(state, opener)
    return lines


def _showdown(state: HoldemState, first: int) -> list[str]:
    """Hands shown from the last bettor on, or from the first who could act."""
    players = state.game.players
    order = [(first + step) % players for step in range(players)]
    return [
        f"p{player + 1} sm {cards_text(state.holes[player])}".rstrip()
        for player in order
        if state.betting.in_hand[player]
    ]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        pairs = (f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(_toml(item) for item in value)}]"
    text = str(_plain(value) if isinstance(value, Decimal) and value.is_finite() else value)
    return text.replace("Infinity", "inf")
