"""Blackjack played by the billion on a GPU: the tables of simulate.py as CUDA's, and the launches.

The kernel's text is rounds.cu. Numbers of a run (seats, bins, sizes of tables) are written above it
as #defines, so that each kind of table has a kernel of its own; CuPy compiles it once and keeps it.

A shoe's cards depend on the seed and on its number alone, and results are counted, not summed. So
the result is the same for any number of blocks, and a run that is split in parts adds up to the
whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.simulation.simulation_rows_cuda import Levels, RoundTable, Table

if TYPE_CHECKING:
    from riverboat.blackjack.simulation.automaton import Automaton, CountTable
    from riverboat.blackjack.simulation.simulate import Simulation, Tables

__all__ = ["Plan", "kernel_text", "plan_of", "play_parts"]

_RANKS, _COLUMNS = 13, 16
_TERMINAL, _FULL = 0x8000, 0x200
THREADS = 1024
"""Of a block. A multiprocessor has two blocks where registers and shared memory allow it."""
SHARED, RESERVED = 227 << 10, 1 << 10
"""Shared memory of a block on a large GPU, and what CUDA itself takes of it for each block."""
FIRST_RUNS, LAUNCH_ROUNDS = 4096, 2e10
"""Runs of the first launch, and rounds of the others: half a second of a large GPU."""
RUN = 16
"""Shoes (rounds, where the deck is infinite) that share a stream of random words."""


@dataclass(frozen=True)
class Plan:
    """What a kernel needs: its #defines and its arrays, in the order of its arguments."""

    defines: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    full: NDArray[np.uint32]
    """The fresh shoe as cumulative counts, three to a word."""

    shared_bytes: int
    """Shared memory of a block: the counts and the tables, as far as there is room."""


