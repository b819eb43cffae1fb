"""Hold'em hands in the PHH format (poker hand history, a form of TOML), written and read.

Players are p1, p2, … by position, as everywhere here; with two players antes and blinds are
assigned in reverse, which the format asks for and which makes p2 the button with the small blind.
A file has one hand, or many hands in numbered sections ("phhs"). Chips are whole numbers here:
amounts with decimals are read in the smallest unit that makes all of them whole.

Source: J. Kim, "Recording and describing poker hands" (2024), the specification of PHH.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from riverboat.cards.card import cards_text, parse_cards
from riverboat.errors import FileFormatError, IllegalActionError, ParameterError, UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.rules.actions import CALL, FOLD, parse_betting
from riverboat.holdem.rules.state import Holdem, HoldemState

__all__ = ["PhhHand", "read_phh", "read_phhs", "write_phh", "write_phhs"]

FIXED_LIMIT_RAISES = 4
"""PHH says nothing about the cap; its reference parser allows four raises on every street."""
MAX_CHIPS = 10**15
UNKNOWN_STACK = 10**9
"""Chips for a stack written `inf`."""
_STREETS = (0, 3, 1, 1)
_REQUIRED = {
    "NT": ("antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions"),
    "FT": ("antes", "blinds_or_straddles", "small_bet", "big_bet", "starting_stacks", "actions"),
}


@dataclass(frozen=True)
class PhhHand:
    """A hand that was read: the state it ends in, and whatever else the file says of it."""

    state: HoldemState
    unit: Decimal = Decimal(1)
    """What one chip of `state` is worth in the file's money."""
    mucked: tuple[int, ...] = ()
    """Players who threw their hands away unseen at the showdown."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """All fields of the file by name, `players` and `hand` among them."""

    def returns(self) -> tuple[float, ...]:
        """Chips won or lost; players who mucked win nothing."""
        state = self.state
        in_hand = tuple(
            here and player not in self.mucked for player, here in enumerate(state.betting.in_hand)
        )
        if not any(in_hand):
            raise IllegalActionError("Everybody mucked, so nobody wins this hand.")
        # One hand that is left wins, also where an all-in's board was not dealt to the end.
        over = state.actor == CHANCE and sum(in_hand) == 1
        return replace(
            state,
            actor=TERMINAL if over else state.actor,
            betting=replace(state.betting, in_hand=in_hand),
        ).returns()


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


def read_phh(text: str) -> PhhHand:
    """The hand in a PHH text."""
    return _hand(_loads(text))


def read_phhs(text: str) -> list[PhhHand]:
    """Every hand of a text with numbered sections, or the one hand of a text without them."""
    sections = _loads(text)
    if "variant" in sections or not all(isinstance(part, dict) for part in sections.values()):
        return [_hand(sections)]
    hands = []
    for name, section in sections.items():
        try:
            hands.append(_hand(section))
        except FileFormatError as error:
            raise FileFormatError(f"In section {name}: {error}") from error
    return hands


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
        now = now.after(action)
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


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, InvalidOperation) as error:
        raise FileFormatError(f"This is not PHH: {str(error).rstrip('.')}.") from error


def _hand(record: Mapping[str, Any]) -> PhhHand:
    variant = record.get("variant")
    if variant is None:
        raise FileFormatError("This PHH hand lacks the field variant (several hands: [1], [2], …).")
    if not isinstance(variant, str) or variant not in _REQUIRED:
        raise FileFormatError(
            f"PHH variant {variant!r} cannot be read; hold'em is NT (no-limit) or FT (fixed-limit)."
        )
    for name in _REQUIRED[variant]:
        if name not in record:
            raise FileFormatError(f"This PHH hand lacks the field {name}.")
        _check(name, record[name])
    try:
        unit = _unit(record)
        game = _game(record, unit)
        state, mucked = _replayed(game, record["actions"], unit)
    except (IllegalActionError, ParameterError) as error:
        raise FileFormatError(f"This PHH hand cannot be played: {error}") from error
    except ArithmeticError as error:
        raise FileFormatError("This PHH hand has an amount beyond what is counted.") from error
    return PhhHand(state, unit, mucked, record)


def _check(name: str, value: Any) -> None:
    """Refuse a field of another kind than the specification says."""
    if name == "actions":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise FileFormatError("The field actions of this PHH hand is not a list of texts.")
    elif name in ("antes", "blinds_or_straddles", "starting_stacks"):
        if not isinstance(value, list) or not all(map(_is_amount, value)):
            raise FileFormatError(
                f"The field {name} of this PHH hand is not a list of numbers from 0 up."
            )
    elif not _is_amount(value):
        raise FileFormatError(f"The field {name} of this PHH hand is not a number from 0 up.")


def _is_amount(value: Any) -> bool:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return number and not Decimal(value).is_nan() and value >= 0


def _unit(record: Mapping[str, Any]) -> Decimal:
    """The largest power of ten, at most 1, of which every amount is a multiple."""
    numbers = [*record["antes"], *record["blinds_or_straddles"], *record["starting_stacks"]]
    numbers += [record[name] for name in ("min_bet", "small_bet", "big_bet") if name in record]
    numbers += [
        _amount(words[2])
        for words in map(_words, record["actions"])
        if len(words) == 3 and words[1] == "cbr"
    ]
    decimals = [Decimal(number).normalize() for number in numbers]
    places = [int(n.as_tuple().exponent) for n in decimals if n.is_finite()]
    return Decimal(10) ** min([0, *places])


def _amount(word: str) -> Decimal:
    try:
        amount = Decimal(word)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not _is_amount(amount):
        raise FileFormatError(f"The PHH amount {word!r} cannot be read; write a number.")
    return amount


def _game(record: Mapping[str, Any], unit: Decimal) -> Holdem:
    stacks = tuple(_chips(stack, unit) for stack in record["starting_stacks"])
    players = len(stacks)
    antes = [_chips(ante, unit) for ante in record["antes"]]
    blinds = [_chips(blind, unit) for blind in record["blinds_or_straddles"]]
    if len(antes) != players or len(blinds) != players:
        raise FileFormatError("antes, blinds_or_straddles and starting_stacks differ in length.")
    if players < 2:
        raise FileFormatError(f"A PHH hand has two players or more, not {players}.")
    if any(blinds[2:]):
        raise FileFormatError("This PHH hand has a straddle, which is not supported.")
    each = len(set(antes)) == 1
    if not each and (any(antes[2:]) or antes[0]):
        raise FileFormatError("Antes come from each player or from the big blind only.")
    trimmed = record.get("ante_trimming_status", False)
    if not isinstance(trimmed, bool):
        raise FileFormatError("The field ante_trimming_status of a PHH hand is true or false.")
    if trimmed and not each:
        raise FileFormatError("Antes that are not the same for all cannot be trimmed here.")
    fixed = record["variant"] == "FT"
    names = ("small_bet", "small_bet", "big_bet", "big_bet") if fixed else ("min_bet",) * 4
    return Holdem(
        players=players,
        stacks=stacks,
        small_blind=blinds[0],
        big_blind=blinds[1],
        ante=max(antes),
        ante_from=("each" if trimmed else "each-dead") if each else "big-blind",
        limit="fixed-limit" if fixed else "no-limit",
        bet_sizes=tuple(_chips(record[name], unit) for name in names),
        max_raises=(FIXED_LIMIT_RAISES,) * 4 if fixed else (),
    )


def _chips(amount: Any, unit: Decimal) -> int:
    value = Decimal(amount) / unit
    if value.is_infinite():
        return UNKNOWN_STACK
    if abs(value) > MAX_CHIPS:
        raise FileFormatError(f"An amount of {amount} is more than this program counts.")
    return int(value)


def _words(action: str) -> list[str]:
    return action.partition("#")[0].split()


def _replayed(
    game: Holdem, actions: Iterable[str], unit: Decimal
) -> tuple[HoldemState, tuple[int, ...]]:
    """The state after all actions, and who mucked."""
    spoken = [words for words in map(_words, actions) if words]
    hands, mucked = _hands(game.players, spoken)
    state = game.with_hands(hands)
    board: list[int] = []
    for words in spoken:
        match words:
            case ["d", "db", cards]:
                board += _board(cards)
                if len(board) >= state.pending:
                    state, board = state.deal(board), []
            case [player, "f" | "cc" as verb]:
                state = _turn(state, player).after(FOLD if verb == "f" else CALL)
            case [player, "cbr", amount]:
                state = _turn(state, player).after(f"r{_chips(_amount(amount), unit)}")
            case ["d", "dh", _, _] | [_, "sm"] | [_, "sm", _]:
                pass
            case _:
                raise FileFormatError(f"The PHH action {' '.join(words)!r} cannot be read.")
    return state, tuple(mucked)


def _hands(players: int, spoken: Iterable[Sequence[str]]) -> tuple[list[list[int]], list[int]]:
    """The hands as far as they are known, empty where not, and who mucked."""
    hands: list[list[int]] = [[] for _ in range(players)]
    mucked: list[int] = []
    for words in spoken:
        match words:
            case ["d", "dh", player, cards]:
                number = _player(player, players)
                hands[number] += parse_cards(cards) if "?" not in cards else []
            case [player, "sm", cards] if "?" not in cards and cards != "-":
                number, shown = _player(player, players), parse_cards(cards)
                if not set(shown).issuperset(hands[number]):
                    raise FileFormatError(
                        f"In this PHH hand {player} shows {cards}, but was dealt other cards."
                    )
                hands[number] = shown
            case [player, "sm"]:
                mucked.append(_player(player, players))
    return hands, mucked


def _board(cards: str) -> list[int]:
    if "?" in cards:
        raise FileFormatError("This PHH hand has unknown cards on the board.")
    return parse_cards(cards)


def _turn(state: HoldemState, player: str) -> HoldemState:
    """The state, if it is the player's turn in it."""
    if state.actor == CHANCE:
        raise FileFormatError(
            f"In this PHH hand {player} acts while {state.pending} cards are still to be dealt."
        )
    if _player(player, state.game.players) != state.actor:
        raise FileFormatError(f"In this PHH hand it is not the turn of {player}.")
    return state


def _player(word: str, players: int) -> int:
    number = word.removeprefix("p")
    if not (number.isdecimal() and word != number and 1 <= int(number) <= players):
        raise FileFormatError(f"A player of this PHH hand is written p1 to p{players}, not {word}.")
    return int(number) - 1
