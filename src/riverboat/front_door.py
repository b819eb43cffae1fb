"""What the front door does itself: it reads names and texts, picks the room, and hands over.

`import riverboat as rb` is the way in; docs/python.md shows every name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast, overload

from riverboat.drawing.html import html_table
from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Game, ParameterValue, parameters_of
from riverboat.games.contract import check_game
from riverboat.games.registry import game_class, known_games, make_game, register_game
from riverboat.runtime.plugins import find

if TYPE_CHECKING:
    from riverboat.blackjack.exact.analysis import Analysis
    from riverboat.blackjack.search.memory import Knowledge
    from riverboat.cards.equity import Equity
    from riverboat.cards.ranges import Range
    from riverboat.holdem.abstraction.card_abstraction import CardAbstraction
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.game_config import HoldemConfig
    from riverboat.holdem.blueprints.measure import Strength
    from riverboat.holdem.preflop.push_fold import PushFold
    from riverboat.holdem.preflop.questions import FlopQuestion
    from riverboat.holdem.preflop.solution import PreflopSolution
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.holdem.spots.spot import Spot
    from riverboat.holdem.spots.three_way_solved import SolvedThreeWay
    from riverboat.players.player import Player
    from riverboat.players.roster import Factory
    from riverboat.players.simple import Seatable, Solved
    from riverboat.runtime.cuda import GpuDevice
    from riverboat.solvers.result import SolveResult
    from riverboat.solvers.run import ProgressCallback
    from riverboat.strategies.any_strategy import AnyStrategy
    from riverboat.strategies.kinds import FileKind
    from riverboat.strategies.public_strategy import PublicStrategy
    from riverboat.strategies.strategy import Strategy
    from riverboat.trees.best_response import Evaluation
    from riverboat.twentyone.learning.q_table import QTable


TRAINERS = {
    "holdem": "riverboat.holdem.blueprints.trainer:train_blueprint",
    "twentyone": "riverboat.twentyone.learning.regret:train_table",
}
"""What can be trained → the function that does it."""
STRENGTH = "riverboat.holdem.blueprints.measure:measure"
MAKE_SPOT = "riverboat.holdem.spots.spot:make_spot"
MAKE_PREFLOP = "riverboat.holdem.preflop.questions:make_preflop"
PREFLOP = "riverboat.holdem.abstraction.preflop_store:preflop_table"
"""All hands against all hands before the flop, kept on disk once it was counted."""
SOLVES = {
    "Spot": ("a spot", "riverboat.holdem.spots.solve:solve_spot"),
    "PushFold": ("all-in or fold", "riverboat.holdem.preflop.allin_solver:solve_preflop"),
    "FlopQuestion": ("a game with flops", "riverboat.holdem.preflop.flop_question:solve_flop_game"),
}
"""What solves itself: its name in words, and the function that has the options."""
SHIPPED = "riverboat.holdem.blueprints.blueprint:Blueprint.load"
ABSTRACTION = "riverboat.holdem.abstraction.card_tables:card_abstraction"
Registered = TypeVar("Registered")
Found = TypeVar("Found", covariant=True)
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


def check_options(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse an option that `what` does not have, and name the nearest."""
    known = list(known)
    for name in given:
        if name not in known:
            raise UnknownNameError.among(f"option of {what}", name, known)


def with_known_options(function: AnyFunction) -> AnyFunction:
    """Let a function answer an option it does not have with a sentence."""
    parameters = inspect.signature(function).parameters.values()
    known = [
        one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        check_options(f"rb.{function.__name__}", options, known)
        return function(*arguments, **options)

    return cast(AnyFunction, called)


def options_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's keyword-only arguments."""
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind == one.KEYWORD_ONLY]


class Solvable(Protocol[Found]):
    """Anything that knows how it is solved, as a spot of hold'em does."""

    def solve(self, **options: Any) -> Found:
        """The result, whatever it is."""


class Names(tuple[str, ...]):
    """Names that show in a notebook what they stand for."""

    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Names:
        """The first column of a table."""
        names = cls(row[0] for row in rows)
        names.headings, names.rows = headings, tuple(rows)
        return names

    def _repr_html_(self) -> str:
        return html_table(self.headings, self.rows)


def game(name: str | Game, **parameters: ParameterValue) -> Game:
    """A game by name: rb.game("kuhn", players=3); rb.games() lists the names."""
    if isinstance(name, str):
        return make_game(name, parameters)
    if parameters:
        raise UsageError(f"{name.name} is a game already; give its parameters where it is made.")
    return name


def games() -> Names:
    """The names of all games; a notebook shows titles and parameters."""
    rows = []
    for name in known_games():
        one = make_game(name)
        given = ", ".join(f"{key}={value}" for key, value in parameters_of(one).items())
        rows.append((name, one.title, str(one.num_players), given))
    return Names.of(("game", "title", "players", "parameters"), rows)


