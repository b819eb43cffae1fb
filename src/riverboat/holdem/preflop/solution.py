"""PreflopSolution: what was found before the flop, class by class, and its file.

    found = load("headsup.rb")
    found.node("r2.5").grid          # what the big blind does against a raise to 2.5
    found.range_of("sb", "r2.5 c")   # the range with which the small blind sees that flop

A line names the actions so far: "f" a fold, "c" a call or check, "r2.5" a raise to 2.5 chips, and
"a" all-in where nothing else but a fold is allowed.
Values count from before the hand: who folds a posted blind loses it. A file has the kind "preflop"
(strategies.files has the format).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.cards.ranges import Range
from riverboat.drawing.html import html_table
from riverboat.errors import IllegalActionError, UsageError
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.trained import trained_part
from riverboat.runtime.array_types import F64, Bools
from riverboat.runtime.tables import data_frame
from riverboat.strategies.files import Contents, are_numbers, read_contents, write_arrays

KIND, SHIPPED, BOOK = "preflop", "shipped", "book"
MAX_NODES, MAX_SEATS = 100_000, 10
SHOWN_NODES = 12  # Decisions that a notebook lists
MIN_WEIGHT = 0.005
"""Weights of a range below this part of its largest one are left out: they cost memory and time
after the flop, and change nothing there."""
FULL = 65_535  # Parts in which a small file keeps shares


class PreflopSolution:
    """A strategy before the flop for every seat."""

    def __init__(
        self,
        title: str,
        spec: Mapping[str, Any],
        seats: Sequence[str],
        nodes: Sequence[PreflopNode],
        info: Mapping[str, Any],
        *,
        untrained: Sequence[tuple[str, ...]] = (),
    ) -> None:
        self.title = title
        self.spec = dict(spec)
        """The question, as its TOML has it."""
        self.seats = tuple(seats)
        """In the order in which they act."""
        self.nodes = tuple(nodes)
        """Every decision, each after those that lead to it."""
        self.info = dict(info)
        """How it was made: iterations, seconds, exploitability, gains of each seat, …"""
        self.untrained = frozenset(untrained)
        """Lines of decisions that came up too seldom in the training of a book to be shown."""
        self._by_line = {node.line: node for node in self.nodes}

    def __repr__(self) -> str:
        return f"<PreflopSolution {self.title}, {len(self.nodes)} decisions>"

    def _repr_html_(self) -> str:
        """The seats, the first decision's grid, and what is done at the first decisions."""
        unit = str(self.info.get("unit", "chips"))
        seats = html_table(
            ("seat", f"EV ({unit})", "gain of a best response"),
            [(s.upper(), *figures) for s, *figures in self.seat_figures()],
            title=self.title,
        )
        rows = []
        for node in self.nodes[:SHOWN_NODES]:
            pairs = zip(node.labels, node.totals, strict=True)
            done = ", ".join(f"{label} {share:.1%}" for label, share in pairs)
            rows.append((node.name, node.seat.upper(), node.rare_words if node.rare else done))
        more = len(self.nodes) - len(rows)
        note = f"… and {more:,} more; node(line).grid shows one" if more else ""
        decisions = html_table(("line", "seat", "what is done"), rows, note=note)
        return f"{seats}{self.nodes[0].grid._repr_html_()}{decisions}"

    def seat_figures(self) -> list[tuple[str, str, str]]:
        """Each seat with its EV and what a best response gains, in words; "–" if unknown.

        Sampled figures have their 95 % intervals; a gain with an upper bound is "below" it.
        """
        names = ("ev", "ev_ci95", "gains", "gains_ci95", "gains_below")
        columns = [self._by_seat(name) for name in names]
        rows = []
        for seat, ev, ev_error, gain, error, below in zip(self.seats, *columns, strict=True):
            value = "–" if ev is None else f"{ev:z.4f}" + (f" ± {ev_error:.4f}" if ev_error else "")
            if below is not None:
                gained = f"below {rounded_up(below)}"
            elif gain is None:
                gained = "–"
            else:
                gained = f"{gain:z.6f} ± {error:.4f}" if error else f"{gain:.2g}"
            rows.append((seat, value, gained))
        return rows

    def _by_seat(self, name: str) -> list[float | None]:
        """A figure of `info` for each seat: one for all, or a list; None where it is no number."""
        figures = self.info.get(name)
        if not isinstance(figures, list):
            figures = [figures] * len(self.seats)
        figures = [*figures, *[None] * len(self.seats)][: len(self.seats)]
        return [figure if isinstance(figure, int | float) else None for figure in figures]

    def with_nodes(
        self,
        nodes: Sequence[PreflopNode],
        info: Mapping[str, Any],
        untrained: Sequence[tuple[str, ...]],
    ) -> PreflopSolution:
        """The same question answered by other decisions."""
        return PreflopSolution(self.title, self.spec, self.seats, nodes, info, untrained=untrained)

    def __contains__(self, line: str | Sequence[str]) -> bool:
        """Whether a player decides after a line."""
        return read_line(line) in self._by_line

    def node(self, line: str | Sequence[str] = ()) -> PreflopNode:
        """The decision after a line such as "r2.5 c" or "r2.5-c"; the first without one.

        A seat such as "btn" stands for its decision when all before it have folded.
        """
        words = read_line(line)
        if isinstance(line, str) and line.strip().lower() in self.seats:
            return self.opening(line.strip().lower())
        if words not in self._by_line:
            raise IllegalActionError(self._no_such(words))
        return self._by_line[words]

    def opening(self, seat: str) -> PreflopNode:
        """The decision of a seat when all before it have folded."""
        line = ("f",) * self.seats.index(seat)
        at = self._by_line.get(line)
        if at is None or at.seat != seat:
            raise IllegalActionError(
                f"{seat.upper()} has nothing to decide when all before it fold; name a line."
            )
        return at

    def steps(self, line: str | Sequence[str]) -> list[tuple[PreflopNode, str]]:
        """The decisions along a line, each with the action taken there in words."""
        words = read_line(line)
        nodes = [self.node(words[:depth]) for depth in range(len(words))]
        return [(at, at.words_of(word)) for at, word in zip(nodes, words, strict=True)]

    def _no_such(self, words: tuple[str, ...]) -> str:
        for depth in range(len(words) + 1):
            line, at = "-".join(words[:depth]), self._by_line.get(words[:depth])
            if at is None and words[:depth] in self.untrained:
                return (
                    f"The book shows no decision after {line}: the line came up too seldom in its"
                    " training."
                )
            if at is None:
                return f"Before the flop nobody acts after {line}{self._or_too_rare}."
            if depth < len(words) and words[depth] not in at.actions:
                seats = f"; seats: {', '.join(self.seats)}" if len(words) == 1 else ""
                return (
                    f"{at.seat.upper()} has no action {words[depth]!r} at {at.name}; there are:"
                    f" {', '.join(at.actions)}{seats}."
                )
        return ""

    @property
    def _or_too_rare(self) -> str:
        """The other reason why a book may have no decision after a line."""
        return ", or the line is too rare for the book" if "least_chance" in self.info else ""

    def class_reach(self, seat: str, line: str | Sequence[str] = ()) -> F64:
        """(169,) how often a seat plays each class along a line."""
        if seat not in self.seats:
            raise UsageError(f"There is no seat {seat!r}; there are: {', '.join(self.seats)}.")
        words, reach = read_line(line), np.ones(NUM_CLASSES)
        for depth, word in enumerate(words):
            at = self._by_line.get(words[:depth])
            if at is None or word not in at.actions:
                raise IllegalActionError(self._no_such(words))
            if at.seat == seat:
                reach = reach * at.frequencies[at.actions.index(word)]
        return reach

    def range_of(self, seat: str, line: str | Sequence[str] = ()) -> Range:
        """The range of a seat after a line, without weights below MIN_WEIGHT of the largest."""
        reach = self.class_reach(seat, line)
        kept = np.round(reach, 4) * (reach >= MIN_WEIGHT * reach.max())
        return Range(kept[class_of_combos()])

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row for each decision, class and action, as tables have it."""
        for node in self.nodes:
            for number, action in enumerate(node.actions):
                for c, name in enumerate(CLASS_NAMES):
                    value = float(node.values[number, c])
                    share = float(node.frequencies[number, c])
                    sampled = {}
                    if node.errors is not None:
                        error = float(node.errors[number, c])
                        sampled["ev_ci95"] = None if np.isnan(error) else error
                    yield {
                        "line": node.name,
                        "seat": node.seat,
                        "hand": name,
                        "action": action,
                        "frequency": share if node.knows(c) else None,
                        "ev": None if np.isnan(value) else value,
                        **sampled,
                        "reach": float(node.reach[c]),
                    }

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame of `rows`."""
        rows = list(self.rows())
        return data_frame({name: [row[name] for row in rows] for name in rows[0]}, library)

    def as_dict(self) -> dict[str, Any]:
        """Everything, as `--json` prints it."""
        return {
            "title": self.title,
            "seats": list(self.seats),
            "spec": self.spec,
            "info": self.info,
            "nodes": [
                {
                    "line": list(node.line),
                    "seat": node.seat,
                    "actions": dict(zip(node.actions, node.labels, strict=True)),
                    "totals": dict(
                        zip(
                            node.actions,
                            [None] * len(node.actions) if node.rare else node.totals.tolist(),
                            strict=True,
                        )
                    ),
                    **({} if node.chance is None else {"chance": node.chance, "rare": node.rare}),
                    "put": dict(node.put),
                    "frequencies": _by_class(
                        node.frequencies
                        if node.trained is None
                        else np.where(node.trained, node.frequencies, np.nan)
                    ),
                    "values": _by_class(node.values),
                    **({} if node.errors is None else {"ev_ci95": _by_class(node.errors)}),
                }
                for node in self.nodes
            ],
        }

    def save(self, path: str | Path, *, small: bool = False) -> None:
        """Write it; `load` reads it. A small file has shares in parts of 65,535 and values of half
        precision.
        """
        starts = np.cumsum([0, *(len(node.actions) for node in self.nodes)])
        values = np.concatenate([node.values for node in self.nodes])
        shares = {
            "frequencies": np.concatenate([node.frequencies for node in self.nodes]),
            "reach": np.stack([node.reach for node in self.nodes]),
        }
        amounts = {"values": np.nan_to_num(values)}
        errors = [node.errors for node in self.nodes if node.errors is not None]
        if len(errors) == len(self.nodes):
            amounts["errors"] = np.nan_to_num(np.concatenate(errors))
        arrays: dict[str, NDArray[Any]] = {
            "starts": starts.astype(np.int64),
            "known": (~np.isnan(values)).astype(np.uint8),
        }
        trained = [node.trained for node in self.nodes if node.trained is not None]
        if len(trained) == len(self.nodes):
            arrays["trained"] = np.stack(trained).astype(np.uint8)
        for name, share in shares.items():
            parts = np.rint(share * FULL).astype(np.uint16)
            arrays[name] = parts if small else share.astype(np.float32)
        for name, amount in amounts.items():
            arrays[name] = amount.astype(np.float16 if small else np.float32)
        nodes = [
            {
                "line": list(node.line),
                "seat": node.seat,
                "actions": list(node.actions),
                "put": dict(node.put),
                **({} if node.chance is None else {"chance": node.chance}),
            }
            for node in self.nodes
        ]
        header: dict[str, Any] = {"title": self.title, "spec": self.spec, "seats": list(self.seats)}
        if self.untrained:
            header["untrained"] = [list(line) for line in sorted(self.untrained)]
        write_arrays(path, KIND, arrays, {**header, "nodes": nodes, "info": self.info})

    @classmethod
    def load(cls, path: str | Path) -> PreflopSolution:
        """Read what `save` wrote; a damaged or foreign file is refused with a sentence.

        The path "shipped" is the package's own book of six players. Of a book only what its
        training determines is read (holdem.preflop.book.trained).
        """
        if str(path) == SHIPPED:
            path = Path(str(resources.files("riverboat.holdem") / "shipped" / "sixmax_book.rb"))
        with read_contents(path, KIND) as contents:
            seats = _texts(contents, contents.field("seats"), MAX_SEATS)
            described = contents.field("nodes")
            count = len(described) if isinstance(described, list) else 0
            contents.need(0 < count <= MAX_NODES, "nodes in its header is wrong")
            lengths = [len(_texts(contents, node["actions"], 100)) for node in described]
            total = sum(lengths)
            starts = contents.offsets("starts", total)
            contents.need(np.diff(starts).tolist() == lengths, "its nodes contradict its arrays")
            shape = (total, NUM_CLASSES)
            numbers = _shares(contents, "frequencies", shape)
            sums = np.add.reduceat(numbers, starts[:-1].astype(np.int64), axis=0)
            contents.need(np.abs(sums - 1).max() < 1e-3, "its frequencies do not add up to 1")
            known = contents.array("known", np.uint8, shape=shape, high=1).astype(bool)
            values, errors = _amounts(contents, "values", known), None
            if "errors" in contents.arrays:
                errors = _amounts(contents, "errors", known, low=0.0)
            reach = _shares(contents, "reach", (count, NUM_CLASSES))
            marked = "trained" in contents.arrays
            trained = np.ones((count, NUM_CLASSES), bool)
            if marked:
                shape = (count, NUM_CLASSES)
                trained = contents.array("trained", np.uint8, shape=shape, high=1).astype(bool)
            title, spec = contents.text("title"), contents.table("spec")
            stacks = dict[str, float]()
            if are_numbers(spec.get("stacks"), len(seats)):
                stacks = dict(zip(seats, spec["stacks"], strict=True))
            nodes = [
                _read_node(
                    contents,
                    node,
                    seats,
                    numbers[first:end],
                    values[first:end],
                    reach[number],
                    None if errors is None else errors[first:end],
                    trained[number] if marked else None,
                    stacks,
                )
                for number, (node, first, end) in enumerate(
                    zip(described, starts[:-1].tolist(), starts[1:].tolist(), strict=True)
                )
            ]
            _check_lines(contents, nodes)
            info, untrained = _read_info(contents, len(seats), count), _read_untrained(contents)
            solution = cls(title, spec, seats, nodes, info, untrained=untrained)
        if marked or spec.get("game") != BOOK:
            return solution
        return trained_part(solution)


