"""Background jobs: reports, stops, turns, and a server that is killed."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

pytest.importorskip("fastapi")

from holdem_configs import KUHN
from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.spots.bet_sizes import PlayerSizes, parse_sizes
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.plugins import load_program
from riverboat.runtime.stopping import current_stop
from riverboat.solvers.run import Limit
from riverboat.twentyone.learning.learner import Trainer
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.learning.regret import train
from riverboat.web.api.twentyone import best_reward
from riverboat.web.background import Job, Jobs, Workplace
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRuns
from riverboat.web.holdem.strength_runs import StrengthOrder, StrengthRuns, measurement_name
from riverboat.web.solve.runs import SolveOrder, SolveRun
from riverboat.web.twentyone.learning_runs import LearningOrder, learning_runs
from waiting import wait_until

pytestmark = pytest.mark.e2e

PROGRAM = """
    import multiprocessing, signal
    from riverboat.runtime.stopping import end_with_parent

    def work():
        end_with_parent()
        while True:
            signal.pause()

    if __name__ == "__main__":
        child = multiprocessing.get_context("spawn").Process(target=work, daemon=True)
        child.start()
        print(child.pid, flush=True)
        child.join()
"""


def test_work_ends_with_a_server_that_was_killed(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(textwrap.dedent(PROGRAM))
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        worker = int(server.stdout.readline())
        os.kill(worker, 0)  # it is there
        server.kill()
        server.wait()
        # The worker holds the other end of this pipe: it ends when the worker does.
        server.stderr.read()


@dataclass(frozen=True)
class Counting:
    """Counts until it is told to stop, from where it stood."""

    names: tuple[str, ...]
    until: int = 3
    resumable: ClassVar[bool] = True

    title = "counting"

    def parts(self) -> tuple[str, ...]:
        return self.names

    def check(self) -> None:
        if not self.names:
            raise UsageError("Count something.")

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Counting":
        return cls(tuple(data["names"]), data["until"])

    @classmethod
    def warm_up(cls) -> None:
        pass

    def work(self, place: Workplace) -> dict[str, Any]:
        if place.part == "bad":
            raise UsageError("That cannot be counted.")
        if place.part == "crash":
            os._exit(3)
        path = place.folder / f"{place.part}.txt"
        start = int(path.read_text()) if path.is_file() else 0
        for number in range(start, self.until) if self.until else iter(lambda: 1, 0):
            if current_stop().requested:
                break
            place.report("point", [number, 0.0])
            path.write_text(str(number + 1))
        return {"start": start, "memory_given": place.memory}


@pytest.fixture
def make_jobs(tmp_path):
    made = []

    def make(**options):
        made.append(Jobs(tmp_path, Counting, Job, address="/count/{}", **options))
        return made[-1]

    yield make
    for jobs in made:
        jobs.end()


def over(jobs, job):
    jobs.poll()
    return not job.running


def test_a_job_reports_and_is_found_again(make_jobs):
    jobs = make_jobs()
    job = jobs.begin(Counting(("a", "bad", "crash")))
    wait_until(lambda: over(jobs, job))
    a, bad, crash = make_jobs().find(job.name).parts
    assert (a.state, a.facts["start"], len(a.points)) == ("done", 0, 3)
    assert bad.state == "That cannot be counted."
    assert crash.state.startswith("The process ended before its time")
    with pytest.raises(UsageError, match="Count something"):
        jobs.begin(Counting(()))


def test_parts_wait_for_their_turn_and_a_stop_keeps_what_was_found(make_jobs):
    jobs = make_jobs(at_once=1, memory=1000)
    endless = jobs.begin(Counting(("a", "b"), 0))
    other = jobs.begin(Counting(("c",)))
    wait_until(lambda: jobs.poll() or endless.parts[0].points)
    assert [endless.parts[1].state, other.parts[0].state] == ["waiting", "waiting"]
    assert jobs.running() == [endless, other]
    endless.stop()
    wait_until(lambda: over(jobs, endless) and over(jobs, other))
    assert [part.state for part in (*endless.parts, *other.parts)] == ["stopped", "stopped", "done"]
    assert other.parts[0].facts["memory_given"] == 1000


def test_a_new_server_resumes_what_an_old_one_left(make_jobs):
    jobs = make_jobs()
    job = jobs.begin(Counting(("a",), 0))
    wait_until(lambda: jobs.poll() or len(job.parts[0].points) > 2)
    job.kill()
    whole = json.loads((job.folder / "job.json").read_text())
    assert whole["parts"][0]["state"] in ("waiting", "starting", "running")
    (job.folder / "a.txt").write_text("1")
    whole["order"]["until"] = 3
    (job.folder / "job.json").write_text(json.dumps(whole))
    later = make_jobs()
    later.resume()
    again = later.known[job.name]
    wait_until(lambda: over(later, again))
    assert (again.parts[0].state, again.parts[0].facts["start"]) == ("done", 1)


def test_the_queue_keeps_its_order_is_rearranged_and_survives_a_restart(make_jobs):
    jobs = make_jobs(at_once=1)
    running = jobs.begin(Counting(("a",), 0))
    first, second, third = (jobs.begin(Counting((name,))) for name in "bcd")
    wait_until(lambda: jobs.poll() or running.parts[0].points)
    assert jobs.queue() == [first, second, third]
    jobs.move(third, -1)
    jobs.move(first, 1)
    jobs.move(first, 1)
    jobs.move(first, 1)  # it is the last already
    assert jobs.queue() == [third, second, first]
    with pytest.raises(UsageError, match="waits no more"):
        jobs.move(running, -1)
    running.kill()
    later = make_jobs(at_once=0)
    later.resume()
    assert [job.name for job in later.queue()] == [
        job.name for job in (running, third, second, first)
    ]


def test_a_job_that_fails_does_not_stop_the_queue(make_jobs):
    jobs = make_jobs(at_once=1)
    names = ("bad", "crash", "good")
    queued = [jobs.begin(Counting((name,))) for name in names]
    wait_until(lambda: all(over(jobs, job) for job in queued))
    assert [job.parts[0].failed for job in queued] == [True, True, False]
    assert queued[2].parts[0].state == "done"


def put_in_the_way(folder: Path) -> bool:
    """A file where the folder was; False where the job's process wrote into it meanwhile."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.write_text("in the way")
    except OSError:
        return False
    return True