@with_known_options
def player(game: str | Game, who: Seatable) -> Player:
    """A player for a game: a name ("random"), a file, a strategy, or the result of a solve."""
    from riverboat.players.simple import seat

    return seat(game_of(game), who)


def players() -> Names:
    """The names of all players; options follow a name as in "mcts?ms=5"."""
    from riverboat.players.roster import known_players

    rows = []
    for name, factory in known_players().items():
        try:
            made = find(factory) if isinstance(factory, str) else factory
            words = next(iter((made.__doc__ or "").splitlines()), "")
        except UsageError as error:  # a library that the player needs is not installed
            words = str(error)
        rows.append((name, words))
    return Names.of(("player", "what it is"), rows)


@overload
def solve(
    game: str | Game,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    algorithm: str = "auto",
    alternating: bool | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 5.0,
    resume: str | Path | None = None,
    memory_limit: int | None = None,
    device: str | GpuDevice = "cpu",
) -> SolveResult[Any]: ...


@overload
def solve(
    game: Solvable[Found],
    *,
    target: str | float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    memory: int | str | None = None,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    locks: Sequence[Any] = (),
    device: str = "cpu",
) -> Found: ...


def solve(game: Any, **options: Any) -> Any:
    """Solve a game, a game's name, or a spot; the right tree and algorithm are chosen.

    One limit of `target` (exploitability), `iterations` or `seconds`; further `algorithm`, `seed`,
    `threads`, `progress`, `checkpoint`, `resume`, `memory_limit`, `device` ("cpu", "cuda",
    "auto"): riverboat.solvers.solve.solve.
    A spot takes target ("0.3%" of the pot, or chips), iterations, seconds, threads, progress.
    """
    if not isinstance(game, str) and hasattr(game, "solve"):
        kind = type(game)
        if kind.__name__ in SOLVES and kind.__module__.startswith("riverboat."):
            what, solver = SOLVES[kind.__name__]
            check_options(f"rb.solve for {what}", options, options_of(find(solver)))
        return game.solve(**options)
    from riverboat.solvers.solve import solve as solve_game

    check_options("rb.solve", options, options_of(solve_game))
    return solve_game(game_of(game), **options)


@overload
def spot(source: str | Path) -> Spot: ...


@overload
def spot(
    *,
    board: str | Sequence[int],
    pot: float,
    stack: float,
    ranges: tuple[str | Range, str | Range],
    sizes: Mapping[str, Any] = ...,
    rake: Mapping[str, float] = ...,
    tree: Any = ...,
    dead: str | Sequence[int] = (),
    payouts: Any = None,
) -> Spot: ...


@overload
def spot(
    *,
    board: str | Sequence[int],
    pot: float,
    stack: float = ...,
    stacks: Sequence[float] | Mapping[str, float] = ...,
    ranges: tuple[str | Range, str | Range, str | Range],
    names: tuple[str, str, str] = ...,
    sizes: Mapping[str, Any] = ...,
    rake: Mapping[str, float] = ...,
    tree: Any = ...,
    dead: str | Sequence[int] = (),
    folded: str | None = None,
) -> Spot: ...


@overload
def spot(**fields: Any) -> Any: ...


def spot(source: Any = None, **fields: Any) -> Any:
    """A hold'em spot: rb.spot("3bet.toml"), the text of such a file, or its keys.

    rb.spot(board="Qs Jh 2h", pot=180, stack=910, ranges=("AA,KK,A5s:0.5", "99,AJs,KQo"),
    sizes={"flop": {"oop": {"bet": "50%"}, "ip": {"bet": "33%,75%"}}}). Three ranges, in order of
    action, or a file with three, make a spot of three players.
    """
    return find(MAKE_SPOT)(source, **fields)


def preflop(source: str | Path | None = None, **keys: Any) -> PushFold | FlopQuestion:
    """A game of hold'em before the flop: its file, the text of one, or the keys of its TOML.

    rb.solve(rb.preflop(stacks=[10, 10])) is all-in or fold; docs/preflop.md has all keys.
    """
    return cast("PushFold | FlopQuestion", find(MAKE_PREFLOP)(source, **keys))


