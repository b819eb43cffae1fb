"""The kernel against the readable rules: the same shoes, the same results, hand by hand."""

from dataclasses import replace

import numpy as np
import pytest

from riverboat.blackjack.charts import (
    CODES,
    FIRST_HARD,
    FIRST_SOFT,
    UPS,
    BlackjackChart,
    published_chart,
)
from riverboat.blackjack.round import Round, play_round
from riverboat.blackjack.rules import PRESETS, BlackjackRules, Shoe, fresh_cards, points, value
from riverboat.blackjack.simulation.counting import SYSTEMS, Counter, Deviation, Ramp
from riverboat.blackjack.simulation.result import Simulation
from riverboat.blackjack.simulation.tables import Tables

RULES = {
    **{name: rules for name, rules in PRESETS.items() if rules.decks != "infinite"},
    "early": BlackjackRules(decks=2, surrender="early", hit_split_aces=True, double_on="10-11"),
    "early-enhc": BlackjackRules(decks=1, surrender="early", hole_card="enhc"),
    "late-enhc": BlackjackRules(decks=8, surrender="late", hole_card="enhc", das=False),
    "even-money": BlackjackRules(decks=4, bj_pays=1.0, split_by="rank", max_split_hands=3),
    "no-split": BlackjackRules(decks=1, max_split_hands=1, max_split_hands_aces=1),
    "charlie-6": BlackjackRules(decks=1, h17=True, charlie=6, combo=True, max_split_hands_aces=4),
    "charlie-7": BlackjackRules(decks=2, charlie=7, dealer_charlie=True, double_on="none"),
}


def shuffled(rules, rng):
    return "".join(rng.permutation(list(fresh_cards(rules.decks))))


def random_chart(rng):
    """Any code anywhere, so that every action is met."""

    def cells(rows):
        return tuple(tuple(rng.choice(list(CODES), 10)) for _ in range(rows))

    return BlackjackChart("random", cells(22 - FIRST_HARD), cells(22 - FIRST_SOFT), cells(10))


def chosen(chart, table, seat, index, options):
    counts = [0] * 10
    for card in table.seats[seat][index].cards:
        counts[value(card) - 1] += 1
    return chart.choose(tuple(counts), value(table.dealer[0]) - 1, options)


def by_chart(chart):
    """Play by the chart; surrender early where the chart surrenders, and never insure."""

    def decide(table):
        _, seat, index = table.turn
        options = table.actions()
        if "N" in options:
            early = "R" in options
            everything = table.options(seat, index) + "R" * early
            return "NR"[early and chosen(chart, table, seat, index, everything) == "R"]
        return chosen(chart, table, seat, index, options)

    return decide


