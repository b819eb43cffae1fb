"""Measure a blueprint: matches, local best response, and exact values where the game is small.

Figures are thousandths of a big blind per game with 95 % intervals, in the full game except for the
learned response and the seats, which are those of the abstract one.

`measure` returns all figures at once. `measure_running` reports them to a screen one by one: a
`StrengthStep` is reported again and again as its interval shrinks, and stays true when the callback
raises to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from riverboat.arena.hand import ask_player
from riverboat.drawing.html import html_table
from riverboat.errors import TooLargeError, UnknownNameError, UsageError
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.abstraction.card_tables import Recipe, abstraction_path
from riverboat.holdem.abstraction.deals import has_full_boards, is_whole_deck
from riverboat.holdem.blueprints.abstract_play import (
    Estimate,
    learned_response,
    seat_values,
    table_of,
)
from riverboat.holdem.blueprints.betting_tree import parse_raise_sizes
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.duplicate_match import MatchResult, duplicate_match
from riverboat.holdem.blueprints.lbr import (
    LbrResult,
    can_be_exploited,
    difference,
    local_best_response,
)
from riverboat.holdem.blueprints.players import STYLES, Choice
from riverboat.holdem.blueprints.shipped import spec_of
from riverboat.players.roster import known_players, make_player
from riverboat.runtime.array_types import F64
from riverboat.runtime.tables import data_frame
from riverboat.trees.best_response import Evaluation
from riverboat.trees.game_tree import build_tree

DEFAULT_BOARDS = 100
EXACT_BYTES = 200_000_000  # Memory for the tree of a game small enough for an exact best response
DoneCallback = Callable[[int], None]  # Called with how much is done
Stage = Callable[[str, int, str], DoneCallback]
"""Called with a piece of work's title, amount and unit; returns its progress callback."""
MAX_DEALS = 10**9
PARTNERS = ("rules", "call", "random")
EXACT = "a best response wins, exact"
LBR = "a local best response wins"


class Splitter(Protocol):
    """Plays what can be played anywhere: stretches of deals, boards."""

    def match(
        self, blueprint: Blueprint, style: str, deals: int, seed: int, progress: DoneCallback
    ) -> MatchResult:
        """What duplicate_match gives against a sparring partner."""

    def exploit(
        self,
        blueprint: Blueprint,
        boards: int,
        raises: Sequence[str],
        seed: int,
        progress: DoneCallback,
    ) -> LbrResult:
        """What local_best_response gives."""


@dataclass(frozen=True, repr=False)
class Strength:
    """What was measured, by name."""

    figures: dict[str, Estimate]

    def __getitem__(self, name: str) -> Estimate:
        return self.figures[name]

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Name, mean, half the interval, and what it is an average over."""
        return [
            (name, f"{x.mean:+z,.0f}", f"± {x.ci95:,.0f}", f"{x.games:,} {_unit(name)}")
            for name, x in self.figures.items()
        ]

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame with a row for each figure, in mbb/g."""
        estimates = self.figures.values()
        columns = {
            name: [getattr(x, name) for x in estimates] for name in ("mean", "ci95", "games")
        }
        return data_frame({"figure": list(self.figures), **columns}, library)

    def as_dict(self) -> dict[str, Any]:
        """The figures for a program."""
        return {
            name: {"mean": x.mean, "ci95": x.ci95, _unit(name): x.games}
            for name, x in self.figures.items()
        }

    def __repr__(self) -> str:
        figures = "; ".join(f"{name} {estimate}" for name, estimate in self.figures.items())
        return f"<Strength {figures}>"

    def _repr_html_(self) -> str:
        return html_table(("", "mean", "95 %", "from"), self.rows(), title="mbb/g")


