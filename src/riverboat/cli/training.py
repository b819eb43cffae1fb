"""`riverboat training`: what drills came to, day by day, and what is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console

from riverboat.cli import clock
from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, option
from riverboat.cli.out_files import PLOTS, TABLES, check_out
from riverboat.errors import UsageError

if TYPE_CHECKING:
    from riverboat.arena.training_results import ResultRow, TrainingResults

app = App()
NUM_DAYS = 14
"""Days that are listed; --json and --out have all."""


@app.command("training")
def training(
    person: Annotated[
        str | None, argument("A name that drills were given; all if left out.", metavar="NAME")
    ] = None,
    deck: Annotated[
        str | None, option("--deck", "Only one of the decks: its name, or words of its title.")
    ] = None,
    out: Annotated[
        Path | None,
        option("--out", "Write the curve (.svg, .png, .pdf) or all rows (.csv, .parquet, .arrow)."),
    ] = None,
    rename: Annotated[
        str | None, option("--rename", "Give the person this name.", metavar="NEW")
    ] = None,
    delete: Annotated[bool, option("--delete", "Delete all answers of the person.")] = False,
    yes: Annotated[bool, option("--yes", "Delete without a question.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show what a person's drills came to: answers by day and group, EV lost, what is due today.

    Drills remember whom they are given with --person, or in the browser. Alone it lists the names.

    \b
    Examples:
    riverboat drill leduc --person Ada
    riverboat training
    riverboat training Ada
    riverboat training Ada --deck Leduc --out ada.svg
    riverboat training Ada --rename Grace
    riverboat training Grace --delete --yes
    """
    from riverboat.arena.memory import Memory
    from riverboat.arena.people import delete_person, known_file, rename_person
    from riverboat.arena.training_results import TrainingResults
    from riverboat.runtime.storage import data_folder

    folder, now = data_folder(), clock.now()
    changes = {"--deck": deck, "--out": out, "--rename": rename, "--delete": delete or None}
    given = [name for name, value in changes.items() if value is not None]
    if given and person is None:
        raise UsageError(f"{given[0]} is for one person; give a name, too.")
    if len(given) > 1 and (delete or rename is not None):
        raise UsageError(f"{given[-1]} goes alone; leave out {given[0]}.")
    if yes and not delete:
        raise UsageError("--yes is for --delete.")
    ending = check_out(out, (*PLOTS, *TABLES))
    console = Console(stderr=True, highlight=False) if as_json else output()
    if person is None:
        _list_people(console, folder, now, as_json=as_json)
        return
    if rename is not None:
        name = rename_person(folder, person, rename)
        console.print(f"{person} is {name} now.", markup=False)
    elif delete:
        memory = Memory(known_file(folder, person))
        if not yes and not _agrees(console, memory.person, len(memory.answers)):
            raise UsageError("Nothing was deleted.")
        delete_person(folder, person)
        console.print(f"The answers of {memory.person} are deleted.", markup=False)
    else:
        results = TrainingResults.of_memory(Memory(known_file(folder, person)), now, deck)
        if out is not None:
            _write(results, out, ending or "")
            console.print(f"Written to {out}.", markup=False)
        if as_json:
            emit(results.as_dict())
        elif out is None:
            _show(console, results)


def _agrees(console: Console, person: str, num_answers: int) -> bool:
    console.print(f"{person} has {num_answers} answers.", markup=False)
    try:
        return console.input("Delete them for good? Type yes: ").strip().lower() == "yes"
    except (EOFError, KeyboardInterrupt):
        return False


def _list_people(console: Console, folder: Path, now: datetime, *, as_json: bool) -> None:
    from riverboat.arena.memory import Memory, people, person_file

    memories = [Memory(person_file(folder, name)) for name in people(folder)]
    facts = [
        {
            "person": memory.person,
            "answers": len(memory.answers),
            "to_repeat": len(memory.missed),
            "due": len(memory.due(now)),
        }
        for memory in memories
    ]
    if as_json:
        emit({"people": facts})
        return
    if not facts:
        console.print("Nobody has trained here yet; give a drill a name with --person.")
        return
    table = columns("name", ">answers", ">to repeat", ">due today")
    for fact in facts:
        table.add_row(*map(str, fact.values()))
    console.print(table)


def _write(results: TrainingResults, out: Path, ending: str) -> None:
    if ending in TABLES:
        results.write(out)
        return
    from riverboat.drawing.figures import save

    save(results.figure(), out)


def _show(console: Console, results: TrainingResults) -> None:
    total = results.total
    if not total.asked and not total.looked_up:
        console.print(f"{results.person} has no answers yet.", markup=False)
        return
    share = f" ({total.right / total.asked:.0%})" if total.asked else ""
    answers = "1 answer" if total.asked == 1 else f"{total.asked:,} answers"
    console.print(
        f"{results.person}: {answers}, {total.right:,} right{share}; {results.due} due today.",
        markup=False,
    )
    days = results.of("day")
    left_out = len(days) - NUM_DAYS
    _print_rows(console, "day", days[-NUM_DAYS:])
    if left_out > 0:
        console.print(f"{left_out} earlier days are left out; --json has them.")
    if len(results.titles) > 1 and results.deck is None:
        _print_rows(console, "deck", results.of("deck"), results.titles)
    for kind in results.kinds:
        _print_rows(console, kind, results.of(kind))
    later = {day: count for day, count in results.coming.items() if day > str(results.today)}
    if later:
        console.print("\nComing again: " + ", ".join(f"{n} on {day}" for day, n in later.items()))


def _print_rows(
    console: Console, kind: str, rows: Sequence[ResultRow], titles: Mapping[str, str] | None = None
) -> None:
    console.print()
    table = columns(kind, ">asked", ">right", ">looked up", ">EV lost", ">per decision", ">due")
    for row in rows:
        tally = row.tally
        share = "-" if row.share is None else f"{row.share:.0%}"
        lost = "-" if row.per_decision is None else f"{row.per_decision:.4f} {row.unit}"
        name = (titles or {}).get(row.group, row.group)
        cells = (f"{tally.asked:,}", share, f"{tally.looked_up:,}", f"{tally.lost:.4f}", lost)
        table.add_row(name, *cells, str(row.due) if kind != "day" else "")
    console.print(table)
