"""Toy truth: the trainer of the large game on games small enough for an exact answer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdem_configs import KUHN, LEDUC
from riverboat.errors import FileFormatError, UsageError
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.solvers.run import Limit
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.trees.game_tree import build_tree

TWO_STREETS: dict[str, Any] = KUHN | {
    "game": {
        "ranks": 4,
        "suits": 2,
        "board_cards": [0, 3],
        "limit": "fixed-limit",
        "max_raises": [1, 1],
        "stacks": 8,
        "odd_chips": "split",
    }
}


def trainer(table: dict[str, Any], **options: int) -> HoldemTrainer:
    return HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(table)), **options)


def more(run: HoldemTrainer, deals: int) -> None:
    """Train for so many more deals."""
    run.run(Limit(iterations=2 * (run.deals + deals)))


def test_kuhn_poker_converges_to_its_value() -> None:
    """−1/18 for the first player (Kuhn 1950)."""
    run = trainer(KUHN, seed=1)
    more(run, 400_000)
    found = evaluate(build_tree(run.abstract.config.game), run.blueprint())
    assert found.value[0] == pytest.approx(-1 / 18, abs=2e-3)
    assert found.exploitability < 0.01


def test_leduc_poker_converges_to_its_value() -> None:
    """−0.0856064 for the first player (Southey et al. 2005; sequence-form LP)."""
    run = trainer(LEDUC, seed=1)
    more(run, 500_000)
    found = evaluate(build_tree(run.abstract.config.game), run.blueprint())
    assert found.value[0] == pytest.approx(-0.0856064, abs=0.01)
    assert found.exploitability < 0.05


@pytest.mark.slow
def test_two_streets_with_two_cards_fall_below_five_per_cent_of_the_pot_and_on() -> None:
    run = trainer(TWO_STREETS, seed=1)
    tree = build_tree(run.abstract.config.game)
    pot = run.abstract.config.game.small_blind + run.abstract.config.game.big_blind
    gaps = []
    for deals in (200_000, 800_000, 3_000_000):
        more(run, deals)
        gaps.append(evaluate(tree, run.blueprint()).exploitability)
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.05 * pot


def test_resuming_changes_nothing_and_one_thread_repeats_itself(tmp_path: Path) -> None:
    whole = trainer(LEDUC, seed=4)
    more(whole, 20_000)
    again = trainer(LEDUC, seed=4)
    more(again, 9_000)
    again.save(tmp_path / "half.rb")
    resumed = HoldemTrainer.load(tmp_path / "half.rb")
    more(resumed, whole.deals - resumed.deals)
    assert resumed.table.tobytes() == whole.table.tobytes()
    assert resumed.iterations == whole.iterations == 2 * whole.deals
    other = trainer(LEDUC, seed=5)
    more(other, 20_000)
    assert other.table.tobytes() != whole.table.tobytes()


def test_iterations_are_counted_in_all_and_compiling_changes_nothing() -> None:
    run, other = trainer(LEDUC, seed=4), trainer(LEDUC, seed=4)
    run.compile()
    assert (run.deals, run.seconds, run.table.any()) == (0, 0.0, False)
    for _ in range(2):
        run.run(Limit(iterations=4096))
    other.run(Limit(iterations=4096))
    assert run.iterations == other.iterations == 4096
    assert run.table.tobytes() == other.table.tobytes()
    with pytest.raises(UsageError, match="not known while"):
        run.run(Limit(target=0.1))


def test_threads_lose_next_to_nothing() -> None:
    """Every draw at the root adds 1 to its averages; two threads on three infosets are the worst
    case for losing some."""
    even = KUHN | {"training": {"weighting": "even"}}
    run = trainer(even, seed=2, threads=2)
    more(run, 200_000)
    tree = run.abstract.tree
    row, offset, count = tree.infosets[0].tolist()
    table = run.table[int(run.starts[row]) : int(run.starts[row + 1])]
    rows = table.reshape(-1, int(tree.strides[row]))
    kept = float(rows[:, offset + count : offset + 2 * count].sum(dtype=np.float64))
    drawn = int(sum(worker.counts[1] for worker in run.workers))
    assert drawn == run.deals
    assert kept == pytest.approx(drawn, rel=0.05)
    found = evaluate(build_tree(run.abstract.config.game), run.blueprint())
    assert found.exploitability < 0.02


def test_linear_weights_and_the_halving_of_large_averages() -> None:
    run = trainer(KUHN, seed=1)
    run.table[:] = 3.0
    run.sweep(0.5)
    assert np.all(run.table == 1.5)
    run.table[:] = 2.0**23
    before = run.blueprint().weights.copy()
    assert run.sweep() == run.abstract.num_infosets
    assert np.array_equal(run.blueprint().weights, before)
    assert set(np.unique(run.table)) == {2.0**22, 2.0**23}


def test_pruning_leaves_the_answer_alone() -> None:
    pruned = KUHN | {"training": {"prune_below": 200.0, "prune_after": 20_000, "period": 8192}}
    run = trainer(pruned, seed=1)
    more(run, 400_000)
    found = evaluate(build_tree(run.abstract.config.game), run.blueprint())
    assert found.exploitability < 0.02


def test_a_blueprint_is_read_back_and_a_damaged_one_refused(tmp_path: Path) -> None:
    from riverboat.holdem.blueprints.blueprint import Blueprint

    run = trainer(LEDUC, seed=4)
    more(run, 5_000)
    path = tmp_path / "leduc.rb"
    run.blueprint().save(path)
    loaded = Blueprint.load(path)
    assert np.array_equal(loaded.weights, run.blueprint().weights)
    assert loaded.abstract.config == run.abstract.config
    assert loaded.info["deals"] == run.deals
    arrays, header = read_arrays(path, "blueprint")
    write_arrays(path, "blueprint", {"weights": arrays["weights"][1:]}, header)
    with pytest.raises(FileFormatError, match="size does not fit"):
        Blueprint.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, header: arrays["decks"].__setitem__((0, 0), 60),
        lambda arrays, header: arrays["decks"].__setitem__((0, 0), arrays["decks"][0, 1]),
        lambda arrays, header: arrays.update(decks=arrays["decks"][:, 1:]),
        lambda arrays, header: arrays["table"].__setitem__(3, np.nan),
        lambda arrays, header: arrays.update(table=arrays["table"].astype(np.int32)),
        lambda arrays, header: arrays["counts"].__setitem__((0, 0), -1),
        lambda arrays, header: header.update(deals=-1),
        lambda arrays, header: header.update(seconds="soon"),
        lambda arrays, header: arrays.pop("generators"),
    ],
)
def test_a_checkpoint_with_a_valid_checksum_and_bad_content_is_refused(
    tmp_path: Path, change: Any
) -> None:
    """A card 60 would let a kernel write outside its arrays."""
    run, path = trainer(LEDUC, seed=4), tmp_path / "run.rb"
    run.save(path)
    arrays, header = read_arrays(path, "holdem-checkpoint")
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(arrays, header)
    write_arrays(path, "holdem-checkpoint", arrays, header)
    with pytest.raises(FileFormatError, match="damaged"):
        HoldemTrainer.load(path)
