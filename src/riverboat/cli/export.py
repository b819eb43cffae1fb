"""`riverboat export`: a strategy as JSON or a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.groups import App
from riverboat.cli.options import argument, option
from riverboat.cli.out_files import check_out
from riverboat.errors import UsageError
from riverboat.runtime.storage import atomic_write
from riverboat.runtime.tables import TABLE_FORMATS
from riverboat.strategies import export as exports
from riverboat.strategies.export import write_table
from riverboat.strategies.kinds import load_table
from riverboat.strategies.public_strategy import PublicStrategy, dump_public_strategy

if TYPE_CHECKING:
    from riverboat.strategies.any_strategy import AnyStrategy


app = App()


@app.command("export")
def export(
    file: Annotated[Path, argument("A strategy file.", metavar="FILE")],
    out: Annotated[Path | None, option("Where to write; standard output without it.")] = None,
    form: Annotated[
        str | None, option("--format", "json, csv, parquet, arrow or dump; else by --out's name.")
    ] = None,
    imports: options.Imports = None,
) -> None:
    """Write a strategy as JSON, CSV, Parquet or Arrow; one on a public tree as a dump too.

    A dump has one directory per node, as `riverboat duel` writes it; --out must be new or empty.

    \b
    Examples:
    riverboat solve kuhn --out kuhn.rb
    riverboat export kuhn.rb --out kuhn.csv
    riverboat export kuhn.rb --out kuhn.parquet
    riverboat duel "6, 6, 2" 1 1000 --out duel.rb
    riverboat export duel.rb --format dump --out dump
    """
    options.import_programs(imports)
    writers = {"json": exports.to_json, "csv": exports.to_csv}
    forms = ("json", *TABLE_FORMATS)
    if form not in (None, *forms, "dump"):
        raise UsageError(
            f"Strategies are exported as json, csv, parquet, arrow or dump, not as {form!r}."
        )
    if form != "dump":
        form = check_out(out, forms if form is None else (form, "")) or form or "json"
    strategy = load_table(file)
    if form == "dump":
        _dump(strategy, out)
        return
    if form not in writers:
        if out is None:
            raise UsageError(f"A file of {form} is no text; name it with --out.")
        _table_file(strategy, out, form)
        return
    text = writers[form](strategy)
    if out is None:
        print(text, end="")
    else:
        atomic_write(out, text)
        print(f"{len(strategy):,} infosets written to {out} as {form}")


def _table_file(strategy: AnyStrategy, out: Path, form: str) -> None:
    with work_bar("writing") as bar:
        rows = write_table(strategy, out, form, lambda count: bar.show(0, None, f"{count:,} rows"))
    print(f"{rows:,} rows written to {out}")


def _dump(strategy: AnyStrategy, out: Path | None) -> None:
    if not isinstance(strategy, PublicStrategy):
        raise UsageError(
            f"A dump is for strategies on public trees, not for {strategy.game}; take json or csv."
        )
    if out is None:
        raise UsageError("A dump is a directory; name it with --out.")
    dump_public_strategy(strategy, out)
