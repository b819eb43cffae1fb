"""Strategies of small games: each public point with all hands, comparisons, export, saving."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, parameter_label
from riverboat.games.contract import is_own_game
from riverboat.runtime.plugins import program_error
from riverboat.runtime.storage import atomic_write
from riverboat.strategies.files import file_kind
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site

if TYPE_CHECKING:
    from riverboat.players.coach import Coach
    from riverboat.solvers.result import Regrets
    from riverboat.strategies.any_strategy import AnyStrategy
    from riverboat.web.solve.points import HandRow, PublicPoint

router = APIRouter(prefix="/strategies", tags=["Strategies"], responses=REFUSED)
KINDS = ("strategy", "public-strategy")
MAX_INFOSETS = 200_000
"""Above this the differences of two strategies are not listed."""
VALUES_UP_TO = 40_000
"""Infosets up to which each move's value is worked out."""
NUM_DIFFERENCES = 8
SAME = 5e-4
"""Mixtures that differ by less are called alike."""
MAX_LINES = 400
"""Lines of an opened tree."""
History = tuple[Action, ...]
FileText = Annotated[
    str,
    Query(
        max_length=200, description="A file of the library, or RUN/NUMBER.", examples=["leduc.rb"]
    ),
]
NodeText = Annotated[
    str, Query(max_length=2000, description="Public actions, apart by spaces; none: the start.")
]


class Move(BaseModel):
    """What can happen next at a point."""

    action: str
    words: str
    colour: str
    share: float | None = Field(description="How often, over all hands; None where unknown.")


class MoveFigures(BaseModel):
    """What is known of one move with one hand."""

    share: float
    other: float | None = Field(description="Its share in the strategy compared with.")
    value: float | None = Field(description="What it is worth to the player.")
    regret: float | None = Field(description="Summed over the solver's iterations.")


class HandAt(BaseModel):
    """One private hand at a point."""

    hand: str
    infoset: str
    held: float | None = Field(description="How likely it is held here.")
    value: float | None = Field(description="What its mixture is worth.")
    moves: dict[str, MoveFigures]


class PointAnswer(BaseModel):
    """A public point: who acts, what can be done, and what each hand does."""

    game: str
    node: list[str]
    words: list[str] = Field(description="The path in words.")
    actor: Literal["chance", "end"] | int = Field(description="The player, from 0.")
    moves: list[Move]
    hands: list[HandAt]
    reach: float | None = Field(description="How often play gets here.")
    result: str = Field(description="How the play ended, where it did.")
    has_values: bool
    iterations: int = Field(description="Behind the regrets; 0 where there are none.")


class TreeLine(BaseModel):
    """One line of the opened public tree."""

    node: list[str]
    words: str
    colour: str | None
    share: float | None
    opened: bool | None = Field(description="None at an end, which has nothing to open.")


class Seating(BaseModel):
    """What each seat gets when strategies meet."""

    words: str
    values: list[float]


class Difference(BaseModel):
    """An infoset at which two strategies differ."""

    player: int
    infoset: str
    first: str
    second: str
    gap: float = Field(description="Half the sum of the absolute differences.")


class ComparisonAnswer(BaseModel):
    """Two strategies of one game."""

    other: str
    players: int
    seatings: list[Seating]
    differences: list[Difference] | None = Field(description="None where there are too many.")


class StrategyFacts(BaseModel):
    """What a strategy's file says of it."""

    game: str
    title: str
    words: str
    infosets: int


class StrategyView(BaseModel):
    """What a page shows of a strategy at once."""

    facts: StrategyFacts
    point: PointAnswer
    tree: list[TreeLine]


