"""docs/tour.ipynb runs from top to bottom, and what its cells show is sound HTML."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

import riverboat as rb
from notebooks import page, run_notebook
from riverboat.games.registry import GAMES

NOTEBOOK = Path(__file__).parent.parent / "docs" / "tour.ipynb"
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Keeps the text, counts the tables, and fails where tags do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag != "script"
        self.tables += tag == "table"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_notebook_runs_and_shows_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        shown = run_notebook(NOTEBOOK)
    finally:
        GAMES.pop("tour-pennies", None)
    values = {source.splitlines()[-1]: value for source, value in shown}
    pennies = values["pennies.strategy"]
    assert isinstance(pennies, rb.AnyStrategy)
    assert pennies[0, "?"]["h"] == pytest.approx(2 / 5, abs=1e-3)
    reader = Reader()
    reader.feed(page(shown))
    assert reader.open == ["body"]
    assert reader.tables >= 9
    for text in ("Rock-paper-scissors", "exploitability", "90.0000%", "AKs", "as player 2"):
        assert text in reader.text
    assert all("\n" not in repr(value) and len(repr(value)) < 400 for _, value in shown)
