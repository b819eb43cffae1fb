"""The quiz: its values are those of exact solvers, and what an answer loses follows from them."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from model_endpoint import endpoint, says
from riverboat.arena.quiz import QUIZZES, questions, take_quiz
from riverboat.errors import UnknownNameError, UsageError
from riverboat.evaluation.action_values import action_values
from riverboat.games.registry import make_game
from riverboat.players.player import View
from riverboat.trees.game_tree import build_tree

asked = cache(questions)  # The tests that do not ask twice share what was solved


class Firm:
    """Takes the i-th best move of each question."""

    def __init__(self, quiz: str, rank: int) -> None:
        self.name, self.moves = "firm", {}
        for question in asked(quiz):
            order = sorted(question.values, key=lambda action: -question.values[action])
            self.moves[question.view.infoset] = order[min(rank, len(order) - 1)]

    def choose(self, view: View, rng: np.random.Generator) -> str:
        return self.moves[view.infoset]


@pytest.mark.parametrize("quiz", QUIZZES)
def test_questions_are_the_same_each_time_and_ask_for_legal_moves(quiz: str) -> None:
    first, second = asked(quiz), questions(quiz)
    assert [question.title for question in first] == [question.title for question in second]
    assert len(first) >= 6
    for question in first:
        assert set(question.values) == set(question.view.actions)
        assert question.view.scene().strip()
        assert question.worst_loss > 0


def test_kuhns_values_are_those_of_kuhns_paper() -> None:
    """Kuhn 1950: facing a bet, a king wins 2 by calling, a jack loses 2; folding loses 1."""
    values = {question.title: dict(question.values) for question in asked("kuhn")}
    assert values["K|b"] == pytest.approx({"p": -1, "b": 2})
    assert values["J|b"] == pytest.approx({"p": -1, "b": -2})


def test_leducs_values_are_those_of_the_solved_tree() -> None:
    tree = build_tree(make_game("leduc"))
    strategy = rb.solve("leduc", algorithm="lp:refined").strategy
    values = action_values(tree, strategy.probabilities)
    for question in asked("leduc"):
        player, infoset = question.view.player, question.view.infoset
        row = strategy.index[player, infoset]
        exact = values[tree.offsets[row] : tree.offsets[row + 1]]
        if not np.isnan(exact).any():
            assert list(question.values.values()) == pytest.approx(exact.tolist(), abs=1e-4)


@pytest.mark.parametrize("quiz", ["kuhn", "leduc"])
def test_the_equilibrium_loses_nothing(quiz: str) -> None:
    score = take_quiz(["equilibrium"], [quiz], repeats=3).scores[0]
    assert score.loss == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("quiz", QUIZZES)
def test_the_loss_of_a_player_is_that_of_its_moves(quiz: str) -> None:
    best, second, worst = (take_quiz([Firm(quiz, rank)], [quiz]).scores[0] for rank in (0, 1, 99))
    assert best.loss == 0
    assert best.num_best == len(asked(quiz))
    assert worst.loss == pytest.approx(worst.worst)
    expected = np.mean(
        [-np.diff(sorted(q.values.values(), reverse=True)[:2])[0] for q in asked(quiz)]
    )
    if len({q.view.infoset for q in asked(quiz)}) == len(asked(quiz)):
        assert second.loss == pytest.approx(expected)


def test_blackjacks_values_are_those_of_the_exact_analysis() -> None:
    table = rb.blackjack()
    for question in asked("blackjack"):
        hand, up = question.title.split(" v")
        assert sorted(question.values.values()) == pytest.approx(
            sorted(table.hand(hand, up).values.values())
        )


def test_a_scripted_model_loses_exactly_what_its_strategy_loses() -> None:
    """The model bets in every place; its loss is the mean of what betting loses."""
    with endpoint(says(lambda _: "b")) as (url, _):
        model = rb_model(url)
        score = take_quiz([model], ["kuhn"]).scores[0]
    exact = np.mean([question.loss("b") for question in asked("kuhn")])
    assert score.loss == pytest.approx(exact, abs=1e-12)
    assert score.num_illegal == 0
    assert score.usage is not None
    assert score.usage.tokens == 12 * len(questions("kuhn"))


def rb_model(url: str) -> Any:
    from riverboat.players.language_model import LanguageModelPlayer

    return LanguageModelPlayer("scripted", url)


def test_a_model_that_knows_the_best_move_finds_it_in_its_prompt() -> None:
    """Every quiz can be taken from the prompt alone: the infoset in it names the question."""
    best = {}
    for quiz in QUIZZES:
        for question in asked(quiz):
            key = question.view.infoset, tuple(question.view.actions)
            best[key] = max(question.values, key=lambda action: question.values[action])
    by_infoset = {infoset: move for (infoset, _), move in best.items()}

    def answer(text: str) -> str:
        infoset = re.search(r"in short: (.*)\n", text)
        assert infoset is not None
        return by_infoset[infoset[1]]

    with endpoint(says(answer)) as (url, _):
        result = take_quiz([rb_model(url)], ["kuhn", "leduc", "rivers"])
    assert all(score.loss == 0 for score in result.scores)


def test_a_reply_made_in_a_models_place_is_not_called_legal() -> None:
    """The first answer and the one after it are no moves; at the next decision there is a bet."""
    answers = chain(["no", "idea"], repeat("b"))
    with endpoint(says(lambda _: next(answers))) as (url, _):
        score = take_quiz([rb_model(url)], ["kuhn"]).scores[0]
    assert [reply.legal for reply in score.replies] == [False] + [True] * (len(asked("kuhn")) - 1)
    assert score.num_illegal == 2


def test_an_answer_that_is_no_move_is_counted_and_replaced() -> None:
    class Lost:
        name = "lost"

        def choose(self, view: View, rng: np.random.Generator) -> str:
            return "nonsense"

    score = take_quiz([Lost()], ["leduc"]).scores[0]
    assert score.num_illegal == len(score.replies)


def test_a_bet_of_another_size_counts_as_the_nearest() -> None:
    class Small:
        name = "small"

        def choose(self, view: View, rng: np.random.Generator) -> str:
            return "r12"

    replies = take_quiz([Small()], ["rivers"]).scores[0].replies
    sized = [reply for reply in replies if "r10" in reply.question.values]
    assert sized
    assert all(reply.action == "r10" and reply.legal for reply in sized)


def test_the_same_seed_gives_the_same_quiz() -> None:
    one, same, other = (rb.quiz("random", of=["leduc"], seed=seed).scores[0] for seed in (1, 1, 2))
    assert [reply.action for reply in one.replies] == [reply.action for reply in same.replies]
    assert [reply.action for reply in one.replies] != [reply.action for reply in other.replies]


def test_the_interval_shrinks_with_repeats() -> None:
    widths = [rb.quiz("random", of=["kuhn"], repeats=n).scores[0].ci95 for n in (1, 10, 100)]
    assert all(wide > narrow for wide, narrow in pairwise(widths))


def test_a_quiz_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="chess"):
        take_quiz(["random"], ["chess"])
    with pytest.raises(UsageError, match="needs a player"):
        take_quiz([], ["kuhn"])


def test_a_person_is_asked_in_the_terminal_and_may_leave(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person who always checks or folds loses what the first moves of the questions lose."""
    monkeypatch.setattr("sys.stdin", io.StringIO("p\n" * len(asked("kuhn"))))
    done = command("quiz", "human", "random", "--of", "kuhn", "--json")
    person, _ = done.json["scores"]
    assert person["player"] == "human"
    assert person["loss"] == pytest.approx(np.mean([one.loss("p") for one in asked("kuhn")]))
    monkeypatch.setattr("sys.stdin", io.StringIO("p\nq\n"))
    left = command("quiz", "human", "--of", "kuhn")
    assert left.code == 0
    assert re.search(r"human +1 ", left.out)  # One question was answered


def test_the_command_prints_a_table_and_facts(command: Any) -> None:
    done = command("quiz", "random", "--of", "kuhn", "--details")
    assert done.code == 0
    assert "EV lost" in done.out
    assert "K|b" in done.out
    several = command("quiz", "random", "equilibrium", "--of", "kuhn,leduc").out
    assert "kuhn: EV lost per decision, in antes" in several
    assert "leduc: EV lost per decision, in antes" in several
    facts = json.loads(command("quiz", "random", "--of", "kuhn", "--json").out)
    assert facts["scores"][0]["decisions"] == len(questions("kuhn"))
    assert "quiz called 'chess'" in command.refused("quiz", "random", "--of", "chess")
