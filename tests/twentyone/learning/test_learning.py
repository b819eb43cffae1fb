"""Learners of twenty-one: kernels against the readable rules, resuming, and where they end."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.errors import FileFormatError, ParameterError, UnknownNameError
from riverboat.runtime.compiled import GOLDEN, mix
from riverboat.twentyone.game import DECK, HIT, STAND, TwentyOne, TwentyOneState, dealer_draws
from riverboat.twentyone.learning.information import state_key
from riverboat.twentyone.learning.learner import METHODS, Trainer, deal
from riverboat.twentyone.learning.optimum import hands_of, q_values
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.learning.regret import checkpoint, literal_limit

SEED = 5
RANDOM_PLAY = np.where(hands_of().points < 21, 0.5, 0.0)[:, None] * np.ones((1, 10))


class Deck:
    """The cards of one training game for the rules: the dealer's draws precede the hits."""

    def __init__(self, game: int) -> None:
        cards = [DECK[place] for place in deal(SEED, game)]
        self.first, rest = cards[:4], cards[4:]
        dealer, self.draws = [cards[1], cards[3]], []
        while dealer_draws(dealer):
            self.draws.append(rest.pop(0))
            dealer.append(self.draws[-1])
        self.hits = rest

    def start(self) -> TwentyOneState:
        state = TwentyOne().start()
        for card in self.first:
            state = state.after(card)
        return state

    def stand(self, state: TwentyOneState) -> float:
        state = state.after(STAND)
        for card in self.draws:
            state = state.after(card)
        return state.returns()[0]

    def hit(self, state: TwentyOneState) -> TwentyOneState:
        return state.after(HIT).after(self.hits[len(state.hand) - 2])


def coin(game: int, number: int) -> int:
    key = np.random.SeedSequence(SEED).generate_state(1, np.uint64)[0]
    with np.errstate(over="ignore"):
        plain: Any = mix
        return int(plain.py_func(key + np.uint64(game * 32 + 16 + number) * GOLDEN))


def assert_same(table: QTable, sums: dict[str, list[float]]) -> None:
    assert sums
    for key, (hit, hits, stand, stands) in sums.items():
        row = table.index[key]
        assert table.counts[row].tolist() == [hits, stands]
        averages = [hit / hits if hits else 0.0, stand / stands if stands else 0.0]
        assert table.values[row].tolist() == pytest.approx(averages, abs=1e-12)
    assert table.counts.sum() == sum(row[1] + row[3] for row in sums.values())


@pytest.mark.parametrize("state", ["points", "soft", "composition"])
def test_the_literal_method_is_the_rules_played_by_coins(state: str) -> None:
    games, sums = 400, defaultdict(lambda: [0.0, 0, 0.0, 0])
    for game in range(games):
        deck, path, coins = Deck(game), [], coin(game, 0)
        scene = deck.start()
        while scene.actor == 0:
            stands = coins >> len(path) & 1 or "(21" in scene.describe(0)
            path.append((state_key(state, scene.infoset(0)), 2 if stands else 0))
            if stands:
                break
            scene = deck.hit(scene)
        reward = deck.stand(scene) if scene.actor == 0 else scene.returns()[0]
        for key, column in path:
            sums[key][column] += reward
            sums[key][column + 1] += 1
    trainer = Trainer(QTable.empty(state), method="literal", seed=SEED)
    trainer.run(games)
    assert_same(trainer.table, sums)


@pytest.mark.parametrize("state", ["points", "composition"])
def test_on_policy_control_is_the_rules_played_from_the_table(state: str) -> None:
    """Plain recursion over the rules: best play from a point on, with a trial hit where it stands.

    So few games decide nothing, so that every point where the table would stand is explored.
    """
    games, sums = 400, defaultdict(lambda: [0.0, 0, 0.0, 0])
    for game in range(games):
        deck = Deck(game)
        credits: list[tuple[str, int, float]] = []

        def play(scene: TwentyOneState, credited: bool, deck: Deck, credits: list) -> float:
            """The reward of the table's own play from here on."""
            if scene.actor != 0:
                return scene.returns()[0]
            key, stand = state_key(state, scene.infoset(0)), deck.stand(scene)
            hit, hits, stood, _ = sums.get(key, (0.0, 0, 0.0, 0))
            prefers_hit = hits == 0 or hit > stood
            if "(21" in scene.describe(0) or (not prefers_hit and not credited):
                if credited:
                    credits.append((key, 2, stand))
                return stand
            after = play(
                deck.hit(scene), credited and (prefers_hit or state == "composition"), deck, credits
            )
            if credited:
                credits.extend([(key, 0, after), (key, 2, stand)])
            return after if prefers_hit else stand

        play(deck.start(), True, deck, credits)
        for key, column, reward in credits:
            # Averages are kept as the kernel keeps them, so that ties fall the same way.
            sums[key][column + 1] += 1
            sums[key][column] += (reward - sums[key][column]) / sums[key][column + 1]
    for row in sums.values():
        row[0], row[2] = row[0] * row[1], row[2] * row[3]
    trainer = Trainer(QTable.empty(state), method="on-policy", seed=SEED)
    trainer.run(games)
    assert_same(trainer.table, sums)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_in_pieces_through_a_file_equals_one_run(method: str, tmp_path: Path) -> None:
    whole = Trainer(QTable.empty("soft", "wins"), method=method, seed=11)
    whole.run(50_000)
    part = Trainer(QTable.empty("soft", "wins"), method=method, seed=11)
    for games in (1, 17_000, 0, 32_999):
        part.run(games)
        part.table.save(tmp_path / "q.rb")
        part = Trainer.resume(QTable.load(tmp_path / "q.rb"))
    assert part.games == 50_000
    part.table.save(tmp_path / "part.rb")
    whole.table.save(tmp_path / "whole.rb")
    assert (tmp_path / "part.rb").read_bytes() == (tmp_path / "whole.rb").read_bytes()