def measure(
    blueprint: Blueprint | str | Path,
    *,
    against: Sequence[str] | str = ("fold", "call", "random", "rules"),
    deals: int = 1000,
    boards: int | None = None,
    raises: str = "0.5p,1p,a",
    baseline: Blueprint | str | Path | None = None,
    response: int = 0,
    threads: int = 1,
    seed: int = 0,
    stage: Stage | None = None,
    tables: Callable[[str, float], None] | None = None,
    splitter: Splitter | None = None,
) -> Strength:
    """Measure a blueprint: duplicate deals against sparring partners, local best response.

    `boards` are for local best response (two players; by default 100, 0 leaves it out), `baseline`
    is another blueprint on the same boards, and `response` is how many deals a response in the
    abstraction may learn from. `tables` is called with the progress of card tables that are built.
    A `splitter` plays deals and boards elsewhere; the figures stay the same.
    """
    names = against.split(",") if isinstance(against, str) else list(against)
    names = [name.strip() for name in names if name.strip()]
    if max(deals, boards or 0, response) > MAX_DEALS:
        raise TooLargeError(f"A measurement has at most {MAX_DEALS:,} deals or boards of a kind.")
    for name in names:
        if name not in STYLES and spec_of(name).name not in known_players():
            raise UnknownNameError.among("sparring partner", name, STYLES)
    if boards == 1:
        raise UsageError("An interval needs at least 2 boards; 0 leaves them out.")
    sizes = () if raises.strip() == "fc" else parse_raise_sizes(raises, "--raises")
    own = _loaded(blueprint)
    other = None if baseline is None else _loaded(baseline)
    for one in [own] if other is None else [own, other]:
        if not can_be_exploited(one) and (boards or other is not None):
            raise UsageError("Local best response is for two players, 52 cards and four streets.")
    if boards is None:
        boards = DEFAULT_BOARDS if can_be_exploited(own) else 0
    if other is not None and not boards:
        raise UsageError("A baseline is compared by local best response; leave --lbr 0 out.")
    run = _Measurement(own, seed, threads, stage or (lambda *_: lambda _: None), splitter)
    figures = run.matches(names, deals)
    if boards:
        figures |= run.exploited(other, boards, sizes)
    exact = _exact_wins(own, memory_limit=EXACT_BYTES)
    if exact is not None:
        figures["best response wins, exact"] = exact
    return Strength(figures | run.abstract(response, tables))


def partner_of(blueprint: Blueprint, name: str) -> Choice:
    """A sparring partner, or any player by name, such as "search:FILE"."""
    if name in STYLES:
        return STYLES[name]
    game = blueprint.rules
    player = make_player(game, name)
    return lambda state, rng: ask_player(game, state, player, rng)[0]


def _loaded(blueprint: Blueprint | str | Path) -> Blueprint:
    return blueprint if isinstance(blueprint, Blueprint) else Blueprint.load(blueprint)


@dataclass(frozen=True)
class _Measurement:
    blueprint: Blueprint
    seed: int
    threads: int
    stage: Stage
    splitter: Splitter | None

    def matches(self, names: list[str], deals: int) -> dict[str, Estimate]:
        """Duplicate deals against each sparring partner."""
        figures: dict[str, Estimate] = {}
        for name in names if deals else ():
            title = f"against {name}"
            progress = self.stage(title, deals, "deals")
            if self.splitter is not None:
                match = self.splitter.match(self.blueprint, name, deals, self.seed, progress)
            else:
                partner = partner_of(self.blueprint, name)
                match = duplicate_match(
                    self.blueprint, partner, deals, seed=self.seed, progress=progress
                )
            if match.plain != match.reduced:
                figures[f"{title}, as it fell"] = match.plain
            figures[title] = match.reduced
        return figures

    def exploited(
        self, other: Blueprint | None, boards: int, raises: tuple[str, ...]
    ) -> dict[str, Estimate]:
        """Local best response, and how it differs from that against the baseline."""

        def wins(of: Blueprint, title: str) -> LbrResult:
            progress, seed = self.stage(title, boards, "boards"), self.seed
            if self.splitter is not None:
                return self.splitter.exploit(of, boards, raises, seed, progress)
            return local_best_response(
                of, boards, raises=raises, seed=seed, threads=self.threads, progress=progress
            )

        mine = wins(self.blueprint, "local best response")
        figures = {"local best response wins": mine.estimate}
        if other is not None:
            theirs = wins(other, "against the baseline")
            figures["local best response wins, baseline"] = theirs.estimate
            figures["more than from the baseline"] = difference(mine, theirs)
        return figures

    def abstract(
        self, response: int, tables: Callable[[str, float], None] | None
    ) -> dict[str, Estimate]:
        """A learned response, and the value of each seat, in the abstract game.

        Both play many deals there, which takes card tables. For the seats alone they are not built:
        without tables the seats are left out.
        """
        figures: dict[str, Estimate] = {}
        blueprint = self.blueprint
        if blueprint.needs_tables:
            recipe = Recipe.from_table(blueprint.abstract.buckets.describe())
            if not response and not abstraction_path(recipe.name).is_file():
                return {}
            blueprint = blueprint.with_tables(threads=self.threads, progress=tables)
        abstract, table = blueprint.abstract, table_of(blueprint)
        if response and self.blueprint.rules.players == 2:
            learned = learned_response(abstract, table, deals=response, seed=self.seed)
            figures["learned response wins, abstract"] = learned[0]
        for seat, value in enumerate(seat_values(abstract, table, seed=self.seed), 1):
            figures[f"self-play, player {seat}, abstract"] = value
        return figures