def test_a_folder_that_cannot_be_written_ends_neither_the_work_nor_the_page(make_jobs, capfd):
    jobs = make_jobs()
    job = jobs.begin(Counting(("a",), 0))
    wait_until(lambda: jobs.poll() or len(job.parts[0].points) > 2)
    wait_until(lambda: put_in_the_way(job.folder))
    job.stop()
    wait_until(lambda: over(jobs, job))
    assert not job.running
    assert capfd.readouterr().err.count("cannot be kept") == 1


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"order": {"names": 3}}', '{"order": 1}'])
def test_a_folder_of_anything_is_no_job(make_jobs, tmp_path, text):
    (tmp_path / "somename").mkdir()
    (tmp_path / "somename" / "job.json").write_text(text)
    jobs = make_jobs()
    jobs.resume()
    assert jobs.find("somename") is None
    assert jobs.find("../somename") is None


BETS = PlayerSizes(bet=parse_sizes("33%,75%", "bets"), raises=parse_sizes("60%", "raises"))
TURN = Spot(
    tuple(parse_cards("Qs Jh 2h 8d")),
    60,
    170,
    (Range.parse("66-TT,AJs,KQs,QTs+"), Range.parse("22+,A2s+,KTs+,QJs")),
    sizes=dict.fromkeys(("turn", "river"), (BETS, BETS)),
)


