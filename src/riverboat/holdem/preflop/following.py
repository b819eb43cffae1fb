"""From before the flop to the flop: the ranges that a saved solution or book leads to.

    preflop:headsup.rb r2.5 c             in a spot: the range of its player after that line
    preflop:shipped f f f r2.5 f c        the same in the book of six players

A line that ends before the flop leaves some players, chips and a pot (`flop_start`). A range is how
often its player takes the own actions of the line with each hand.

`BookRanges` follows hands that were really played: a raise counts as the nearest one of the book,
up to a factor of 1.3; where nothing of the book comes near, the book is left for the rest of the
hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.cards.combos import NUM_COMBOS, class_of_combos
from riverboat.cards.ranges import Range
from riverboat.errors import FileFormatError, IllegalActionError, ParameterError, UsageError
from riverboat.games.base import Action
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import MIN_WEIGHT, SHIPPED, PreflopSolution, read_line
from riverboat.holdem.rules.betting import (
    CALL,
    FOLD,
    Betting,
    nearest_action,
    parse_betting,
    raise_amount,
)
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.runtime.array_types import F64
from riverboat.runtime.stopping import notice

DEPTH_TOLERANCE = 0.1
"""By how much the stacks of a spot, counted in pots, may differ from those of its line."""
STACK_TOLERANCE = 0.25  # By how much stacks of a table may differ from those of a book
RAISE_TOLERANCE = 1.3  # The factor up to which a raise counts as one of the book
_ACTION = re.compile(r"[fca]|r(?!0+(\.0*)?$)\d{1,9}(\.\d{1,6})?")
_WORDS = re.compile(r"preflop:(?P<file>.+?\.rb|\S+)(?:\s+(?P<line>.*))?", re.DOTALL)


@dataclass(frozen=True)
class FlopStart:
    """What a line before the flop leaves: players in order of action after the flop, and chips."""

    seats: tuple[str, ...]
    folded: tuple[str, ...]
    pot: float
    stacks: tuple[float, ...]  # Behind, of `seats`


def solution_stacks(solution: PreflopSolution) -> dict[str, float]:
    """Seat → chips before the hand."""
    given: Any = solution.spec.get("stacks", 100.0)
    chips = given if isinstance(given, list | tuple) else [given]
    seats = ("sb", "bb") if len(solution.seats) == 2 else solution.seats
    if len(chips) == 1:
        chips = [*chips] * len(seats)
    fits = len(chips) == len(seats) and {"sb", "bb"} <= set(solution.seats)
    if not fits or not all(_is_chips(stack) for stack in chips):
        raise FileFormatError("The file's stacks do not fit its seats.")
    return dict(zip(seats, map(float, chips), strict=True))


def _is_chips(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < 1e12


def _is_prize(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e13


def flop_start(solution: PreflopSolution, line: str | Sequence[str]) -> FlopStart:
    """Who sees the flop after a line, with which chips; refused where nobody does."""
    words, stacks = read_line(line), solution_stacks(solution)
    solution.class_reach(solution.seats[0], words)  # Refuses a line that is not there
    if not words or words in solution:
        at = solution.node(words)
        raise IllegalActionError(f"{at.seat.upper()} still acts before the flop at {at.name}.")
    path = [solution.node(words[:depth]) for depth in range(len(words))]
    did = {at.seat: word for at, word in zip(path, words, strict=True)}
    last, put = path[-1], dict(path[-1].put)
    if words[-1] in ("c", "a"):
        top = max(put.values()) if words[-1] == "c" else math.inf
        put[last.seat] = min(top, stacks[last.seat])
    folded = tuple(seat for seat in solution.seats if did.get(seat) == "f")
    blinds = ("bb", "sb") if len(solution.seats) == 2 else ("sb", "bb")
    order = [*blinds, *(seat for seat in solution.seats if seat not in blinds)]
    seats = tuple(seat for seat in order if seat not in folded)
    name = "-".join(words)
    if len(seats) < 2:
        raise IllegalActionError(f"After {name} only {seats[0].upper()} is left; there is no flop.")
    behind = tuple(stacks[seat] - put[seat] for seat in seats)
    deciding = [seat for seat, stack in zip(seats, behind, strict=True) if stack > 1e-9]
    if len(deciding) < 2:
        raise IllegalActionError(f"After {name} all chips are in; nothing is left to solve.")
    if any(seat not in did for seat in seats) or len({put[seat] for seat in deciding}) > 1:
        raise IllegalActionError(f"The file ends after {name}, and somebody would still act there.")
    return FlopStart(seats, folded, sum(put.values()), behind)


def is_preflop_range(text: str) -> bool:
    """Whether a range's text names a saved solution: "preflop:FILE r2.5 c"."""
    return text.strip().startswith("preflop:")


def solution_near(folder: Path) -> Callable[[str], PreflopSolution]:
    """What finds the solution of a name: that of the package, or a file, from a folder on."""

    def find(name: str) -> PreflopSolution:
        if name != SHIPPED and not (folder / name).is_file():
            raise UsageError(f"There is no file {folder / name}.")
        return PreflopSolution.load(name if name == SHIPPED else folder / name)

    return find


