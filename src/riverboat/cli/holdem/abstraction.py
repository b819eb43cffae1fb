"""`riverboat abstraction`: build card abstractions, look into them, ask for a hand's bucket."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from riverboat.cards.card import cards_text, parse_cards
from riverboat.cli.bars import Bar, progress_bars
from riverboat.cli.console import emit, output
from riverboat.cli.groups import App, HintingGroup
from riverboat.cli.options import JsonFlag, Seed, Threads, argument, count_option, option
from riverboat.cli.out_files import STRATEGY, check_out
from riverboat.errors import StorageError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from riverboat.holdem.abstraction.card_abstraction import CardAbstraction

app = App(cls=HintingGroup, help="Card abstractions: which hands a strategy does not tell apart.")

NAME = "preflop169, features, equity-k-200, … or a file."


@app.command("build")
def build_command(
    scheme: Annotated[str, argument("features or equity-k.")],
    buckets: Annotated[
        str | None,
        option("For equity-k: 50 to 5000 per street, or one for each street: 200,500,1000."),
    ] = None,
    street: Annotated[
        list[str] | None, option("Only this street (repeatable); others keep the bucket before.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = 1,
    out: Annotated[Path | None, option("A file; default: the user's cache.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Build an abstraction and keep it: minutes at most, and no memory beyond its tables.

    \b
    Example:
    riverboat abstraction build features
    """
    from riverboat.holdem.abstraction.card_tables import Recipe, abstraction_path, save_abstraction

    recipe = Recipe.make(scheme, buckets=_counts(buckets), streets=street or [], seed=seed)
    path = out or abstraction_path(recipe.name)
    if out is None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"Cannot make {path.parent}; give a file with --out.") from error
    check_out(path, STRATEGY)
    started, cpu = time.perf_counter(), time.process_time()
    with street_progress(quiet=as_json) as progress:
        abstraction = recipe.build(threads=threads, progress=progress)
    seconds = {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}
    save_abstraction(abstraction, path)
    _show(abstraction, as_json, file=str(path), **seconds)


def _counts(text: str | None) -> list[int]:
    try:
        return [] if text is None else [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(
            f"--buckets takes a number, or three as in 200,500,1000, not {text!r}."
        ) from None


@contextmanager
def street_progress(quiet: bool) -> Iterator[Callable[[str, float], None]]:
    """A bar for each street on stderr that says what is being built."""
    shown: dict[str, Bar] = {}
    with progress_bars(quiet=quiet) as bars:

        def update(street: str, share: float) -> None:
            if street not in shown:
                shown[street] = Bar(bars, f"card tables, {street}")
            shown[street].show(share, 1.0, f"{share:.0%}")

        yield update


@app.command("show")
def show_command(
    name: Annotated[str, argument(NAME)],
    street: Annotated[str | None, option("List the buckets of a street.")] = None,
    limit: Annotated[
        int | None, count_option("--limit", "Buckets to show at most; 50.", min=1)
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Numbers of buckets and bytes; with --street what each bucket holds.

    \b
    Example:
    riverboat abstraction show features --street flop --limit 5
    """
    if street is None and limit is not None:
        raise UsageError("--limit does nothing without --street; leave it out.")
    limit = 50 if limit is None else limit
    abstraction = _find(name, as_json)
    if street is None:
        _show(abstraction, as_json)
        return
    from riverboat.holdem.rules.betting import STREET_NAMES

    if street not in STREET_NAMES:
        raise UnknownNameError.among("street", street, STREET_NAMES)
    number = STREET_NAMES.index(street)
    num_buckets = abstraction.num_buckets[number]
    # Evenly over all of them, from the first to the last.
    shown = sorted(
        {round(i * (num_buckets - 1) / max(limit - 1, 1)) for i in range(min(limit, num_buckets))}
    )
    lines = {bucket: abstraction.describe_bucket(number, bucket) for bucket in shown}
    if as_json:
        emit({"name": abstraction.name, "street": street, "buckets": num_buckets, "shown": lines})
        return
    console = output()
    for bucket, words in lines.items():
        console.print(f"{bucket:6} {words}", markup=False, soft_wrap=True)
    if len(lines) < num_buckets:
        console.print(f"{len(lines)} of {num_buckets:,} buckets; see --limit", style="dim")


def _find(name: str, quiet: bool) -> CardAbstraction:
    from riverboat.holdem.abstraction.card_tables import find_abstraction

    with street_progress(quiet) as progress:
        return find_abstraction(name, progress)


@app.command("bucket")
def bucket_command(
    hand: Annotated[str, argument('Two cards: "AsKd".')],
    board: Annotated[str, argument('None, three to five cards: "Qs Js 2d".')] = "",
    name: Annotated[str, option("--abstraction", "-a", NAME)] = "features",
    as_json: JsonFlag = False,
) -> None:
    """The bucket of a hand on a board, and what it holds.

    \b
    Example:
    riverboat abstraction bucket AsKd "Qs Js 2d"
    """
    from riverboat.holdem.abstraction.card_abstraction import BOARD_SIZES, preflop169
    from riverboat.holdem.rules.betting import STREET_NAMES

    preflop169().bucket(hand, board)
    abstraction = _find(name, as_json)
    street = BOARD_SIZES.index(len(parse_cards(board)))
    bucket = abstraction.bucket(hand, board)
    words = abstraction.describe_bucket(street, bucket)
    if as_json:
        emit(
            {
                "abstraction": abstraction.name,
                "hand": cards_text(parse_cards(hand)),
                "board": cards_text(parse_cards(board)),
                "street": STREET_NAMES[street],
                "bucket": bucket,
                "buckets": abstraction.num_buckets[street],
                "description": words,
            }
        )
        return
    console = output()
    total = abstraction.num_buckets[street]
    console.print(f"{STREET_NAMES[street]} bucket [bold]{bucket}[/bold] of {total:,}")
    console.print(words, markup=False, soft_wrap=True)


def _show(abstraction: CardAbstraction, as_json: bool, **more: Any) -> None:
    from riverboat.holdem.rules.betting import STREET_NAMES

    if as_json:
        emit(abstraction.as_dict() | more)
        return
    console = output()
    console.print(f"[bold]{abstraction.name}[/bold], {abstraction.num_bytes / 1e6:.1f} MB")
    for street, count in zip(STREET_NAMES, abstraction.num_buckets, strict=True):
        console.print(f"  {street:8}{count:>8,} buckets")
    if more:
        seconds = f"{more['seconds']:.0f} s, {more['cpu_seconds']:.0f} s of CPU time"
        console.print(f"{seconds}; in {more['file']}", style="dim", markup=False, soft_wrap=True)
