"""Round robins: ratings against Zermelo's algorithm, payoffs against exact values, hostile bots."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from riverboat.arena.meetings import split_round_robin
from riverboat.arena.round_robin import elo_ratings
from riverboat.evaluation.head_to_head import exact_value
from riverboat.jobs.crews import open_crew
from riverboat.players.own_bots import MAX_NAME
from riverboat.runtime.plugins import load_program
from waiting import PATIENCE

OWN = """
import time

class Raises:
    def choose(self, view, rng):
        return {}["no such key"]

class Illegal:
    def choose(self, view, rng):
        return "raise everything"

class Nothing:
    def choose(self, view, rng):
        return None

class Stalls:
    def choose(self, view, rng):
        while True:
            time.time()

class Loops:
    def choose(self, view, rng):
        import os, pathlib
        pathlib.Path(__file__).with_name("loops").write_text(str(os.getpid()))
        while True:
            pass

class Ends:
    def choose(self, view, rng):
        import os
        os._exit(0)

class Prints:
    def choose(self, view, rng):
        self.rng = getattr(self, "rng", rng)
        print("thinking", input)
        return view.actions[int(self.rng.integers(len(view.actions)))]

class Exits:
    def choose(self, view, rng):
        raise SystemExit(3)

class Huge:
    name = "huge\\x1b[31m\\n[red]" + "x" * 1_000_000
    def choose(self, view, rng):
        return view.actions[-1]

class Remembers:
    def __init__(self):
        self.seen = 0
    def choose(self, view, rng):
        self.seen += 1
        return view.actions[self.seen % len(view.actions)]
"""


def table(game: str, *players: Any, deals: int, workers: int | None = None, **options: Any) -> Any:
    with open_crew(None, workers) as crew:
        return split_round_robin(rb.game(game), players, deals, crew, **options)


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / f"bots_{tmp_path.name.replace('-', '_')}.py"
    file.write_text(OWN)
    return str(file)


def outcomes(wins: dict[tuple[int, int], tuple[int, int]], players: int) -> np.ndarray[Any, Any]:
    """(D, P, P) deals in which i won so often from j, and j from i; a deal has one pairing."""
    deals = []
    for (i, j), (won, lost) in wins.items():
        for result in [1.0] * won + [-1.0] * lost:
            one = np.full((players, players), np.nan)
            one[i, j], one[j, i] = result, -result
            deals.append(one)
    return np.array(deals)


def test_two_players_are_rated_by_the_odds_of_their_wins() -> None:
    elo, _ = elo_ratings(outcomes({(0, 1): (70, 30)}, 2))
    assert elo[0] - elo[1] == pytest.approx(400 * np.log10(70.5 / 30.5))
    assert elo.mean() == pytest.approx(1500)


def test_ratings_are_the_fixed_point_of_zermelos_algorithm() -> None:
    """E. Zermelo, Math. Zeitschrift 29 (1929); D. Hunter, Annals of Statistics 32 (2004)."""
    wins = {(0, 1): (30, 10), (0, 2): (25, 25), (1, 2): (12, 40), (2, 3): (50, 0), (0, 3): (9, 1)}
    scores = np.zeros((4, 4))
    for (i, j), (won, lost) in wins.items():
        scores[i, j], scores[j, i] = won + 0.5, lost + 0.5
    games, strength = scores + scores.T, np.ones(4)
    for _ in range(20_000):
        strength = scores.sum(1) / (games / (strength[:, None] + strength)).sum(1)
        strength /= strength.sum()
    expected = 400 * np.log10(strength)
    elo, width = elo_ratings(outcomes(wins, 4))
    assert elo - elo.mean() == pytest.approx(expected - expected.mean(), abs=1e-6)
    assert np.isfinite(width).all()
    assert width[3] > width[0]  # It met two others in few deals, and lost almost always.


def test_intervals_hold_the_true_rating_in_95_percent_of_all_tournaments() -> None:
    rng = np.random.default_rng(1)
    true, inside, runs = 200 * np.log10(0.62 / 0.38), 0, 1000
    for _ in range(runs):
        won = int(rng.binomial(150, 0.62))
        elo, width = elo_ratings(outcomes({(0, 1): (won, 150 - won)}, 2))
        inside += abs(elo[0] - 1500 - true) < width[0]
    assert inside / runs == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / runs))


def test_payoffs_agree_with_exact_values() -> None:
    """The mean over both seats of what the strategies win from each other."""
    game = rb.game("leduc")
    good, fair = rb.solve(game, target=1e-3), rb.solve(game, algorithm="cfr", iterations=3)
    found = table("leduc", good, fair, deals=3000, seed=5)
    first = exact_value(game, (good.strategy, fair.strategy))[0]
    second = exact_value(game, (fair.strategy, good.strategy))[1]
    assert abs(found.payoff[0, 1] - (first + second) / 2) < 2 * found.payoff_ci95[0, 1]
    assert found.payoff[0, 1] == pytest.approx(-found.payoff[1, 0])
    assert found.mean[0] == found.payoff[0, 1]


def test_a_player_against_itself_draws_every_duplicate_deal() -> None:
    class Last:
        name = "last"

        def choose(self, view: rb.View, rng: np.random.Generator) -> str:
            return view.actions[len(view.actions) - 1]

    for game in ("kuhn", "leduc", "holdem"):
        found = table(game, Last(), Last(), deals=20)
        assert found.mean == (0.0, 0.0)
        assert found.ci95 == (0.0, 0.0)
        assert found.elo == pytest.approx((1500, 1500))
        assert found.players == ("last", "last (2)")
    assert found.unit == "mbb/g"


def test_duplicate_deals_have_less_luck_than_a_match() -> None:
    both = ("holdem:rules", "holdem:call")
    found = table("holdem", *both, deals=150)
    match = rb.match("holdem", *both, hands=300)
    scale = 1000 / rb.game("holdem").big_blind  # type: ignore[attr-defined]
    assert found.ci95[0] < match.ci95[0] * scale


@pytest.mark.e2e
def test_every_number_of_workers_gives_the_same_table(bots: str) -> None:
    players = ("random", f"{bots}:Remembers", f"{bots}:Raises")
    tables = [table("kuhn", *players, deals=300, workers=n, seed=3) for n in (None, 1, 2)]
    assert tables[0].as_dict() == tables[1].as_dict() == tables[2].as_dict()
    logs = [
        rb.match("kuhn", "random", f"{bots}:Remembers", hands=1100, workers=n).as_dict()
        for n in (1, 2)
    ]
    assert logs[0] == logs[1]


def test_hostile_bots_lose_their_turn_and_the_table_goes_on(bots: str) -> None:
    names = ["Raises", "Illegal", "Nothing", "Exits", "Huge"]
    players = [f"{bots}:{name}" for name in names]
    found = table("leduc", "random", *players, deals=3, seed=1, move_seconds=PATIENCE)
    assert (found.faults[0], found.faults[5]) == (0, 0)
    assert min(found.faults[1:5]) > 0
    words = dict(zip(names, found.troubles[1:], strict=True))
    assert "KeyError in line" in words["Raises"]
    assert "raise everything" in words["Illegal"]
    assert "chose nothing" in words["Nothing"]
    assert "SystemExit" in words["Exits"]
    assert len(found.players[5]) <= MAX_NAME
    assert found.players[5].isprintable()
    assert len(found.notes()) == 4
    assert len(repr(found)) < 400
    assert "<red>" not in found._repr_html_()


def test_a_bot_that_stalls_loses_its_turn(bots: str) -> None:
    """Alone among players that are not timed, so that no other one can be late."""
    found = table("leduc", "random", f"{bots}:Stalls", deals=2, seed=1, move_seconds=0.05)
    assert found.faults[0] == 0 < found.faults[1]
    assert "no answer within 0.05 s" in found.troubles[1]


@pytest.mark.skipif(os.name != "posix", reason="asks whether a process is there")
def test_the_process_of_a_bot_that_loops_is_ended(bots: str) -> None:
    table("leduc", "random", f"{bots}:Loops", deals=2, seed=1, move_seconds=2.0)
    process = int(Path(bots).with_name("loops").read_text())
    assert process != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_bot_that_ends_its_process_loses_its_turn(bots: str) -> None:
    found = table("leduc", "random", f"{bots}:Ends", f"{bots}:Huge", deals=2, move_seconds=PATIENCE)
    assert found.faults[1] > 0
    assert found.faults[2] == 0
    assert "its process has ended" in found.troubles[1]


def test_a_bot_in_a_process_plays_as_in_this_one(
    bots: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same random numbers, and nothing on standard output."""
    there = table("leduc", "random", f"{bots}:Prints", deals=20, seed=2, move_seconds=PATIENCE)
    assert "thinking" not in capfd.readouterr().out
    bot = load_program(Path(bots)).Prints()
    here = table("leduc", "random", bot, deals=20, seed=2, move_seconds=PATIENCE)
    assert there.faults == here.faults == (0, 0)
    assert there.mean == here.mean


