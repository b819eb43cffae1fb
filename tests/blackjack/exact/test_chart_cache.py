"""The cache of charts: what was kept comes back, and nothing else does."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.blackjack.charts import published_chart
from riverboat.blackjack.exact.best_chart import keep_chart, known_chart
from riverboat.blackjack.rules import BlackjackRules, rules_from

RULES = rules_from("vegas-6d-h17")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path))
    return tmp_path / "charts"


def test_a_chart_is_cached_for_its_rules_only(folder: Path) -> None:
    chart = published_chart(RULES)
    assert known_chart(RULES) is None
    keep_chart(RULES, chart, -0.0046)
    found = known_chart(RULES)
    assert found is not None
    assert (found[0].hard, found[0].soft, found[0].pairs) == (chart.hard, chart.soft, chart.pairs)
    assert found[1] == -0.0046
    assert known_chart(BlackjackRules(decks=1)) is None


def test_a_chart_that_is_kept_needs_no_compiler(folder: Path) -> None:
    """As from a wheel, which brings the charts of the named tables."""
    keep_chart(RULES, published_chart(RULES), -0.0046, folder.parent)
    program = (
        "import sys\nfrom riverboat.cli.main import run\n"
        "try:\n    run(['blackjack', 'chart', '--rules', 'vegas-6d-h17'])\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "-0.4600 %" in done.stdout


def test_a_folder_that_cannot_be_written_is_no_harm(folder: Path) -> None:
    folder.parent.joinpath("charts").write_text("a file where a folder should be")
    keep_chart(RULES, published_chart(RULES), 0.0)
    assert known_chart(RULES) is None


@settings(max_examples=40)
@given(raw=st.binary(max_size=40), cut=st.none() | st.integers(0, 2_000))
def test_damage_is_never_a_chart(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, cut: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("cache")
        patch.setenv("RIVERBOAT_CACHE", str(root))
        keep_chart(RULES, published_chart(RULES), 0.5)
        (path,) = (root / "charts").iterdir()
        whole = path.read_bytes()
        path.write_bytes(raw if cut is None else whole[:cut])
        found = known_chart(RULES)
        assert found is None or path.read_bytes() == whole