class Opened:
    """A file's strategy, the values of its moves in small games, and its solver's regrets."""

    def __init__(self, path: Path) -> None:
        from riverboat.games.registry import make_game
        from riverboat.players.coach import PublicCoach, TreeCoach
        from riverboat.solvers.result import read_regrets
        from riverboat.strategies.kinds import load
        from riverboat.strategies.public_strategy import PublicStrategy
        from riverboat.strategies.strategy import Strategy
        from riverboat.trees.game_tree import build_tree
        from riverboat.trees.public_games import has_shapes

        self.strategy: AnyStrategy = load(path)
        self.game: Game = make_game(self.strategy.game, self.strategy.parameters)
        self.coach: Coach | None = None
        self.regrets: Regrets | None = None
        self._points: dict[History, PublicPoint | None] = {}
        if isinstance(self.strategy, Strategy) and len(self.strategy) <= VALUES_UP_TO:
            self.coach = TreeCoach(self.strategy, build_tree(self.game))
            self.regrets = read_regrets(path)
        elif isinstance(self.strategy, PublicStrategy):
            self.coach = PublicCoach(self.strategy) if has_shapes(self.game) else None
            self.regrets = read_regrets(path)

    def point(self, history: History) -> PublicPoint | None:
        """The point after public actions; None where there is none."""
        from riverboat.web.solve.points import public_point

        if history not in self._points:
            if len(self._points) > MAX_LINES:
                self._points.clear()
            self._points[history] = public_point(self.game, self.strategy, history)
        return self._points[history]


@lru_cache(maxsize=6)
def _opened(path: str, changed: int) -> Opened:
    return Opened(Path(path))


def strategy_path(site: Site, text: str) -> Path:
    """The file that a text names: one of the library, or a run and the number of its algorithm."""
    run, slash, number = text.partition("/")
    path = site.library.path(text) if not slash else None
    if slash:
        found = site.solve_runs.find(run)
        if found is None or not number.isdecimal() or len(number) > 3:
            raise UsageError("There is no such run; it was not kept or never begun.")
        path = found.path(int(number))
    if path is None or not path.is_file():
        raise UsageError(f"There is no {text[:60]}; it was not kept, or has another name now.")
    with _without_folder(path):
        if file_kind(path) not in KINDS:
            raise UsageError(f"{path.name} holds no strategy of a game that is solved as a tree.")
    return path


def stamp(path: Path) -> int:
    """A number that changes when a file does."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        raise UsageError("That file is not there any more.") from None


@contextmanager
def _without_folder(path: Path) -> Iterator[None]:
    """A page does not say where the library lies."""
    try:
        yield
    except RiverboatError as error:
        raise UsageError(str(error).replace(str(path), path.name)) from None
    except OSError:
        raise UsageError(f"{path.name} cannot be read.") from None


@contextmanager
def _own_faults(path: Path) -> Iterator[None]:
    """An error in a game of the user's is reported with its line."""
    with _without_folder(path):
        try:
            yield
        except (RiverboatError, OSError):
            raise
        except Exception as error:
            if not _has_own_game(path):
                raise
            raise UsageError(f"The game cannot be shown: {program_error(error)}.") from error


def _has_own_game(path: Path) -> bool:
    from riverboat.games.registry import make_game
    from riverboat.strategies.files import read_header

    header = read_header(path, *KINDS)
    return is_own_game(make_game(str(header.get("game")), header.get("parameters") or {}))


def strategy_facts(path: Path, changed: int) -> StrategyFacts:
    """Return what a file says of its strategy."""
    with _own_faults(path):
        opened = _opened(str(path), changed)
        strategy = opened.strategy
        rules = [
            f"{parameter_label(opened.game, name).lower()} {text}"
            for name, text in opened.strategy.parameters.items()
        ]
        made = strategy.describe().partition(": ")[2]
        return StrategyFacts(
            game=strategy.game,
            title=strategy.title,
            words=", ".join([*rules, made or strategy.describe()]),
            infosets=len(strategy),
        )


def point_answer(
    path: Path, changed: int, node: History, other: Path | None = None, other_changed: int = 0
) -> PointAnswer:
    """Return the point after public actions; one that there is not is refused."""
    with _own_faults(path):
        opened = _opened(str(path), changed)
        point = opened.point(node)
        if point is None:
            raise UsageError(f"The game has no point {' '.join(node)[:80]!r}.")
        second = None if other is None else _same_game(opened, other, other_changed)
        regrets = opened.regrets
        actor: Literal["chance", "end"] | int = point.actor
        if point.actor < 0:
            actor = "chance" if point.actor == CHANCE else "end"
        return PointAnswer(
            game=opened.strategy.game,
            node=list(point.history),
            words=list(point.words),
            actor=actor,
            moves=[
                Move(
                    action=action,
                    words=words,
                    colour=point.colours[action],
                    share=point.shares.get(action) if point.shares else None,
                )
                for action, words in point.choices
            ],
            hands=[_hand(opened, second, point, row) for row in point.rows],
            reach=point.reach,
            result=point.returns,
            has_values=opened.coach is not None,
            iterations=regrets.iterations if regrets else 0,
        )