def _unit(name: str) -> str:
    """What a figure is an average over."""
    if name.startswith("best response"):
        return "histories"
    on_boards = ("local best response", "more than", "search wins")
    return "boards" if name.startswith(on_boards) else "games"


def evaluate_blueprint(blueprint: Blueprint) -> Evaluation:
    """Value, best responses and exploitability in the real game, without any abstraction."""
    if is_whole_deck(blueprint.rules):
        raise UsageError(
            "Hold'em with 52 cards is too large for an exact best response; measure a blueprint"
            " with riverboat holdem strength FILE, or rb.strength(FILE)."
        )
    return evaluate(build_tree(blueprint.rules), blueprint)


@dataclass(frozen=True)
class StrengthStep:
    """One figure, finished or in progress."""

    name: str
    done: int
    total: int
    unit: str  # What `done` and `total` count
    estimate: Estimate | None = None
    """In thousandths of a big blind per game; None before there is one."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Found:
    """The raw results of a measurement, from which it can be continued."""

    boards: list[float] = field(default_factory=list)
    """Chips that local best response won on each board."""
    stretches: dict[str, list[F64]] = field(default_factory=dict)
    """(deals, P, 2) results of each stretch of deals, by sparring partner."""

    def as_dict(self) -> dict[str, Any]:
        """The results for a JSON file."""
        played = {
            name: [one.tolist() for one in played_stretches]
            for name, played_stretches in self.stretches.items()
        }
        return {"boards": self.boards, "stretches": played}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Found:
        """Read what as_dict wrote; ValueError for anything else."""
        played = {
            str(name): [np.array(results, np.float64) for results in stretches]
            for name, stretches in data["stretches"].items()
        }
        boards = [float(won) for won in data["boards"]]
        every = [results for stretches in played.values() for results in stretches]
        if any(results.ndim != 3 or results.shape[2] != 2 for results in every):
            raise ValueError("not results of deals")
        if not all(np.isfinite(results).all() for results in (*every, np.array(boards))):
            raise ValueError("not numbers")
        return cls(boards, played)


def measure_running(
    blueprint: Blueprint,
    report: Callable[[StrengthStep], None],
    *,
    boards: int = 100,
    deals: int = 500,
    seed: int = 0,
    threads: int = 1,
    found: Found | None = None,
) -> None:
    """Exact where the game is small, else local best response; then matches on duplicate deals.

    `found` is what an interrupted measurement of the same blueprint left; it is continued and
    grows as this one goes on.
    """
    found = Found() if found is None else found
    exact = _exact_wins(blueprint)
    if exact is not None:
        report(StrengthStep(EXACT, 1, 1, "games", replace(exact, games=1)))
    elif can_be_exploited(blueprint):
        report(StrengthStep(LBR, 0, boards, "boards"))

        def receive(now: LbrResult) -> None:
            found.boards = now.boards.tolist()
            report(StrengthStep(LBR, len(now.boards), boards, "boards", now.estimate))

        local_best_response(
            blueprint, boards, seed=seed, threads=threads, partial=receive, won=found.boards
        )
    for name in PARTNERS:
        title = f"against {name}"
        report(StrengthStep(title, 0, deals, "deals"))
        match = duplicate_match(
            blueprint,
            STYLES[name],
            deals,
            seed=seed,
            progress=lambda done, title=title: report(StrengthStep(title, done, deals, "deals")),  # type: ignore[misc]
            played=found.stretches.setdefault(name, []),
        )
        report(StrengthStep(title, deals, deals, "deals", match.reduced))


def _exact_wins(blueprint: Blueprint, **limits: int) -> Estimate | None:
    """What the best response to a blueprint of a small game wins; None where it is too large."""
    game = blueprint.rules
    if game.players != 2 or has_full_boards(game):
        return None
    try:
        tree = build_tree(game, **limits)
    except TooLargeError:
        return None
    unit = float(game.big_blind or game.ante or 1)
    wins = 1000 * evaluate(tree, blueprint).exploitability / unit
    return Estimate(wins, 0.0, tree.num_histories)