def read_spot_range(
    text: str, folder: Path, player: int, names: Sequence[str], pot: float, stacks: Sequence[float]
) -> Range:
    """`spot_range` for a spot's file in `folder`; the person is told where hands are left out."""
    return spot_range(text, solution_near(folder), player, names, pot, stacks, report=notice)


def spot_range(
    text: str,
    find: Callable[[str], PreflopSolution],
    player: int,
    names: Sequence[str],
    pot: float,
    stacks: Sequence[float],
    *,
    report: Callable[[str], None] | None = None,
) -> Range:
    """The range that "preflop:FILE LINE" means for a player of a spot.

    Args:
        text: The range.
        find: Returns the solution of a file's name, or refuses it.
        player: The player's place in the order of action after the flop.
        names: The players of the spot; one that is a seat of the file means that seat.
        pot: The spot's chips in the middle.
        stacks: The spot's chips behind.
        report: Called with a sentence where small weights are left out.
    """
    match = _WORDS.fullmatch(text.strip())
    if match is None or not (match["line"] or "").strip():
        raise ParameterError(f'Write "preflop:FILE r2.5 c", a file and a line, not {text[:80]!r}.')
    if not (pot > 0 and min(stacks) > 0):
        raise ParameterError("A spot needs a pot and stacks above 0.")
    solution, line = find(match["file"]), match["line"]
    start = flop_start(solution, line)
    line = "-".join(read_line(line))
    for name in names:
        if name in start.folded:
            raise IllegalActionError(f"{name.upper()} has folded in {line}.")
    if len(start.seats) != len(names):
        players = ", ".join(seat.upper() for seat in start.seats)
        raise IllegalActionError(
            f"After {line} {len(start.seats)} players are left ({players});"
            f" the spot has {len(names)}."
        )
    meant, given = min(start.stacks) / start.pot, min(stacks) / pot
    if not abs(given / meant - 1) <= DEPTH_TOLERANCE:
        raise ParameterError(
            f"After {line} the stacks are {meant:.3g} pots ({min(start.stacks):g} behind a pot of"
            f" {start.pot:g}), and those of the spot {given:.3g} pots: no range of that line fits."
        )
    seat = names[player] if names[player] in start.seats else start.seats[player]
    kept = solution.range_of(seat, line)
    if report is not None and (words := _left_out(solution.class_reach(seat, line), kept)):
        report(f"The range of {seat.upper()} after {line} {words}")
    return kept


def _left_out(reach: F64, kept: Range) -> str:
    """What a range keeps of (169,) how often each class is played, in words; "" for everything."""
    weights = reach[class_of_combos()]
    whole, remaining = int((weights > 0).sum()), int((kept.weights > 0).sum())
    if remaining == whole:
        return ""
    share = float(weights[kept.weights > 0].sum() / weights.sum())
    return (
        f"leaves out weights under {MIN_WEIGHT:.1%}: {remaining:,} of {whole:,} hands, {share:.2%}"
        " of the range, are kept."
    )


@dataclass(frozen=True, eq=False)
class BookPlace:
    """A real decision in a book."""

    node: PreflopNode
    number: int  # Of the book's actions the one that was taken
    scale: float  # Real chips of a chip of the book
    values: F64
    """(A, 169) what each action wins from here on, in real chips; nan where the book has no EV.
    Of a book for prizes: in prizes, from before the hand on.
    """
    errors: F64  # (A, 169) half the 95 % interval of the values

    @property
    def chances(self) -> F64:
        """(1326,) how often the book does with each hand what was done."""
        return np.asarray(self.node.frequencies[self.number][class_of_combos()])

    def real_actions(self, betting: Betting) -> list[Action]:
        """The book's actions as the table allows them; a raise that cannot be made is a call."""
        return [_legal(word, self.scale, betting) for word in self.node.actions]


