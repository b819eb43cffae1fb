"""Reports made in this process and put among those of a server."""

from pathlib import Path

from riverboat.holdem.spots.flops import list_of_flops
from riverboat.holdem.spots.node_report import node_pattern, pattern_words
from riverboat.holdem.spots.spot import Spot
from riverboat.web.background import Workplace
from riverboat.web.holdem.report_runs import ReportOrder, ReportRun, node_report_name

FLOPS = "7c5c2c 3\n7c7d2h\nTc6d3h 2\nKsQs4h 4\n9s8s7s\nAh7d7c"
REPORT = "flopreport"


def flop_order(spot: Spot, flops: str = FLOPS, locks=(), target="5%") -> ReportOrder:
    """A report over flops that takes a second."""
    return ReportOrder(spot, "somespot", tuple(locks), target, list_of_flops(flops))


def node_order(solved, path: Path, source: str, node: str) -> ReportOrder:
    """The report of a node."""
    pattern = node_pattern(solved, node)
    words = pattern_words(solved, pattern)
    return ReportOrder(solved.spot, source, node=pattern, words=words, path=str(path))


def make(folder: Path, order: ReportOrder, name: str = REPORT) -> ReportRun:
    """Do the work here, to its end or to a stop, and keep the report."""
    if order.node:
        name = node_report_name(order.source, Path(order.path), order.node)
    run = ReportRun(name, folder / ".web" / "reports" / name, order)
    run.keep()
    part = run.parts[0]
    part.facts = order.work(Workplace(run.folder, "report", None, lambda *_: None))
    part.state = "done" if part.facts.get("done") == part.facts.get("total") else "stopped"
    run.keep()
    return run