@with_known_options
def evaluate(
    game: str | Path | Game | AnyStrategy | Solved,
    strategy: str | Path | AnyStrategy | Solved | None = None,
    *,
    memory_limit: int | None = None,
) -> Evaluation:
    """How good a strategy is: rb.evaluate(strategy), a result or a file, or after its game.

    Exact value, best responses and exploitability; of a Q table the exact outcome and regret.
    """
    from riverboat.evaluation.exploitability import evaluate as evaluate_strategy
    from riverboat.strategies.kinds import KINDS

    found = _strategy(game if strategy is None else strategy)
    kind = KINDS.get(found.kind)
    if kind is not None and kind.instead and not kind.evaluator:
        what = kind.title[0].upper() + kind.title[1:]
        raise UsageError(f"{what} has no exact value: {kind.instead.format('FILE')}.")
    if strategy is not None:
        rules = game_of(cast("str | Game", game))
        check_game(rules)
        return evaluate_strategy(rules, found, memory_limit=memory_limit)
    if kind is not None and kind.evaluator:
        return cast("Evaluation", find(kind.evaluator)(found))
    check_game(make_game(found.game, found.parameters))
    return evaluate_strategy(found, memory_limit=memory_limit)


@with_known_options
def best_response(
    strategy: str | Path | AnyStrategy | Solved, player: int, *, memory_limit: int | None = None
) -> AnyStrategy:
    """The strategy with a pure best response in the player's place (0, 1, …)."""
    from riverboat.evaluation.exploitability import best_response as respond

    found = _strategy(strategy)
    check_game(make_game(found.game, found.parameters))
    return respond(found, player, memory_limit=memory_limit)


@overload
def train(
    what: Literal["twentyone"],
    *,
    games: int = 1_000_000,
    method: str = "on-policy",
    state: str = "points",
    objective: str = "reward",
    seed: int = 0,
    table: QTable | None = None,
    progress: ProgressCallback | None = None,
) -> QTable: ...


@overload
def train(
    what: Literal["holdem"],
    *,
    config: str | Path | HoldemConfig = "headsup-small",
    minutes: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: ProgressCallback | None = None,
) -> Blueprint: ...


@overload
def train(what: str, **options: Any) -> AnyStrategy: ...


def train(what: str, **options: Any) -> AnyStrategy:
    """Learn by playing: rb.train("twentyone", games=10**6), rb.train("holdem", minutes=10).

    Options of twenty-one: games, method, state, objective, seed, table. Options of hold'em:
    config, minutes or iterations, seed, threads.
    """
    if what not in TRAINERS:
        try:
            what = game_class(what).name
        except UnknownNameError:
            raise UnknownNameError.among("thing to train", what, TRAINERS) from None
        if what not in TRAINERS:
            raise UsageError(f"{what} is not trained but solved: rb.solve({what!r}).")
    trainer = find(TRAINERS[what])
    check_options(f"rb.train for {what}", options, inspect.signature(trainer).parameters)
    return cast("AnyStrategy", trainer(**options))


@with_known_options
def strength(
    blueprint: str | Path | AnyStrategy,
    *,
    against: Sequence[str] | str = ("fold", "call", "random", "rules"),
    deals: int = 1000,
    boards: int | None = None,
    raises: str = "0.5p,1p,a",
    baseline: Blueprint | str | Path | None = None,
    response: int = 0,
    threads: int = 1,
    seed: int = 0,
) -> Strength:
    """How strong a hold'em blueprint is: matches with duplicate deals, local best response.

    `boards` are for local best response, `baseline` is another blueprint on the same boards, and
    `response` is how many deals a response in the abstraction may learn from.
    """
    found = _strategy(blueprint)
    if found.kind != "blueprint":
        raise UsageError("The strength of hold'em blueprints is measured; others: rb.evaluate(x).")
    measured = find(STRENGTH)(
        found,
        against=against,
        deals=deals,
        boards=boards,
        raises=raises,
        baseline=baseline,
        response=response,
        threads=threads,
        seed=seed,
    )
    return cast("Strength", measured)


@with_known_options
def abstraction(
    source: str | Mapping[str, Any],
    *,
    threads: int = 1,
    progress: Callable[[str, float], None] | None = None,
    rebuild: bool = False,
) -> CardAbstraction:
    """A card abstraction of hold'em by name, recipe or file: rb.abstraction("equity-k-200").

    It comes from the cache, or is built and kept there.
    """
    made = find(ABSTRACTION)(source, threads=threads, progress=progress, rebuild=rebuild)
    return cast("CardAbstraction", made)


def blackjack(preset: str = "vegas-6d-s17", **changes: Any) -> Analysis:
    """The exact analysis of a blackjack table: a rule set by name, with rules that differ.

    rb.blackjack("vegas-6d-s17", h17=True).hand("T,6", "10").explain(); `shoe`, `convention` and
    `strategy`, a chart to evaluate, are those of riverboat.blackjack.exact.analysis.analyse.
    """
    from riverboat.blackjack.exact.analysis import analyse
    from riverboat.blackjack.rules import rules_from

    own = ("shoe", "convention", "strategy")
    settings = {key: changes.pop(key) for key in own if key in changes}
    return analyse(rules_from(preset, changes), **settings)