class BookRanges:
    """A solution or book as the beginning of hands that were played at a table."""

    def __init__(self, solution: PreflopSolution) -> None:
        self.solution, self.stacks = solution, solution_stacks(solution)
        blinds = solution.spec.get("blinds", [0.5, 1.0])
        if not (isinstance(blinds, list | tuple) and len(blinds) == 2 and _is_chips(blinds[1])):
            raise FileFormatError("The file's blinds are not two numbers.")
        self.big_blind = float(blinds[1])
        for node in solution.nodes:
            if not all(_ACTION.fullmatch(word) for word in node.actions):
                raise FileFormatError(f"The file has an action at {node.name} that is no raise.")

    @classmethod
    def load(cls, path: str | Path) -> BookRanges:
        """Read a file of the kind preflop."""
        return cls(PreflopSolution.load(path))

    def seat(self, player: int) -> str:
        """The seat of a player of a table, numbered from the left of the button."""
        num_players = len(self.stacks)
        if num_players == 2:
            return ("bb", "sb")[player]
        others = [seat for seat in self.solution.seats if seat not in ("sb", "bb")]
        return ("sb", "bb", *others)[player]

    def unfit(self, game: Holdem) -> str:
        """Why the book does not fit a table; empty where it does."""
        rules, num_players = game.betting_rules, len(self.stacks)
        if game.players != num_players:
            return f"{game.players} players, and the book is for {num_players}"
        if rules.fixed:
            return "fixed limits, and the book has none"
        if self.solution.spec.get("straddle"):
            return "no straddle, and the book has one"
        for player, chips in enumerate(self._depths(game)):
            meant = self._reachable(self.stacks)[self.seat(player)] / self.big_blind
            if abs(chips / meant - 1) > STACK_TOLERANCE:
                return f"a stack of {chips:.0f} big blinds, and {meant:.0f} in the book"
        return ""

    def _depths(self, game: Holdem) -> list[float]:
        """What each player can lose, in big blinds."""
        stacks = game.betting_rules.stacks
        reachable = self._reachable({str(p): float(chips) for p, chips in enumerate(stacks)})
        return [chips / max(game.big_blind, 1) for chips in reachable.values()]

    @staticmethod
    def _reachable(stacks: dict[str, float]) -> dict[str, float]:
        """Each stack, cut at the largest of the others: more cannot be lost."""
        return {
            seat: min(chips, max(other for name, other in stacks.items() if name != seat))
            for seat, chips in stacks.items()
        }

    def places(self, game: Holdem, actions: Sequence[Action]) -> list[BookPlace]:
        """The decisions of a hand before the flop, up to the first that the book does not know."""
        if self.unfit(game):
            return []
        scale, line, places = max(game.big_blind, 1) / self.big_blind, tuple[str, ...](), []
        for action in actions:
            if line not in self.solution:
                break
            node = self.solution.node(line)
            word = self._match(node, action, scale)
            if word is None:
                break
            unit = self._unit(game, scale)
            # Those of a file count from before the hand.
            posted = 0.0 if self.places_paid else node.put[node.seat] * scale
            values = node.values * unit + posted
            errors = np.zeros_like(values) if node.errors is None else node.errors * unit
            places.append(BookPlace(node, node.actions.index(word), scale, values, errors))
            line = (*line, word)
        return places

    def mixture(self, state: HoldemState) -> tuple[tuple[Action, ...], F64] | None:
        """The acting player's actions before the flop and (1326, A) how often the book takes them.

        None after the flop, and where the hand has left the book.
        """
        if state.board or state.actor < 0:
            return None
        done = parse_betting(state.history)
        places = self.places(state.game, done)
        line = tuple(followed.node.actions[followed.number] for followed in places)
        if len(places) < len(done) or self.unfit(state.game) or line not in self.solution:
            return None
        node = self.solution.node(line)
        if node.seat != self.seat(state.actor):
            return None
        scale = max(state.game.big_blind, 1) / self.big_blind
        real = [_legal(word, scale, state.betting) for word in node.actions]
        actions = tuple(dict.fromkeys(real))
        mixture = np.zeros((NUM_COMBOS, len(actions)))
        for action, row in zip(real, node.frequencies, strict=True):
            mixture[:, actions.index(action)] += row[class_of_combos()]
        return actions, mixture / mixture.sum(axis=1, keepdims=True)

    @property
    def places_paid(self) -> tuple[float, ...]:
        """The prizes that the book's values count, from the first place on; empty for chips."""
        if self.solution.info.get("unit") != "prizes":
            return ()
        payouts: Any = self.solution.spec.get("payouts")
        places = payouts.get("places") if isinstance(payouts, dict) else payouts
        if not (isinstance(places, list | tuple) and places and all(map(_is_prize, places))):
            raise FileFormatError("The file counts prizes and does not name them.")
        return tuple(map(float, places))

    def _unit(self, game: Holdem, scale: float) -> float:
        """What one of the file's values is in real chips, or in prizes."""
        units = {"chips": scale, "big blinds": float(game.big_blind), "prizes": 1.0}
        return units.get(str(self.solution.info.get("unit", "chips")), math.nan)

    def _match(self, node: PreflopNode, action: Action, scale: float) -> str | None:
        if action == FOLD:
            return "f" if "f" in node.actions else None
        if action == CALL:
            # Where all-in and fold are all there is, all-in is the call of one.
            called = "a" if node.actions == ("f", "a") and "a" in node.line else "c"
            return called if called in node.actions else None
        chips = (raise_amount(action) or 0) / scale
        top = self._reachable(self.stacks)[node.seat]
        sizes = {
            word: top if word == "a" else float(word[1:])
            for word in node.actions
            if word[0] in "ra"
        }
        if not sizes or chips <= 0:
            return None
        factors = {word: abs(math.log(min(chips, top) / size)) for word, size in sizes.items()}
        best = min(factors, key=lambda word: factors[word])
        return best if factors[best] <= math.log(RAISE_TOLERANCE) else None


def _legal(word: str, scale: float, betting: Betting) -> Action:
    """An action of a book as the table allows it; a raise that cannot be made is a call."""
    amounts = {"f": -1.0, "c": 0.0, "a": math.inf}
    return nearest_action(betting, amounts[word] if word in amounts else float(word[1:]) * scale)
