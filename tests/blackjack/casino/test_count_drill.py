"""The counting drill against counting by hand."""

import pytest

from riverboat.arena.drill import PracticeRecord
from riverboat.blackjack.casino.count_drill import CountDrill, Stretch
from riverboat.blackjack.simulation.counting import SYSTEMS
from riverboat.errors import UnknownNameError, UsageError


def test_a_count_by_hand() -> None:
    # Hi-Lo: 2 to 6 count one, ten and ace minus one. 2+3+5 = +3, 7+9 = 0, K+A = -2.
    stretch = Stretch(SYSTEMS["hilo"], 4.0, "23579KA", 2.5)
    assert stretch.running == 5
    assert stretch.true == 2
    assert stretch.groups(3) == ["235", "79K", "A"]


def test_a_whole_deck_counts_to_nothing() -> None:
    for name in ("hilo", "zen", "halves"):
        drill = CountDrill(name, decks=2, seed=1)
        stretch = drill.next(78)
        rest = Stretch(drill.system, stretch.running, "", 0.5)
        assert rest.running == stretch.running
        assert len(stretch.cards) == 78
        assert stretch.decks_left == 0.5
        assert abs(stretch.running) < 30


def test_answers_are_judged_and_timed() -> None:
    record = PracticeRecord()
    drill = CountDrill("hilo", 6, seed=3, record=record)
    stretch = drill.next(26, inside=True)
    assert stretch.true is not None
    good = drill.answer(stretch, stretch.running, stretch.true + 0.4, seconds=13.0)
    assert (good.right, good.per_card) == (True, 0.5)
    assert not drill.answer(stretch, stretch.running, stretch.true + 0.6).right
    assert not drill.answer(stretch, stretch.running + 1, stretch.true).right
    assert (record.tally("count").asked, record.tally("count").right) == (3, 1)
    assert record.tally("count").cards == 78


def test_a_running_count_system_starts_below_zero_and_asks_no_true_count() -> None:
    drill = CountDrill("ko", 6, seed=1)
    stretch = drill.next(10)
    assert stretch.start == 4 - 4 * 6
    assert stretch.true is None
    assert drill.answer(stretch, stretch.running).true_right is None


def test_refusals() -> None:
    with pytest.raises(UnknownNameError):
        CountDrill("hallo")
    with pytest.raises(UsageError, match="1 to 286 cards"):
        CountDrill("hilo", 6).next(287)