def test_a_killed_server_loses_only_seconds_of_a_spot(tmp_path):
    """The checkpoint of the killed run is where the next one goes on; both together are one."""
    runs = SpotRuns(tmp_path)
    job = runs.begin(SpotOrder(TURN, "0.0001%"))
    wait_until(lambda: (runs.poll(), job.path.is_file())[1])  # type: ignore[func-returns-value]
    runs.end()
    done = SolvedSpot.load(job.path).info["iterations"]
    assert done > 0
    later = SpotRuns(tmp_path)
    try:
        later.resume()
        again = later.known[job.name]
        assert again.spot == TURN
        known = len(again.points)
        wait_until(lambda: (later.poll(), len(again.points) > known)[1])  # type: ignore[func-returns-value]
        assert again.points[known][0] > done
        again.stop()
        wait_until(lambda: over(later, again))
        assert again.solved
        assert SolvedSpot.load(again.path).info["iterations"] >= again.points[-1][0] > done
    finally:
        later.end()


def left_by_a_killed_server(folder: Path, order: Any, parts: list[str]) -> None:
    """A job's folder as a server leaves it that is killed while it runs."""
    folder.mkdir(parents=True, exist_ok=True)
    running = [{"name": name, "state": "running", "points": [], "facts": {}} for name in parts]
    whole = {"order": order.as_dict(), "parts": running, "notes": {}}
    (folder / "job.json").write_text(json.dumps(whole))


def test_learning_goes_on_from_its_checkpoint(tmp_path):
    """The checkpoint is another seed's, which shows in the curve that it was continued."""
    order = LearningOrder(("on-policy",), "points", 100_000)
    left_by_a_killed_server(tmp_path / "learning", order, ["on-policy"])
    whole = Trainer(QTable.empty("points", "reward"), method="on-policy", seed=77)
    train(whole, Limit(iterations=20_000))
    whole.table.save(tmp_path / "learning" / "on-policy.rb")
    train(whole, Limit(iterations=100_000))
    runs = learning_runs(tmp_path)
    try:
        runs.resume()
        run = runs.known["learning"]
        wait_until(lambda: over(runs, run))
        assert run.parts[0].state == "done"
        curve = run.curves["on-policy"]
        assert [games for games, _ in curve] == [games for games, _ in whole.curve]
        assert [best_reward(run.order.state) - reward for _, reward in curve] == pytest.approx(
            [regret for _, regret in whole.curve]
        )
    finally:
        runs.end()


def test_a_measurement_of_strength_goes_on_from_what_was_found(tmp_path):
    """What was found is made up, which shows in the figure that it was not played again."""
    abstract = AbstractGame.build(HoldemConfig.from_table(KUHN))
    file = tmp_path / "kuhn.rb"
    Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16)).save(file)
    folder = tmp_path / "runs" / measurement_name(file)
    order = StrengthOrder(str(file))
    left_by_a_killed_server(folder, order, ["strength"])
    sevens = [[[[7.0, 7.0]] * 2] * 50] * 10
    found = {"boards": [], "stretches": {"call": sevens, "rules": sevens[:4]}}
    (folder / "found.json").write_text(json.dumps(found))
    runs = StrengthRuns(tmp_path / "runs")
    try:
        runs.resume()
        run = runs.known[folder.name]
        wait_until(lambda: over(runs, run))
        assert run.state == "done"
        assert run.steps["against call"]["estimate"]["mean"] == 7000.0
        assert 0 < run.steps["against rules"]["estimate"]["mean"] < 7000.0
        assert abs(run.steps["against random"]["estimate"]["mean"]) < 2000.0
    finally:
        runs.end()
    file.touch()  # another file by now
    os.utime(file, ns=(1, 1))
    left_by_a_killed_server(folder, order, ["strength"])
    again = StrengthRuns(tmp_path / "runs")
    try:
        again.resume()
        wait_until(lambda: over(again, again.known[folder.name]))
        assert "was changed" in again.known[folder.name].state
    finally:
        again.end()


