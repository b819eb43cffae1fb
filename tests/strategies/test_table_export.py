"""Strategies as Parquet and Arrow, read back by pyarrow and DuckDB."""

import json
from pathlib import Path

import pytest

from commands import Command
from riverboat.errors import UsageError
from riverboat.strategies.export import to_arrow, write_table
from riverboat.strategies.kinds import KINDS, kind_of, load, load_table

OLD = Path(__file__).parents[1] / "data" / "files_0.1.0"
FILES = sorted(path for path in OLD.glob("*.rb") if kind_of(path).loader)
pyarrow = pytest.importorskip("pyarrow")


def test_every_kind_that_is_a_table_is_tried() -> None:
    tables = {name for name, kind in KINDS.items() if kind.loader and kind.table}
    assert {kind_of(path).name for path in FILES} == tables


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_rows_are_the_strategys(path: Path, form: str, tmp_path: Path) -> None:
    import pyarrow.ipc
    import pyarrow.parquet

    strategy = load_table(path)
    target = tmp_path / f"x.{form}"
    wanted = [
        {"player": player, "infoset": infoset, "action": action, "probability": chance}
        for player, infoset, chances in strategy.entries()
        for action, chance in chances.items()
    ]
    assert write_table(strategy, target, form) == len(wanted)
    if form == "parquet":
        table = pyarrow.parquet.read_table(target)
    else:
        table = pyarrow.ipc.open_file(target).read_all()
    assert table.to_pylist() == wanted
    facts = json.loads(table.schema.metadata[b"riverboat"])
    assert (facts["game"], facts["kind"]) == (strategy.game, strategy.kind)
    assert to_arrow(strategy).equals(table)
    assert sorted(tmp_path.iterdir()) == [target]


def test_batches_are_joined(tmp_path: Path) -> None:
    strategy = load(OLD / "strategy-lp.rb")
    counted: list[int] = []
    assert write_table(strategy, tmp_path / "x.parquet", progress=counted.append, batch=5) == 24
    assert counted == [5, 10, 15, 20, 24]


def test_duckdb_reads_it_at_the_prompt(command: Command, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    target = tmp_path / "kuhn.parquet"
    answer = command("export", str(OLD / "strategy-lp.rb"), "--out", str(target))
    assert answer.code == 0, answer.err
    assert "24 rows" in answer.out
    with duckdb.connect() as base:
        (found,) = base.sql(f"select count(*), sum(probability) from '{target}'").fetchall()
    assert found == (24, pytest.approx(12.0))


def test_what_cannot_be_is_said(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(OLD / "strategy-lp.rb")
    answer = command("export", file, "--format", "parquet")
    assert answer.code == 2
    assert "--out" in answer.err
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'pyarrow"):
        write_table(load(file), "x.parquet")
