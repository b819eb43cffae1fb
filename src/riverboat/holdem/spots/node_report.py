"""A report over cards to come: what is done at a node of a solved spot on all turns, or all rivers.

    report_node(solved, "r:0:c:c")             all cards that may come there
    report_node(solved, "r:0:c:c:any:b30")     after a bet on all turns
    report_node(solved, "r:0:c:c:any:c:c:any") on all turns and rivers, when the turn is checked

In the id of a node `any` stands for every card that may come. Figures are those of the cursor at
the node. Runouts that differ by the names of suits alone, in a spot whose ranges and locks do not
tell suits apart, are read once. In a spot that was saved without a street each of its cards is
solved first, so rows are kept in a folder, where one is given, and a report goes on with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.cards.card import card_text, parse_cards
from riverboat.errors import IllegalActionError, ParameterError, StorageError, UsageError
from riverboat.holdem.spots.board_figures import BoardFigures, board_figures
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.locks import CARD, words_of
from riverboat.holdem.spots.report_table import ReportLine, ReportTable
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.tree import NodeKind
from riverboat.jobs.job_list import Here, JobProgress, run_jobs
from riverboat.runtime.storage import atomic_write

ANY = "any"
"""The word of a node's id that stands for all cards."""
MAX_RUNOUTS = 52 * 51
MARK, ROWS = "report.json", "rows.jsonl"
MAX_ROW = 100_000
"""Characters of a kept row; those of three players have some 3,000."""


@dataclass(frozen=True)
class NodeRow:
    """What was found after some cards."""

    cards: str  # Those in the places of `any`, such as "AhKd"
    node: str
    weight: float  # The weight with which the ranges meet there
    figures: BoardFigures

    def as_dict(self) -> dict[str, Any]:
        """For files; `from_dict` reads it back."""
        return {**vars(self), "figures": self.figures.as_dict()}

    @classmethod
    def from_dict(cls, facts: Any) -> NodeRow:
        """What `as_dict` gave; TypeError, ValueError or KeyError for anything else."""
        figures = BoardFigures.from_dict(facts["figures"])
        cards, node, weight = facts["cards"], facts["node"], facts["weight"]
        if not isinstance(cards, str) or not isinstance(node, str):
            raise TypeError("cards and node are texts")
        return cls(cards, node, float(weight), figures)


def node_pattern(solved: SolvedSpot, node: str) -> str:
    """Check the id of a node with `any` in it, and return it with all cards that come last.

    A node where a card comes gets `any` at its end.
    """
    words = words_of(node)
    at = next(iter(_walk(solved.at(), words)), None)
    if at is None:
        raise IllegalActionError(f"No card can come in {node!r}.")
    if at.kind == NodeKind.CHANCE:
        words.append(ANY)
    if ANY not in words:
        raise UsageError(
            f"{node} has no card to come: write {ANY} for all cards, as in r:0:c:c:{ANY}."
        )
    return ":".join(["r", "0", *words])


def _walk(at: SpotCursor, words: Sequence[str]) -> Iterator[SpotCursor]:
    """The cursors that a pattern leads to, high cards first."""
    for i, word in enumerate(words):
        if word == ANY:
            if at.kind != NodeKind.CHANCE:
                raise IllegalActionError(f"No card comes at {at.node_id}, so {ANY} cannot stand.")
            for card in reversed(at.cards_to_come):
                if card not in words[i + 1 :]:
                    yield from _walk(at.deal(card), words[i + 1 :])
            return
        at = at.step(word)
    yield at


def runouts(solved: SolvedSpot, pattern: str) -> list[str]:
    """Return the cards in the places of `any`, for each runout of a pattern, high cards first."""
    words = words_of(pattern)
    fixed = {word for word in words if CARD.fullmatch(word)}
    gone = {card_text(card) for card in (*solved.spot.board, *solved.spot.dead)} | fixed
    deck = [card_text(card) for card in reversed(range(52)) if card_text(card) not in gone]
    found = [""]
    for _ in range(words.count(ANY)):
        found = [cards + card for cards in found for card in deck if card not in _pairs(cards)]
    return found


def _pairs(cards: str) -> list[str]:
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


def node_after(pattern: str, cards: str) -> str:
    """Return a pattern's node id with cards in the places of `any`."""
    given = iter(_pairs(cards))
    words = [next(given) if word == ANY else word for word in words_of(pattern)]
    return ":".join(["r", "0", *words])


def pattern_words(solved: SolvedSpot, pattern: str) -> str:
    """Return a pattern for people: "check, check, any card, bet 30"."""
    at = next(iter(_walk(solved.at(), words_of(pattern))))
    said: list[str] = []
    for word in reversed(words_of(pattern)):
        assert at.before is not None
        if at.before.kind == NodeKind.CHANCE:
            said.append("any card" if word == ANY else word)
        else:
            said.append(at.before.bet_actions[at.before.node.children.index(at.node.index)].words)
        at = at.before
    return ", ".join(reversed(said))