def test_deals_are_uniform_and_without_repetition() -> None:
    games = 4000
    deals = np.array([deal(2, game) for game in range(games)])
    assert all(len(set(cards)) == len(cards) for cards in deals.tolist())
    for place in (0, 3, 10):
        counts = np.bincount(deals[:, place], minlength=52)
        chi_square = ((counts - games / 52) ** 2).sum() / (games / 52)
        assert chi_square < 100  # 51 degrees of freedom: exceeded once in 20,000


def test_seeds_matter() -> None:
    tables = []
    for seed in (1, 2, 1):
        trainer = Trainer(QTable.empty("points"), seed=seed)
        trainer.run(1000)
        tables.append(trainer.table.values)
    assert (tables[0] == tables[2]).all()
    assert (tables[0] != tables[1]).any()


@pytest.mark.parametrize("objective", ["reward", "wins"])
def test_averages_are_those_of_random_play(objective: str) -> None:
    """Literal averages against exact ones, in standard errors."""
    trainer = Trainer(QTable.empty("points", objective), method="literal", seed=3)
    trainer.run(2_000_000)
    table = trainer.table
    exact, _ = q_values("points", objective, RANDOM_PLAY)
    seen = table.counts > 0
    deviation = np.abs(table.values - exact)[seen] * np.sqrt(table.counts[seen])
    assert deviation.max() < 4.5  # 360 averages whose standard deviation is at most 1


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("state", "bound"), [("points", 2e-5), ("soft", 5e-5)])
def test_on_policy_control_reaches_the_optimum(state: str, bound: float, seed: int) -> None:
    trainer = Trainer(QTable.empty(state), seed=seed)
    trainer.run(10_000_000)
    assert checkpoint(trainer.table, trainer.games).regret <= bound


def test_the_literal_method_ends_at_its_own_worse_value() -> None:
    """Its decisions are those of exact averages of random play, but for what is nearly a tie."""
    limit = literal_limit("points", "reward")
    assert limit.reward == pytest.approx(-0.081956567145, abs=1e-12)
    trainer = Trainer(QTable.empty("points"), method="literal", seed=4)
    trainer.run(10_000_000)
    exact, visits = q_values("points", "reward", RANDOM_PLAY)
    difference = exact[:, 0] - exact[:, 1]
    settled = np.abs(difference) > 4.5 * 2 / np.sqrt(visits * trainer.games)
    assert settled.sum() > 120
    assert ((trainer.table.greedy() == 1) == (difference > 0))[settled].all()
    reward = checkpoint(trainer.table, trainer.games).outcome.reward
    assert reward == pytest.approx(limit.reward, abs=0.003)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("objective", ["reward", "wins"])
@pytest.mark.parametrize(("state", "bound"), [("points", 2e-5), ("soft", 5e-5)])
def test_on_policy_control_over_seeds(state: str, bound: float, objective: str, seed: int) -> None:
    trainer = Trainer(QTable.empty(state, objective), seed=1000 + seed)
    trainer.run(10_000_000)
    assert checkpoint(trainer.table, trainer.games).regret <= bound


def test_misuse_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="on-policy"):
        Trainer(QTable.empty("points"), method="onpolicy")
    with pytest.raises(ParameterError, match="seed"):
        Trainer(QTable.empty("points"), seed=-1)
    with pytest.raises(ParameterError, match="games"):
        Trainer(QTable.empty("points")).run(-1)
    with pytest.raises(FileFormatError, match="how it was trained"):
        Trainer.resume(QTable.empty("points"))
