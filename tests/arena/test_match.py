"""Matches: fair seats, honest intervals, players that cannot cheat."""

import numpy as np
import pytest

from riverboat.arena.match import run_match
from riverboat.errors import IllegalActionError, TooLargeError, UsageError
from riverboat.games.registry import make_game
from riverboat.players.player import LeaveTable, View
from riverboat.players.roster import make_player, parse_spec


class Always:
    def __init__(self, action: str) -> None:
        self.name, self.action = action, action

    def choose(self, view: View, rng: np.random.Generator) -> str:
        return self.action


def test_a_match_is_deterministic_and_sums_to_zero() -> None:
    game = make_game("kuhn")
    players = [make_player(game, "random"), make_player(game, "uniform")]
    first = run_match(game, players, 500, seed=3)
    assert first == run_match(game, players, 500, seed=3)
    assert first != run_match(game, players, 500, seed=4)
    assert sum(first.mean) == pytest.approx(0)
    assert 0 < first.ci95[0] < 0.3


def test_always_bet_against_always_pass_wins_the_ante_every_hand() -> None:
    log = run_match(make_game("kuhn"), [Always("b"), Always("p")], 100)
    assert log.mean == (1.0, -1.0)
    assert log.ci95 == (0.0, 0.0)
    assert log.mean_by_seat == ((1.0, 1.0), (-1.0, -1.0))


def test_three_players_rotate_through_all_seats() -> None:
    log = run_match(make_game("kuhn", {"players": 3}), [Always("p")] * 3, 3000, seed=1)
    assert all(abs(mean) < 4 * ci for mean, ci in zip(log.mean, log.ci95, strict=True))
    assert sum(log.mean) == pytest.approx(0)


class Leaves:
    """Plays as the seed says and gets up, or is stopped, at the start of its hand `last`."""

    name = "leaves"

    def __init__(self, last: int, how: type[BaseException]) -> None:
        self.left, self.how = last, how

    def choose(self, view: View, rng: np.random.Generator) -> str:
        if len(view.infoset) <= 3:
            self.left -= 1
        if self.left < 0:
            raise self.how
        return view.actions[int(rng.integers(len(view.actions)))]


@pytest.mark.parametrize("how", [KeyboardInterrupt, LeaveTable])
def test_a_match_that_is_stopped_tells_the_hands_that_were_played(how: type[BaseException]) -> None:
    game = make_game("kuhn")
    cut = run_match(game, [Leaves(40, how), Always("b")], 1000, seed=3)
    assert cut.stopped
    assert cut.hands == 40
    whole = run_match(game, [Leaves(10**6, how), Always("b")], 40, seed=3)
    assert not whole.stopped
    assert (cut.mean, cut.ci95, cut.mean_by_seat) == (whole.mean, whole.ci95, whole.mean_by_seat)
    with pytest.raises(how):
        run_match(game, [Leaves(0, how), Always("b")], 1000, seed=3)


def test_an_illegal_move_names_its_player() -> None:
    with pytest.raises(IllegalActionError, match="x chose 'x'"):
        run_match(make_game("kuhn"), [Always("x"), Always("p")], 1)


def test_the_wrong_number_of_players_is_refused() -> None:
    with pytest.raises(UsageError, match="takes 2 players"):
        run_match(make_game("kuhn"), [Always("p")], 1)
    with pytest.raises(UsageError, match=r"twentyone takes 1 player, not 2\."):
        run_match(make_game("twentyone"), [Always("h"), Always("h")], 1)


def test_specs_come_apart() -> None:
    spec = parse_spec("mcts:deep?ms=5&memory=a.txt")
    assert (spec.name, spec.argument) == ("mcts", "deep")
    assert spec.options == {"ms": "5", "memory": "a.txt"}


def test_a_match_that_nobody_can_wait_for_is_refused_with_its_time() -> None:
    """10¹⁵ hands at less than a million hands per second are more than 30 years."""
    game = make_game("kuhn")
    with pytest.raises(TooLargeError, match=r"1e\+15 hands would take about [\d,]+ years at"):
        run_match(game, [Always("b"), Always("p")], 10**15)
