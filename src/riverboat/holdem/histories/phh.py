"""Hands in the PHH format (poker hand history, a form of TOML), written and read.

Hold'em is NT (no-limit) or FT (fixed-limit), pot-limit Omaha PO, no-limit short deck NS.

Players are p1, p2, … by position, as everywhere here; with two players antes and blinds are
assigned in reverse, which the format asks for and which makes p2 the button with the small blind.
A file has one hand, or many hands in numbered sections ("phhs"). Chips are whole numbers here:
amounts with decimals are read in the smallest unit that makes all of them whole.

A hand that cannot be read never loses the others: `read_phh_file` gives the hands and, apart from
them, what was refused and why. Blinds below 0 are posted out of turn, as the format's own parser
has them; a straddle is a blind of a later seat; a fold where checking is free is played as it is.

Source: J. Kim, "Recording and describing poker hands" (2024), the specification of PHH.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from riverboat.cards.card import cards_text, parse_cards
from riverboat.errors import FileFormatError, IllegalActionError, ParameterError, UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.histories.hand import (
    MAX_DIGITS,
    Difference,
    PhhFile,
    PhhHand,
    RefusedHand,
    is_amount,
    is_number,
)
from riverboat.holdem.rules.betting import CALL, FOLD, open_betting, parse_betting
from riverboat.holdem.rules.omaha import Omaha
from riverboat.holdem.rules.short_deck import ShortDeck
from riverboat.holdem.rules.state import Holdem, HoldemState

__all__ = [
    "Difference",
    "PhhFile",
    "PhhHand",
    "RefusedHand",
    "read_phh",
    "read_phh_file",
    "read_phhs",
    "write_phh",
    "write_phhs",
]


_STREETS = (0, 3, 1, 1)
_VARIANTS: dict[tuple[str, str], str] = {
    ("holdem", "no-limit"): "NT",
    ("holdem", "pot-limit"): "NT",  # PHH has no variant for it; the field _limit says it
    ("holdem", "fixed-limit"): "FT",
    ("omaha", "pot-limit"): "PO",
    ("shortdeck", "no-limit"): "NS",
}
"""Game and limit → variant. Each has the game's own number of cards and ranks."""
_GAMES: dict[str, type[Holdem]] = {"NT": Holdem, "FT": Holdem, "PO": Omaha, "NS": ShortDeck}
FIXED_LIMIT_RAISES = 4
"""PHH says nothing about the cap; its reference parser allows four raises on every street."""
MAX_CHIPS = 10**15
UNKNOWN_STACK = 10**9  # Chips for a stack written `inf`
_SECTION = re.compile(r"^[ \t]*\[[ \t]*([^\[\]\n]+?)[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
_NO_LIMIT = ("antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions")
_FIXED_LIMIT = (
    "antes",
    "blinds_or_straddles",
    "small_bet",
    "big_bet",
    "starting_stacks",
    "actions",
)
_REQUIRED = {"NT": _NO_LIMIT, "FT": _FIXED_LIMIT, "PO": _NO_LIMIT, "NS": _NO_LIMIT}
"""Variant → the fields that its hands must have."""
_LISTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "actions": (lambda item: isinstance(item, str), "texts"),
    "blinds_or_straddles": (is_number, "numbers"),
    "antes": (is_amount, "numbers from 0 up"),
    "starting_stacks": (is_amount, "numbers from 0 up"),
}


def write_phh(state: HoldemState, *, unit: Decimal | int = 1, **fields: Any) -> str:
    """A hand, finished or not, as PHH; `fields` such as players=[…] and hand=7 are added.

    One chip is written as `unit` of the file's money: Decimal("0.01") where chips are cents.
    """
    game = state.game
    variant = _VARIANTS.get((game.name, game.limit))
    if variant is None or not has_usual_cards(game):
        raise UsageError(
            "PHH holds hold'em with 52 cards and four streets, pot-limit Omaha with four cards and"
            f" no-limit short deck only, not this {game.limit} {game.name}."
        )
    rules = game.betting_rules
    sizes = rules.bet_sizes
    if len(set(sizes[:2])) > 1 or len(set(sizes[2:] if rules.fixed else sizes)) > 1:
        raise UsageError("PHH has one bet size for two streets each; this game has others.")
    order = slice(None, None, -1) if game.players == 2 else slice(None)

    def money(chips: Iterable[int]) -> list[Decimal | int]:
        return [_plain(number * unit) for number in chips]

    bets, least = (("small_bet", sizes[0]), ("big_bet", sizes[2])), (("min_bet", sizes[0]),)
    record: dict[str, Any] = {
        "variant": variant,
        "ante_trimming_status": not rules.dead_antes,
        "antes": money(rules.antes[order]),
        "blinds_or_straddles": money(rules.blinds[order]),
        **{name: _plain(size * unit) for name, size in (bets if rules.fixed else least)},
        "starting_stacks": money(rules.stacks),
        "actions": _actions(state, unit),
    }
    if max(open_betting(rules).bets) < rules.opening:
        # PHH's own rule is to call what was paid; fields that begin with _ are free.
        record["_short_blind"] = game.short_blind
    if game.name == "holdem" and game.limit == "pot-limit":
        record["_limit"] = game.limit
    if isinstance(game, ShortDeck) and game.trips_beat_straights:
        record["_trips_beat_straights"] = True
    if state.actor == TERMINAL and game.odd_chips == "left" and _comparable(state):
        ended = zip(rules.stacks, state.returns(), strict=True)
        record["finishing_stacks"] = money(stack + int(gain) for stack, gain in ended)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in (record | fields).items())