def rounded_up(bound: float) -> str:
    """An upper bound with two digits, never below it."""
    if bound <= 0:
        return "0"
    digits = max(0, 1 - math.floor(math.log10(bound)))
    return f"{math.ceil(round(bound * 10**digits, 9)) / 10**digits:.{digits}f}"


def _by_class(numbers: F64) -> dict[str, list[float | None]]:
    """Class → the numbers of its actions; None where they are not known."""
    return {
        name: [None if np.isnan(number) else round(float(number), 6) for number in numbers[:, c]]
        for c, name in enumerate(CLASS_NAMES)
    }


def read_line(line: str | Sequence[str]) -> tuple[str, ...]:
    """The actions of a line: "r2.5 c", "r2.5-c" or "start"."""
    if not isinstance(line, str):
        return tuple(line)
    return tuple(word for word in line.replace("-", " ").split() if word != "start")


def _shares(contents: Contents, name: str, shape: tuple[int, int]) -> F64:
    """Numbers from 0 to 1, kept as they are or in parts of 65,535."""
    stored = contents.array(name, np.float32, np.uint16, shape=shape, low=0)
    shares = stored.astype(np.float64) / (FULL if stored.dtype == np.uint16 else 1)
    contents.need(shares.max() <= 1, f"the array {name} holds numbers out of range")
    return np.asarray(shares)


