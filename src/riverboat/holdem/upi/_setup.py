"""What a UPI conversation has set: board, ranges, pot, lines, locks, and the tree built from it.

`add_line 30 90 90 200` names, action by action, all chips that the player who acts has put in since
the tree began: OOP bets 30, IP raises to 90, OOP calls, and after the turn OOP bets 110 more. As a
line of a spot that is B30-R90-C-B110. A number that changes nothing is a check.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.ranges import Range, format_range, parse_range, pio_order
from riverboat.errors import FileFormatError, ParameterError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.bet_sizes import TreeOptions
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.locks import Lock, keeps_symmetry, place_locks
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.upi._figures import child_order, node_locks
from riverboat.holdem.upi._runner import Runner
from riverboat.runtime.devices import machine_memory

_PLAYERS = {"OOP": 0, "IP": 1, "0": 0, "1": 1}


def line_of(amounts: Sequence[float], stack: float, street: int) -> str:
    """The line of a spot that begins on `street`, refused where it cannot be."""
    put, base, player = [0.0, 0.0], 0.0, 0
    words: list[str] = []
    opened = True  # no player has acted on this street yet
    for amount in amounts:
        if street > Street.RIVER or (base >= stack and opened):
            break  # the hand is over, or all-in: numbers after that are no actions
        mine, theirs = put[player], put[1 - player]
        if not theirs <= amount <= stack:
            line = " ".join(f"{amount:.10g}" for amount in amounts[:40])
            raise ParameterError(
                f"add_line {line}: {amount:.10g} is no check, call or bet where"
                f" {theirs:.10g} chips are to be met and {stack:.10g} are all there is."
            )
        if amount > theirs:
            letter = "A" if amount == stack else "R" if theirs > mine else "B"
            words.append(f"{letter}{amount - base:.10g}")
        else:
            words.append("C" if theirs > mine else "X")
        closes = amount == theirs and (theirs > mine or not opened)
        put[player], opened = amount, False
        player = 1 - player
        if closes:
            street, base, player, opened = street + 1, max(put), 0, True
    return "-".join(words)


Arguments = Sequence[str]
Answer = list[str]


def player_of(word: str) -> int:
    """OOP or IP as 0 or 1."""
    if word.upper() not in _PLAYERS:
        raise ParameterError(f"A player is OOP or IP, not {word[:20]!r}.")
    return _PLAYERS[word.upper()]


class UpiSetup:
    """Settings, and trees built, estimated, loaded and freed."""

    def __init__(self, send: Callable[[Sequence[str]], None] | None = None) -> None:
        self.end: str = ""
        self.over = False
        self.board: tuple[int, ...] = ()
        self.pot, self.stack = 0.0, 0.0
        self.ranges: list[Range] = [Range.full(), Range.full()]
        self.lines: list[str] = []
        self.rake = (0.0, 0.0)
        self.isomorphism = True
        self.threads = 1
        self.accuracy: tuple[float, str] = (0.0, "chips")
        self.recalc_accuracy = 0.0025
        """Of the pot: where `solve_partial` stops."""
        self.info: list[str] = []
        self.solver: SpotSolver | None = None
        self.loaded: SolvedSpot | None = None
        self.runner = Runner(send or (lambda lines: None))

    # Settings

    def _set_end(self, arguments: Arguments) -> None:
        self.end = " ".join(arguments)

    def _set_board(self, arguments: Arguments) -> None:
        cards = tuple(parse_cards("".join(arguments)))
        if len(cards) not in (3, 4, 5) or len(set(cards)) < len(cards):
            raise ParameterError("A board has 3, 4 or 5 different cards.")
        self.board = cards

    def _set_pot(self, arguments: Arguments) -> None:
        oop, ip, start = map(float, arguments)
        if oop or ip:
            raise ParameterError("set_pot takes 0 0 POT: both have put in nothing yet.")
        self.pot = start

    def _set_stack(self, arguments: Arguments) -> None:
        self.stack = float(arguments[0])

    def _set_range(self, arguments: Arguments) -> None:
        player = player_of(arguments[0])
        self.ranges[player] = parse_range(" ".join(arguments[1:]))

    def _set_rake(self, arguments: Arguments) -> None:
        rate, cap = map(float, arguments)
        self.rake = (rate, cap) if rate < 1 else (cap, rate)

    def _set_isomorphism(self, arguments: Arguments) -> None:
        self.isomorphism = any(int(word) for word in arguments)

    def _set_threads(self, arguments: Arguments) -> None:
        number = int(arguments[0])
        if not 0 <= number <= 256:
            raise ParameterError("set_threads takes 0 (all) to 256.")
        self.threads = number or os.cpu_count() or 1

    def _set_recalc_accuracy(self, arguments: Arguments) -> None:
        given = [float(word) for word in arguments]
        if not all(0 < share < 1e9 for share in given):
            raise ParameterError("set_recalc_accuracy takes shares of the pot above 0.")
        self.recalc_accuracy = given[0]

    def _set_accuracy(self, arguments: Arguments) -> None:
        kind = arguments[1].lower() if len(arguments) > 1 else "chips"
        if kind not in ("chips", "fraction") or not 0 <= float(arguments[0]) < 1e9:
            raise ParameterError("set_accuracy takes a number from 0 up, then chips or fraction.")
        self.accuracy = (float(arguments[0]), kind)

    def _nothing(self, arguments: Arguments) -> None:
        """Accepted where a setting of PioSOLVER has no counterpart."""

    # The tree

    def _add_line(self, arguments: Arguments) -> None:
        if not self.board or not self.stack:
            raise UsageError("Set the board and the stack before lines are added.")
        text = line_of([float(word) for word in arguments], self.stack, len(self.board) - 2)
        if text:
            self.lines.append(text)

    def _remove_line(self, arguments: Arguments) -> None:
        text = line_of([float(word) for word in arguments], self.stack, len(self.board) - 2)
        if text not in self.lines:
            raise UsageError(f"The line {' '.join(arguments[:40])} was not added.")
        self.lines.remove(text)

    def _spot(self) -> Spot:
        if not self.board or not self.pot or not self.stack:
            raise UsageError("A tree needs set_board, set_pot and set_eff_stack first.")
        if not self.lines:
            raise UsageError("A tree needs add_line with a bet: without one nobody can ever bet.")
        return Spot(
            board=self.board,
            pot=self.pot,
            stack=self.stack,
            ranges=(self.ranges[0], self.ranges[1]),
            rake_rate=self.rake[0],
            rake_cap=self.rake[1],
            tree=TreeOptions(lines=tuple(dict.fromkeys(self.lines))),
        )

    def _build(self, arguments: Arguments) -> None:
        self._free(arguments)
        self.solver = make_solver(
            self._spot(),
            threads=self.threads,
            memory=machine_memory() or None,
            isomorphism=self.isomorphism,
        )

    def _estimate(self, arguments: Arguments) -> Answer:
        memory = machine_memory() or None
        size = open_layout(self._spot(), isomorphism=self.isomorphism, memory=memory).size
        return [
            f"estimated tree size: {size.float32 / 2**20:.1f} MB",
            f"with 16-bit numbers: {size.int16 / 2**20:.1f} MB",
            f"decision nodes: {size.nodes}",
        ]

    def _free(self, arguments: Arguments) -> None:
        self.runner.stop()
        self.solver = self.loaded = None

    def _load(self, arguments: Arguments) -> None:
        path = Path(arguments[0])
        self._free(arguments)
        if path.suffix.lower() in (".toml", ".txt"):
            self.solver = make_solver(Spot.load(path).of_two(), threads=self.threads)
            self._adopt(self.solver.spot)
            return
        try:
            solver = SpotSolver.load(path, threads=self.threads)
            self._adopt(solver.spot)
            self.solver = solver
        except FileFormatError as error:
            try:
                loaded = SolvedSpot.load(path)
            except FileFormatError:
                raise UsageError(
                    f"{error} PioSOLVER's own files cannot be read; build the tree anew."
                ) from None
            self._adopt(loaded.spot)
            self.loaded = loaded

    def _adopt(self, spot: Spot) -> None:
        """What was set is what the tree that was loaded has."""
        spot.of_two()
        if spot.game != "holdem":
            raise UsageError("UPI has words for hands of two cards only; read this spot by others.")
        if spot.dead:
            raise UsageError("UPI has no words for dead cards; read this spot by other commands.")
        if spot.payouts is not None:
            raise UsageError("UPI counts in chips; read this spot with payouts by other commands.")
        self.board, self.pot, self.stack = spot.board, spot.pot, spot.stack
        self.ranges = [range_ for range_ in spot.ranges if isinstance(range_, Range)]
        self.rake = (spot.rake_rate, spot.rake_cap)
        self.lines = list(spot.tree.lines)

    # Locked nodes

    def _given_strategy(self, at: SpotCursor, words: Sequence[str]) -> list[Lock]:
        """The strategy of a node as `show_strategy` writes it: a row of 1,326 for each child."""
        num_actions = len(at.node.actions)
        if len(words) != num_actions * NUM_COMBOS:
            raise ParameterError(
                f"set_strategy takes {num_actions} × {NUM_COMBOS:,} numbers at {at.node_id}, one"
                f" row for each action, not {len(words):,}."
            )
        rows = np.array([float(word) for word in words]).reshape(num_actions, NUM_COMBOS)
        ours = np.empty_like(rows)
        ours[child_order(at)] = rows
        whole = np.zeros_like(rows)
        whole[:, pio_order()] = ours
        mine = whole[:, at.combos(at.player)]
        if not np.isfinite(mine).all() or (mine < 0).any():
            raise ParameterError("A strategy's numbers go from 0 up.")
        return node_locks(at, mine)

    def _renew(self, locks: Sequence[Lock], given: Sequence[Lock] = ()) -> None:
        """Give the solver other locks and put `given` strategies in place; the rest is kept."""
        old = self._solver()
        if self.runner.running:
            raise UsageError("The solver is running; stop it before nodes are locked.")
        same = keeps_symmetry(old.layout, [*locks, *given])
        if not same and old.iterations:
            raise UsageError(
                "This strategy differs between suits that are solved as one; set_isomorphism 0 0"
                " and build the tree anew before it is solved."
            )
        layout = old.layout if same else open_layout(old.spot, isomorphism=False)
        new = make_solver(layout, threads=self.threads, int16=old.int16, locks=tuple(locks))
        if same:
            new.begin_at(old.iterations, old.regrets, old.averages)
            new.seconds = old.seconds
        for lock in place_locks(layout, [*locks, *given]):
            lock.enforce(new.regrets[lock.player])
            lock.enforce(new.averages[lock.player])
        self.solver = new

    def _solver(self) -> SpotSolver:
        if self.solver is None:
            raise UsageError("There is no whole tree; build_tree or load_tree first.")
        return self.solver

    # What is set

    def _tree_parameters(self, arguments: Arguments) -> Answer:
        return [
            f"set_isomorphism {int(self.isomorphism)} 0",
            f"set_board {''.join(map(card_text, self.board))}",
            f"set_pot 0 0 {self.pot:.10g}",
            f"set_eff_stack {self.stack:.10g}",
            f"set_rake {self.rake[0]:.10g} {self.rake[1]:.10g}",
            f"set_range OOP {format_range(self.ranges[0])}",
            f"set_range IP {format_range(self.ranges[1])}",
            *(f"# line {line}" for line in dict.fromkeys(self.lines)),
        ]

    def _tree_info(self, arguments: Arguments) -> Answer:
        own = [
            "#Type#NoLimit",
            f"#Range0#{format_range(self.ranges[0])}",
            f"#Range1#{format_range(self.ranges[1])}",
            f"#Board#{' '.join(map(card_text, self.board))}",
            f"#Pot#{self.pot:.10g}",
            f"#EffectiveStacks#{self.stack:.10g}",
        ]
        return own + self.info
