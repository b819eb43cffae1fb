"""Several algorithms and seeds in one call: runs, bands in the plot, data frames, workers."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from riverboat.solvers.result import Comparison
from riverboat.solvers.run import Progress

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def found() -> Any:
    return rb.compare("kuhn", ["cfr+", "es-mccfr"], seeds=3, iterations=400)


def test_every_algorithm_runs_with_every_seed_where_it_has_chance(found: Any) -> None:
    assert found.runs == (("cfr+", 0), ("es-mccfr", 0), ("es-mccfr", 1), ("es-mccfr", 2))
    alone = rb.solve("kuhn", algorithm="es-mccfr", seed=2, iterations=400)
    assert found["es-mccfr", 2].exploitability == alone.exploitability
    ends = {result.exploitability for result in found["es-mccfr"]}
    assert len(ends) == 3  # other seeds, other runs
    assert found.rows()[1][:2] == ("es-mccfr", "3")


def test_the_plot_has_medians_and_bands_from_the_lowest_to_the_highest(found: Any) -> None:
    """Worked out anew from the traces of the three runs."""
    (axes,) = found.plot().axes
    exact, sampled = axes.lines
    assert (exact.get_label(), sampled.get_label()) == ("cfr+", "es-mccfr, 3 seeds")
    traces = [{p.iterations: p.exploitability for p in r.trace} for r in found["es-mccfr"]]
    common = sorted({n for trace in traces for n in trace})  # all run from 1 to 400
    last = [[max(m for m in trace if m <= n) for trace in traces] for n in common]
    heights = np.array([[t[m] for t, m in zip(traces, row, strict=True)] for row in last])
    assert sampled.get_xdata().tolist() == common
    assert sampled.get_ydata() == pytest.approx([median(row) for row in heights])
    (band,) = axes.collections  # that of the algorithm with chance alone
    corners = band.get_paths()[0].vertices
    for n, row in zip(common, heights, strict=True):
        here = corners[corners[:, 0] == n][:, 1]
        assert (here.min(), here.max()) == pytest.approx((row.min(), row.max()))


def test_runs_that_share_no_iterations_are_read_where_they_were_last(found: Any) -> None:
    """As runs of some seconds may: 10, 30 and 50 iterations of one, 20 and 40 of the other."""

    def run(**heights: float) -> Any:
        points = [Progress("x", int(n[1:]), 1.0, y, 0.0, 0.0) for n, y in heights.items()]
        return replace(found["cfr+"][0], trace=tuple(points))

    one, other = run(n10=0.9, n30=0.5, n50=0.1), run(n20=0.8, n40=0.2)
    (axes,) = Comparison("x", (("x", 0), ("x", 1)), (one, other)).plot().axes
    assert axes.lines[0].get_xdata().tolist() == [20, 30, 40]
    assert axes.lines[0].get_ydata() == pytest.approx([0.85, 0.65, 0.35])


@pytest.mark.e2e
def test_workers_give_the_same_comparison(found: Any) -> None:
    split = rb.compare("kuhn", ["cfr+", "es-mccfr"], seeds=3, iterations=400, workers=2)
    assert split.runs == found.runs
    for one, other in zip(split, found, strict=True):
        assert one.exploitability == other.exploitability
        assert np.array_equal(one.strategy.probabilities, other.strategy.probabilities)


def every_frame(found: Any, library: str) -> dict[str, Any]:
    """A frame of each kind of result."""
    match = rb.match("kuhn", "random", "random", hands=100)
    table = rb.tournament("kuhn", "random", "random", "random", hands=10)
    shoe = rb.simulate("vegas-6d-s17", rounds=20_000, count="hilo", strategy="published")
    spot = rb.spot(
        board="Qs Jh 2h 8d 3c",
        pot=10,
        stack=10,
        ranges=("AA", "KK,JJ"),
        sizes={"river": {"oop": {"bet": "a"}}},
    )
    node = rb.solve(spot, iterations=20).at("r:0")
    push_fold = rb.solve(rb.preflop(stacks=[5, 5]), iterations=5)
    return {
        "node": node.to_frame(library=library),
        "other": node.to_frame(1, library=library),
        "preflop": push_fold.to_frame(library=library),
        "comparison": found.to_frame(library=library),
        "match": match.to_frame(library=library),
        "tournament": table.to_frame(library=library),
        "pairs": table.to_frame(pairs=True, library=library),
        "simulation": shoe.to_frame(library=library),
        "solve": found["cfr+"][0].to_frame(library=library),
        "strategy": found["cfr+"][0].strategy.to_frame(library=library),
    }


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_both_libraries_have_the_same_columns(found: Any, library: str) -> None:
    module = pytest.importorskip(library)
    frames = every_frame(found, library)
    assert all(isinstance(frame, module.DataFrame) for frame in frames.values())
    heads = ["algorithm", "seed", "iterations", "seconds", "exploitability"]
    assert list(frames["comparison"].columns) == heads
    assert len(frames["comparison"]) == sum(len(result.trace) for result in found)
    assert list(frames["match"].columns) == ["player", "mean", "ci95", "seat_0", "seat_1"]
    figures = ["hand", "weight", "equity", "ev"]
    shares = ["check", "all-in 10", "ev check", "ev all-in 10"]
    assert list(frames["node"].columns) == figures + shares
    assert list(frames["other"].columns) == figures
    assert len(frames["other"]) == 9
    assert len(frames["preflop"]) == 4 * 169
    assert len(frames["tournament"]) == 3
    assert len(frames["pairs"]) == 6
    assert list(frames["simulation"].columns) == ["low", "share", "bet", "ev", "ci95"]
    assert sum(frames["simulation"]["share"]) == pytest.approx(1)
