"""PublicStrategy: what was learned on a public tree, an array of slots by lanes.

An infoset's text is found by walking the game's public shapes, so that no table of texts is
needed, however large the tree. A file has the kind "public-strategy"; a solver may keep its regrets
in it, to go on with.

PublicCursor walks such a strategy move by move:

    cursor = strategy.walk("s,h7")        the node after a stand and a hit that brought a seven
    cursor.moves(), cursor.after("s"), cursor.back(), cursor.held()

`dump_public_strategy` writes it as directories, one per node, as the first duel program did:
`DIR/strategy.txt` is the root's, `DIR/s/strategy.txt` the one after a stand, `DIR/h7/…` after a hit
that brought a 7. A file says who acts, and for each hand the probability of every action:

    player 0 acts after s,h7
    hand stand hit
    1 0.000000 1.000000
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riverboat.drawing.html import Cell, Markup, bar, html_table
from riverboat.errors import (
    FileFormatError,
    RiverboatError,
    StorageError,
    TooLargeError,
    UsageError,
)
from riverboat.games.base import Action, Game, ParameterValue
from riverboat.games.registry import make_game
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import Contents, read_contents, write_arrays
from riverboat.strategies.strategy import parameters_in
from riverboat.trees.public_games import PublicGame, public_game
from riverboat.trees.public_tree import ROOT, Place

PUBLIC_KIND = "public-strategy"
FILE = "strategy.txt"
MAX_FILES = 1_000_000


@dataclass(frozen=True, repr=False)
class PublicCursor:
    """A node of a solved tree, the path to it, and the hands still possible there."""

    strategy: PublicStrategy
    places: tuple[Place, ...] = (ROOT,)
    path: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.places[-1]

    @property
    def player(self) -> int:
        """Who acts; −1 for chance."""
        return int(self.strategy.public.shapes.actor[self.place.shape])

    def moves(self) -> dict[str, Place | None]:
        """What can follow, e.g. "s" or "h7", and where it leads; None is an end."""
        shapes = self.strategy.public.shapes
        actions = shapes.actions(self.place.shape)
        first = int(shapes.slot_offsets[self.place.shape])
        moves: dict[str, Place | None] = {
            action: None for a, action in enumerate(actions) if shapes.slot_table[first + a] >= 0
        }
        for slot, card, child in shapes.children(self.place):
            moves[actions[slot] + card] = child
            if card:
                moves.pop(actions[slot], None)
        return moves

    def after(self, token: str) -> PublicCursor:
        """The cursor one move on; UsageError where there is no such node."""
        place = self.moves().get(token)
        if place is None:
            known = ", ".join(move for move, child in self.moves().items() if child is not None)
            way = f"from here go {known}" if known else "here the play ends whatever is done"
            where = ",".join((*self.path, token))
            raise UsageError(f"There is no decision at {where!r}; {way}.")
        return PublicCursor(self.strategy, (*self.places, place), (*self.path, token))

    def follow(self, path: str) -> PublicCursor:
        """The cursor after several moves, as in "s,h7"."""
        cursor = self
        for token in filter(None, (part.strip() for part in path.split(","))):
            cursor = cursor.after(token)
        return cursor

    def back(self) -> PublicCursor:
        """The cursor one move back; the root stays where it is."""
        if not self.path:
            return self
        return PublicCursor(self.strategy, self.places[:-1], self.path[:-1])

    def held(self) -> NDArray[np.float64] | None:
        """(L,) how likely the acting player holds each hand here, where hands are independent."""
        shapes, player = self.strategy.public.shapes, self.player
        deal = shapes.deal
        if player < 0 or not np.allclose(deal, np.outer(deal.sum(axis=1), deal.sum(axis=0))):
            return None
        chance = deal.sum(axis=1 - player)
        for place, token in zip(self.places, self.path, strict=False):
            if shapes.actor[place.shape] == player:
                actions = shapes.actions(place.shape)
                slot = next(a for a, action in enumerate(actions) if token.startswith(action))
                chance = chance * self.strategy.at(place)[slot]
        total = chance.sum()
        return chance / total if total > 0 else None

    def as_dict(self) -> dict[str, Any]:
        """The node for a program: what `riverboat show --path … --json` prints."""
        shapes, player = self.strategy.public.shapes, self.player
        rows = self.strategy.at(self.place)
        actions = shapes.actions(self.place.shape)
        hands = shapes.lanes[player] if player >= 0 else ()
        return {
            "game": self.strategy.game,
            "parameters": dict(self.strategy.parameters),
            "info": dict(self.strategy.info),
            "path": list(self.path),
            "player": player,
            "hands": {
                hand: dict(zip(actions, rows[:, lane].tolist(), strict=True))
                for lane, hand in enumerate(hands)
            },
            "moves": list(self.moves()),
        }

    @property
    def title(self) -> str:
        """The node and who acts, in words."""
        where = ",".join(self.path) or "the start"
        if self.player < 0:
            return f"At {where} a public card is dealt"
        return f"At {where} player {self.player + 1} acts"

    def __repr__(self) -> str:
        return f"<PublicCursor {self.strategy.game}: {self.title}, next {' '.join(self.moves())}>"

    def _repr_html_(self) -> str:
        shapes, label = self.strategy.public.shapes, self.strategy.rules.action_label
        rows, held = self.strategy.at(self.place), self.held()
        actions = shapes.actions(self.place.shape)
        table: list[tuple[Cell, ...]] = []
        for lane, hand in enumerate(shapes.lanes[self.player] if self.player >= 0 else ()):
            bars = Markup(
                "".join(bar(float(rows[a, lane]), label(x), a) for a, x in enumerate(actions))
            )
            table.append((hand, "" if held is None else f"{held[lane]:.1%}", bars))
        note = "next: " + " ".join(self.moves())
        return html_table(("hand", "held", ""), table, title=self.title, note=note)


@dataclass(frozen=True, eq=False, repr=False)
class PublicStrategy(AnyStrategy):
    """A behaviour strategy for both players of a game with a public tree."""

    kind: ClassVar[str] = PUBLIC_KIND
    game: str
    parameters: Mapping[str, ParameterValue]
    weights: NDArray[np.float64]
    """(S, L) what each action of each hand weighs; divided by their sum they are probabilities."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: algorithm, iterations, seed, seconds, value, exploitability, nash_conv."""

    @cached_property
    def public(self) -> PublicGame:
        """The game's public shapes."""
        return public_game(self.rules)

    @cached_property
    def rules(self) -> Game:
        return make_game(self.game, self.parameters)

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        located = self.public.locate(player, infoset)
        if located is None:
            return None
        place, lane = located
        actions = self.public.shapes.actions(place.shape)
        return dict(zip(actions, self.at(place)[:, lane].tolist(), strict=True))

    def __len__(self) -> int:
        return self.public.shapes.num_infosets

    def save(self, path: str | Path) -> None:
        """Write the strategy; the file appears whole or not at all."""
        save_public_strategy(path, self)

    def entries(self) -> Iterator[Entry]:
        """Every infoset: player, text, and the probability of each action."""
        shapes, last, rows = self.public.shapes, -1, np.empty((0, 0))
        for player, infoset, place, lane in self.public.infosets():
            if place.node != last:
                last, rows = place.node, self.at(place)
            actions = shapes.actions(place.shape)
            yield player, infoset, dict(zip(actions, rows[:, lane].tolist(), strict=True))

    def walk(self, path: str = "") -> PublicCursor:
        """A cursor at the node after the moves of `path`, as in "s,h7"."""
        return PublicCursor(self).follow(path)

    def at(self, place: Place) -> NDArray[np.float64]:
        """(A, L) the probability of each action with each hand; uniform where nothing is known."""
        rows = self.weights[place.slot : place.slot + len(self.public.shapes.actions(place.shape))]
        total = rows.sum(axis=0)
        known = total > 0
        return np.where(known, rows / np.where(known, total, 1.0), 1 / rows.shape[0])