def _hand(opened: Opened, second: AnyStrategy | None, point: PublicPoint, row: HandRow) -> HandAt:
    from riverboat.players.player import View

    actions = [action for action, _ in point.choices]
    values: Mapping[Action, float] = {}
    if opened.coach is not None:
        view = View(opened.game, point.actor, row.infoset, actions)
        values = opened.coach.advise(view).values
    regrets = opened.regrets.lookup(point.actor, row.infoset) if opened.regrets else {}
    others = second.lookup(point.actor, row.infoset) if second else None
    played = {a: chance for a, chance in row.chances.items() if chance > 0}
    known = bool(played) and all(a in values for a in played)
    return HandAt(
        hand=row.hand,
        infoset=row.infoset,
        held=row.held,
        value=sum(c * values[a] for a, c in played.items()) if known else None,
        moves={
            a: MoveFigures(
                share=row.chances.get(a, 0.0),
                other=None if others is None else others.get(a, 0.0),
                value=values.get(a),
                regret=regrets.get(a),
            )
            for a in actions
        },
    )


def tree_lines(path: Path, changed: int, opened_nodes: frozenset[History]) -> list[TreeLine]:
    """Return the public tree with some of its branches opened."""
    lines: list[TreeLine] = []
    with _own_faults(path):
        opened = _opened(str(path), changed)
        _add_line(opened, opened_nodes, lines, (), "start", None, None)
    return lines


def strategy_view(
    path: Path,
    changed: int,
    node: History,
    opened_nodes: frozenset[History],
    other: Path | None,
    other_changed: int,
) -> StrategyView:
    """Return a point with the tree around it, and what the file says."""
    return StrategyView(
        facts=strategy_facts(path, changed),
        point=point_answer(path, changed, node, other, other_changed),
        tree=tree_lines(path, changed, opened_nodes),
    )


def _add_line(
    opened: Opened,
    opened_nodes: frozenset[History],
    lines: list[TreeLine],
    history: History,
    words: str,
    share: float | None,
    colour: str | None,
) -> None:
    from riverboat.web.solve.points import actor_at

    if len(lines) >= MAX_LINES:
        return
    actor = actor_at(opened.game, history)
    end = actor is None or actor == TERMINAL
    line = TreeLine(
        node=list(history),
        words=words,
        colour=colour,
        share=share,
        opened=None if end else history in opened_nodes,
    )
    lines.append(line)
    point = opened.point(history) if line.opened else None
    for action, text in point.choices if point else ():
        who = f"{actor + 1}: {text}" if actor is not None and actor >= 0 else f"[{text}]"
        _add_line(
            opened,
            opened_nodes,
            lines,
            (*history, action),
            who,
            point.shares.get(action) if point and point.shares else None,
            point.colours[action] if point and actor != CHANCE else None,
        )


def _same_game(opened: Opened, other: Path, changed: int) -> AnyStrategy:
    """The strategy to compare with; one of another game is refused."""
    with about("with"), _without_folder(other):
        second = _opened(str(other), changed).strategy
        mine = opened.strategy
        if (second.game, dict(second.parameters)) != (mine.game, dict(mine.parameters)):
            raise UsageError(f"{other.name} is for {second.title}, this one for {mine.title}.")
    return second


def comparison(path: Path, changed: int, other: Path, other_changed: int) -> ComparisonAnswer:
    """Return what each seat gets in every seating, and where two strategies differ most."""
    from riverboat.evaluation.head_to_head import exact_value

    with _own_faults(path):
        opened = _opened(str(path), changed)
        one, game = opened.strategy, opened.game
        second = _same_game(opened, other, other_changed)
        players = game.num_players
        seatings = [("this one in all seats", [one] * players)]
        if players == 2:
            seatings = [
                ("this one first", [one, second]),
                ("the other first", [second, one]),
                ("this one against itself", [one, one]),
                ("the other against itself", [second, second]),
            ]
        else:
            seatings += [
                (
                    f"the other in seat {p + 1}",
                    [second if p == seat else one for seat in range(players)],
                )
                for p in range(players)
            ]
        return ComparisonAnswer(
            other=other.name,
            players=players,
            seatings=[
                Seating(words=words, values=list(exact_value(game, seats)))
                for words, seats in seatings
            ],
            differences=_differences(game.action_label, one, second),
        )