def only(histogram):
    """The one result of a histogram, in bets."""
    (where,) = np.flatnonzero(histogram.sum(axis=0))
    return (where - histogram.shape[1] // 2) / 10


@pytest.mark.e2e
@pytest.mark.parametrize("name", RULES)
def test_kernel_plays_the_readable_rules(name):
    rules, rng = RULES[name], np.random.default_rng(len(name))
    for chart in (published_chart(rules), random_chart(rng), random_chart(rng)):
        seats = int(rng.integers(1, 4))
        seat = int(rng.integers(seats))
        tables = Tables.of(Simulation(rules, chart, seats=seats, seat=seat, penetration=0.5))
        for _ in range(80):
            shoe = shuffled(rules, rng)
            end, left = play_round(rules, Shoe(shoe, cut=1), [1.0] * seats, by_chart(chart))
            histogram, dealt = tables.stacked(shoe)
            assert only(histogram) == pytest.approx(end.payoffs()[seat]), (shoe[:40], end)
            assert dealt == left.dealt


@pytest.mark.parametrize("name", ["vegas-6d-h17", "single-deck", "combo-charlie", "early-enhc"])
def test_splits_and_resplits(name):
    """Shoes that begin with pairs, where random ones have few."""
    rules, rng = RULES[name], np.random.default_rng(3)
    base = published_chart(rules)
    chart = replace(base, pairs=(("P",) * 10,) * 10)
    tables = Tables.of(Simulation(rules, chart, penetration=0.5))
    deepest = 0
    for i in range(260):
        rank = "A23456789TJQK"[i % 13]
        shoe = rank + "6" + rank * 2 + shuffled(rules, rng)
        shoe = "".join(shoe[: 52 * rules.decks])
        end, left = play_round(rules, Shoe(shoe, cut=1), [1.0], by_chart(chart))
        histogram, dealt = tables.stacked(shoe)
        assert only(histogram) == pytest.approx(end.payoffs()[0]), (shoe[:40], end)
        assert dealt == left.dealt
        deepest = max(deepest, len(end.seats[0]))
    assert deepest >= 3 or name == "early-enhc"


def value_name(card):
    return UPS[value(card) - 1]


def counted(counter, rules, dealt, seen):
    """The count after `dealt` cards of which `seen` are known, worked out the slow way."""
    running = counter.system.initial(rules.decks) + sum(
        counter.system.tags[value(card) - 1] for card in seen
    )
    if not counter.system.true_count:
        return running
    step = counter.resolution
    left = 52 * rules.decks - dealt
    return running * 52 / max(step, int(left / step + 0.5) * step)


def play_counting(rules, counter, chart, shoe, rounds):
    """Rounds by the readable rules with a counting player; their results and bets."""
    seen, dealt, played = "", 0, []

    def on_table(table: Round):
        hands = "".join(hand.cards for hands in table.seats for hand in hands)
        hidden = rules.hole_card == "peek" and table.turn.wants != "over"
        return hands + (table.dealer[:1] if hidden else table.dealer)

    def decide(table: Round):
        out = dealt + len("".join(h.cards for hs in table.seats for h in hs) + table.dealer)
        count = counted(counter, rules, out, seen + on_table(table))
        _, seat, index = table.turn
        options = table.actions()
        if "N" in options:
            insures = any(d.action == "I" and count >= d.index for d in counter.deviations)
            return "I" if insures and "I" in options else "N"
        letter = chosen(chart, table, seat, index, options)
        hand, up = table.seats[seat][index].cards, value_name(table.dealer[0])
        for deviation in counter.deviations:
            reached = count >= deviation.index
            if deviation.up != up:
                continue
            if deviation.hand == "TT" and len(hand) == 2 and points(hand) == (20, False):
                letter = "P" if reached and "P" in options else "S"
            if deviation.hand == "16" and points(hand) == (16, False) and letter in "SH":
                letter = "S" if reached else "H"
            if deviation.hand == "11" and points(hand) == (11, False):
                letter = "D" if reached and "D" in options else "H"
        return letter

    for _ in range(rounds):
        bet = counter.ramp.bet(counted(counter, rules, dealt, seen))
        end, left = play_round(rules, Shoe(shoe[dealt:], cut=1), [1.0], decide)
        seen, dealt = seen + on_table(end), dealt + left.dealt
        played.append((bet, round(10 * end.payoffs()[0])))
    return played, dealt


@pytest.mark.parametrize("system", ["hilo", "ko", "halves", "omega2"])
@pytest.mark.parametrize("hole_card", ["peek", "enhc"])
def test_counting_bets_deviates_and_insures(system, hole_card):
    rules = BlackjackRules(decks=2, hole_card=hole_card)
    rng = np.random.default_rng(11)
    texts = ("TTv6:P@0.5", "TTv9:P@1", "I@1", "16vT:S@0", "11v6:D@1", "11v9:D@-1")
    deviations = tuple(map(Deviation.parse, texts))
    counter = Counter(SYSTEMS[system], Ramp.parse("1 2@-1 3@0.5 5@2"), deviations, resolution=26)
    chart = published_chart(rules)
    tables = Tables.of(Simulation(rules, chart, counter, penetration=0.9))
    bets = [counter.ramp.bet(low) for low in (-np.inf, *tables.count.edges)]
    for _ in range(60):
        shoe = shuffled(rules, rng)
        played, dealt = play_counting(rules, counter, chart, shoe, 12)
        histogram, out = tables.stacked(shoe, 12)
        assert out == dealt
        found = sorted(
            (bets[row], int(column) - histogram.shape[1] // 2)
            for row, column in zip(*np.nonzero(histogram), strict=True)
            for _ in range(histogram[row, column])
        )
        assert found == sorted(played)


def test_a_shoe_that_runs_out_is_refilled_from_the_discards():
    """One deck for six with the cut card deep: the readable rules go on with the discards."""
    rules, rng = BlackjackRules(decks=1), np.random.default_rng(5)
    chart = published_chart(rules)
    tables = Tables.of(Simulation(rules, seats=6, seat=5, penetration=0.73))
    refilled = 0
    for _ in range(300):
        shoe, dealt, results = shuffled(rules, rng), 0, []
        while dealt < tables.simulation.cut:
            cards = Shoe(shoe[dealt:] + shoe[:dealt], cut=1)
            end, left = play_round(rules, cards, [1.0] * 6, by_chart(chart))
            results.append(round(10 * end.payoffs()[5]))
            ran_out = dealt + left.dealt > 52
            dealt = left.dealt if ran_out else dealt + left.dealt
            if ran_out:
                break
        histogram, out = tables.stacked(shoe, len(results))
        values = np.arange(histogram.shape[1]) - histogram.shape[1] // 2
        assert np.repeat(values, histogram[0]).tolist() == sorted(results)
        assert out == dealt
        refilled += ran_out
    assert refilled > 3
