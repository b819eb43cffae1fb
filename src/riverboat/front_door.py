"""What the front door does itself: it reads names and texts, picks the room, and hands over.

`import riverboat as rb` is the way in; docs/python.md shows every name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

from riverboat.drawing.html import html_table
from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Game, ParameterValue, parameters_of
from riverboat.games.registry import known_games, make_game, register_game
from riverboat.runtime.plugins import find

if TYPE_CHECKING:
    from riverboat.arena.match import MatchLog
    from riverboat.blackjack.exact.analysis import Analysis
    from riverboat.cards.equity import Equity
    from riverboat.cards.ranges import Range
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.holdem.spots.spot import Spot
    from riverboat.players.player import Player
    from riverboat.players.roster import Factory
    from riverboat.players.simple import Seatable, Solved
    from riverboat.solvers.result import SolveResult
    from riverboat.strategies.any_strategy import AnyStrategy
    from riverboat.strategies.kinds import FileKind
    from riverboat.trees.best_response import Evaluation


TRAINERS = {
    "holdem": "riverboat.holdem.blueprints.training.trainer:train_blueprint",
    "twentyone": "riverboat.twentyone.learning.regret:train_table",
}
"""What can be trained → the function that does it."""
STRENGTH = "riverboat.holdem.blueprints.strength.measure:measure"
MAKE_SPOT = "riverboat.holdem.spots.spot:make_spot"
HOLDEM_TABLE = "riverboat.holdem.blueprints.shipped:game_of_players"
"""The game of a table where a blueprint sits is the blueprint's own."""
PREFLOP = "riverboat.holdem.blueprints.abstraction.preflop_store:preflop_table"
"""All hands against all hands before the flop, kept on disk once it was counted."""
Registered = TypeVar("Registered")


class Solvable(Protocol):
    """Anything that knows how it is solved, as a spot of hold'em does."""

    def solve(self, **options: Any) -> Any:
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


def player(game: str | Game, who: Seatable) -> Player:
    """A player for a game: a name ("random"), a file, a strategy, or the result of a solve."""
    from riverboat.players.simple import seat

    return seat(_game(game), who)


def players() -> Names:
    """The names of all players; options follow a name as in "mcts?ms=5"."""
    from riverboat.players.roster import known_players

    rows = []
    for name, factory in known_players().items():
        made = find(factory) if isinstance(factory, str) else factory
        rows.append((name, next(iter((made.__doc__ or "").splitlines()), "")))
    return Names.of(("player", "what it is"), rows)


@overload
def solve(game: str | Game, **options: Any) -> SolveResult[Any]: ...


@overload
def solve(game: Spot, **options: Any) -> SolvedSpot: ...


@overload
def solve(game: Solvable, **options: Any) -> Any: ...


def solve(game: Any, **options: Any) -> Any:
    """Solve a game, a game's name, or a spot; the right tree and algorithm are chosen.

    One limit of `target` (exploitability), `iterations` or `seconds`; further `algorithm`, `seed`,
    `threads`, `progress`, `checkpoint`, `resume`, `memory_limit`, `device` ("cpu", "cuda",
    "auto"): riverboat.solvers.solve.solve.
    A spot takes target ("0.3%" of the pot, or chips), iterations, seconds, threads, progress.
    """
    if not isinstance(game, str) and hasattr(game, "solve"):
        return game.solve(**options)
    from riverboat.solvers.solve import solve as solve_game

    return solve_game(_game(game), **options)


def spot(source: str | Path | None = None, **fields: Any) -> Spot:
    """A hold'em spot: rb.spot("3bet.toml"), the text of such a file, or its fields.

    rb.spot(board="Qs Jh 2h", pot=180, stack=910, ranges=("AA,KK,A5s:0.5", "99,AJs,KQo")).
    """
    return cast("Spot", find(MAKE_SPOT)(source, **fields))