def _differences(
    label: Callable[[Action], str], one: AnyStrategy, other: AnyStrategy
) -> list[Difference] | None:
    if len(one) > MAX_INFOSETS:
        return None
    found = (
        (sum(abs(chance - theirs.get(a, 0.0)) for a, chance in mine.items()) / 2, *rest)
        for mine, theirs, *rest in _pairs(one, other)
    )
    largest = heapq.nlargest(NUM_DIFFERENCES, found, key=lambda each: each[0])
    return [
        Difference(
            player=player,
            infoset=infoset,
            first=_mixture(label, mine),
            second=_mixture(label, theirs),
            gap=gap,
        )
        for gap, player, infoset, mine, theirs in largest
        if gap >= SAME
    ]


def _pairs(one: AnyStrategy, other: AnyStrategy) -> Iterator[tuple[Any, ...]]:
    for player, infoset, mine in one.entries():
        theirs = other.lookup(player, infoset) or {}
        yield mine, theirs, player, infoset, mine, theirs


def _mixture(label: Callable[[Action], str], chances: Mapping[Action, float]) -> str:
    order = sorted(chances, key=lambda action: -chances[action])
    return ", ".join(f"{label(a)} {chances[a]:.0%}" for a in order[:4])


def exported(path: Path, kind: Literal["json", "csv"]) -> tuple[str, str]:
    """Return a strategy as text, and the name of a file for it."""
    from riverboat.strategies.export import to_csv, to_json

    with _own_faults(path):
        strategy = _opened(str(path), stamp(path)).strategy
        text = (to_json if kind == "json" else to_csv)(strategy)
        return text, f"{strategy.game}.{kind}"


def comparable(site: Site, path: Path) -> dict[str, str]:
    """Return the other strategies of the same game with words: of the same run, then saved ones."""
    found: dict[str, str] = {}
    if path.parent != site.library.folder:
        run = site.solve_runs.find(path.parent.name)
        for number, part in enumerate(run.parts if run else []):
            if run and run.path(number) != path and run.path(number).is_file():
                found[f"{run.name}/{number}"] = f"{part.name} (this run)"
    mine = _game_of(path)
    for saved in site.library.files():
        other = site.library.folder / saved.name
        if saved.kind in KINDS and other != path and _game_of(other) == mine:
            found[saved.name] = saved.name
    return found


def _game_of(path: Path) -> tuple[str, str]:
    """A file's game with its parameters; of a file that cannot be read, its name."""
    from riverboat.strategies.files import read_header

    try:
        header = read_header(path, *KINDS)
    except (RiverboatError, OSError):
        return path.name, ""
    return str(header.get("game")), json.dumps(header.get("parameters"), sort_keys=True)


def save(site: Site, path: Path, name: str) -> str:
    """Copy a run's file into the library, with its solver; return its name there."""
    with about("name"):
        if not name.strip():
            raise UsageError("A file needs a name.")
        target = site.library.new_path(name)
    atomic_write(target, path.read_bytes())
    return target.name


def read_node(text: str) -> History:
    """The public actions of a text."""
    return tuple(step for step in text.split(" ") if step)


@router.get("/facts")
def facts(site: AskedSite, file: FileText) -> StrategyFacts:
    """Return what a strategy's file says of it."""
    path = strategy_path(site, file)
    return site.answers.wait(strategy_facts, path, stamp(path))


@router.get("/point")
def point(site: AskedSite, file: FileText, node: NodeText = "") -> PointAnswer:
    """Return a public point: every hand, what it does there, values and regrets."""
    path = strategy_path(site, file)
    return site.answers.wait(point_answer, path, stamp(path), read_node(node))


@router.get("/comparison")
def compare(
    site: AskedSite, file: FileText, other: Annotated[str, Query(alias="with", max_length=200)]
) -> ComparisonAnswer:
    """Return what each seat gets when two strategies meet, exactly, and where they differ."""
    path = strategy_path(site, file)
    with about("with"):
        second = strategy_path(site, other)
    return site.answers.wait(comparison, path, stamp(path), second, stamp(second))
