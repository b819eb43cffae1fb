"""Each lesson, followed as written, ends with what it says. Sources stand beside the numbers."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import riverboat as rb


def lesson(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("names", [name], indirect=True, ids=[f"lesson{name}"])


@lesson("1")
def test_regret_finds_paper_and_a_third_each(names: dict[str, Any]) -> None:
    assert names["learned"].tolist() == pytest.approx([0, 1, 0])  # the best row against rock 40 %
    assert names["error"] < 0.01  # von Neumann: one third each
    assert names["swing"] > 0.3
    rock, paper, scissors = names["result"].strategy[0, "?"].values()
    # Each action of the other is worth 0: 2 × paper's share is what rock wins from scissors.
    assert (rock, paper, scissors) == pytest.approx((1 / 4, 1 / 2, 1 / 4), abs=1e-9)


@lesson("2")
def test_the_jack_bets_a_third_as_often_as_the_king(names: dict[str, Any]) -> None:
    assert names["ratio"] == pytest.approx(1 / 3, abs=1e-3)  # Kuhn 1950
    assert names["jack"]["b"] / names["king"]["b"] == pytest.approx(1 / 3, abs=1e-3)
    assert names["value"] == pytest.approx(-1 / 18, abs=1e-9)
    assert names["second_jack"] == pytest.approx(1 / 3, abs=1e-6)
    assert names["call_with_a_queen"](1 / 3) == pytest.approx(0, abs=1e-12)
    assert rb.evaluate(names["shy"]).best_response[1] == pytest.approx(1 / 18, abs=1e-9)
    assert rb.evaluate(names["honest"]).best_response[1] > 1 / 18 + 0.05


def uniform_kuhn() -> tuple[float, list[float]]:
    """Value of random play and of both best responses, by listing all pure plans."""
    deals = list(itertools.permutations((0, 1, 2), 2))

    def pay(cards: tuple[int, int], first: tuple[int, int], second: tuple[int, int]) -> float:
        """First: bet at once, call after pass and bet. Second: bet after a pass, call a bet."""
        win = 1 if cards[0] > cards[1] else -1
        if first[0]:
            return 2 * win if second[1] else 1
        if second[0]:
            return 2 * win if first[1] else -1
        return win

    plans = [(a, b) for a in (0, 1) for b in (0, 1)]

    def best(player: int) -> float:
        total = 0.0
        for card in range(3):
            worth = []
            for plan in plans:
                found = [
                    pay(d, plan, other) if player == 0 else -pay(d, other, plan)
                    for d in deals
                    if d[player] == card
                    for other in plans
                ]
                worth.append(sum(found) / 4 / len(deals))
            total += max(worth)
        return total

    every = [pay(d, a, b) for d in deals for a in plans for b in plans]
    return sum(every) / len(every), [best(0), best(1)]


@lesson("3")
def test_the_average_is_hard_to_exploit_and_the_current_strategy_is_not(
    names: dict[str, Any],
) -> None:
    value, best = uniform_kuhn()
    assert names["measured"].value[0] == pytest.approx(value)
    assert names["measured"].best_response == pytest.approx(best)
    assert names["regret_per_round"] == pytest.approx(names["nash_conv"], abs=1e-12)
    average, current = names["curves"]["average"], names["curves"]["current"]
    assert average[-1][1] < 0.01
    assert min(found for at, found in current if at >= 300) > 5 * average[-1][1]
    assert rb.evaluate(names["mine"]).value[0] == pytest.approx(-1 / 18, abs=0.001)
    assert names["apart"] < 1e-9


@lesson("4")
def test_all_roads_meet_at_the_value_of_leduc(names: dict[str, Any]) -> None:
    value = -0.085606424078  # Leduc's value as OpenSpiel's LP has it
    assert names["exact"].value[0] == pytest.approx(value, abs=1e-9)
    for result in names["results"]:
        assert result.value[0] == pytest.approx(value, abs=2 * result.exploitability)
    assert names["factor"] > 24  # "dozens of times"
    assert len(names["exact"].strategy) == 936
    assert names["differ"](names["exact"], names["refined"]) > 100
    assert names["differ"](names["exact"], names["dcfr"]) > 100
    raises = [r.strategy["Kh|"]["r"] for r in (names["exact"], names["refined"], names["dcfr"])]
    assert max(raises) - min(raises) < 0.01
    assert names["wins"]["lp:refined"] > names["wins"]["lp"] + 0.05


@lesson("4")
def test_most_differences_lie_where_perfect_play_hardly_leads(names: dict[str, Any]) -> None:
    exact, reach = names["exact"].strategy, {}

    def walk(state: Any, likely: float) -> None:
        if state.actor == rb.TERMINAL:
            return
        if state.actor == rb.CHANCE:
            moves = state.chance()
        else:
            key = (state.actor, state.infoset(state.actor))
            reach[key] = reach.get(key, 0.0) + likely
            moves = exact[key].items()
        for move, p in moves:
            walk(state.after(move), likely * p)

    walk(rb.game("leduc").start(), 1.0)
    other = names["refined"].strategy
    apart = [
        (player, key)
        for player, key, mix in exact.entries()
        if max(abs(mix[a] - other[player, key][a]) for a in mix) > 0.1
    ]
    assert sum(reach[key] < 1e-3 for key in apart) > len(apart) / 2


@pytest.mark.e2e
@lesson("5")
def test_noise_falls_like_a_root_and_costs_what_the_weights_say(names: dict[str, Any]) -> None:
    assert -0.65 < names["slope"] < -0.45  # 1/√n in theory
    external = np.mean([run.exploitability for run in names["runs"]["es-mccfr"]])
    outcome = np.mean([run.exploitability for run in names["runs"]["os-mccfr"]])
    assert outcome > 3 * external
    # The second moment of the weighted result is the sum of p²·u²/q over all plays.
    for bet, spread in names["spread"].items():
        second = mean = 0.0

        def walk(state: Any, true: float, drawn: float, bet: float) -> None:
            nonlocal second, mean
            if state.actor == rb.TERMINAL:
                won = state.returns()[0]
                second, mean = second + true**2 / drawn * won**2, mean + true * won
            elif state.actor == rb.CHANCE:
                for card, p in state.chance():
                    walk(state.after(card), true * p, drawn * p, bet)
            else:
                for move, q in (("b", bet), ("p", 1 - bet)):
                    walk(state.after(move), true / 2, drawn * q, bet)

        walk(rb.game("kuhn").start(), 1.0, 1.0, bet)
        assert mean == pytest.approx(1 / 8)
        assert spread == pytest.approx(math.sqrt(second - mean**2), rel=0.1)
    for in_full, in_walks in names["visits"].values():
        assert in_walks < in_full
    (rough_full, rough), *_, (fine_full, fine) = names["visits"].values()
    assert rough_full / rough > 2 * fine_full / fine
    assert names["whole_tree"] == 9457


@lesson("6")
def test_regret_vanishes_and_nash_conv_does_not(names: dict[str, Any]) -> None:
    # The reference payoffs of 6,6,2 (docs/duel.md, four algorithms).
    assert names["result"].payoffs == pytest.approx([0.544143, 0.589949, 1.865908], abs=1e-5)
    assert sum(names["result"].payoffs) == pytest.approx(3)
    assert names["result"].nash_conv < 1e-9
    assert names["regret"] < 0.001
    assert min(gap for _, gap in names["curves"]["NashConv of the averages"]) > 0.2
    assert names["apart"] < 1e-3


@lesson("7")
def test_blackjack_by_counting(names: dict[str, Any]) -> None:
    assert names["ours"]["bust"] == pytest.approx(names["theirs"]["bust"], abs=1e-12)
    assert names["edge"] == pytest.approx(0.00402870, abs=1e-8)  # Farmer's analyser
    costs = names["costs"]
    assert costs["the dealer hits soft 17"] == pytest.approx(-0.21, abs=0.01)
    assert costs["blackjack pays 6:5 instead of 3:2"] < -3 * 100 * names["edge"]
    assert costs["one deck instead of six"] == pytest.approx(0.58, abs=0.01)
    assert names["sixteens"] == {"T,6": "hit", "9,7": "hit", "5,4,7": "stand", "4,4,4,4": "stand"}
    # Off the top of 312 cards, with an ace shown, 96 of the 311 others are tens.
    assert names["table"].insurance() == pytest.approx((2 * 96 - 215) / 311, abs=1e-9)


@lesson("8")
def test_the_literal_method_stays_behind(names: dict[str, Any]) -> None:
    assert names["best"].reward == pytest.approx(-0.051474, abs=1e-6)  # docs/twentyone.md, exact
    assert names["stuck"] == pytest.approx(0.0305, abs=1e-4)
    evaluated: dict[str, Any] = {n: rb.evaluate(t) for n, t in names["tables"].items()}
    regrets = {name: found.regret for name, found in evaluated.items()}
    assert regrets["literal"] > 0.02
    assert all(regret < 0.001 for name, regret in regrets.items() if name != "literal")
    hit, stand = names["averages"]("literal")
    assert hit < stand
    hit, stand = names["averages"]("on-policy")
    assert hit > stand
    assert names["price"][0.0] == pytest.approx(0, abs=1e-12)
    assert names["price"][0.1] > names["price"][0.01] > 0
    # The largest of ten standard normals is 1.5388 on average; ten tries divide it by √10.
    assert names["looks"] == pytest.approx(1.53875 / math.sqrt(10), abs=0.02)
    assert names["double"] == pytest.approx(0, abs=0.02)


@lesson("9")
def test_search_finds_what_is_best_and_not_a_mixture(names: dict[str, Any]) -> None:
    assert names["tries"][2] > 1000
    ends = {name: curve[-1][1] for name, curve in names["curves"].items()}
    assert ends["MCTS that knows the odds"] < 1e-4
    assert ends["plain MCTS"] < 0.005 < 0.02 < ends["flat, random rollouts"]
    assert names["exact"]["D"] == max(names["exact"].values())
    assert names["with_memory"] < names["without"] / 3
    assert min(names["holes"]) > 0.001
    assert names["holes"][2] > names["holes"][1]
    assert names["by_regret"] < min(names["holes"]) / 100


@lesson("10")
def test_counting_wins_and_kelly_is_right(names: dict[str, Any]) -> None:
    effects = names["effects"]
    assert max(effects, key=effects.get) == "5"  # Griffin, The Theory of Blackjack
    assert effects["A"] < 0
    assert effects["T"] < 0
    counted, flat = names["counted"], names["flat"]
    assert counted.ev - 3 * counted.stderr > 0 > flat.ev + 3 * flat.stderr
    assert names["exact"] == pytest.approx((0.45 / 0.55) ** 10)
    assert names["formula"] == pytest.approx(names["exact"], abs=0.003)
    error = math.sqrt(names["exact"] * (1 - names["exact"]) / 20_000)
    assert names["ruined"] == pytest.approx(names["exact"], abs=4 * error)
    assert names["risks"][100] > 0.5
    for chips, risk in names["risks"].items():
        assert risk == pytest.approx(math.exp(-2 * counted.ev * chips / counted.variance))
    rates = names["rates"]
    assert rates[0.1] == max(rates.values())
    assert abs(rates[0.2]) < 0.001
    assert rates[0.3] < 0
    assert names["half"] == pytest.approx(0.75, abs=0.01)


@lesson("11")
@pytest.mark.slow
def test_abstraction_leaks_and_small_raises_find_the_hole(names: dict[str, Any]) -> None:
    # Aces against kings: 81.26 % (any equity table, suits apart).
    assert rb.equity("AsAh", "KdKc").equity[0] == pytest.approx(0.8126, abs=1e-4)
    assert names["small"].exploitability < 0.001
    assert names["leak"] > 100 * names["small"].exploitability
    assert names["first"].hand("AsAh")["f"] == 0
    assert names["first"].hand("7c2d")["f"] > 0.9
    assert names["extra"] > 100


@lesson("12")
def test_the_bots_play_the_whole_tournament(names: dict[str, Any]) -> None:
    assert names["log"].mean[0] > names["log"].ci95[0]
    assert names["against"].mean[0] < 0
    final = names["final"]
    assert {place.name for place in final} == {"basic", "random", "clever", "fearful"}
    assert all(place.games == 1000 for place in final)
    assert final[-1].name == "random"
    assert final[-1].high < final[-2].low
    for name, score in names["scores"].items():
        place = next(place for place in final if place.name == name)
        assert sum(score.values()) == 1000
        assert score["WIN"] == place.wins
    assert names["win"] <= names["best"] + 1e-9
    assert names["best"] == pytest.approx(0.434356, abs=1e-6)  # docs/twentyone.md, exact
