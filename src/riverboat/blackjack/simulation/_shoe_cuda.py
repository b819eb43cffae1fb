"""Blackjack played by the billion on a GPU: the tables of tables.py as words, and the launches.

The kernel's text is rounds.cu. Numbers of a run (seats, bins, sizes of tables) are written above it
as #defines, so that each kind of table has a kernel of its own, compiled once and kept.
A shoe's cards depend on the seed and on its number alone, and results are counted, not summed. So
the result is the same for any number of blocks, and a run that is split in parts adds up to the
whole.

The automaton of automaton.py goes from state to state and asks the chart by up card and count. For
the kernel, state and up card make one row that holds the chart's answer: a card costs one look-up.
Rows with the same words are kept once. The dealer's rows come once for each class of finished
hands, so that the words at their ends say where the result is counted. Hands of a split pair, and
all hands of a table with several seats, end as classes, which the kernel settles against the
dealer's class. The layout of a word is written in rounds.cu. Addresses are in bytes. A rank's
column is counted from the last rank down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.runtime.array_types import I64, U16, U32, Bools
from riverboat.runtime.cuda import CudaDevice, JobLayout, Launch, current_gpu

if TYPE_CHECKING:
    from riverboat.blackjack.simulation.automaton import Automaton, CountTable
    from riverboat.blackjack.simulation.result import Simulation
    from riverboat.blackjack.simulation.tables import Tables


_RANKS, _COLUMNS, _CONTESTS = 13, 16, 15
_TERMINAL, _SPLIT = 0x8000, 0xFFFF
_HOLE, _END, _DONE, _ASK, _DEALT = 0x40000, 0x80000, 0x100000, 0x200000, 0x600000
_OVER, _HALVES, _SETTLE = 0x800000, 0xC00000, 0x900000
_HAND_CONTESTS = 0x100
_ACE, _TEN = 0, 9
_NATURAL = {_ACE: 13, _TEN: 14}  # Up cards beyond the ranks: a dealer with a natural
_INSURED, _LOST, _SETTLED_BONUS = 60, -20, 8
"""Bytes among the counts that a won insurance adds to a lost one, and that the lost one takes."""
_FULL = 0x200
THREADS = 1024
"""Of a block. A multiprocessor has two blocks where registers and shared memory allow it."""
SHARED, RESERVED = 227 << 10, 1 << 10
"""Shared memory of a block on a large GPU, and what CUDA itself takes of it for each block."""
FIRST_RUNS, LAUNCH_ROUNDS = 4096, 2e10
"""Runs of the first launch, and rounds of the others: half a second of a large GPU."""
_LAYOUT = JobLayout(
    {
        "const unsigned int*": ("table", "depth"),
        "const void*": ("bins",),
        "unsigned long long*": ("total",),
        "unsigned long long": ("seed", "first"),
        "int": ("num",),
    }
)
"""What the kernel gets: the plan's arrays, the counts, and which runs of which seed to play."""
RUN = 16  # Shoes (rounds, where the deck is infinite) that share a stream of random words