def _amounts(
    contents: Contents, name: str, known: NDArray[np.bool_], low: float | None = None
) -> F64:
    """Chips, nan where they are not known."""
    stored = contents.array(name, np.float32, np.float16, shape=known.shape, low=low)
    return np.asarray(np.where(known, stored.astype(np.float64), np.nan))


def _texts(contents: Contents, texts: Any, most: int) -> tuple[str, ...]:
    fits = (
        isinstance(texts, list)
        and 0 < len(texts) <= most
        and all(
            isinstance(text, str) and text.isprintable() and 0 < len(text) < 40 for text in texts
        )
        and len(set(texts)) == len(texts)
    )
    contents.need(fits, "its header names seats or actions in a wrong way")
    return tuple(texts)


def _read_node(
    contents: Contents, node: Any, seats: tuple[str, ...], frequencies: F64, values: F64,
    reach: F64, errors: F64 | None, trained: Bools | None, stacks: Mapping[str, float],
) -> PreflopNode:  # fmt: skip
    line, put = node["line"], node["put"]
    fits = (
        isinstance(line, list)
        and all(isinstance(word, str) for word in line)
        and node["seat"] in seats
        and isinstance(put, dict)
        and set(put) == set(seats)
    )
    contents.need(fits, "its header describes a decision in a wrong way")
    chips = {seat: contents.number(seat, of=put) for seat in seats}
    chance = None
    if "chance" in node:
        chance = contents.number("chance", of=node)
        contents.need(0 <= chance <= 1, "chance in its header is wrong")
    actions = tuple(node["actions"])
    facts = (frequencies, values, reach, chips, errors, trained, chance, stacks.get(node["seat"]))
    return PreflopNode(tuple(line), node["seat"], actions, *facts)


