"""Game definitions of the Annual Computer Poker Competition (".game" files) and its usual games.

A definition names the forced bets by position, and those are the positions of Holdem: with two
players the first one has the big blind ("reverse blinds"). Equal forced bets from all players, as
in Kuhn and Leduc poker, are antes here. Odd chips are split into fractions, as the competition
scores them. A definition by which the competition's programs would bet otherwise than Holdem does
is refused, since dealer and players must agree on whose turn it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError, ParameterError, UnknownNameError
from riverboat.holdem.rules.state import Holdem
from riverboat.runtime.storage import read_text

MAX_BYTES = 1_000_000  # Of a definition's file
UNLIMITED_STACK = 2**31 - 1
UNLIMITED_RAISES = 255
_FIELD = re.compile(
    r"(stack|blind|raisesize|firstplayer|maxraises|num(?:players|rounds|suits|ranks|holecards"
    r"|boardcards))[\s=]+(.*)"
)
"""A name and its numbers; the sign between them may be left out."""


def parse_game(text: str, source: str = "the game definition") -> Holdem:
    """The game that a definition describes."""
    limit, numbers = _read(text, source)
    for name in ("numplayers", "numrounds", "blind", "numsuits", "numranks", "numholecards"):
        if not numbers.get(name):
            raise FileFormatError(f"{source} has no {name}.")
    players, rounds = numbers["numplayers"][0], numbers["numrounds"][0]
    if not 2 <= players <= 10 or not 1 <= rounds <= 4:
        raise FileFormatError(f"{source} must have 2 to 10 players and 1 to 4 rounds.")
    for name, count in (("blind", players), ("numboardcards", rounds), ("stack", players)):
        if len(numbers.get(name, [0] * count if name == "stack" else [])) < count:
            raise FileFormatError(f"{source} must give {count} numbers for {name}.")
    if numbers["numboardcards"][0]:
        raise FileFormatError(f"{source} deals a board before the first round; begin with 0.")
    fixed = limit == "limit"
    if fixed and len(numbers.get("raisesize", [])) < rounds:
        raise FileFormatError(f"{source} must give {rounds} numbers for raiseSize.")
    small, big, ante = _forced_bets(numbers, players, rounds, source)
    raises = tuple((numbers.get("maxraises", []) + [UNLIMITED_RAISES] * rounds)[:rounds])
    stacks = tuple(numbers.get("stack", [UNLIMITED_STACK] * players)[:players])
    _check_stacks(stacks, numbers["blind"][:players], fixed, source)
    try:
        return Holdem(
            players=players,
            stacks=stacks,
            small_blind=small,
            big_blind=big,
            ante=ante,
            limit="fixed-limit" if fixed else "no-limit",
            bet_sizes=tuple(numbers["raisesize"][:rounds]) if fixed else (),
            max_raises=raises if fixed or "maxraises" in numbers else (),
            odd_chips="split",
            board_cards=tuple(numbers["numboardcards"][:rounds]),
            hole_cards=numbers["numholecards"][0],
            ranks=numbers["numranks"][0],
            suits=numbers["numsuits"][0],
        )
    except ParameterError as error:
        raise FileFormatError(f"{source} cannot be played: {error}") from error


def load_game(text: str) -> Holdem:
    """A usual game by its name, or the game in a file."""
    path = Path(text)
    if not path.exists():
        text = _FILES.get(path.name, text)
    if text in PRESETS:
        return PRESETS[text]
    if not path.suffix and not path.exists():
        raise UnknownNameError.among("ACPC game", text, PRESETS)
    return parse_game(read_text(path, MAX_BYTES), str(path))


def write_game(game: Holdem) -> str:
    """The definition of a game that the competition's format can hold."""
    rules = game.betting_rules
    if rules.pot_limit:
        raise ParameterError("An ACPC game is limit or no-limit, not pot-limit.")
    if rules.dead_antes and game.ante:
        raise ParameterError("An ACPC game has no dead antes.")
    if game.ante and game.big_blind:
        raise ParameterError("An ACPC game has blinds or antes, not both.")
    fixed = game.limit == "fixed-limit"
    lines = ["GAMEDEF", "limit" if fixed else "nolimit"]
    lines += [f"numPlayers = {game.players}", f"numRounds = {game.num_streets}"]
    # The reference programs assume unlimited stacks for four players at most: always say them.
    lines.append(f"stack = {_row(rules.stacks)}")
    lines.append(f"blind = {_row(rules.blinds if game.big_blind else rules.antes)}")
    if fixed:
        lines.append(f"raiseSize = {_row(rules.bet_sizes)}")
    first = (3 if game.players > 2 else 2) if game.big_blind else 1
    lines.append(f"firstPlayer = {_row((first, *[1] * (game.num_streets - 1)))}")
    if None not in rules.max_raises:
        lines.append(f"maxRaises = {_row(rules.max_raises)}")
    lines += [f"numSuits = {game.suits}", f"numRanks = {game.ranks}"]
    lines += [f"numHoleCards = {game.hole_cards}", f"numBoardCards = {_row(game.board_cards)}"]
    return "\n".join([*lines, "END GAMEDEF", ""])


