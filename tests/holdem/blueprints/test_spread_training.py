"""Training by differences: what is sent is what changed, and the sum comes to the same values."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdem_configs import KUHN, LEDUC
from one_walker import OneWalker
from riverboat.errors import FileFormatError, ParameterError, UsageError
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.blueprints._chunk_walks import Chunk, ChunkWalker, Merger
from riverboat.holdem.blueprints._spread_trainer import SpreadTrainer
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.solvers.run import Limit
from riverboat.trees.game_tree import build_tree


class Alone(OneWalker):
    """A team of one that compares its numbers with the trainer's."""

    def follow(self, numbers: Any, factor: float | None, table: Any) -> None:
        super().follow(numbers, factor, table)
        assert np.array_equal(self.walker.base, table)
        assert np.array_equal(self.walker.table, table)


def trainer(table: dict[str, Any], seed: int = 1, parts: int = 4) -> SpreadTrainer:
    abstract = AbstractGame.build(HoldemConfig.from_table(table))
    return SpreadTrainer(abstract, Alone(abstract, seed), seed=seed, parts=parts)


def more(run: HoldemTrainer, deals: int) -> None:
    run.run(Limit(iterations=2 * (run.deals + deals)))


def test_a_difference_is_what_changed_but_for_unbiased_rounding() -> None:
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))
    merger, walker = Merger(abstract), ChunkWalker(abstract, 3)
    rng = np.random.default_rng(5)
    base = rng.normal(0, 100, len(walker.base)).astype(np.float32)
    walker.load(1, base)
    change = np.where(rng.random(len(base)) < 0.3, rng.normal(0, 10, len(base)), 0.0)
    wanted = (base + change).astype(np.float32)
    merger.floor = -1e30
    total = np.zeros(len(base))
    repeats = 200
    for number in range(repeats):
        walker.table[:] = wanted
        sent = take(walker, number)
        assert np.array_equal(walker.table, walker.base)
        copy = base.copy()
        merger.add([sent], copy)
        total += copy.astype(np.float64) - base
    # Of every infoset one block of regrets and one of averages; a step is at most the largest
    # change of the block / 63.5, and rounding is within one step and right in the mean.
    steps = np.abs(change).max() / 63.5
    error = total / repeats - (wanted.astype(np.float64) - base)
    assert np.abs(error).max() < 5 * steps * 0.5 / np.sqrt(repeats)
    # Gap and exponent, and a byte for each action, of every block that changed.
    assert len(sent) == sum(2 + len(one) for one in blocks(merger, wanted != base) if one.any())


def blocks(merger: Merger, numbers: Any) -> Iterator[Any]:
    """The regrets and the averages of each infoset, in the order of memory."""
    starts, strides, num_buckets, firsts, offsets, counts = merger.layout
    for row in range(len(strides)):
        for bucket in range(num_buckets[row]):
            for infoset in range(firsts[row], firsts[row + 1]):
                begin = starts[row] + bucket * strides[row] + offsets[infoset]
                yield numbers[begin : begin + counts[infoset]]
                yield numbers[begin + counts[infoset] : begin + 2 * counts[infoset]]


def take(walker: ChunkWalker, number: int) -> Any:
    from riverboat.holdem.blueprints._difference_kernels import mark_changes, take_difference

    out = np.empty(8 * len(walker.base), np.uint8)
    state, marks = np.array([number], np.uint64), walker.marks
    mark_changes(walker.base.view(np.uint32), walker.table.view(np.uint32), marks, 4)
    size = take_difference(walker.merger.layout, walker.base, walker.table, marks, 4, state, out)
    return out[:size].copy()


def test_averages_add_up_and_regrets_are_averaged_over_the_chunks_that_changed_them() -> None:
    abstract = AbstractGame.build(HoldemConfig.from_table(KUHN))
    merger, walker = Merger(abstract), ChunkWalker(abstract, 1)
    regret, average = (next(blocks(merger, np.arange(len(walker.base)))) + 2 * i for i in (0, 1))
    walker.table[regret], walker.table[average] = [8.0, -4.0], [1.0, 3.0]
    both = take(walker, 1)
    walker.table[average] = [2.0, 2.0]
    table = walker.base.copy()
    numbers = merger.add([both, take(walker, 2), both], table)
    assert table[regret].tolist() == [8.0, -4.0]
    assert table[average].tolist() == [4.0, 8.0]
    assert len(numbers) == 2 * (1 + 4 * 2)
    walker.follow(numbers, 0.5)
    assert walker.base[average].tolist() == walker.table[average].tolist() == [2.0, 4.0]


def test_a_round_is_put_together_the_same_by_any_number_of_threads() -> None:
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))
    walker = ChunkWalker(abstract, 1)
    sent = [walker.walk(Chunk(number, 200, 0)) for number in range(5)]
    for one in sent:
        one.flags.writeable = False  # as what Ray holds
    tables = [walker.base.copy() for _ in range(3)]
    numbers = [
        walker.merger.add(sent, table, threads)
        for table, threads in zip(tables, (1, 2, 5), strict=True)
    ]
    for table, one in zip(tables, numbers, strict=True):
        assert table.tobytes() == tables[0].tobytes()
        assert one.tobytes() == numbers[0].tobytes()
    walker.follow(numbers[0], None)
    assert walker.base.tobytes() == tables[0].tobytes()
    # A difference that does not fit is found before anything is changed.
    before = tables[0].copy()
    for strange in (sent[1][:-1], np.full(9, 255, np.uint8), np.array([255] * 8 + [3], np.uint8)):
        with pytest.raises(FileFormatError, match="does not fit"):
            walker.merger.add([sent[0], strange], tables[0], 2)
        assert tables[0].tobytes() == before.tobytes()
        with pytest.raises(FileFormatError, match="does not fit"):
            walker.follow(strange, None)


