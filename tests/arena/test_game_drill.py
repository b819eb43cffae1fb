"""The drill of a small game: prices of Kuhn poker by hand, exact chances, repetition by days."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import numpy as np
import pytest

import riverboat as rb
from riverboat.arena.game_drill import CLOSE_SHARE, GameDrill, decision_groups, deck_of
from riverboat.arena.memory import Memory, Wanted, closeness
from riverboat.errors import IllegalActionError, TooLargeError, UsageError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def kuhn():
    return GameDrill(rb.game("kuhn"), seed=1)


def test_decisions_of_kuhn_poker_cost_what_the_rules_say(kuhn):
    """After a bet a jack loses 1 by folding and 2 by calling; a king wins 2 by calling."""
    jack, king = kuhn.questions["1 J|b"], kuhn.questions["1 K|b"]
    assert jack.values == pytest.approx({"p": -1.0, "b": -2.0})
    assert king.values == pytest.approx({"p": -1.0, "b": 2.0})
    assert (jack.best, jack.cost("b")) == ("p", pytest.approx(1.0))
    assert (king.best, king.cost("p")) == ("b", pytest.approx(3.0))


def test_a_decision_comes_as_often_as_the_equilibrium_reaches_it_times_its_closeness(kuhn):
    """All deals of two of three cards, and the equilibrium's own moves on the way."""
    strategy = rb.solve("kuhn", target=1e-5).strategy

    def bets(player, infoset):
        return strategy.lookup(player, infoset)["b"]

    reach = dict.fromkeys(kuhn.questions, 0.0)
    for first, second in permutations("JQK", 2):
        opened = bets(0, f"{first}|")
        answered = (1 - opened) * bets(1, f"{second}|p")
        for key, chance in (
            (f"0 {first}|", 1.0), (f"1 {second}|b", opened), (f"1 {second}|p", 1 - opened),
            (f"0 {first}|pb", answered),
        ):  # fmt: skip
            if key in reach:
                reach[key] += chance / 6
    gaps = [abs(np.subtract(*each.values.values())) for each in kuhn.questions.values()]
    # The dearest mistake is to fold a king: 3.
    weights = np.array(list(reach.values())) * closeness(np.array(gaps), CLOSE_SHARE * 3.0)
    assert kuhn.chances() == pytest.approx(weights / weights.sum(), abs=1e-3)


def test_what_was_missed_comes_again_in_the_sitting_and_on_its_day():
    drill, memory = GameDrill(rb.game("leduc"), seed=2), Memory()
    question = drill.next_to_train(memory, NOON)
    worst = min(question.values, key=lambda action: question.values[action])
    verdict = drill.answer(question, worst)
    memory.note(drill.remembered(question), verdict, NOON)
    assert not verdict.right
    keys = []
    for _ in range(3):
        asked = drill.next_to_train(memory, NOON)
        keys.append((asked.key, asked.again))
        drill.answer(asked, asked.best)
    assert keys[-1] == (question.key, True)
    tomorrow = drill.sitting(seed=3).next_to_train(memory, NOON + timedelta(days=1))
    assert (tomorrow.key, tomorrow.again) == (question.key, True)


def test_groups_choose_what_is_asked_and_one_that_is_empty_is_refused():
    drill = GameDrill(rb.game("leduc"), seed=4)
    assert drill.groups == {"player": ("1", "2"), "facing": ("bet", "nothing"), "round": ("1", "2")}
    wanted = Wanted.parse(["facing=bet", "round=2", "player=1"])
    for _ in range(20):
        view = drill.next_to_train(Memory(), NOON, wanted).view
        assert decision_groups(view) == {"player": "1", "facing": "bet", "round": "2"}
        assert view.to_call > 0
    with pytest.raises(UsageError, match="no decision in this group: street=river"):
        drill.next_to_train(Memory(), NOON, Wanted.parse(["street=river"]))
    with pytest.raises(UsageError, match="no mistake to ask again"):
        drill.next_to_train(Memory(), NOON, Wanted.parse(["mistakes"]))


def test_what_is_looked_up_does_not_score_and_a_move_of_another_game_is_refused(kuhn):
    drill = kuhn.sitting(seed=5)
    question = drill.next_to_train(Memory(), NOON)
    with pytest.raises(IllegalActionError):
        drill.answer(question, "raise")
    assert not drill.answer(question, question.best, looked_up=True).known
    assert drill.score.total.asked == 0
    assert drill.queue.find(question.key) is not None


def test_decks_name_the_game_and_what_is_unusual_about_it():
    assert deck_of(rb.game("kuhn")) == "game kuhn"
    assert deck_of(rb.game("kuhn", players=3)) == "game kuhn players=3"


def test_games_that_are_too_large_or_without_a_mistake_are_refused():
    with pytest.raises(TooLargeError, match="too large for this drill"):
        GameDrill(rb.game("holdem"))
    with pytest.raises(UsageError, match="no decision that can be missed"):
        GameDrill(rb.game("rps"))


def test_a_game_with_other_parameters_is_another_deck_and_has_the_same_drill():
    """Three players of Kuhn poker; what an equilibrium within the tolerance loses costs nothing."""
    drill = GameDrill(rb.game("kuhn", players=3), seed=1)
    assert drill.title == "Kuhn poker, players=3"
    assert drill.groups["player"] == ("1", "2", "3")
    assert all(question.cost(question.best) == 0 for question in drill.questions.values())
