"""The search in a process of its own: its lines, and answers by the clock."""

from __future__ import annotations

import io
import json
import os
import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import RiverboatError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.shipped import shipped_path
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._worker import (
    PolledAnswers,
    Punctuality,
    SearchWorker,
    ThreadedAnswers,
    serve,
)
from riverboat.holdem.search.searcher import Searcher
from waiting import PATIENCE

pytestmark = pytest.mark.e2e

GIVEN = {"iterations": "2", "seconds": "600", "sizes": "75%;a"}
INFOSET = "AhQd|Qs7h2d9c|r6r20c/cr20c/"
FOREVER = 600.0


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return Blueprint.load("shipped")


@pytest.fixture
def worker(blueprint: Blueprint) -> Iterator[SearchWorker]:
    made = SearchWorker(blueprint.rules, str(shipped_path()), GIVEN)
    yield made
    made.close()


def first_line(blueprint: Blueprint, source: str) -> dict[str, object]:
    rules = {field.name: getattr(blueprint.rules, field.name) for field in fields(blueprint.rules)}
    return {"game": rules, "blueprint": source, "options": GIVEN}


def served(*lines: dict[str, object]) -> list[dict[str, object]]:
    out = io.BytesIO()
    serve(io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_lines_are_answered_as_a_searcher_answers(blueprint: Blueprint) -> None:
    request = {"number": 7, "player": 0, "infoset": INFOSET, "until": time.perf_counter() + FOREVER}
    answers = served(first_line(blueprint, str(shipped_path())), request)
    state = blueprint.rules.observed(0, INFOSET)
    options = SearchOptions.read(GIVEN, "search")
    expected = Searcher(blueprint, options, clock=False).chances(state)
    assert answers[0] == {"ready": True}
    assert answers[1] == {"number": 7, "chances": expected}


def test_a_request_whose_time_is_over_gives_way_to_the_next(blueprint: Blueprint) -> None:
    """A worker that fell behind once would else be late for ever, and its pipe would fill."""
    old = {"player": 0, "infoset": INFOSET, "until": time.perf_counter() - 1.0}
    new = {**old, "until": time.perf_counter() + FOREVER}
    answers = served(
        first_line(blueprint, str(shipped_path())),
        {**old, "number": 1}, {"late": 1}, {**old, "number": 2}, {"late": 2}, {**new, "number": 3},
    )  # fmt: skip
    # The first may be at work before the others have come in.
    numbers = [answer.get("number") for answer in answers[1:]]
    assert numbers[-1] == 3
    assert set(numbers) <= {1, 2, 3}


def test_a_file_that_is_none_is_an_error_in_a_sentence(
    blueprint: Blueprint, tmp_path: Path
) -> None:
    (answer,) = served(first_line(blueprint, str(tmp_path / "none.rb")))
    assert "none.rb" in str(answer["error"])
    with pytest.raises(RiverboatError, match="none"):
        SearchWorker(blueprint.rules, str(tmp_path / "none.rb"), GIVEN)


def test_an_answer_that_is_late_is_not_waited_for(worker: SearchWorker) -> None:
    """And its decision is the blueprint's for good; the next one is searched again."""
    assert worker.ask(0, INFOSET, time.perf_counter() - 1, 0.3) is None
    assert worker.ask(0, INFOSET, time.perf_counter(), FOREVER) is None
    assert worker.ask(1, "KsTc|Qs7h2d9c|r6r20c/cr20c/c", time.perf_counter(), FOREVER) is not None


def test_a_process_that_has_ended_leaves_decisions_to_the_blueprint(
    worker: SearchWorker, capfd: pytest.CaptureFixture[str]
) -> None:
    worker.close()
    assert worker.ask(0, INFOSET, time.perf_counter(), FOREVER) is None
    assert not worker.running
    assert "has ended" in capfd.readouterr().err


def test_a_wait_ends_as_much_earlier_as_naps_were_late() -> None:
    punctuality = Punctuality()
    assert punctuality.due(100.0, 3.0) == pytest.approx(102.88)  # before anything is known
    for _ in range(400):
        punctuality.note(0.001)
    assert punctuality.due(100.0, 3.0) == pytest.approx(102.98)
    punctuality.note(0.2)
    assert punctuality.due(100.0, 3.0) == pytest.approx(102.7)
    assert punctuality.due(100.0, 0.3) == pytest.approx(100.12)  # never more than a share


@pytest.mark.parametrize("kind", [PolledAnswers, ThreadedAnswers])
def test_answers_come_line_by_line_or_not_in_time(
    kind: type[PolledAnswers] | type[ThreadedAnswers],
) -> None:
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb", buffering=0) as pipe, os.fdopen(theirs, "wb", buffering=0) as line:
        answers = kind(pipe)
        with pytest.raises(queue.Empty):
            answers.get(0.0)
        line.write(b'{"number": 1')
        with pytest.raises(queue.Empty):
            answers.get(0.01)
        line.write(b'}\n{"number": 2}\n')
        assert [answers.get(None), answers.get(PATIENCE)] == [{"number": 1}, {"number": 2}]
        line.close()
        assert answers.get(None) is None
        answers.close()


@pytest.mark.slow
def test_answers_come_by_the_clock_next_to_ten_busy_processes() -> None:
    """No later than a process that does nothing but sleep oversleeps on the same machine."""
    program = Path(__file__).parents[3] / "benchmarks" / "search_stress.py"
    code = (
        "import sys, runpy; found = runpy.run_path(sys.argv[1])['stress'](50, 10,"
        " 'search?seconds=0.3'); print(found.seconds.max(), found.overslept.max())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(program)], capture_output=True, text=True, check=True
    )
    slowest, overslept = np.array(done.stdout.split(), float)
    assert slowest < 0.3 + overslept
