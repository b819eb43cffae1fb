"""Blackjack played by the billion on a GPU: the tables of simulate.py as CUDA's, and the launches.

The kernel's text is rounds.cu. Numbers of a run (seats, bins, sizes of tables) are written above it
as #defines, so that each kind of table has a kernel of its own; CuPy compiles it once and keeps it.

A shoe's cards depend on the seed and on its number alone, and results are counted, not summed. So
the result is the same for any number of blocks, and a run that is split in parts adds up to the
whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from riverboat.blackjack.simulation.automaton import Automaton, CountTable
    from riverboat.blackjack.simulation.simulate import Tables

__all__ = ["Plan", "kernel_text", "plan_of", "play_parts"]

_RANKS, _COLUMNS, _CONTESTS = 13, 16, 15
_TERMINAL, _SPLIT, _CONTEST_BIT = 0x8000, 0xFFFF, 0x4000
_SPLIT_CODE, _GUARD = 0xFFF0, 0x200
_ROW = 2 * _COLUMNS
"""Bytes of a row: rows are named by where they begin."""
_NEAR_BINS, _NEAR = 16_000, 48_000
"""Bytes of bins that move to shared memory, and of shared memory that is laid out beforehand."""
THREADS = 1024
"""Of a block; one block for each multiprocessor."""
FIRST_RUNS, LAUNCH_ROUNDS = 4096, 2e10
"""Runs of the first launch, and rounds of the others: half a second of a large GPU."""
RUN = 16
"""Shoes (rounds, where the deck is infinite) that share a stream of random words."""


@dataclass(frozen=True)
class Plan:
    """What a kernel needs: its #defines and its arrays, in the order of its arguments."""

    defines: dict[str, int]
    arrays: dict[str, NDArray[Any]]
    full: NDArray[np.uint32]
    """The fresh shoe as cumulative counts, three to a word."""

    @property
    def far_bytes(self) -> int:
        """Dynamic shared memory: the counts, where they are too many for the static kind."""
        return 4 * self.defines["BINS"] * self.defines["WIDTH"] * self.defines["FAR_COUNTS"]


