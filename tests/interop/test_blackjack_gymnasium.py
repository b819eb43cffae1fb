"""Blackjack in Gymnasium: its checker, the readable rules as oracle, exact values."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import riverboat.interop.gymnasium_envs
from riverboat.blackjack.charts import CODES, published_chart
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Round
from riverboat.blackjack.rules import PRESETS, RANKS, points
from riverboat.errors import IllegalActionError, RiverboatError
from riverboat.interop._gymnasium_blackjack import LETTERS, BlackjackEnv, BlackjackVectorEnv
from riverboat.interop._gymnasium_blackjack_kernels import DEALT, HANDS, START
from waiting import PATIENCE

NAMES = ("riverboat/Blackjack-v0", "riverboat/TwentyOne-v0")


@pytest.mark.e2e
def test_a_program_need_not_import_us() -> None:
    """Gymnasium 1 has no plugins: the module before the colon is its way to find environments."""
    code = (
        "import gymnasium\n"
        "for name in ('Blackjack', 'TwentyOne'):\n"
        "    name = f'riverboat.interop.gymnasium_envs:riverboat/{name}-v0'\n"
        "    env = gymnasium.make(name).unwrapped\n"
        "    print(env.policy_ev(lambda observation, mask: 0))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert [-1 < float(line) < 0 for line in done.stdout.split()] == [True, True]


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_is_content(name: str) -> None:
    assert name in riverboat.interop.gymnasium_envs.ENVIRONMENTS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name).unwrapped)


@pytest.mark.parametrize("observe", ["count", "shoe"])
def test_gymnasiums_checker_is_content_with_counts(observe: str) -> None:
    env = gymnasium.make(
        NAMES[0], rules="single-deck", observe=observe, penetration=0.6, surrender="early"
    )
    check_env(env.unwrapped)


def test_the_name_alone_is_enough() -> None:
    env: Any = gymnasium.make("riverboat.interop.gymnasium_envs:riverboat/Blackjack-v0", h17=True)
    assert env.unwrapped.play.rules.h17
    many = gymnasium.make_vec(NAMES[0], num_envs=3, vectorization_mode="vector_entry_point")
    assert isinstance(many, BlackjackVectorEnv)
    assert many.reset(seed=0)[0].shape == (3, 7)


RULES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in PRESETS if name != "infinite"),
    ("vegas-6d-s17", {"surrender": "early"}),
    ("double-deck", {"surrender": "late", "hit_split_aces": True, "max_split_hands_aces": 4}),
    ("european", {"surrender": "late", "charlie": 6}),
    ("single-deck", {"double_on": "none", "max_split_hands": 1, "max_split_hands_aces": 1}),
]


@pytest.mark.parametrize(("preset", "changes"), RULES, ids=str)
@pytest.mark.parametrize("splits", [False, True])
def test_the_kernels_play_by_the_readable_rules(
    preset: str, changes: dict[str, Any], splits: bool
) -> None:
    """Random play; the same cards in the same order are then played by blackjack/round.py."""
    env, rng = BlackjackEnv(preset, illegal="raise", **changes), np.random.default_rng(7)
    for number in range(150):
        observation, info = env.reset(seed=number)
        letters, seen, done, reward = "", [], False, 0.0
        while not done:
            mask = info["action_mask"]
            open_ = np.flatnonzero(mask)
            pick = 3 if splits and mask[3] else int(rng.choice(open_))
            seen.append((observation, mask))
            letters += LETTERS[pick]
            observation, reward, done, _, info = env.step(pick)
        at = env.play.seats.at[0]
        cards = [RANKS[rank] for rank in env.play.seats.cards[0, at[START] : at[DEALT]]]
        check_round(env, cards, letters, seen, reward)


def check_round(
    env: BlackjackEnv, cards: list[str], letters: str, seen: list[Any], reward: float
) -> None:
    table, coming = Round.open(env.play.rules), iter(cards)
    decisions = iter(zip(letters, seen, strict=True))
    while table.turn.wants != "over":
        if table.turn.wants == "card":
            table = table.deal(next(coming))
            continue
        letter, (observation, mask) = next(decisions)
        assert {LETTERS[i] for i in np.flatnonzero(mask)} == set(table.actions())
        hand = table.seats[0][table.turn.hand]
        total, soft = points(hand.cards)
        assert observation[:3].tolist() == [total, soft, min(RANKS.index(table.dealer[0]) + 1, 10)]
        assert observation[4] == len(table.seats[0])
        table = table.act(letter)
    rest = list(decisions)  # a round that the deal decided is asked once, and only to stand
    assert [letter for letter, _ in rest] in ([], ["S"])
    assert next(coming, None) is None
    assert table.payoffs()[0] == pytest.approx(reward)


def test_a_charts_exact_value_is_the_analysis_own() -> None:
    env = BlackjackEnv("vegas-6d-s17")
    chart = published_chart(env.play.rules)

    def policy(observation: Any, mask: Any) -> int:
        total, soft, up, pair = observation[:4].astype(int).tolist()
        codes = [chart.soft[total - 12][up - 1] if soft else chart.hard[total - 4][up - 1]]
        if pair:
            codes.insert(0, chart.pairs[0 if soft else total // 2 - 1][up - 1])
        letters = "".join(CODES[code] for code in codes) + "S"
        return next(LETTERS.index(letter) for letter in letters if mask[LETTERS.index(letter)])

    assert env.policy_ev(policy) == pytest.approx(
        analyse(env.play.rules, strategy=chart).ev, abs=1e-12
    )
    assert env.best_ev >= env.policy_ev(policy)
    assert env.best_ev == pytest.approx(analyse(env.play.rules).ev)


def mimic(observation: Any) -> Any:
    """Hit up to 16, never insure: by observation, for one table or many."""
    rows = np.atleast_2d(observation)
    actions = np.where(rows[:, 0] < 17, 1, 0)
    actions[rows[:, 6] == 1] = 6
    actions[rows[:, 6] == 2] = 0
    return actions


@pytest.mark.parametrize("penetration", [0.0, 0.8])
def test_many_tables_earn_what_the_policy_is_worth(penetration: float) -> None:
    """Shuffling late does not change what a player who does not count gets, but by the cut card."""
    many = BlackjackVectorEnv(2048, "vegas-6d-s17", penetration=penetration)
    one = BlackjackEnv("vegas-6d-s17")
    exact = one.policy_ev(lambda o, m: int(mimic(o)[0]))
    observation, _ = many.reset(seed=3)
    total = rounds = 0.0
    for _ in range(200):
        observation, rewards, ended, truncated, info = many.step(mimic(observation))
        assert not truncated.any()
        assert np.array_equal(info["_final_obs"], ended)
        total, rounds = total + rewards.sum(), rounds + ended.sum()
    assert total / rounds == pytest.approx(exact, abs=4 * 1.0 / rounds**0.5)


def test_many_tables_are_one_table_many_times() -> None:
    many, one = BlackjackVectorEnv(2, penetration=0.5), BlackjackVectorEnv(2, penetration=0.5)
    first, again = many.reset(seed=9)[0], one.reset(seed=9)[0]
    for _ in range(50):
        assert np.array_equal(first, again)
        actions = mimic(first)
        first, again = many.step(actions)[0], one.step(actions)[0]


def test_the_shoe_and_the_count_are_those_of_the_cards_seen() -> None:
    for observe in ("shoe", "count"):
        env = BlackjackEnv("single-deck", observe=observe, penetration=0.7)
        rng = np.random.default_rng(0)
        observation, info = env.reset(seed=4)
        for _ in range(60):
            at, cards = env.play.seats.at[0], env.play.seats.cards[0]
            seen = [min(int(rank), 9) for rank in cards[: at[DEALT]]]
            del seen[at[START] + 3]  # the hole card
            counts = np.bincount(seen, minlength=10)
            copies = np.array([4] * 9 + [16])
            if observe == "shoe":
                assert observation[7:] == pytest.approx((copies - counts) / copies)
            else:
                tags = np.array([-1, 1, 1, 1, 1, 1, 0, 0, 0, -1])
                assert observation[7] == pytest.approx(52 * counts @ tags / (52 - len(seen)))
            open_ = np.flatnonzero(info["action_mask"])
            observation, _, done, _, info = env.step(int(rng.choice(open_)))
            if done:
                observation, info = env.reset()


def test_exact_values_and_regret_are_reported() -> None:
    env = BlackjackEnv("vegas-6d-s17", values=True)
    best, asked = analyse(env.play.rules), 0
    for seed in range(80):
        _, info = env.reset(seed=seed)
        if not info["values"]:
            continue
        at, cards = env.play.seats.at[0], env.play.seats.cards[0]
        dealt = [RANKS[rank] for rank in cards[at[START] :][:3]]
        known = best.action_values(dealt[0] + dealt[2], dealt[1])
        assert info["values"][0] == known["stand"]
        _, _, done, _, after = env.step(0)
        assert done
        assert after["regret"] == pytest.approx(max(known.values()) - known["stand"])
        asked += 1
    assert asked > 50
    assert int(env.play.seats.at[0, HANDS]) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rules": "vegas"}, "no rule set called 'vegas'"),
        ({"decks": 99}, "decks must be 1 to 8"),
        ({"observe": "everything"}, "observe is one of"),
        ({"rules": "infinite", "observe": "count"}, "nothing to count"),
        ({"penetration": 2}, "penetration is 0"),
        ({"system": "magic"}, "no counting system"),
        ({"bonus": 3}, "no rule option 'bonus'"),
        ({"render_mode": "human"}, "render_mode"),
        ({"illegal": "laugh"}, "illegal is"),
        ({"values": True, "penetration": 0.5}, "fresh, finite shoe"),
    ],
)
def test_what_cannot_be_a_table_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(RiverboatError, match=words):
        BlackjackEnv(**options)


def test_illegal_actions() -> None:
    env = BlackjackEnv(illegal="raise")
    env.reset(seed=1)
    closed = int(np.flatnonzero(env.action_masks() == 0)[0])
    with pytest.raises(IllegalActionError, match="possible"):
        env.step(closed)
    lenient = BlackjackEnv()
    lenient.reset(seed=1)
    with pytest.raises(IllegalActionError, match="possible"):
        lenient.step(99)
    lenient.step(closed)
    with pytest.raises(IllegalActionError, match="chose action 5"):
        env.policy_ev(lambda o, m: 5)
    many = BlackjackVectorEnv(3)
    many.reset(seed=0)
    with pytest.raises(RiverboatError, match="3 actions are wanted"):
        many.step(np.zeros(2, np.int64))