SERVER = """
import sys
import threading
from pathlib import Path
from riverboat.web.holdem.strength_runs import StrengthOrder, StrengthRuns, measurement_name
from riverboat.web.solve.runs import SolveOrder, SolveRun
from riverboat.web.twentyone.learning_runs import LearningOrder, learning_runs

if __name__ == "__main__":
    folder, file = map(Path, sys.argv[1:])
    if file.suffix:
        runs = StrengthRuns(folder)
        runs.begin(StrengthOrder(str(file)), measurement_name(file))
    else:
        runs = learning_runs(folder)
        runs.begin(LearningOrder(("on-policy",), "points", 1_000_000), "learning")
    while True:
        runs.poll()
        threading.Event().wait(0.01)
"""


def kill_a_server(tmp_path: Path, folder: Path, file: Path, checkpoint: str) -> None:
    """A server that works in a folder, killed as soon as there is a checkpoint."""
    program = tmp_path / "server.py"
    program.write_text(SERVER)
    command = [sys.executable, str(program), str(folder), str(file)]
    with subprocess.Popen(command, env={**os.environ, "RIVERBOAT_AUTOSAVE": "0"}) as server:
        try:
            wait_until(lambda: list(folder.glob(f"*/{checkpoint}")), what=checkpoint)
        finally:
            server.kill()


def test_learning_of_a_killed_server_ends_as_if_it_had_not_been_killed(tmp_path):
    kill_a_server(tmp_path, tmp_path / "runs", Path("none"), "on-policy.rb")
    whole = Trainer(QTable.empty("points", "reward"), method="on-policy", seed=1)
    train(whole, Limit(iterations=1_000_000))
    runs = learning_runs(tmp_path / "runs")
    try:
        runs.resume()
        run = runs.known["learning"]
        wait_until(lambda: over(runs, run))
        assert run.parts[0].state == "done"
        curve = run.curves["on-policy"]
        assert [games for games, _ in curve] == [games for games, _ in whole.curve]
        assert [best_reward(run.order.state) - reward for _, reward in curve] == pytest.approx(
            [regret for _, regret in whole.curve]
        )
    finally:
        runs.end()


def test_a_measurement_of_a_killed_server_ends_as_if_it_had_not_been_killed(tmp_path):
    abstract = AbstractGame.build(HoldemConfig.from_table(KUHN))
    file = tmp_path / "kuhn.rb"
    Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16)).save(file)
    kill_a_server(tmp_path, tmp_path / "runs", file, "found.json")
    runs, others = StrengthRuns(tmp_path / "runs"), StrengthRuns(tmp_path / "others")
    try:
        runs.resume()
        run = runs.known[measurement_name(file)]
        whole = others.begin(StrengthOrder(str(file)), measurement_name(file))
        wait_until(lambda: over(runs, run) and over(others, whole))
        assert run.state == whole.state == "done"
        assert run.steps == whole.steps
    finally:
        runs.end()
        others.end()


def test_a_huge_spot_is_refused_in_a_sentence(tmp_path):
    runs = SpotRuns(tmp_path, memory=1 << 20)
    try:
        job = runs.begin(SpotOrder(TURN, "0.1%"))
        wait_until(lambda: over(runs, job))
        assert "memory" in job.state or "MiB" in job.state or "GiB" in job.state
        assert not job.solved
    finally:
        runs.end()


OWN_GAME = """
import dataclasses
import riverboat as rb
from riverboat.games.kuhn import Kuhn

@rb.register
@dataclasses.dataclass(frozen=True)
class BrowserPennies(Kuhn):
    name = "browser_pennies"
    title = "Kuhn under another name"
"""


def test_a_game_of_the_users_own_is_solved(tmp_path):
    """`riverboat web --import my_game.py`: the process of a job knows the game too."""
    program = tmp_path / "my_browser_game.py"
    program.write_text(OWN_GAME)
    load_program(program)
    jobs = Jobs(tmp_path / "solves", SolveOrder, SolveRun, address="{}")
    run = jobs.begin(SolveOrder("browser_pennies", {}, ("cfr+",), "iterations", 2_000))
    try:
        wait_until(lambda: run.poll() or not run.running)
        wait_until(lambda: not run.poll() and not run.running)
    finally:
        jobs.end()
    assert run.parts[0].state == "done"
    assert run.parts[0].facts["value"][0] == pytest.approx(-1 / 18, abs=1e-3)