def has_usual_cards(game: Holdem) -> bool:
    """Whether a game has the deck, hole cards and streets by which histories know it."""
    usual = type(game)()
    return (game.ranks, game.suits, game.hole_cards, game.board_cards) == (
        usual.ranks,
        usual.suits,
        usual.hole_cards,
        _STREETS,
    )


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
    if isinstance(amount, int):
        return amount
    # A field of the file that is passed on may have more digits than an int is written with.
    whole = amount == amount.to_integral_value() and amount.adjusted() < MAX_DIGITS
    return int(amount) if whole else amount.normalize()


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


def read_phh(text: str) -> PhhHand:
    """The hand in a PHH text."""
    return _hand(_loads(text))


def read_phhs(text: str) -> list[PhhHand]:
    """Every hand of a text with numbered sections, or the one hand of a text without them.

    The first hand that cannot be played is refused; `read_phh_file` goes on to the next.
    """
    file = read_phh_file(text)
    for refused in file.refused:
        where = f"In section {refused.section}: " if refused.section else ""
        raise FileFormatError(f"{where}{refused.reason}")
    return list(file.hands)


def read_phh_file(text: str) -> PhhFile:
    """The hands of a text; one that cannot be read or played does not lose the others."""
    hands: list[PhhHand] = []
    refused: list[RefusedHand] = []
    for name, section in _sections(text):
        try:
            record = _loads(section) if isinstance(section, str) else section
            hands.append(replace(_hand(record), section=name))
        except FileFormatError as error:
            refused.append(RefusedHand(name, str(error)))
    return PhhFile(tuple(hands), tuple(refused))


def _sections(text: str) -> list[tuple[str, Mapping[str, Any] | str]]:
    """The hands by the names of their sections; as texts where the whole is not TOML."""
    try:
        sections = _loads(text)
    except FileFormatError:
        heads = list(_SECTION.finditer(text))
        if not heads:
            raise
        ends = [head.start() for head in heads[1:]] + [len(text)]
        parts = zip(heads, ends, strict=True)
        return [(head[1], text[head.end() : end]) for head, end in parts]
    if "variant" in sections or not all(isinstance(part, dict) for part in sections.values()):
        return [("", sections)]
    return list(sections.items())


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=Decimal)
    except RecursionError as error:
        raise FileFormatError("This is not PHH: its brackets are nested too deeply.") from error
    except (ValueError, InvalidOperation) as error:
        raise FileFormatError(f"This is not PHH: {str(error).rstrip('.')}.") from error


