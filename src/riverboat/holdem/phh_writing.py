"""Hold'em hands written in the PHH format (poker hand history, a form of TOML); see phh.py."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from riverboat.cards.card import cards_text
from riverboat.errors import UsageError
from riverboat.games.base import TERMINAL
from riverboat.holdem.rules.actions import CALL, FOLD, parse_betting
from riverboat.holdem.rules.state import HoldemState

__all__ = ["write_phh", "write_phhs"]

_STREETS = (0, 3, 1, 1)


def write_phh(state: HoldemState, **fields: Any) -> str:
    """A hand, finished or not, as PHH; `fields` such as players=[…] and hand=7 are added."""
    game = state.game
    if (game.ranks, game.suits, game.hole_cards, game.board_cards) != (13, 4, 2, _STREETS):
        raise UsageError("PHH holds hold'em with 52 cards and four streets only.")
    rules = game.betting_rules
    sizes = rules.bet_sizes
    if len(set(sizes[:2])) > 1 or len(set(sizes[2:] if rules.fixed else sizes)) > 1:
        raise UsageError("PHH has one bet size for two streets each; this game has others.")
    order = slice(None, None, -1) if game.players == 2 else slice(None)
    record: dict[str, Any] = {
        "variant": "FT" if rules.fixed else "NT",
        "ante_trimming_status": not rules.dead_antes,
        "antes": rules.antes[order],
        "blinds_or_straddles": rules.blinds[order],
        **({"small_bet": sizes[0], "big_bet": sizes[2]} if rules.fixed else {"min_bet": sizes[0]}),
        "starting_stacks": rules.stacks,
        "actions": _actions(state),
    }
    if state.actor == TERMINAL and game.odd_chips == "left":
        ended = zip(rules.stacks, state.returns(), strict=True)
        record["finishing_stacks"] = [stack + int(gain) for stack, gain in ended]
    return "".join(f"{key} = {_toml(value)}\n" for key, value in (record | fields).items())


def write_phhs(hands: Iterable[str]) -> str:
    """Hands as write_phh gives them, in one text with a numbered section each."""
    return "\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(hands, 1))


def _actions(state: HoldemState) -> list[str]:
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
        words = {FOLD: "f", CALL: "cc"}
        lines.append(f"p{player + 1} {words.get(action, f'cbr {action[1:]}')}")
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
    return str(value).replace("Infinity", "inf")