class Runouts:
    """Reads a pattern's rows; runouts that differ by the names of suits alone are read once."""

    def __init__(self, solved: SolvedSpot, pattern: str) -> None:
        self.solved, self.pattern = solved, pattern
        self._known: dict[tuple[int, ...], tuple[float, BoardFigures]] = {}
        self._at: dict[tuple[str, ...], SpotCursor] = {}

    def row(self, cards: str) -> NodeRow:
        """The row of the cards in the places of `any`."""
        node = node_after(self.pattern, cards)
        words = words_of(node)
        dealt = parse_cards("".join(word for word in words if CARD.fullmatch(word)))
        key, _ = self.solved.layout.on_board(dealt)
        if key not in self._known:
            at = self._cursor(tuple(words))
            weight = float((at.weights(0) * at.meetings(0)).sum())
            self._known[key] = weight, board_figures(at)
        return NodeRow(cards, node, *self._known[key])

    def _cursor(self, words: tuple[str, ...]) -> SpotCursor:
        """The cursor at a node; the one before the last card is remembered for the next."""
        last = max(i for i, word in enumerate(words) if CARD.fullmatch(word))
        before = words[:last]
        if before not in self._at:
            self._at = {before: self.solved.at(":".join(["r", "0", *before]))}
        at = self._at[before]
        for word in words[last:]:
            at = at.step(word)
        return at


@dataclass(frozen=True)
class NodeWork:
    """Read a pattern's rows from a solved spot in a file."""

    path: str
    pattern: str

    def prepare(self) -> Runouts:
        from riverboat.holdem.spots.solved import load_spot

        return Runouts(load_spot(self.path), self.pattern)

    def do(self, tools: Runouts, job: str) -> NodeRow:
        return tools.row(job)


@dataclass(frozen=True)
class _OpenWork:
    """The same of a spot that is open already; for this process alone."""

    tools: Runouts

    def prepare(self) -> Runouts:
        return self.tools

    def do(self, tools: Runouts, job: str) -> NodeRow:
        return tools.row(job)


class NodeRows:
    """Kept rows of one report: a line of JSON for each, appended with one write.

    A line that a crash has cut, or that is damaged, counts as missing.
    """

    def __init__(self, folder: Path, digest: str, pattern: str) -> None:
        self.folder, self.pattern = folder, pattern
        mark = folder / MARK
        try:
            folder.mkdir(parents=True, exist_ok=True)
            known = json.loads(mark.read_text("utf-8"))["digest"] if mark.exists() else None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"Cannot keep a report in {folder}: {error}.") from error
        whole = hashlib.sha256(f"{digest} {pattern}".encode()).hexdigest()
        if known is None:
            atomic_write(mark, json.dumps({"digest": whole, "node": pattern}))
        elif known != whole:
            raise UsageError(f"{folder} holds a report of another spot or node; take another.")
        self.rows = read_rows(folder, pattern)
        self._cut = not _ends_whole(folder / ROWS)

    def find(self, job: str) -> NodeRow | None:
        """A row that was kept."""
        return self.rows.get(job)

    def keep(self, job: str, result: NodeRow) -> None:
        """Append a row."""
        line = json.dumps(result.as_dict()) + "\n"
        try:
            with (self.folder / ROWS).open("ab") as stream:
                stream.write(("\n" + line if self._cut else line).encode())
        except OSError as error:
            self._cut = True
            raise StorageError(f"Cannot keep a report in {self.folder}: {error}.") from error
        self._cut = False


def _ends_whole(path: Path) -> bool:
    try:
        text = path.read_bytes()
    except OSError:
        return True
    return not text or text.endswith(b"\n")


def read_rows(folder: Path, pattern: str) -> dict[str, NodeRow]:
    """Return the rows that a folder keeps, by their cards; damaged lines are left out."""
    try:
        lines = (folder / ROWS).read_bytes().splitlines()
    except OSError:
        return {}
    rows = {}
    for line in lines:
        if len(line) > MAX_ROW:
            continue
        try:
            row = NodeRow.from_dict(json.loads(line))
            if row.node == node_after(pattern, row.cards):
                rows[row.cards] = row
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, StopIteration):
            continue
        except ParameterError:
            continue
    return rows


def file_digest(path: Path) -> str:
    """Return what tells a solved spot's file from others: the hash of its bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def node_rows(
    solved: SolvedSpot,
    pattern: str,
    *,
    kept: NodeRows | None = None,
    progress: Callable[[JobProgress], None] | None = None,
) -> Iterator[NodeRow]:
    """Yield the rows of all runouts of a pattern; those that are kept are not read again."""
    work, jobs = _OpenWork(Runouts(solved, pattern)), runouts(solved, pattern)
    yield from run_jobs(work, jobs, Here(), kept=kept, progress=progress)


def node_table(solved_spot: SolvedSpot, rows: Sequence[NodeRow]) -> ReportTable:
    """Return rows as a table; weights are parts of all that is there."""
    spot, total = solved_spot.spot, sum(row.weight for row in rows) or 1.0
    return table_of(spot.board, spot.names, rows, total)


def table_of(
    board: tuple[int, ...], names: tuple[str, ...], rows: Sequence[NodeRow], total: float
) -> ReportTable:
    """The rows of a spot on a board as a table."""
    return ReportTable(
        "cards",
        names,
        tuple(
            ReportLine(
                row.cards, _board(board, row.node), row.node, row.weight / total, row.figures
            )
            for row in rows
        ),
    )


def _board(board: tuple[int, ...], node: str) -> tuple[int, ...]:
    dealt = "".join(word for word in words_of(node) if CARD.fullmatch(word))
    return (*board, *(parse_cards(dealt) if dealt else ()))


def report_node(
    solved: SolvedSpot, node: str, *, progress: Callable[[JobProgress], None] | None = None
) -> ReportTable:
    """Return what is done at a node on all cards in the places of `any`."""
    pattern = node_pattern(solved, node)
    return node_table(solved, list(node_rows(solved, pattern, progress=progress)))