def test_nothing_changed_is_nothing_sent_and_strange_bytes_are_refused() -> None:
    abstract = AbstractGame.build(HoldemConfig.from_table(KUHN))
    walker = ChunkWalker(abstract, 1)
    assert len(walker.walk(Chunk(0, 0, 0))) == 0
    good = walker.walk(Chunk(0, 2, 0))
    assert np.array_equal(walker.table, walker.base)
    assert np.array_equal(good, walker.walk(Chunk(0, 2, 0)))
    assert not np.array_equal(good, walker.walk(Chunk(1, 2, 0)))
    rng = np.random.default_rng(1)
    for strange in (good[:-1], np.full(9, 255, np.uint8), np.array([127, 1, 1], np.uint8)):
        table = walker.base.copy()
        with pytest.raises(FileFormatError, match="does not fit"):
            walker.merger.add([strange], table)
    for size in range(60):  # whatever comes, it ends, and inside the table
        table = walker.base.copy()
        noise = rng.integers(0, 256, size).astype(np.uint8)
        try:
            walker.merger.add([noise], table)
        except FileFormatError:
            continue


def test_rounds_grow_and_end_with_periods() -> None:
    run = trainer(KUHN, parts=3)
    sizes, crossed = [], 0
    for _ in range(80):
        chunks = run.plan()
        sizes.append(sum(chunk.deals for chunk in chunks))
        assert max(c.deals for c in chunks) - min(c.deals for c in chunks) <= 1
        assert sizes[-1] <= max(3 * 256, run.deals / 8)
        inside = run.deals // 8192 == (run.deals + sizes[-1] - 1) // 8192
        assert inside or (run.deals + sizes[-1]) % 8192 == 0
        crossed += not inside
        run.deals += sizes[-1]
    assert sizes[0] == 3 * 256
    assert crossed
    assert max(sizes) > 8192
    with pytest.raises(ParameterError, match="parts"):
        trainer(KUHN, parts=0)


def test_a_round_of_several_periods_is_discounted_by_all_of_them() -> None:
    """k / (k + 1) at the end of period k: 3/4 · 4/5 · 5/6 = 3/6."""
    run = trainer(KUHN)
    run.deals = 2 * 8192
    run.table[:] = 12.0
    run.team.begin(run.table)
    nothing = np.zeros(0, np.uint8)
    run._merge([Chunk(i, 3 * 2048, run.deals) for i in range(4)], [nothing] * 4)
    assert run.deals == 5 * 8192
    assert np.all(run.table == 6.0)


def test_kuhn_poker_converges_to_its_value_by_differences() -> None:
    """−1/18 for the first player (Kuhn 1950)."""
    run = trainer(KUHN)
    more(run, 400_000)
    found = evaluate(build_tree(run.abstract.config.game), run.blueprint())
    assert found.value[0] == pytest.approx(-1 / 18, abs=2e-3)
    assert found.exploitability < 0.01
    assert 0 < run.bytes_per_walk < 1


def test_leduc_poker_converges_to_its_value_by_differences() -> None:
    """−0.0856064 for the first player (Southey et al. 2005; sequence-form LP)."""
    run = trainer(LEDUC)
    more(run, 500_000)
    found = evaluate(build_tree(run.abstract.config.game), run.blueprint())
    assert found.value[0] == pytest.approx(-0.0856064, abs=0.01)
    assert found.exploitability < 0.05


def test_resuming_changes_nothing(tmp_path: Path) -> None:
    whole, half = trainer(LEDUC, 4), trainer(LEDUC, 4)
    more(whole, 40_000)
    more(half, 20_480)
    half.save(tmp_path / "half.rb")
    resumed = SpreadTrainer.open(tmp_path / "half.rb", Alone)
    more(resumed, whole.deals - resumed.deals)
    assert resumed.table.tobytes() == whole.table.tobytes()
    assert resumed.bytes_per_walk == whole.bytes_per_walk
    with pytest.raises(UsageError, match="by several workers"):
        HoldemTrainer.load(tmp_path / "half.rb")
    with pytest.raises(UsageError, match="has 4 parts"):
        SpreadTrainer.open(tmp_path / "half.rb", Alone, parts=5)


def test_workers_go_on_from_the_checkpoint_of_one_machine(tmp_path: Path) -> None:
    alone = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(KUHN)), seed=2)
    more(alone, 8192)
    alone.save(tmp_path / "one.rb")
    run = SpreadTrainer.open(tmp_path / "one.rb", Alone, parts=2)
    assert np.array_equal(run.table, alone.table)
    more(run, 8192)
    assert run.deals >= 16384
    assert (run.spread_walks, run.seed) == (2 * (run.deals - 8192), 2)


def test_ctrl_c_drops_the_round_under_way_and_nothing_else() -> None:
    run = trainer(LEDUC)
    more(run, 8192)
    before, deals = run.table.copy(), run.deals

    def walk(chunks: Sequence[Chunk]) -> Iterator[Any]:
        yield run.team.walker.walk(chunks[0])  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    run.team.walk = walk  # type: ignore[method-assign]
    more(run, 8192)
    assert run.stopped
    assert run.deals == deals
    assert np.array_equal(run.table, before)