@with_known_options
def equity(
    *players: str | Range,
    board: str = "",
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    samples: int | None = None,
    seed: int = 0,
) -> Equity:
    """Equity of two to nine hands or ranges: rb.equity("AsAh", "KdKc", board="Qs Jh 2d")."""
    from riverboat.cards.equity import DEFAULT_SAMPLES
    from riverboat.cards.equity import equity as equity_of

    return equity_of(
        players,
        board,
        method=method,
        samples=DEFAULT_SAMPLES if samples is None else samples,
        seed=seed,
        table=lambda: find(PREFLOP)(),
    )


@with_known_options
def rank(cards: str) -> str:
    """A hand of five to seven cards in words: "full house, kings over threes"."""
    from riverboat.cards.strength import describe
    from riverboat.cards.strength import strength as strength_of

    return describe(strength_of(cards))


@overload
def load(path: Literal["shipped"]) -> Blueprint: ...
@overload
def load(path: str | Path, kind: Literal["strategy"]) -> Strategy: ...
@overload
def load(path: str | Path, kind: Literal["public-strategy"]) -> PublicStrategy: ...
@overload
def load(path: str | Path, kind: Literal["q-table"]) -> QTable: ...
@overload
def load(path: str | Path, kind: Literal["blueprint"]) -> Blueprint: ...
@overload
def load(path: str | Path, kind: Literal["mcts-memory"]) -> Knowledge: ...
@overload
def load(path: str | Path, kind: Literal["spot"]) -> SolvedSpot: ...
@overload
def load(path: str | Path, kind: Literal["three-way-spot"]) -> SolvedThreeWay: ...
@overload
def load(path: str | Path, kind: Literal["preflop"]) -> PreflopSolution: ...
@overload
def load(path: str | Path, kind: str | None = None) -> Any: ...


@with_known_options
def load(path: str | Path, kind: str | None = None) -> Any:
    """Read a file of any kind: a strategy, a Q table, a blueprint, a solved spot, a memory.

    rb.load("shipped") is the blueprint that comes with the package. With `kind` ("strategy",
    "public-strategy", "q-table", "blueprint", "mcts-memory", "spot", "three-way-spot", "preflop")
    a file of another kind is refused, and an editor knows what is returned.
    """
    from riverboat.strategies.kinds import kind_of, known_kinds
    from riverboat.strategies.kinds import load as load_file

    if kind is not None and kind not in known_kinds():
        raise UnknownNameError.among("kind of file", kind, known_kinds())
    found = "blueprint" if str(path) == "shipped" else kind_of(path).name
    if kind not in (None, found):
        raise UsageError(
            f"{path} holds {known_kinds()[found].title}, not {known_kinds()[str(kind)].title}."
        )
    return find(SHIPPED)(path) if str(path) == "shipped" else load_file(path)


@overload
def register(thing: Registered, *, player: str = "") -> Registered: ...


@overload
def register(*, player: str = "") -> Callable[[Registered], Registered]: ...


@with_known_options
def register(thing: Any = None, *, player: str = "") -> Any:
    """Make a game, a player's factory, a file kind or an algorithm known by name.

    @rb.register before a game class; @rb.register(player="cautious") before a function of
    (game, spec) that makes a player; rb.register(FileKind(…)); rb.register(Algorithm(…)) or
    rb.register(CFRConfig(…)) of riverboat.solvers.
    """
    if thing is None:
        return lambda later: register(later, player=player)
    if player:
        return find("riverboat.players.roster:register_player")(player, cast("Factory", thing))
    if isinstance(thing, type):
        return register_game(cast("type[Game]", thing))
    if hasattr(thing, "loader"):
        return find("riverboat.strategies.kinds:register_kind")(cast("FileKind", thing))
    from riverboat.solvers.algorithms import Algorithm, CFRConfig
    from riverboat.solvers.algorithms import register as register_algorithm

    if isinstance(thing, Algorithm | CFRConfig):
        register_algorithm(thing)
        return thing
    raise UsageError(
        "Register a game class, a FileKind, an Algorithm or CFRConfig, or with player=NAME a"
        " function of (game, spec)."
    )


def game_of(game: str | Game) -> Game:
    """The game itself where it is given by name."""
    return make_game(game) if isinstance(game, str) else game


def _strategy(source: Any) -> AnyStrategy:
    """The strategy that a file, a result or the strategy itself stands for."""
    from riverboat.strategies.any_strategy import AnyStrategy
    from riverboat.strategies.kinds import load_table

    found = load_table(source) if isinstance(source, str | Path) else source
    found = found if isinstance(found, AnyStrategy) else getattr(found, "strategy", None)
    if not isinstance(found, AnyStrategy):
        raise UsageError(f"{type(source).__name__} is no strategy, no result and no file of one.")
    return found
