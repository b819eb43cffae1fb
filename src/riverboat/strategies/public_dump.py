"""A public strategy as a tree of directories, one a node, as the first duel program wrote it.

`DIR/strategy.txt` is the root's, `DIR/s/strategy.txt` the one after a stand, `DIR/h7/…` after a
hit that brought a 7, and so on. A file says who acts, and for each hand the probability of every
action:

    player 0 acts after s,h7
    hand stand hit
    1 0.000000 1.000000
    …

All is written into a directory beside the target that is renamed at the end.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from riverboat.errors import StorageError, TooLargeError
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.public_tree import Place

__all__ = ["check_dump", "dump_public_strategy", "node_text"]

FILE = "strategy.txt"
MAX_FILES = 1_000_000


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


def dump_public_strategy(strategy: PublicStrategy, directory: str | Path) -> int:
    """Write the tree of directories; all of it or nothing. Returns the number of files."""
    target = Path(directory)
    check_dump(target)
    if strategy.public.shapes.num_nodes > MAX_FILES:
        raise TooLargeError(
            f"The dump would be {strategy.public.shapes.num_nodes:,} directories, more than"
            f" {MAX_FILES:,}; save a strategy file instead."
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