class Levels:
    """Bins of the count in which all decisions agree, insurance among them."""

    def __init__(self, game: Automaton) -> None:
        num_bins = len(game.insure)
        levels = (game.levels // np.uint64(len(game.nexts))).astype(np.int64)
        pairs = list(zip(levels[:num_bins].tolist(), game.insure.tolist(), strict=True))
        self.kinds = list(dict.fromkeys(pairs))
        """By level: the automaton's level, and whether the player insures."""
        self.by_bin = np.array([self.kinds.index(pair) for pair in pairs], np.uint16)
        self.others = 0
        """The level of the other seats where they have a chart of their own, else 0."""
        if np.any(levels[num_bins:] != levels[:num_bins]):
            self.others = len(self.kinds)
            self.kinds.append((int(levels[num_bins]), 0))


@dataclass(frozen=True)
class DeviceTable:
    """What the words are made for."""

    ranks: int  # 10 where tens and faces are one rank, else 13
    seats: int
    peek: bool
    middle: int  # Where among the counts a result of nothing stands
    tags: tuple[int, ...]  # What each rank adds to the running count, as the kernel keeps it


class RoundTable:
    """The words of a table's rounds, and where the kernel finds those that it names itself."""

    def __init__(self, game: Automaton, levels: Levels, table: DeviceTable) -> None:
        self._game, self._levels, self._table = game, levels, table
        self._nexts = game.nexts.reshape(-1, _COLUMNS).astype(np.int64)
        self._dealer = game.dealer.reshape(-1, _COLUMNS).astype(np.int64)
        self._pay = game.pay.reshape(-1, _COLUMNS)
        self._ranks = game.ranks.reshape(5, _COLUMNS).astype(np.int64)
        answer = game.answer.reshape(-1, len(self._nexts), _COLUMNS).astype(np.int64)
        self._answer = answer[[level for level, _ in levels.kinds]]
        self._pairs = _pairs(game)
        self._order = range(table.ranks - 1, -1, -1)
        self.far_tags = max(map(abs, table.tags)) > 127
        """Whether tags are too large to stand in the words."""
        self._words: list[int] = []
        self._kept: dict[tuple[int, ...], int] = {}
        self._rows: dict[tuple[int, int, bool], int] = {}
        self._dealer_rows: dict[tuple[int | None, int, bool, int], int] = {}
        self._numbers: dict[int, int] = {}
        """The dealer's numbers, by code after two cards, or by up card without a hole card."""
        self._build()

    @property
    def words(self) -> U32:
        """All of them, as the kernel takes them."""
        return np.array(self._words, np.int64).astype(np.uint32)

    def _build(self) -> None:
        table, ranks = self._table, self._table.ranks
        ups = [*range(ranks), *(_NATURAL.values() if table.peek else ())]
        deals = {up: 4 * ranks * i for i, up in enumerate(ups)}
        self._words = [0] * (ranks * len(ups))  # first, since HOLE has ten bits for these rows
        self.tenths = self._put([int(x) for row in self._pay for x in row])
        self.tags = self._put([table.tags[rank] for rank in self._order])
        pairs = [rank for rank in range(ranks) if self._ranks[2, rank] > 1]
        self._splits = {(pair, up): self._new([0, 0, 0]) for pair in pairs for up in range(ranks)}
        up_row = self._up_row(deals)
        self.insured_dealer = 4 * self._numbers.setdefault(-1, len(self._numbers))
        self.contested, self.uncontested = self._block(None, True), self._block(None, False)
        self._blocks = [self._block(c, bool(row[_CONTESTS])) for c, row in enumerate(self._pay)]
        for (pair, up), where in self._splits.items():
            rows = [self._row(int(self._ranks[k, pair]) // _COLUMNS, up, True) for k in (3, 4)]
            self._words[where // 4 : where // 4 + 3] = [int(self._ranks[2, pair]) - 1, *rows]
        for up, where in deals.items():
            firsts = [self._row(rank, up, table.seats > 1) for rank in self._order]
            self._words[where // 4 : where // 4 + ranks] = self._tagged(firsts)
        self.up_row = up_row

    def _up_row(self, deals: dict[int, int]) -> int:
        """The row of the dealer's first card, with those of the second behind it."""
        if not self._table.peek:
            self._numbers = {up: up for up in range(self._table.ranks)}
            words = [_HOLE | deals[up] | up << 10 for up in self._order]
            return self._put(self._tagged(words))
        return self._put(self._tagged([self._hole_row(up, deals) for up in self._order]))

    def _hole_row(self, up: int, deals: dict[int, int]) -> int:
        words = []
        for rank in self._order:
            code = int(self._dealer[up, rank])
            number = self._numbers.setdefault(code, len(self._numbers))
            column = _NATURAL[min(up, _TEN)] if code == self._game.natural else up
            words.append(_HOLE | deals[column] | number << 10)
        return self._put(self._tagged(words))

    def _block(self, klass: int | None, contests: bool) -> int:
        """For a finished hand (None: of several), by the dealer's number, what comes next."""
        words = []
        for code in self._numbers:
            if not self._table.peek:
                up, bonus = max(code, _ACE), _INSURED * (code < 0)
                words.append(self._dealer_row(klass, up, contests, bonus))
            else:
                words.append(self._against(klass, max(code, 0), contests, 0))
        return self._put(words)

    def _dealer_row(self, klass: int | None, row: int, contests: bool, bonus: int = 0) -> int:
        key = (klass, row, contests, bonus)
        if key not in self._dealer_rows:
            codes = (int(self._dealer[row, rank]) for rank in self._order)
            words = [self._against(klass, code, contests, bonus) for code in codes]
            self._dealer_rows[key] = self._put(self._tagged(words))
        return self._dealer_rows[key]

    def _against(self, klass: int | None, code: int, contests: bool, bonus: int) -> int:
        """The word for a finished hand when the dealer has come to `code`."""
        if code < _TERMINAL and contests:
            return self._dealer_row(klass, code // _COLUMNS, contests)
        final = max(0, code - _TERMINAL)
        bonus *= code == self._game.natural
        if klass is None:
            return _SETTLE | final | bonus << _SETTLED_BONUS
        return _DONE | 4 * (self._table.middle + int(self._pay[klass, final])) + bonus

    def _row(self, state: int, up: int, several: bool) -> int:
        """The row of a hand that draws a card; `several`: its end is a class to be settled."""
        key = (state, up, several)
        if key not in self._rows:
            word = self._dealt if state < _RANKS else self._after
            drawn = [int(self._nexts[state, rank]) // _COLUMNS for rank in self._order]
            self._rows[key] = self._put(self._tagged([word(s, up, several) for s in drawn]))
        return self._rows[key]

    def _dealt(self, state: int, up: int, several: bool) -> int:
        """The word of two cards: insurance is decided, and other seats get theirs."""
        word = self._after(state, up, several)
        asked = up in (_ACE, _NATURAL[_ACE])
        results = [
            (_LOST + _INSURED * (up == _NATURAL[_ACE])) * (asked and bool(insures))
            for _, insures in self._levels.kinds
        ]
        if self._table.seats == 1 and not any(results):
            return word
        return _DEALT | self._put([word, *results])

    def _after(self, state: int, up: int, several: bool) -> int:
        """The word of a hand in `state`: the chart's answer, or where its answers stand."""
        column = next((rank for rank, key in _NATURAL.items() if key == up), up)
        natural = up in _NATURAL.values()
        words = []
        for code in self._answer[:, state, column].tolist():
            plays_on = code < _TERMINAL or code == _SPLIT
            ends = natural and plays_on  # a natural ends the round, except for hands that are over
            words.append(self._answered(_TERMINAL if ends else code, state, up, several))
        alike = all(word == words[0] for word in words)
        return words[0] if alike else _ASK | self._put(words)

    def _answered(self, code: int, state: int, up: int, several: bool) -> int:
        if code == _SPLIT:
            return _HALVES | self._splits[int(self._pairs[state]), up]
        if code < _TERMINAL:
            return self._row(code // _COLUMNS, up, several)
        klass = (code - _TERMINAL) // _COLUMNS
        if not several:
            return _END | self._blocks[klass]
        return _OVER | klass | _HAND_CONTESTS * bool(self._pay[klass, _CONTESTS])

    def _tagged(self, words: Sequence[int]) -> list[int]:
        if self.far_tags:
            return list(words)
        tags = (self._table.tags[rank] for rank in self._order)
        return [word | (tag & 0xFF) << 24 for word, tag in zip(words, tags, strict=True)]

    def _put(self, words: Sequence[int]) -> int:
        """Where these words stand; the same words are kept once."""
        key = tuple(words)
        if key not in self._kept:
            self._kept[key] = self._new(key)
        return self._kept[key]

    def _new(self, words: Sequence[int]) -> int:
        self._words.extend(words)
        return 4 * (len(self._words) - len(words))


def _pairs(game: Automaton) -> I64:
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


@dataclass(frozen=True)
class Plan:
    """What a kernel needs: its #defines and its arrays, in the order of the test's arguments."""

    defines: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    full: U32  # The fresh shoe as cumulative counts, three to a word

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
    table = DeviceTable(ranks, simulation.seats, peek, histogram.shape[1] // 2, tags)
    rounds = RoundTable(game, levels, table)
    hands = int(game.ranks.reshape(5, _COLUMNS)[2].max())
    arrays: dict[str, NDArray[Any]] = {"table": rounds.words, "depth": depth, "bins": bins}
    copies_each = simulation.shoe_size // _RANKS
    copies = [copies_each] * 9 + [4 * copies_each] if ranks == 10 else [copies_each] * _RANKS
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
        "FINALS": 1 + int(game.dealer[game.dealer >= _TERMINAL].max()) - _TERMINAL,
        "UP_ROW": rounds.up_row,
        "CONTESTED": rounds.contested,
        "UNCONTESTED": rounds.uncontested,
        "INSURED_DEALER": rounds.insured_dealer,
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
    head = "\n".join(lines) + "\n" + _LAYOUT.text
    return head + (folder / "rounds.cu").read_text(encoding="utf-8")


def play_parts(tables: Tables, rounds: int, seed: int) -> Iterator[I64]:
    """The counts of one launch after another until the rounds are played.

    A first small launch shows how many rounds a run of shoes has. How many runs there are then
    depends on the seed alone, whatever the GPU.
    """
    launch = _launch(_Compiled(tables.simulation, current_gpu(), tables))
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
    return _Launch(key.tables)


class _Launch:
    """A compiled kernel with its tables on the GPU."""

    def __init__(self, tables: Tables) -> None:
        self.device = device = CudaDevice()
        self.plan = plan = plan_of(tables, device.shared_limit)
        most = 1 if plan.defines["MANY"] else device.threads_per_multiprocessor // THREADS
        room = device.shared_per_multiprocessor // (plan.shared_bytes + RESERVED)
        blocks_each = max(1, min(2, most, room))
        text = kernel_text(plan, THREADS=THREADS, BLOCKS=blocks_each)
        device.compile({text: ["play"]})
        device.kernels["play"].preferred_shared_memory_carveout = 100
        self.arrays = {name: device.upload(array) for name, array in plan.arrays.items()}
        self.blocks = blocks_each * device.multiprocessors

    def play(self, seed: int, first: int, end: int) -> I64:
        """The counts of the runs `first` … `end` − 1."""
        device, plan = self.device, self.plan
        total = device.zeros(plan.defines["BINS"] * plan.defines["WIDTH"], np.uint64)
        fields = {**self.arrays, "total": total, "seed": seed, "first": first, "num": end - first}
        job = _LAYOUT.make(fields, device.address)
        device.record([Launch("play", self.blocks, THREADS, plan.shared_bytes, job)])()
        return np.asarray(device.download(total), np.int64)


def _tens_alike(game: Automaton) -> bool:
    """Whether T, J, Q and K can be one rank: nothing distinguishes them, pairs included."""
    tens = slice(9, _RANKS)
    nexts, dealer = (game.nexts.reshape(-1, _COLUMNS), game.dealer.reshape(-1, _COLUMNS))
    by_rank = game.ranks.reshape(5, _COLUMNS)
    halves = [nexts[by_rank[k, tens] // np.uint64(_COLUMNS)] for k in (3, 4)]
    alike = [nexts[:, tens].T, dealer[:, tens].T, nexts[tens], dealer[tens], *halves]
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
    dealer = game.dealer.reshape(-1, _COLUMNS)[:, :_RANKS]
    draws = dealer < _TERMINAL
    longest = simulation.seats * hands * player + _longest(
        np.where(draws, dealer, 0), np.any(draws, axis=1)
    )
    return longest > simulation.shoe_size - simulation.cut


def _longest(nexts: U16, goes_on: Bools) -> int:
    """The most cards a hand can take."""
    steps = np.zeros(len(nexts), np.int64)
    while True:
        following = np.where(nexts > 0, steps[nexts // _COLUMNS], 0).max(axis=1)
        longer = np.where(goes_on, 1 + following, 0)
        if np.array_equal(longer, steps):
            return int(steps.max()) + 1
        steps = longer


def _bins(count: CountTable, levels: Levels, width: int) -> tuple[U32, NDArray[Any]]:
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


def _cumulative(copies: I64) -> U32:
    """512 less the cumulative counts of all ranks but the last, three to a word; word i begins at
    bit i, a fourth at the lowest.
    """
    words = np.zeros((len(copies) - 1) // 3, np.uint32)
    for i, number in enumerate(np.cumsum(copies)[:-1]):
        first = i // 3 if i < 9 else 0
        words[i // 3] |= np.uint32((_FULL - int(number)) << (10 * (i % 3) + first))
    return words