def evaluate(
    game: str | Path | Game | AnyStrategy | Solved,
    strategy: str | Path | AnyStrategy | Solved | None = None,
    **options: Any,
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
        return evaluate_strategy(_game(cast("str | Game", game)), found, **options)
    if kind is not None and kind.evaluator:
        return cast("Evaluation", find(kind.evaluator)(found, **options))
    return evaluate_strategy(found, **options)


def best_response(
    strategy: str | Path | AnyStrategy | Solved, player: int, **options: Any
) -> AnyStrategy:
    """The strategy with a pure best response in the player's place (0, 1, …)."""
    from riverboat.evaluation.exploitability import best_response as respond

    return respond(_strategy(strategy), player, **options)


def match(
    game: str | Game,
    *players: Seatable,
    hands: int = 10_000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> MatchLog:
    """Let players meet: names, files, strategies, results or players, one for each seat."""
    from riverboat.arena.match import run_match
    from riverboat.players.simple import seat

    rules = find(HOLDEM_TABLE)(players, {}) if game == "holdem" else _game(game)
    seated = [seat(rules, who) for who in players]
    return run_match(rules, seated, hands, seed=seed, progress=progress)


def play(game: str | Game, **options: Any) -> None:
    """Sit down in the terminal, or in a notebook's cell: rb.play("leduc", hint=True).

    Options: against (a name, a file, a strategy, a result or a player), seat, hint, hands, seed;
    for hold'em players and phh, for blackjack rules, as in `riverboat play`.
    """
    rules = _game(game)
    if rules.name not in ("blackjack", "holdem"):
        find("riverboat.cli.play:play_any")(rules, **options)
        return
    settings = [
        f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
        for key, value in parameters_of(rules).items()
        if value not in ((), "") and rules is game
    ]
    find("riverboat.cli.play:play")(rules.name, parameters=settings, **options)


def train(what: str, **options: Any) -> AnyStrategy:
    """Learn by playing: rb.train("twentyone", games=10**6), rb.train("holdem", minutes=10).

    Options of twenty-one: games, method, state, objective, seed, table. Options of hold'em:
    config, minutes or iterations, seed, threads.
    """
    if what not in TRAINERS:
        if what in known_games():
            raise UsageError(f"{what} is not trained but solved: rb.solve({what!r}).")
        raise UnknownNameError.among("thing to train", what, TRAINERS)
    return cast("AnyStrategy", find(TRAINERS[what])(**options))


def strength(blueprint: str | Path | AnyStrategy, **options: Any) -> Any:
    """How strong a hold'em blueprint is: matches with duplicate deals, local best response.

    Options: against, deals, boards, raises, baseline, response, threads, seed.
    """
    found = _strategy(blueprint)
    if found.kind != "blueprint":
        raise UsageError("The strength of hold'em blueprints is measured; others: rb.evaluate(x).")
    return find(STRENGTH)(found, **options)


def blackjack(preset: str = "vegas-6d-s17", **changes: Any) -> Analysis:
    """The exact analysis of a blackjack table: a rule set by name, with rules that differ.

    rb.blackjack("vegas-6d-s17", h17=True).hand("T,6", "10").explain(); `shoe` and `convention` are
    those of riverboat.blackjack.exact.analysis.analyse.
    """
    from riverboat.blackjack.exact.analysis import analyse
    from riverboat.blackjack.rules import rules_from

    settings = {key: changes.pop(key) for key in ("shoe", "convention") if key in changes}
    return analyse(rules_from(preset, changes), **settings)


def equity(*players: str | Range, board: str = "", **options: Any) -> Equity:
    """Equity of two to nine hands or ranges: rb.equity("AsAh", "KdKc", board="Qs Jh 2d").

    Options: method ("auto", "exact", "monte-carlo"), samples, seed.
    """
    from riverboat.cards.equity import equity as equity_of

    return equity_of(players, board, table=lambda: find(PREFLOP)(), **options)


def rank(cards: str) -> str:
    """A hand of five to seven cards in words: "full house, kings over threes"."""
    from riverboat.cards.strength import describe
    from riverboat.cards.strength import strength as strength_of

    return describe(strength_of(cards))


@overload
def register(thing: Registered, *, player: str = "") -> Registered: ...


@overload
def register(*, player: str = "") -> Callable[[Registered], Registered]: ...


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


def _game(game: str | Game) -> Game:
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