def test_an_object_that_stalls_loses_its_turn() -> None:
    """It cannot be sent to another process: its thread is left behind."""
    waits = threading.Event()

    class Waits:
        name = "waits"

        def choose(self, view: rb.View, rng: np.random.Generator) -> str:
            waits.wait(PATIENCE)
            return view.actions[0]

    found = table("leduc", "random", Waits(), deals=2, seed=1, move_seconds=0.05)
    waits.set()
    assert "no answer within 0.05 s" in found.troubles[1]


def test_what_is_no_round_robin_is_refused() -> None:
    with pytest.raises(rb.RiverboatError, match="seats 1"):
        table("twentyone", "random", "basic", deals=5)
    with pytest.raises(rb.RiverboatError, match=r"seats 3; give a match exactly as many players"):
        rb.tournament(rb.game("kuhn", players=3), *["random"] * 4, hands=10)
    with pytest.raises(rb.RiverboatError, match="2 to 200 players"):
        table("kuhn", "random", deals=5)
    with pytest.raises(rb.RiverboatError, match="for bots"):
        table("kuhn", "random", "human", deals=5)
    with pytest.raises(rb.RiverboatError, match="at least two hands"):
        table("kuhn", "random", "random", deals=0)
    with pytest.raises(rb.RiverboatError, match="above zero"):
        table("kuhn", "random", "random", deals=5, move_seconds=-1)


def test_frames_have_a_row_for_each_player_or_pairing() -> None:
    pandas = pytest.importorskip("pandas")
    found = table("kuhn", "random", "random", "random", deals=5)
    frame = found.to_frame(library="pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["player", "mean", "ci95", "elo", "elo_ci95", "faults"]
    assert len(found.to_frame(pairs=True)) == 6
    with pytest.raises(rb.RiverboatError, match="did you mean 'polars'"):
        found.to_frame(library="polar")
