"""File kinds: what a file holds decides how it is read, who plays it, and what else can be done.

`load(path)` reads a strategy of any kind. A kind that is no strategy (hold'em's checkpoints, card
tables) is answered with what to do with it instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from riverboat.errors import FileFormatError, UsageError
from riverboat.runtime.plugins import find, named
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.files import file_kind


@dataclass(frozen=True)
class FileKind:
    """One kind of file."""

    name: str
    title: str  # What it is, as in "a strategy"
    loader: str = ""
    """Where the function is that reads a path, "module:attribute"; empty for no strategy."""
    player: str = ""
    """How the player of such a file is written, with {} for the path: "strategy:{}"."""
    seat: str = ""
    """Where the function is that makes a player of (game, name, strategy); empty: any will do."""
    instead: str = ""  # What can be done with such a file where it cannot be read or measured
    suffixes: tuple[str, ...] = ()
    """Endings by which a file of another form (text, CSV) is taken for this kind."""
    table: bool = True  # Whether what is loaded is an AnyStrategy: probabilities by infoset
    evaluator: str = ""
    """Where the function is that measures such a strategy; empty: exact best responses do."""
    view: str = ""
    """The command that shows such a file, as in "holdem view"; empty: `show` itself does."""


_BUILT_IN = (
    FileKind(
        "strategy",
        "a strategy",
        loader="riverboat.strategies.strategy:load_strategy",
        player="strategy:{}",
    ),
    FileKind(
        "public-strategy",
        "a strategy on a public tree",
        loader="riverboat.strategies.public_strategy:load_public_strategy",
        player="strategy:{}",
    ),
    FileKind(
        "q-table",
        "a Q table",
        loader="riverboat.twentyone.learning.q_table:QTable.load",
        player="q:{}",
        seat="riverboat.twentyone.learning.players:seat_table",
        suffixes=(".csv",),
        evaluator="riverboat.twentyone.learning.regret:evaluate_table",
    ),
    FileKind(
        "blueprint",
        "a hold'em blueprint",
        loader="riverboat.holdem.blueprints.blueprint:Blueprint.load",
        player="blueprint:{}",
        seat="riverboat.holdem.blueprints.players:seat_blueprint",
        evaluator="riverboat.holdem.blueprints.measure:evaluate_blueprint",
    ),
    FileKind(
        "mcts-memory",
        "a memory of the searching bot",
        loader="riverboat.blackjack.search.memory:Knowledge.load",
        player="mcts?memory={}",
        seat="riverboat.blackjack.search.player:seat_memory",
        suffixes=(".txt",),
        instead="see what it knows with riverboat mcts coverage {}",
    ),
    FileKind(
        "spot",
        "a solved hold'em spot",
        loader="riverboat.holdem.spots.solved:load_spot",
        table=False,
        instead="look at it with riverboat holdem view {}",
        view="holdem view",
    ),
    FileKind(
        "three-way-spot",
        "a solved hold'em spot of three players",
        loader="riverboat.holdem.spots.solved:load_spot",
        table=False,
        instead="look at it with riverboat holdem view {}",
        view="holdem view",
    ),
    FileKind(
        "study",
        "a study",
        loader="riverboat.arena.study:Study.load",
        suffixes=(".study",),
        table=False,
        instead="look at it with riverboat show {}",
    ),
    FileKind(
        "holdem-checkpoint",
        "a checkpoint of hold'em training",
        instead="go on with riverboat train holdem --resume {}",
    ),
    FileKind(
        "card-abstraction",
        "a card abstraction",
        instead="look at it with riverboat abstraction show {}",
        view="abstraction show",
    ),
    FileKind(
        "preflop",
        "a strategy before the flop",
        loader="riverboat.holdem.preflop.solution:PreflopSolution.load",
        table=False,
        instead="look at it with riverboat holdem preflop {}",
        view="holdem preflop",
    ),
    FileKind(
        "preflop-checkpoint",
        "a checkpoint of a game before the flop",
        instead="go on with riverboat holdem preflop SPEC.toml --resume {}",
    ),
    FileKind(
        "allin-table",
        "a table of all-in hands before the flop",
        instead="riverboat holdem preflop reads it",
    ),
    FileKind("preflop-table", "the table of preflop equities", instead="riverboat equity reads it"),
)
KINDS: dict[str, FileKind] = {kind.name: kind for kind in _BUILT_IN}
"""By name; register_kind adds to it."""


def register_kind(kind: FileKind) -> FileKind:
    """Make a kind of file known; a name that is taken is refused."""
    if KINDS.get(kind.name, kind) != kind:
        raise UsageError(f"There is a file kind {kind.name!r} already; take another name.")
    KINDS[kind.name] = kind
    return kind


def known_kinds() -> dict[str, FileKind]:
    """The house's kinds and those that other packages bring."""
    brought = {name: target for name, target in named("kinds").items() if name not in KINDS}
    return KINDS | {name: cast(FileKind, find(target)) for name, target in brought.items()}


def kind_of(path: str | Path) -> FileKind:
    """The kind of a file, by its header, or by its ending where it has none."""
    suffix = Path(path).suffix.lower()
    if suffix != ".rb" and Path(path).is_file():
        for kind in known_kinds().values():
            if suffix in kind.suffixes:
                return kind
    name = file_kind(path)
    if name not in KINDS and name not in named("kinds"):
        raise FileFormatError(
            f"{path} holds a {name!r}, which this version of riverboat does not know."
        )
    return KINDS.get(name) or known_kinds()[name]


def load(path: str | Path) -> Any:
    """Read a file of any kind: a strategy on a tree or a public tree, a Q table, a blueprint …

    A file that is damaged, foreign or cannot be loaded is refused with a sentence.
    """
    kind = kind_of(path)
    if not kind.loader:
        raise FileFormatError(f"{path} holds {kind.title}: {kind.instead.format(path)}.")
    loader = find(kind.loader)
    try:
        return loader(path)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: {kind.title} cannot be read from it.") from error


def load_table(path: str | Path) -> AnyStrategy:
    """Read a strategy of any kind that lists probabilities by infoset; refuse other files."""
    kind = kind_of(path)
    if not kind.table:
        raise FileFormatError(f"{path} holds {kind.title}: {kind.instead.format(path)}.")
    return cast(AnyStrategy, load(path))


def save(strategy: AnyStrategy, path: str | Path) -> None:
    """Write a strategy, or anything else that can save itself, to a file.

    Parameters
    ----------
    strategy : AnyStrategy, SolveResult, SolvedSpot …
        What is saved; the same as strategy.save(path).
    path : str or Path
        The file. It is whole or not there at all, whatever happens on the way.

    Examples
    --------
    >>> rb.save(rb.solve("kuhn"), "kuhn.rb")
    """
    writer = getattr(strategy, "save", None)
    if writer is None:
        raise UsageError(f"{type(strategy).__name__} cannot be saved; a strategy or a result can.")
    writer(path)
