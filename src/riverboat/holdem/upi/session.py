"""UPI, the text protocol that PioSOLVER speaks on standard input, for our solver of spots.

    set_range OOP 0 0 1 …      two ranges, a board, pot and stack
    add_line 30 90             a line of the tree: what the player who acts has put in, in all
    build_tree
    go 100 steps
    wait_for_solver
    show_strategy r:0:b30      a line of 1,326 numbers for each action

`UpiSession.answer(line)` gives the lines that answer a command; it opens no streams and never
raises: whatever cannot be done is a line that begins with ERROR. A running solver reports
through `send`. docs/upi.md says what is understood and what differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from riverboat.cards.combos import CLASS_NAMES
from riverboat.cards.ranges import pio_hands, pio_order
from riverboat.errors import ParameterError, RiverboatError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.tree import NodeKind
from riverboat.holdem.upi._figures import (
    all_lines,
    equity_lines,
    ev_lines,
    global_frequency,
    line_frequency,
    node_lines,
    node_locks,
    plain_equity_lines,
    range_line,
    shown_children,
    strategy_lines,
    vector,
)
from riverboat.holdem.upi._runner import result_lines
from riverboat.holdem.upi._setup import Answer, Arguments, UpiSetup, player_of
from riverboat.runtime.storage import read_bytes
from riverboat.solvers.run import Limit
from riverboat.version import __version__

_WORDS = re.compile(r'"([^"]*)"|(\S+)')
BANNER = (
    f"Riverboat {__version__}, a solver of hold'em spots",
    "It speaks UPI, the protocol of PioSOLVER; docs/upi.md lists the commands.",
    "registered to nobody: free software",
    "",
)
"""Three lines and an empty one, which clients read before they send anything."""
_MANY = 3_000  # Arguments of a line; a range alone has 1,326
_STRATEGY = 30_000  # Numbers of a node's strategy: 1,326 for each action


class UpiSession(UpiSetup):
    """One conversation: commands in, answers out."""

    def answer(self, line: str) -> Answer | None:
        """The lines that answer a command, the end string among them; None for no command."""
        words = [first or second for first, second in _WORDS.findall(line.strip())]
        if not words or words[0].startswith("#"):
            return None
        self.begin()
        lines = self._answer(words[0], words[1:])
        self.runner.end = self.end
        return [*lines, self.end] if self.end and not self.over else lines

    def begin(self) -> None:
        """Start the solver prepared by `go`, once its reply has been sent."""
        self.runner.begin()

    def _answer(self, name: str, arguments: Arguments) -> Answer:
        command = COMMANDS.get(name)
        if command is None:
            return [f"ERROR: unknown command {name[:60]!r}; docs/upi.md lists those understood."]
        least, most, method = command
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            noun = "argument" if wanted == "1" else "arguments"
            return [f"ERROR: {name} takes {wanted} {noun}, not {len(arguments)}."]
        try:
            answer = method(self, arguments)
        except RiverboatError as error:
            return [f"ERROR: {error}"]
        except (ValueError, OverflowError, IndexError, MemoryError) as error:
            return [f"ERROR: {name} cannot be done with these arguments: {error}."]
        return [f"{name} ok!"] if answer is None else answer

    def close(self) -> None:
        """End a run that is under way; the iteration that is being done is finished."""
        self.runner.stop()

    def _dump(self, arguments: Arguments) -> None:
        kind = arguments[1].lower() if len(arguments) > 1 else "full"
        without = {"full": None, "auto": None, "no_rivers": "rivers", "no_turns": "turns"}
        if kind not in without:
            raise ParameterError("dump_tree takes full, no_rivers or no_turns, not " + kind + ".")
        with self.runner.quiet():
            if self.solver is not None and without[kind] is None:
                self.solver.save(arguments[0])
            else:
                self._solved().save(arguments[0], without=without[kind])

    # Solving

    def _go(self, arguments: Arguments) -> Answer:
        if self.solver is None:
            raise UsageError("There is no tree to solve; set it up and build_tree first.")
        unit = arguments[1].lower() if len(arguments) > 1 else "seconds"
        if unit not in ("seconds", "second", "steps", "step"):
            raise ParameterError("go takes a number, then seconds or steps.")
        number = float(arguments[0]) if arguments else None
        if number is not None and not 0 < number < 1e9:
            raise ParameterError(f"go takes a number above 0, not {arguments[0]}.")
        chips, kind = self.accuracy
        target = chips * (self.solver.spot.pot if kind == "fraction" else 1) or None
        steps = int(number) if number is not None and unit.startswith("step") else None
        seconds = number if steps is None else None
        self.solver.passes.threads = self.threads
        self.runner.start(self.solver, target=target, steps=steps, seconds=seconds)
        return ["go ok!"]

    def _results(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            if self.solver is not None:
                return result_lines(self.solver.info())
            return result_lines(self._solved().info)

    def _solve_partial(self, arguments: Arguments) -> None:
        """Solve on until the whole tree, and so the part, is as exact as was asked for."""
        self._at(arguments[0])
        if self.solver is None:
            return  # streets that a file left out are solved when they are reached
        if self.runner.running:
            raise UsageError("The solver is running already; stop it or wait_for_solver first.")
        with self.runner.quiet():
            self.solver.run(Limit(target=self.recalc_accuracy * self.solver.spot.pot))

    # Locked nodes

    def _decision(self, node: str) -> SpotCursor:
        at = self._at(node)
        if at.kind != NodeKind.DECISION:
            raise UsageError(f"Nobody acts at {node}.")
        return at

    def _set_strategy(self, arguments: Arguments) -> None:
        with self.runner.quiet():
            at = self._decision(arguments[0])
            locks = [lock for lock in self._solver().locks if lock.node != at.node_id]
            given = self._given_strategy(at, arguments[1:])
            locked = len(locks) < len(self._solver().locks)
            self._renew([*locks, *given] if locked else locks, given)

    def _lock_node(self, arguments: Arguments) -> None:
        with self.runner.quiet():
            at = self._decision(arguments[0])
            locks = [lock for lock in self._solver().locks if lock.node != at.node_id]
            self._renew([*locks, *node_locks(at, at.strategies)])

    def _unlock_node(self, arguments: Arguments) -> None:
        with self.runner.quiet():
            node = self._decision(arguments[0]).node_id
            self._renew([lock for lock in self._solver().locks if lock.node != node])

    # Reading

    def _solved(self) -> SolvedSpot:
        if self.loaded is not None:
            return self.loaded
        if self.solver is None:
            raise UsageError("There is no tree; build_tree or load_tree first.")
        return self.solver.result()

    def _at(self, node: str) -> SpotCursor:
        return self._solved().at("r:0" if node == "r" else node)

    @property
    def _has_run(self) -> bool:
        return self.loaded is not None or (self.solver is not None and self.solver.iterations > 0)

    def _node(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            lines = node_lines(self._at(arguments[0]), self._has_run)
        if arguments[0] == "r":
            lines[:2] = ["r", "ROOT"]
            lines[4] = "1 children"
        return lines

    def _children(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            at = self._at(arguments[0])
            nodes = [at] if arguments[0] == "r" else shown_children(at)
            answer: Answer = []
            for number, child in enumerate(nodes):
                answer += ([""] if number else []) + [f"child {number}:"]
                answer += node_lines(child, self._has_run)
        return answer

    def _strategy(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            return strategy_lines(self._decision(arguments[0]))

    def _range(self, arguments: Arguments) -> Answer:
        player = player_of(arguments[0])
        if len(arguments) == 1:
            return [vector(self.ranges[player].weights[pio_order()].tolist())]
        with self.runner.quiet():
            return [range_line(self._at(arguments[1]), player)]

    def _ev(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            return ev_lines(self._at(arguments[1]), player_of(arguments[0]))

    def _equity(self, arguments: Arguments) -> Answer:
        """With a node of the tree: as ranges are there; else ranges and board as set."""
        with self.runner.quiet():
            if len(arguments) > 1:
                return equity_lines(self._at(arguments[1]), player_of(arguments[0]))
            if not self.board:
                raise UsageError("calc_eq needs set_board first.")
            return plain_equity_lines(self.ranges, self.board, player_of(arguments[0]))

    def _frequency(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            return [f"{global_frequency(self._at(arguments[0])):.6f}"]

    def _line_frequency(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            return [f"{line_frequency(self._solved().at(), arguments[0]):.6f}"]

    def _all_lines(self, arguments: Arguments) -> Answer:
        with self.runner.quiet():
            return all_lines(self._solved().tree)

    def _forgotten(self, arguments: Arguments) -> Answer:
        """What the streets that a file left out would take; they are solved when reached."""
        solved = self._solved()
        streets = solved.layout.num_streets - solved.streets_kept
        size = solved.layout.size.float32 if streets > 0 else 0
        return [f"estimated memory: {size / 2**20:.1f} MB"]

    def _script(self, arguments: Arguments) -> Answer:
        """Commands from a file, each answered as if it were typed."""
        text = read_bytes(arguments[0]).decode("utf-8", errors="replace")
        answer: Answer = []
        for line in text.splitlines()[:100_000]:
            if line.split()[:1] and line.split()[0].startswith("load_script"):
                raise UsageError("A script cannot load another script.")
            answer += self.answer(line) or []
            if self.over:
                return answer
        return [*answer, "load_script ok!"]

    def _script_silent(self, arguments: Arguments) -> Answer | None:
        end, self.end = self.end, ""
        try:
            wrong = [line for line in self._script(arguments) if line.startswith("ERROR")]
        finally:
            self.end = end
        return wrong or None

    def _exit(self, arguments: Arguments) -> Answer:
        self.over = True
        self.close()
        return []


Method = Callable[[UpiSession, Arguments], Answer | None]
COMMANDS: dict[str, tuple[int, int, Method]] = {
    "is_ready": (0, 0, UpiSession._nothing),
    "exit": (0, 0, UpiSession._exit),
    "echo": (0, _MANY, lambda self, words: [" ".join(words)]),
    "show_version": (0, 0, lambda self, words: [f"riverboat {__version__}"]),
    "show_build_version": (0, 0, lambda self, words: [__version__]),
    "set_end_string": (1, 20, UpiSession._set_end),
    "reset_end_string": (0, 0, UpiSession._set_end),
    "show_hand_order": (0, 0, lambda self, words: [" ".join(pio_hands())]),
    "show_preflop_order": (0, 0, lambda self, words: [" ".join(CLASS_NAMES)]),
    "load_script": (1, 1, UpiSession._script),
    "load_script_silent": (1, 1, UpiSession._script_silent),
    "set_threads": (1, 1, UpiSession._set_threads),
    "set_accuracy": (1, 2, UpiSession._set_accuracy),
    "set_isomorphism": (1, 2, UpiSession._set_isomorphism),
    "set_board": (1, 5, UpiSession._set_board),
    "set_pot": (3, 3, UpiSession._set_pot),
    "set_eff_stack": (1, 1, UpiSession._set_stack),
    "set_range": (2, _MANY, UpiSession._set_range),
    "set_rake": (2, 2, UpiSession._set_rake),
    "set_recalc_accuracy": (1, 3, UpiSession._set_recalc_accuracy),
    "set_info_freq": (1, 1, UpiSession._nothing),
    "set_first_iteration_player": (1, 1, UpiSession._nothing),
    "take_a_break": (0, 1, UpiSession._nothing),
    "set_always_recalc": (1, 2, UpiSession._nothing),
    "set_algorithm": (1, 3, UpiSession._nothing),
    "load_all_nodes": (0, 0, UpiSession._nothing),
    "rebuild_forgotten_streets": (0, 0, UpiSession._nothing),
    "estimate_rebuild_forgotten_streets": (0, 0, UpiSession._forgotten),
    "add_line": (1, _MANY, UpiSession._add_line),
    "remove_line": (1, _MANY, UpiSession._remove_line),
    "clear_lines": (0, 0, lambda self, words: self.lines.clear()),
    "show_all_lines": (0, 0, UpiSession._all_lines),
    "add_info_line": (1, _MANY, lambda self, words: self.info.append(" ".join(words))),
    "reset_tree_info": (0, 0, lambda self, words: self.info.clear()),
    "show_tree_info": (0, 0, UpiSession._tree_info),
    "show_tree_params": (0, 0, UpiSession._tree_parameters),
    "build_tree": (0, 0, UpiSession._build),
    "estimate_tree": (0, 0, UpiSession._estimate),
    "free_tree": (0, 0, UpiSession._free),
    "is_tree_present": (0, 0, lambda self, words: [str(bool(self.solver or self.loaded)).lower()]),
    "load_tree": (1, 2, UpiSession._load),
    "dump_tree": (1, 2, UpiSession._dump),
    "go": (0, 2, UpiSession._go),
    "wait_for_solver": (0, 0, lambda self, words: self.runner.wait()),
    "stop": (0, 0, lambda self, words: self.runner.stop()),
    "solve_partial": (1, 1, UpiSession._solve_partial),
    "set_strategy": (2, _STRATEGY, UpiSession._set_strategy),
    "lock_node": (1, 1, UpiSession._lock_node),
    "unlock_node": (1, 1, UpiSession._unlock_node),
    "calc_results": (0, 0, UpiSession._results),
    "show_node": (1, 1, UpiSession._node),
    "show_children": (1, 1, UpiSession._children),
    "show_strategy": (1, 1, UpiSession._strategy),
    "show_range": (1, 2, UpiSession._range),
    "calc_ev": (2, 2, UpiSession._ev),
    "calc_eq": (1, 1, UpiSession._equity),
    "calc_eq_node": (2, 2, UpiSession._equity),
    "calc_global_freq": (1, 1, UpiSession._frequency),
    "calc_line_freq": (1, 1, UpiSession._line_frequency),
    "show_effective_stack": (0, 0, lambda self, words: [f"{self.stack:.10g}"]),
}
"""Each command with the least and the most arguments it takes."""