def save_public_strategy(
    path: str | Path,
    strategy: PublicStrategy,
    extra: Mapping[str, NDArray[Any]] | None = None,
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write the strategy and what a solver adds; whole or not at all."""
    facts = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        **(header or {}),
    }
    write_arrays(path, PUBLIC_KIND, {"weights": strategy.weights, **(extra or {})}, facts)


def load_public_strategy(path: str | Path) -> PublicStrategy:
    """Read a strategy; a damaged or foreign file is refused with a sentence."""
    with read_contents(path, PUBLIC_KIND) as contents:
        return public_strategy_in(contents)


def public_strategy_in(contents: Contents) -> PublicStrategy:
    """The strategy in a file, checked."""
    game, parameters, info = contents.text("game"), parameters_in(contents), contents.info()
    weights = contents.array("weights", np.float64, shape=(None, None), low=0.0, high=1e300)
    strategy = PublicStrategy(game, parameters, weights, info)
    try:
        shapes = strategy.public.shapes
    except RiverboatError as error:
        raise FileFormatError(
            f"{contents.path} is for a game that cannot be made: {error}"
        ) from error
    wanted = (shapes.num_tree_slots, shapes.num_lanes)
    contents.need(weights.shape == wanted, "its arrays do not fit together")
    return strategy


def check_dump(directory: str | Path) -> None:
    """Refuse a directory that could not be written or that holds something."""
    target = Path(directory)
    if target.is_dir():
        if any(target.iterdir()):
            raise StorageError(f"{target} is not empty; name a new directory for the dump.")
    elif target.exists():
        raise StorageError(f"Cannot write {target}: it is a file, not a directory.")
    parent = target.absolute().parent
    if not parent.is_dir():
        raise StorageError(f"Cannot write {target}: the directory {parent} does not exist.")
    if not os.access(parent, os.W_OK):
        raise StorageError(f"Cannot write {target}: permission denied.")


def dump_public_strategy(
    strategy: PublicStrategy, directory: str | Path, *, max_files: int = MAX_FILES
) -> int:
    """Write the tree of directories; all of it or nothing. Returns the number of files."""
    target = Path(directory)
    check_dump(target)
    if strategy.public.shapes.num_nodes > max_files:
        raise TooLargeError(
            f"The dump would be {strategy.public.shapes.num_nodes:,} directories, more than"
            f" {max_files:,}; save a strategy file instead."
        )
    parent = target.absolute().parent
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=parent))
        try:
            count = _write_below(strategy, scratch)
            mask = os.umask(0)
            os.umask(mask)
            scratch.chmod(0o777 & ~mask)
            scratch.replace(target)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot write {target}: {reason}.") from error
    return count


def node_text(strategy: PublicStrategy, place: Place, path: str) -> str:
    """One node's file."""
    shapes = strategy.public.shapes
    player = int(shapes.actor[place.shape])
    rows = strategy.at(place)
    lines = [
        f"player {player} acts {'after ' + path if path else 'first'}",
        " ".join(["hand", *map(strategy.rules.action_label, shapes.actions(place.shape))]),
    ]
    for lane, hand in enumerate(shapes.lanes[player]):
        lines.append(" ".join([hand, *(f"{p:.6f}" for p in rows[:, lane])]))
    return "\n".join(lines) + "\n"


def _write_below(strategy: PublicStrategy, top: Path) -> int:
    """Write the file of every node, parents first; returns how many there are."""
    shapes = strategy.public.shapes
    count = 0
    for place, path in shapes.nodes():
        folder = top.joinpath(*path)
        if path:
            folder.mkdir()
        if shapes.actor[place.shape] >= 0:
            (folder / FILE).write_text(node_text(strategy, place, ",".join(path)))
            count += 1
    return count