def plan_of(tables: Tables) -> Plan:
    """The tables of a simulation, laid out for rounds.cu."""
    game, count, simulation = tables.game, tables.count, tables.simulation
    nexts = game.nexts.reshape(-1, _COLUMNS)
    house = game.house.reshape(-1, _COLUMNS)
    by_rank = game.ranks.reshape(5, _COLUMNS)
    histogram, num_states = tables.histogram(), len(nexts)
    ranks = 10 if _tens_alike(nexts, house, by_rank) else _RANKS
    order = np.arange(ranks)[::-1]
    answers, rows = _answers(game, order)
    depth, bins = _bins(count)
    tenths = game.pay.reshape(-1, _COLUMNS).astype(np.int16)
    counts = len(count.edges) > 0
    arrays: dict[str, NDArray[Any]] = {
        "step": _steps(nexts, house, rows, order),
        "answer": answers,
        "row": (_ROW * rows).astype(np.uint16),
        "tenths": tenths,
        "pay": (4 * (tenths + histogram.shape[1] // 2)).astype(np.uint16),
        "tag": _columns(np.array(count.tags, np.int32).view(np.uint32), order),
        "half": _columns(2 * by_rank[3:5].astype(np.uint16), order),
        "limit": _columns(by_rank[2].astype(np.uint8), order),
        "level": (game.levels // np.uint64(len(game.nexts))).astype(np.uint8),
        "insure": game.insure,
        "depth": depth,
        "bins": bins,
    }
    near = 4 * histogram.size + sum(array.nbytes for array in arrays.values())
    near_bins = counts and bins.nbytes <= _NEAR_BINS
    near -= 0 if near_bins else bins.nbytes + depth.nbytes
    defines = {
        "RANKS": ranks,
        "WORDS": (ranks + 1) // 3,
        "ACE": ranks - 1,
        "SIZE": simulation.shoe_size,
        "CUT": simulation.cut,
        "ENDLESS": int(simulation.rules.decks == "infinite"),
        "RUN": RUN,
        "SEATS": simulation.seats,
        "SEAT": simulation.seat,
        "PEEK": int(simulation.rules.hole_card == "peek"),
        "INSURES": int(bool(game.insure.any())),
        "COUNTS": int(counts),
        "LEVELS": len(rows),
        "BINS": histogram.shape[0],
        "WIDTH": histogram.shape[1],
        "MIDDLE": histogram.shape[1] // 2,
        "WIDE": count.width,
        "DEPTHS": len(bins),
        "NEAR_BINS": int(near_bins),
        "FAR_COUNTS": int(near > _NEAR),
        "START_COUNT": count.first,
        "STATES": num_states,
        "STEPS": num_states + len(house) + 2,
        "ANSWERS": len(answers),
        "CLASSES": len(tenths),
        "FINALS": 1 + int(house[house >= _TERMINAL].max()) - _TERMINAL,
        "UP_ROW": _ROW * (num_states + len(house)),
        "DEAL_ROW": _ROW * (num_states + len(house) + 1),
        "NATURAL": _TERMINAL + 2 * (game.natural - _TERMINAL),
        "MANY": int(int(by_rank[2].max()) > 8),
        "EXHAUSTS": int(_may_run_out(tables)),
    }
    num = simulation.shoe_size // _RANKS
    copies = [num] * 9 + [4 * num] if ranks == 10 else [num] * _RANKS
    return Plan(defines, arrays, _cumulative(np.array(copies)))


def kernel_text(plan: Plan, **more: int) -> str:
    """The CUDA text for a plan; `more` are #defines of the launch or the test."""
    folder = resources.files("riverboat.blackjack.simulation")
    lines = [f"#define {name} {value}" for name, value in {**plan.defines, **more}.items()]
    return "\n".join(lines) + "\n" + (folder / "rounds.cu").read_text(encoding="utf-8")


def play_parts(tables: Tables, rounds: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The counts of one launch after another until so many rounds are played.

    A first small launch tells how many rounds a run of shoes has. How many runs there are then
    depends on the seed alone, whatever the GPU.
    """
    import cupy

    plan = plan_of(tables)
    launch = _Launch(plan, cupy)
    shape = tables.histogram().shape
    first = launch.play(seed, 0, FIRST_RUNS).reshape(shape)
    yield first
    per_run = first.sum() / FIRST_RUNS
    missing = max(0, rounds - int(first.sum()))
    last = FIRST_RUNS + int(np.ceil(1.0005 * missing / per_run))
    step = max(1, int(LAUNCH_ROUNDS / per_run))
    for start in range(FIRST_RUNS, last, step):
        yield launch.play(seed, start, min(last, start + step)).reshape(shape)


class _Launch:
    """A compiled kernel with its tables on the GPU."""

    def __init__(self, plan: Plan, cupy: Any) -> None:
        self.cupy, self.plan = cupy, plan
        text = kernel_text(plan, THREADS=THREADS, BLOCKS=1)
        self.kernel = cupy.RawModule(code=text, options=("-std=c++14",)).get_function("play")
        if plan.far_bytes:
            self.kernel.max_dynamic_shared_size_bytes = plan.far_bytes
        self.arrays = [cupy.asarray(array) for array in (*plan.arrays.values(), plan.full)]
        self.blocks = int(cupy.cuda.Device().attributes["MultiProcessorCount"])

    def play(self, seed: int, first: int, end: int) -> NDArray[np.int64]:
        """The counts of the runs `first` … `end` − 1."""
        size = self.plan.defines["BINS"] * self.plan.defines["WIDTH"]
        total = self.cupy.zeros(size, self.cupy.uint64)
        numbers = (np.uint64(seed), np.uint64(first), np.uint64(end))
        self.kernel(
            (self.blocks,), (THREADS,), (*self.arrays, *numbers, total),
            shared_mem=self.plan.far_bytes,
        )  # fmt: skip
        return np.asarray(total.get(), np.int64)


def _tens_alike(
    nexts: NDArray[np.uint16], house: NDArray[np.uint16], by_rank: NDArray[np.uint64]
) -> bool:
    """Whether T, J, Q and K can be one rank: nothing tells them apart, pairs included."""
    tens = slice(9, _RANKS)
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


def _columns(table: NDArray[Any], order: NDArray[np.int64]) -> NDArray[Any]:
    """A table by rank with its columns in the kernel's order."""
    moved = np.zeros((*table.shape[:-1], _COLUMNS), table.dtype)
    moved[..., : len(order)] = table[..., order]
    return moved


def _steps(
    nexts: NDArray[np.uint16],
    house: NDArray[np.uint16],
    rows: NDArray[np.uint16],
    order: NDArray[np.int64],
) -> NDArray[np.uint16]:
    """The player's rows, the house's, and the rows where the dealer's and a seat's cards begin."""
    sensitive = np.any(rows != rows[:1], axis=0)
    own = 2 * nexts + sensitive[nexts // _COLUMNS]
    drawn = 2 * house.astype(np.int64) + _ROW * len(nexts)
    moved = np.where(house < _TERMINAL, drawn, _TERMINAL + 2 * (house.astype(np.int64) - _TERMINAL))
    first = _ROW * np.arange(_COLUMNS)
    steps = np.concatenate([own, moved, first[None, :] + _ROW * len(nexts), first[None, :]])
    return _columns(steps, order).astype(np.uint16)


def _answers(
    game: Automaton, order: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Rows of answers, each state's own first, and (L, S) which of them a state has at a level."""
    num_states = len(game.nexts) // _COLUMNS
    pay = game.pay.reshape(-1, _COLUMNS)
    old = game.answer.reshape(-1, num_states, _COLUMNS).astype(np.int64)
    ends = (old >= _TERMINAL) & (old != _SPLIT)
    classes = np.where(ends, old - _TERMINAL, 0)
    contests = _CONTEST_BIT * (pay[classes // _COLUMNS, _CONTESTS] > 0)
    table = np.where(ends, _TERMINAL + contests + 2 * classes, 2 * old)
    pairs = (len(order) - 1 - _pairs(game))[None, :, None]
    table = np.where(old == _SPLIT, _SPLIT_CODE + pairs, table)
    over = np.where(
        ends, table, _TERMINAL
    )  # a natural ends the round, except for hands that are over
    over[:, :_RANKS] = table[:, :_RANKS]
    table = _columns(table, order)
    table[:, :, 13], table[:, :, 14] = over[:, :, 0], over[:, :, 9]
    extra: dict[bytes, int] = {}
    rows = np.tile(np.arange(num_states, dtype=np.uint16), (len(table), 1))
    for level, state in zip(*np.nonzero(np.any(table != table[:1], axis=2)), strict=True):
        key = table[level, state].tobytes()
        rows[level, state] = extra.setdefault(key, num_states + len(extra))
    more = [np.frombuffer(key, np.int64)[None, :] for key in extra]
    return np.concatenate([table[0], *more]).astype(np.uint16), rows


def _pairs(game: Automaton) -> NDArray[np.int64]:
    """(S,) the rank that a state is a pair of, 0 where it is none; one ten may stand for all."""
    nexts, by_rank = game.nexts.reshape(-1, _COLUMNS), game.ranks.reshape(5, _COLUMNS)
    pairs = np.zeros(len(nexts), np.int64)
    for rank in reversed(range(_RANKS)):
        halves = (
            {int(by_rank[k, rank]) // _COLUMNS for k in (3, 4)} if by_rank[2, rank] > 1 else set()
        )
        for row in {rank, *halves}:
            pairs[nexts[row, rank] // _COLUMNS] = rank
    return pairs


def _bins(count: CountTable) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """By cards left: which row of bins; and the rows, each once. One more card left than there is
    stands for a fresh shoe: insurance is decided as if the hole card were still to come.
    """
    table = count.bins.reshape(-1, count.width)[::-1]
    rows, depth = np.unique(table, axis=0, return_inverse=True)
    return np.append(depth, depth[-1]).astype(np.uint16), rows


def _cumulative(copies: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Cumulative counts of all ranks but the last, with guard bits, three to a word."""
    words = np.zeros((len(copies) - 1) // 3, np.uint32)
    for i, number in enumerate(np.cumsum(copies)[:-1]):
        words[i // 3] |= np.uint32((int(number) | _GUARD) << (10 * (i % 3)))
    return words
