"""Drills: each kind asks its kind of hand, prices it exactly, and asks again what was missed."""

import numpy as np
import pytest

from riverboat.arena.drill import WAITS, PracticeRecord, Score, Verdict
from riverboat.blackjack.casino.drills import Question, Trainer
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import BlackjackRules, points, rules_from, value
from riverboat.blackjack.simulation.counting import DEVIATIONS, Deviation
from riverboat.errors import UsageError

RULES = rules_from("vegas-6d-s17", {"surrender": "late"})


def asked(kind: str, num: int = 40, rules: BlackjackRules = RULES) -> list[Question]:
    trainer = Trainer(rules, [kind], seed=5)
    return [trainer.next() for _ in range(num)]


def test_each_kind_asks_its_hands() -> None:
    for question in asked("hard"):
        total, soft = points(question.cards)
        assert not soft
        assert 5 <= total <= 20
    assert all(points(q.cards)[1] for q in asked("soft"))
    assert all(value(q.cards[0]) == value(q.cards[1]) for q in asked("pairs"))
    assert all("surrender" in q.values for q in asked("surrender"))
    assert {len(q.cards) for q in asked("hard")} == {2, 3}


@pytest.mark.parametrize("kind", ["hard", "soft", "pairs", "surrender"])
def test_values_are_the_exact_ones(kind: str) -> None:
    analysis = analyse(RULES)
    for question in asked(kind, 10):
        exact = analysis.action_values(question.cards, question.up)
        assert question.values == pytest.approx(exact)
        assert question.best == next(iter(exact))


def test_close_decisions_come_oftener() -> None:
    gaps = [q.values[q.best] - sorted(q.values.values())[-2] for q in asked("hard", 300)]
    # Dealt without preference most decisions are clearer than a tenth of a bet.
    assert np.mean(np.array(gaps) < 0.1) > 0.6


def test_deviations_are_asked_away_from_their_index_and_follow_it() -> None:
    known = [
        Deviation.parse(text)
        for name in ("illustrious18", "fab4")
        for text in DEVIATIONS[name].split()
    ]
    insured = 0
    for question in asked("deviations", 60):
        assert question.count is not None
        if not question.cards:
            insured += 1
            assert question.best == ("insure" if question.count >= 3 else "decline")
            continue
        total, soft = points(question.cards)
        fitting = [
            d
            for d in known
            if d.hand
            and d.up == question.up
            and (d.row[0] == "pair" or d.row == ("soft" if soft else "hard", total))
        ]
        actions = {"S": "stand", "H": "hit", "D": "double", "P": "split", "R": "surrender"}
        assert any(
            (question.best == actions[d.action]) == (question.count >= d.index) for d in fitting
        )
    assert insured


def test_a_mistake_is_asked_again_after_three_questions_and_then_ever_later() -> None:
    trainer = Trainer(RULES, ["soft"], seed=2)
    first = trainer.next()
    trainer.answer(first, list(first.values)[-1])
    waits, since = [], 0
    while len(waits) < len(WAITS):
        question = trainer.next()
        trainer.answer(question, question.best)
        since += 1
        if question.key == first.key and question.again:
            waits.append(since)
            since = 0
    # The question after `wait` others is the next one.
    assert waits == [wait + 1 for wait in WAITS]
    assert not trainer.record.items


def test_what_was_looked_up_does_not_score_and_is_asked_again() -> None:
    trainer = Trainer(RULES, ["hard"], seed=1)
    question = trainer.next()
    verdict = trainer.answer(question, question.best, looked_up=True)
    assert (verdict.right, verdict.scored) == (True, False)
    assert trainer.score.total.asked == 0
    assert trainer.record.tally("hard").asked == 0
    assert trainer.record.tally("hard").looked_up == 1
    assert [item.key for item in trainer.record.items] == [question.key]


def test_an_item_is_asked_at_its_own_table_only() -> None:
    record = PracticeRecord()
    here = Trainer(RULES, ["pairs"], seed=1, record=record)
    question = here.next()
    here.answer(question, list(question.values)[-1])
    other = Trainer(BlackjackRules(decks=1), ["pairs"], seed=1, record=record)
    assert not any(other.next().again for _ in range(5))
    record.queue.now += WAITS[0]
    assert not other.next().again
    assert Trainer(RULES, ["pairs"], seed=9, record=record).next().key == question.key


def test_a_score_adds_what_mistakes_cost() -> None:
    question = Question("hard", "T6", "T", {"hit": -0.53, "stand": -0.54, "double": -1.1})
    score = Score()
    for action in ("hit", "double"):
        score.add(question.kind, Verdict(action, "hit", question.cost(action)), question.words)
    total = score.total
    assert (total.asked, total.right) == (2, 1)
    assert total.lost == pytest.approx(0.57)
    assert "T,6 against T: hit, not double" in "\n".join(score.lines())


def test_refusals() -> None:
    with pytest.raises(UsageError, match="no drill"):
        Trainer(RULES, ["bridge"])
    with pytest.raises(UsageError, match="no splits"):
        Trainer(BlackjackRules(max_split_hands=1, max_split_hands_aces=1), ["pairs"])
    trainer = Trainer(RULES, ["hard"], seed=1)
    with pytest.raises(UsageError, match="Answer one of"):
        trainer.answer(trainer.next(), "fold")
