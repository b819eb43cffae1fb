"""Games before the flop with flops after them: their TOML, and solved in one call.

    game = "flops"
    stacks = [20, 20]          # of the small and the big blind; one number for both
    blinds = [0.5, 1]
    flops = "subset:10"        # subset:25 …, a file with a flop in each line, or a list of flops
    limp = false
    [preflop]                  # sizes of each raise, as in spots; one that is left out is none
    open = "2.5x"
    iso = "3.5x"               # the big blind's after a limp
    3bet = "a"                 # 4bet, 5bet and 6bet follow
    [sizes.flop]               # after the flop as in a spot: oop is the big blind, ip the other
    oop = { bet = "75%", raise = "60%" }
    ip = { bet = "75%", raise = "60%" }
    [tree]
    allin_below_spr = 1.0

Further keys: ante, straddle, [rake] with rate and cap, [sizes.turn], [sizes.river], and those of a
spot's [tree].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from riverboat.cards.card import parse_cards
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction.preflop_store import preflop_table
from riverboat.holdem.preflop.flop_game import RAISE_NAMES, FlopGame
from riverboat.holdem.preflop.flop_solver import FlopGameSize, FlopGameSolver, open_checkpoint
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.rules.fields import check_keys, read_number, read_table
from riverboat.holdem.spots.bet_sizes import parse_sizes
from riverboat.holdem.spots.flops import Flop, parse_flops
from riverboat.holdem.spots.spot_toml import read_sizes, read_tree
from riverboat.runtime.devices import choose_device, machine_memory
from riverboat.runtime.storage import check_room, check_writable
from riverboat.solvers.run import Autosave, Limit, ProgressCallback

GAME = "flops"
DEFAULT_TARGET = 0.005  # Big blinds per hand: where a run without a limit stops
CHECKPOINT_SECONDS = 60.0
MEMORY_SHARE = 0.85  # Of a machine's memory that a game may take where no limit is given
_KEYS = ("game", "stacks", "blinds", "ante", "straddle", "flops", "limp", "preflop", "sizes",
         "tree", "rake")  # fmt: skip


def read_flop_game(table: Mapping[str, Any]) -> FlopGame:
    """The game of a TOML's keys; a key that is not known is refused by name."""
    check_keys(table, _KEYS, "a game with flops")
    rake = read_table(table, "rake", ("rate", "cap"))
    raises = read_table(table, "preflop", RAISE_NAMES)
    for name, text in raises.items():
        if not isinstance(text, str):
            raise ParameterError(f'preflop.{name} must be a text, such as "2.5x,a".')
    limp = table.get("limp", True)
    if not isinstance(limp, bool):
        raise ParameterError("limp must be true or false.")
    return FlopGame(
        _flops(table.get("flops", "subset:25")),
        stacks=_pair(table, "stacks", (100.0, 100.0)),
        blinds=_pair(table, "blinds", (0.5, 1.0)),
        ante=read_number(table, "ante"),
        straddle=read_number(table, "straddle"),
        limp=limp,
        raises={
            name: parse_sizes(text, f"preflop.{name}", raises=True) for name, text in raises.items()
        },
        sizes=read_sizes(read_table(table, "sizes"), ("oop", "ip")),
        tree=read_tree(read_table(table, "tree")),
        rake_rate=read_number(rake, "rate"),
        rake_cap=read_number(rake, "cap"),
    )


def _pair(table: Mapping[str, Any], key: str, usual: tuple[float, float]) -> tuple[float, float]:
    value = table.get(key, list(usual))
    both = value if isinstance(value, list | tuple) else [value, value]
    if len(both) != 2:
        raise ParameterError(f"{key} are two numbers, the small blind's first, not {len(both)}.")
    first, second = (read_number({key: chips}, key) for chips in both)
    return first, second


def _flops(value: Any) -> tuple[Flop, ...]:
    if isinstance(value, str):
        return parse_flops(value)
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ParameterError('flops is a text such as "subset:25", or a list of flops.')
    flops = []
    for text in value:
        cards = parse_cards(text)
        if len(set(cards)) != 3:
            raise ParameterError(f"A flop has three cards, not {text!r}.")
        flops.append(Flop((cards[0], cards[1], cards[2]), 1.0))
    return tuple(flops)


def solve_flop_game(
    game: FlopGame,
    spec: Mapping[str, Any],
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    memory: int | None = None,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    compiling: Callable[[int, int], None] | None = None,
    sized: Callable[[FlopGameSize, bool], None] | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
) -> PreflopSolution:
    """Solve a game; without a limit to an exploitability of 0.005 big blinds per hand.

    Args:
        game: What is played.
        spec: The same as the keys of its TOML.
        target: Exploitability in chips per hand.
        iterations: Limit of iterations, those before a resume included.
        seconds: Limit of time.
        threads: Threads on the CPU, which share the flops.
        memory: Bytes; by default 85 % of the machine's, or what the GPU has free.
        device: "cpu", "cuda" or "auto".
        progress: Called ten times a second with a solvers.run.Progress.
        compiling: Called with the number of spots that are ready, and of all.
        sized: Called with the size and whether numbers are 16-bit, before anything is allocated.
        checkpoint: A file that is renewed on the way.
        resume: Such a file to go on from.
    """
    device = choose_device(device)
    kept = None if resume is None else open_checkpoint(resume, spec, device)
    if checkpoint is not None:
        check_writable(checkpoint)
    if target is None and iterations is None and seconds is None:
        target = DEFAULT_TARGET * game.blinds[1]
    limit = Limit(iterations, target, seconds)
    if memory is None and device == "cpu" and (whole := machine_memory()) is not None:
        memory = int(MEMORY_SHARE * whole)

    def report(size: FlopGameSize, int16: bool) -> None:
        if checkpoint is not None:
            check_room(checkpoint, size.checkpoint_bytes(int16=int16))
        if sized is not None:
            sized(size, int16)

    solver = FlopGameSolver(
        game,
        preflop_table().equities(),
        threads=threads,
        memory=memory,
        int16=None if kept is None else bool(kept.field("int16")),
        device=device,
        sized=report,
    )
    # Compiling plays a pass and clears what it has learned, so it comes first.
    solver.compile(compiling)
    if kept is not None:
        solver.restore(kept)
        kept = None  # The file is closed
    saving = None
    if checkpoint is not None:
        save = partial(solver.save_checkpoint, spec=spec)
        saving = Autosave(save, checkpoint, every=CHECKPOINT_SECONDS)
    solver.run(limit, progress, autosave=saving)
    if saving is not None:
        saving.finish()
    return solver.solution(spec)