def _read(text: str, source: str) -> tuple[str, dict[str, list[int]]]:
    """Limit or nolimit, and the numbers behind each name."""
    limit, numbers = "limit", dict[str, list[int]]()
    inside = False
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip().lower()
        if line == "gamedef":
            inside = True
        elif line == "end gamedef":
            return limit, numbers
        elif line in ("limit", "nolimit"):
            limit = line
        elif line:
            field = _FIELD.fullmatch(line)
            if field is None:
                raise FileFormatError(f"{source} has a line that is not understood: {raw!r}.")
            try:
                numbers[field[1]] = [int(value) for value in field[2].split()]
            except ValueError:
                raise FileFormatError(f"{source} must have whole numbers in {raw!r}.") from None
    raise FileFormatError(f"{source} does not {'end' if inside else 'begin'} as a game definition.")


def _forced_bets(
    numbers: Mapping[str, list[int]], players: int, rounds: int, source: str
) -> tuple[int, int, int]:
    """Small blind, big blind and ante, where the turns are those of hold'em too."""
    bets = numbers["blind"][:players]
    first = (numbers.get("firstplayer", []) + [1] * rounds)[:rounds]
    if len(set(bets)) == 1 and set(first) == {1}:
        return 0, 0, bets[0]
    small, big = (1, 0) if players == 2 else (0, 1)
    opener = 2 if players == 2 else 3
    # Of two players with equal bets the one after the last bettor opens: player 1, not 2.
    lower = bets[small] < bets[big] + (players > 2)
    if lower and bets[big] and not any(bets[2:]) and first == [opener] + [1] * (rounds - 1):
        return bets[small], bets[big], 0
    raise FileFormatError(
        f"{source} has forced bets or turns other than hold'em's: small and big blind,"
        f" firstPlayer {opener} and then 1 (two players: big blind first), or equal antes."
    )


def _check_stacks(stacks: tuple[int, ...], bets: list[int], fixed: bool, source: str) -> None:
    """Refuse stacks with which an all-in would not be bet on as it is in Holdem.

    The competition's programs let an all-in for less than a full raise open the betting again,
    and ask a player for a check whom nobody can make pay any more.
    """
    if any(bet and bet >= stack for bet, stack in zip(bets, stacks, strict=True)):
        raise FileFormatError(f"{source} has a stack that does not exceed its forced bet.")
    if len(set(stacks)) > 1 and (fixed or len(stacks) > 2):
        raise FileFormatError(
            f"{source} has stacks of {min(stacks)} to {max(stacks)}: they may differ only in"
            " no-limit games of two players."
        )


def _row(numbers: tuple[int | None, ...]) -> str:
    return " ".join(str(number) for number in numbers)


def _no_limit(players: int) -> Holdem:
    return Holdem(
        players=players, stacks=(20000,), small_blind=50, big_blind=100, odd_chips="split"
    )


def _limit(players: int, **rules: Any) -> Holdem:
    return Holdem(
        players=players,
        stacks=(UNLIMITED_STACK,),
        limit="fixed-limit",
        odd_chips="split",
        **{"small_blind": 5, "big_blind": 10} | rules,
    )


def _toy(players: int, **rules: Any) -> Holdem:
    """One card each and an ante instead of blinds."""
    return _limit(players, small_blind=0, big_blind=0, ante=1, hole_cards=1, **rules)


def _kuhn(players: int) -> Holdem:
    cards = {"board_cards": (0,), "ranks": players + 1, "suits": 1}
    return _toy(players, bet_sizes=(1,), max_raises=(1,), **cards)


PRESETS: dict[str, Holdem] = {
    **{f"nolimit-{players}p": _no_limit(players) for players in range(2, 11)},
    **{f"limit-{players}p": _limit(players) for players in range(2, 11)},
    "kuhn": _kuhn(2),
    "kuhn-3p": _kuhn(3),
    "leduc": _toy(2, bet_sizes=(2, 4), max_raises=(2, 2), board_cards=(0, 1), ranks=3, suits=2),
}
"""The competition's games (no-limit 50/100 with stacks of 20,000, limit 5/10) and three toys."""

_FILES = {
    "holdem.nolimit.2p.reverse_blinds.game": "nolimit-2p",
    "holdem.nolimit.3p.game": "nolimit-3p",
    "holdem.limit.2p.reverse_blinds.game": "limit-2p",
    "holdem.limit.3p.game": "limit-3p",
    "kuhn.limit.3p.game": "kuhn-3p",
}
"""The names of the competition's own files, which need not lie there to be meant."""