def _read_untrained(contents: Contents) -> list[tuple[str, ...]]:
    """The lines that a book does not show."""
    lines = contents.header.get("untrained", [])
    fits = (
        isinstance(lines, list)
        and len(lines) <= MAX_NODES
        and all(
            isinstance(line, list) and line and all(isinstance(word, str) for word in line)
            for line in lines
        )
    )
    contents.need(fits, "untrained in its header is wrong")
    return [tuple(line) for line in lines]


def _read_info(contents: Contents, num_seats: int, num_nodes: int) -> dict[str, Any]:
    """How it was made; lists by seat or by decision have as many numbers as there are."""
    info = contents.info()
    sizes = dict.fromkeys(("ev", "ev_ci95", "gains", "gains_ci95", "gains_below"), num_seats)
    sizes |= dict.fromkeys(("node_gains", "node_gains_ci95"), num_nodes)
    for name, size in sizes.items():
        figures = info.get(name, [0.0] * size)
        # Sampled deals have one interval for all seats.
        one = name == "gains_ci95" and not isinstance(figures, list)
        numbers = [figures] * size if one else figures
        contents.need(are_numbers(numbers, size), f"{name} in its header is wrong")
    return info


def _check_lines(contents: Contents, nodes: Sequence[PreflopNode]) -> None:
    """Each decision follows from one that stands before it."""
    known: dict[tuple[str, ...], PreflopNode] = {}
    for number, node in enumerate(nodes):
        contents.need(node.line not in known, "a line stands twice in it")
        contents.need(bool(number) == bool(node.line), "its first decision is not the first one")
        known[node.line] = node
    for node in nodes:
        for depth in range(len(node.line)):
            before = known.get(node.line[:depth])
            fits = before is not None and node.line[depth] in before.actions
            contents.need(fits, "a line in it has no beginning")