def _hand(record: Mapping[str, Any]) -> PhhHand:
    variant = record.get("variant")
    if variant is None:
        raise FileFormatError("This PHH hand lacks the field variant (several hands: [1], [2], …).")
    if not isinstance(variant, str) or variant not in _REQUIRED:
        raise FileFormatError(
            f"PHH variant {variant!r} cannot be read; hold'em is NT (no-limit) or FT (fixed-limit),"
            " Omaha PO and short deck NS."
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
    if name in _LISTS:
        fits, kind = _LISTS[name]
        if not isinstance(value, list) or not all(map(fits, value)):
            raise FileFormatError(f"The field {name} of this PHH hand is not a list of {kind}.")
    elif not is_amount(value):
        raise FileFormatError(f"The field {name} of this PHH hand is not a number from 0 up.")


def _unit(record: Mapping[str, Any]) -> Decimal:
    """The largest power of ten, at most 1, of which every amount is a multiple."""
    numbers = [*record["antes"], *record["blinds_or_straddles"], *record["starting_stacks"]]
    numbers += [record[name] for name in ("min_bet", "small_bet", "big_bet") if name in record]
    numbers += [
        _amount(words[2])
        for words in map(_words, record["actions"])
        if len(words) == 3 and words[1] == "cbr"
    ]
    # What was won may be finer by the rake; more than cents are not money but a rounded share.
    winnings = record.get("winnings")
    results = [*(winnings if isinstance(winnings, list) else ()), record.get("_rake")]
    cents = (exponent for exponent in _places(filter(is_amount, results)) if exponent >= -2)
    places = [*_places(numbers), *cents]
    return Decimal(10) ** min([0, *places])


def _places(numbers: Iterable[Decimal | int]) -> list[int]:
    """The exponent of each finite number's last digit that is not 0: −2 for 0.25."""
    decimals = [Decimal(number).normalize() for number in numbers]
    return [int(n.as_tuple().exponent) for n in decimals if n.is_finite()]


def _amount(word: str) -> Decimal:
    try:
        amount = Decimal(word)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not is_amount(amount):
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
    same = len(set(antes)) == 1
    trimmed = record.get("ante_trimming_status", False)
    if not isinstance(trimmed, bool):
        raise FileFormatError("The field ante_trimming_status of a PHH hand is true or false.")
    if trimmed and not same:
        raise FileFormatError("Antes that are not the same for all cannot be trimmed here.")
    kind = _GAMES[record["variant"]]
    fixed = record["variant"] == "FT"
    limit = "fixed-limit" if fixed else "pot-limit" if kind is Omaha else "no-limit"
    if kind is Holdem and not fixed and record.get("_limit") == "pot-limit":
        limit = "pot-limit"
    options: dict[str, Any] = {}
    if kind is ShortDeck and record.get("_trips_beat_straights") is True:
        options["trips_beat_straights"] = True
    names = ("small_bet", "small_bet", "big_bet", "big_bet") if fixed else ("min_bet",) * 4
    return kind(
        players=players,
        stacks=stacks,
        **_forced_bets(blinds, antes, same and trimmed, by_player=kind is ShortDeck),
        limit=limit,
        bet_sizes=tuple(_chips(record[name], unit) for name in names),
        max_raises=(FIXED_LIMIT_RAISES,) * 4 if fixed else (),
        short_blind="full" if record.get("_short_blind") == "full" else "paid",
        **options,
    )


def _forced_bets(
    blinds: list[int], antes: list[int], trimmed: bool, *, by_player: bool
) -> dict[str, Any]:
    """Blinds and antes as parameters of the game, in its own words where it has them."""
    order = slice(None, None, -1) if len(blinds) == 2 else slice(None)
    small, big, *others = blinds
    plain = not by_player and not any(others) and 0 <= small <= big
    if len(set(antes)) == 1:
        ante: dict[str, Any] = {"ante_from": "each" if trimmed else "each-dead"}
    elif not any(antes[2:]) and not antes[0]:
        ante = {"ante_from": "big-blind"}
    else:
        ante = {"ante_from": "each-dead", "antes": tuple(antes[order])}
    return {
        "small_blind": small if plain else 0,
        "big_blind": big if plain else max(map(abs, blinds)),
        **({} if plain else {"blinds": tuple(blinds[order])}),
        "ante": max(antes),
        **ante,
    }


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
                if "?" in cards:
                    raise FileFormatError("This PHH hand has unknown cards on the board.")
                board += parse_cards(cards)
                if len(board) >= state.pending:
                    state, board = state.deal(board), []
            case [player, "f"]:
                state = _turn(state, player).give_up()
            case [player, "cc"]:
                state = _turn(state, player).after(CALL)
            case [player, "cbr", amount]:
                state = _raised(_turn(state, player), player, amount, unit)
            case ["d", "dh", _, _] | [_, "sm"] | [_, "sm", _]:
                pass
            case _:
                raise FileFormatError(f"The PHH action {' '.join(words)!r} cannot be read.")
    return state, tuple(mucked)


def _raised(state: HoldemState, player: str, amount: str, unit: Decimal) -> HoldemState:
    """The state after a raise; one that the rules do not allow is refused in the file's money."""
    chips, allowed = _chips(_amount(amount), unit), state.betting.raise_range()
    if allowed is None:
        raise FileFormatError(f"This PHH hand cannot be played: {player} may not bet or raise.")
    if not allowed[0] <= chips <= allowed[1]:
        low, high = (f"{(number * unit).normalize():,f}" for number in allowed)
        raise FileFormatError(
            f"This PHH hand cannot be played: {player} bets or raises to {amount}, where"
            f" {low} to {high} is possible."
        )
    return state.after(f"r{chips}")


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