def plan_of(tables: Tables, shared: int = SHARED) -> Plan:
    """The tables of a simulation, laid out for rounds.cu and so much shared memory."""
    game, count, simulation = tables.game, tables.count, tables.simulation
    histogram = tables.histogram()
    ranks = 10 if _tens_alike(game) else _RANKS
    levels, peek = Levels(game), simulation.rules.hole_card == "peek"
    counts = len(count.edges) > 0
    depth, bins = _bins(count, levels, histogram.shape[1])
    tags = tuple(bins.itemsize * tag for tag in count.tags)
    table = Table(ranks, simulation.seats, peek, histogram.shape[1] // 2, tags)
    rounds = RoundTable(game, levels, table)
    hands = int(game.ranks.reshape(5, _COLUMNS)[2].max())
    arrays: dict[str, NDArray[Any]] = {"table": rounds.words, "depth": depth, "bins": bins}
    num = simulation.shoe_size // _RANKS
    copies = [num] * 9 + [4 * num] if ranks == 10 else [num] * _RANKS
    defines: dict[str, Any] = {
        "WORDS": (ranks + 1) // 3,
        "SIZE": simulation.shoe_size,
        "CUT": simulation.cut,
        "ENDLESS": int(simulation.rules.decks == "infinite"),
        "RUN": RUN,
        "SEATS": simulation.seats,
        "SEAT": simulation.seat,
        "PEEK": int(peek),
        "INSURES": int(bool(game.insure.any())),
        "COUNTS": int(counts),
        "LEVELS": len(levels.kinds),
        "OTHERS": levels.others,
        "BINS": histogram.shape[0],
        "WIDTH": histogram.shape[1],
        "MIDDLE": histogram.shape[1] // 2,
        "NUM_WORDS": len(rounds.words),
        "NUM_BINS": bins.size // 2,
        "START_COUNT": bins.itemsize * count.first,
        "FAR_TAGS": int(rounds.far_tags),
        "TAGS": rounds.tags,
        "TENTHS": rounds.tenths,
        "FINALS": 1 + int(game.house[game.house >= _TERMINAL].max()) - _TERMINAL,
        "UP_ROW": rounds.up_row,
        "CONTESTED": rounds.contested,
        "UNCONTESTED": rounds.uncontested,
        "INSURED_HOUSE": rounds.insured_house,
        "MANY": int(hands > 8),
        "ENDS": "u32" if hands <= 4 else "u64",
        "LOOKED": bins.dtype.name.replace("uint", "u"),
        "EXHAUSTS": int(_may_run_out(tables)),
    }
    taken = 0
    wanted = {"COUNTS": 4 * histogram.size, "TABLE": rounds.words.nbytes}
    if counts:
        wanted["BINS"] = depth.nbytes + bins.nbytes
    for name, size in wanted.items():
        near = taken + size <= shared
        defines[f"NEAR_{name}"] = int(near)
        taken += size * near
    return Plan(defines, arrays, _cumulative(np.array(copies)), taken)


def kernel_text(plan: Plan, **more: int) -> str:
    """The CUDA text for a plan; `more` are #defines of the launch or the test."""
    folder = resources.files("riverboat.blackjack.simulation")
    lines = [f"#define {name} {value}" for name, value in {**plan.defines, **more}.items()]
    lines.append(f"#define WHOLE {{{', '.join(f'{word}u' for word in plan.full)}}}")
    return "\n".join(lines) + "\n" + (folder / "rounds.cu").read_text(encoding="utf-8")


def play_parts(tables: Tables, rounds: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The counts of one launch after another until so many rounds are played.

    A first small launch tells how many rounds a run of shoes has. How many runs there are then
    depends on the seed alone, whatever the GPU.
    """
    import cupy

    gpu = int(cupy.cuda.Device().id)
    launch = _launch(_Compiled(tables.simulation, gpu, tables))
    shape = tables.histogram().shape
    first = launch.play(seed, 0, FIRST_RUNS).reshape(shape)
    yield first
    per_run = first.sum() / FIRST_RUNS
    missing = max(0, rounds - int(first.sum()))
    last = FIRST_RUNS + int(np.ceil(1.0005 * missing / per_run))
    step = max(1, int(LAUNCH_ROUNDS / per_run))
    for start in range(FIRST_RUNS, last, step):
        yield launch.play(seed, start, min(last, start + step)).reshape(shape)


@dataclass(frozen=True)
class _Compiled:
    """What a launch is kept by: a simulation on a GPU."""

    simulation: Simulation
    gpu: int
    tables: Tables = field(compare=False)


@lru_cache(maxsize=8)
def _launch(key: _Compiled) -> _Launch:
    import cupy

    return _Launch(key.tables, cupy)


class _Launch:
    """A compiled kernel with its tables on the GPU."""

    def __init__(self, tables: Tables, cupy: Any) -> None:
        facts = cupy.cuda.Device().attributes
        self.cupy = cupy
        self.plan = plan = plan_of(tables, int(facts["MaxSharedMemoryPerBlockOptin"]))
        room = int(facts["MaxSharedMemoryPerMultiprocessor"])
        most = 1 if plan.defines["MANY"] else int(facts["MaxThreadsPerMultiProcessor"]) // THREADS
        each = max(1, min(2, most, room // (plan.shared_bytes + RESERVED)))
        text = kernel_text(plan, THREADS=THREADS, BLOCKS=each)
        self.kernel = cupy.RawModule(code=text, options=("-std=c++14",)).get_function("play")
        self.kernel.max_dynamic_shared_size_bytes = plan.shared_bytes
        self.kernel.preferred_shared_memory_carveout = 100
        self.arrays = [cupy.asarray(array) for array in plan.arrays.values()]
        self.blocks = each * int(facts["MultiProcessorCount"])

    def play(self, seed: int, first: int, end: int) -> NDArray[np.int64]:
        """The counts of the runs `first` … `end` − 1."""
        size = self.plan.defines["BINS"] * self.plan.defines["WIDTH"]
        total = self.cupy.zeros(size, self.cupy.uint64)
        numbers = (np.uint64(seed), np.uint64(first), np.uint32(end - first))
        self.kernel(
            (self.blocks,), (THREADS,), (*self.arrays, *numbers, total),
            shared_mem=self.plan.shared_bytes,
        )  # fmt: skip
        return np.asarray(total.get(), np.int64)


def _tens_alike(game: Automaton) -> bool:
    """Whether T, J, Q and K can be one rank: nothing tells them apart, pairs included."""
    tens = slice(9, _RANKS)
    nexts, house = game.nexts.reshape(-1, _COLUMNS), game.house.reshape(-1, _COLUMNS)
    by_rank = game.ranks.reshape(5, _COLUMNS)
    halves = [nexts[by_rank[k, tens] // np.uint64(_COLUMNS)] for k in (3, 4)]
    alike = [nexts[:, tens].T, house[:, tens].T, nexts[tens], house[tens], *halves]
    alike.append(by_rank[2, tens][:, None])
    return all(bool(np.all(part == part[:1])) for part in alike)


def _may_run_out(tables: Tables) -> bool:
    """Whether a round may need more cards than lie behind the cut card."""
    game, simulation = tables.game, tables.simulation
    if simulation.rules.decks == "infinite":
        return False
    hands = int(game.ranks.reshape(5, _COLUMNS)[2].max())
    answers = game.answer.reshape(-1, len(game.nexts) // _COLUMNS, _COLUMNS)
    nexts = game.nexts.reshape(-1, _COLUMNS)[:, :_RANKS]
    goes_on = np.any(answers < _TERMINAL, axis=0)
    player = max(_longest(nexts, goes_on[:, up]) for up in range(_RANKS))
    house = game.house.reshape(-1, _COLUMNS)[:, :_RANKS]
    dealer = _longest(np.where(house < _TERMINAL, house, 0), np.any(house < _TERMINAL, axis=1))
    return simulation.seats * hands * player + dealer > simulation.shoe_size - simulation.cut


def _longest(nexts: NDArray[np.uint16], goes_on: NDArray[np.bool_]) -> int:
    """The most cards a hand can take."""
    steps = np.zeros(len(nexts), np.int64)
    while True:
        following = np.where(nexts > 0, steps[nexts // _COLUMNS], 0).max(axis=1)
        longer = np.where(goes_on, 1 + following, 0)
        if np.array_equal(longer, steps):
            return int(steps.max()) + 1
        steps = longer


def _bins(count: CountTable, levels: Levels, width: int) -> tuple[NDArray[np.uint32], NDArray[Any]]:
    """By cards left: which row of bins; by running count: where a bin's counts stand, and levels.

    All in bytes, and each row of bins once. One more card left than there is stands for a fresh
    shoe: insurance is decided as if the hole card were still to come.
    """
    table = count.bins.reshape(-1, count.width)[::-1]
    rows, depth = np.unique(table, axis=0, return_inverse=True)
    both = np.stack([4 * width * rows.astype(np.int64), 4 * levels.by_bin[rows].astype(np.int64)])
    bins = both.astype(np.uint16 if both.max() < 1 << 16 else np.uint32)
    where = bins.itemsize * count.width * np.append(depth, depth[-1])
    return where.astype(np.uint32), bins


def _cumulative(copies: NDArray[np.int64]) -> NDArray[np.uint32]:
    """512 less the cumulative counts of all ranks but the last, three to a word; word i begins at
    bit i, a fourth at the lowest.
    """
    words = np.zeros((len(copies) - 1) // 3, np.uint32)
    for i, number in enumerate(np.cumsum(copies)[:-1]):
        first = i // 3 if i < 9 else 0
        words[i // 3] |= np.uint32((_FULL - int(number)) << (10 * (i % 3) + first))
    return words
