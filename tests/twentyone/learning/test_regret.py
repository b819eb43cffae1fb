"""Regret of Q tables while they are trained."""

import numpy as np

from riverboat.solvers.run import Limit, Progress
from riverboat.twentyone.learning.learner import Trainer
from riverboat.twentyone.learning.optimum import optimum
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.learning.regret import checkpoint, train


def test_the_optimum_has_no_regret_and_ignorance_draws_like_the_dealer() -> None:
    table = QTable.empty("soft")
    # Hitting below 17 is worth −0.080091780097 and the optimum −0.042806125313 (tests/data).
    assert abs(checkpoint(table, 0).regret - (0.080091780097 - 0.042806125313)) < 2e-12
    table.values[:, 0] = optimum("soft", "reward")[1]
    table.values[:, 1] = 0.5
    table.counts[:] = 1
    assert checkpoint(table, 0).regret == 0.0


def test_the_curve_is_measured_at_fixed_numbers_of_games() -> None:
    heard: list[Progress] = []
    trainer = Trainer(QTable.empty("points"), seed=1)
    last = train(trainer, Limit(iterations=7_500), heard.append)
    assert [games for games, _ in trainer.curve] == [1000, 2000, 5000]
    assert last.games == trainer.games == heard[-1].iterations == 7_500
    assert heard[-1].exploitability == trainer.curve[-1][1]
    pieces = Trainer(QTable.empty("points"), seed=1)
    for games in (500, 2_000, 7_500):
        train(pieces, Limit(iterations=games))
        pieces = Trainer.resume(pieces.table)
    assert pieces.curve == trainer.curve


def test_a_target_and_a_time_end_a_run_too() -> None:
    trainer = Trainer(QTable.empty("points"), seed=1)
    assert train(trainer, Limit(target=0.02)).regret <= 0.02
    assert trainer.games == trainer.curve[-1][0]
    assert all(regret > 0.02 for _, regret in trainer.curve[:-1])
    before = trainer.games
    train(trainer, Limit(seconds=1e-9))
    assert trainer.games - before <= 1  # however short its time, a run takes one step


def test_a_stop_keeps_what_was_learned_and_the_rest_follows_exactly() -> None:
    whole = Trainer(QTable.empty("points"), seed=4)
    train(whole, Limit(iterations=300_000))
    parts = Trainer(QTable.empty("points"), seed=4)

    def stop_soon(now: Progress) -> None:
        if now.iterations >= 5_000:
            raise KeyboardInterrupt

    measured = train(parts, Limit(iterations=300_000), stop_soon)
    assert measured.stopped
    assert 5_000 <= measured.games < 300_000
    again = Trainer.resume(parts.table)
    assert not train(again, Limit(iterations=300_000)).stopped
    assert again.curve == whole.curve
    np.testing.assert_array_equal(again.table.values, whole.table.values)
