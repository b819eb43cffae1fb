"""Matches: fair seats, honest intervals, players that cannot cheat."""

import numpy as np
import pytest

from riverboat.arena.match import MatchLog, run_match
from riverboat.cli.match import _show_match
from riverboat.errors import IllegalActionError, TooLargeError, UsageError
from riverboat.games.registry import make_game
from riverboat.holdem.rules.prizes import for_prizes
from riverboat.holdem.rules.state import Holdem
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


def test_a_match_that_would_take_days_is_refused_with_its_time() -> None:
    """10¹⁵ hands at less than a million hands per second are more than 30 years."""
    game = make_game("kuhn")
    with pytest.raises(TooLargeError, match=r"1e\+15 hands would take about [\d,]+ years at"):
        run_match(game, [Always("b"), Always("p")], 10**15)


def test_a_match_of_holdem_says_chips_and_mbb_and_nothing_else_does() -> None:
    game = make_game("holdem", {"players": 3})
    log = run_match(game, [make_player(game, "holdem:call")] * 3, 9, seed=1)
    assert log.big_blind == 2
    assert log.mbb_per_game == pytest.approx([500 * mean for mean in log.mean])
    assert log.mbb_per_game_ci95 == pytest.approx([500 * half for half in log.ci95])
    assert log.heads[:5] == ("player", "chips/hand", "95 %", "mbb/g", "95 %")
    assert {len(row) for row in log.rows()} == {len(log.heads)}
    assert "chips per hand (mbb/g)" in repr(log)
    assert "mbb/g" in log._repr_html_()
    assert list(log.mbb_per_game) == log.as_dict()["mbb_per_game"]
    kuhn = run_match(make_game("kuhn"), [Always("b"), Always("p")], 10)
    assert (kuhn.mbb_per_game, kuhn.heads[1]) == ((), "per hand")
    assert "mbb" not in repr(kuhn) + str(kuhn.as_dict())
    prizes = for_prizes(Holdem(), [2, 1])
    log = run_match(prizes, [make_player(prizes, "holdem:call")] * 2, 4)
    assert (log.mbb_per_game, log.heads[1]) == ((), "prizes per hand")


def test_a_table_too_wide_for_the_terminal_gives_the_seats_a_table_of_their_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    players = ("holdem:call", "holdem:random") * 3
    rows = ((-1234.5,) * 6,) * 6
    log = MatchLog("holdem", players, 12, 0, (-1234.5,) * 6, (999.25,) * 6, rows, big_blind=2)
    _show_match(log, "Texas hold'em, 12 hands")
    lines = capsys.readouterr().out.splitlines()
    assert "…" not in "".join(lines)
    assert lines[1].split() == ["player", "chips/hand", "95", "%", "mbb/g", "95", "%"]
    assert lines[2].split()[1:] == ["-1234.50", "±", "999.25", "-617,250", "±", "499,625"]
    assert lines[9].split() == ["as", "player", "1", "2", "3", "4", "5", "6"]
    assert lines[10].split() == ["holdem:call", *["-1234.50"] * 6]
