"""The functions of `import riverboat as rb`: each picks the room that does the work and calls it.

Rooms are imported inside the functions, so that a name costs only what it needs. What is played
at tables stands in _runs.py; docs/python.md shows every name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast, overload

from riverboat.drawing.html import html_table
from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Game, ParameterValue, parameters_of
from riverboat.games.registry import game_class, known_games, make_game, register_game
from riverboat.runtime.plugins import find

if TYPE_CHECKING:
    from datetime import datetime

    from riverboat.arena.training_results import TrainingResults
    from riverboat.blackjack.exact.analysis import Analysis
    from riverboat.blackjack.search.memory import Knowledge
    from riverboat.cards.equity import Equity
    from riverboat.cards.game_equity import EquityGame
    from riverboat.cards.omaha_ranges import OmahaRange
    from riverboat.cards.preflop import PreflopTable
    from riverboat.cards.ranges import Range
    from riverboat.holdem.abstraction.card_abstraction import CardAbstraction
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.game_config import HoldemConfig
    from riverboat.holdem.blueprints.measure import Strength
    from riverboat.holdem.preflop.push_fold import PushFold
    from riverboat.holdem.preflop.questions import FlopQuestion
    from riverboat.holdem.preflop.solution import PreflopSolution
    from riverboat.holdem.review.hand_spots import HandSpot
    from riverboat.holdem.spots.exploit import SpotExploit
    from riverboat.holdem.spots.locks import Lock
    from riverboat.holdem.spots.node_comparison import NodeComparison
    from riverboat.holdem.spots.report_table import ReportTable
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.holdem.spots.spot import Spot
    from riverboat.jobs.job_list import JobProgress
    from riverboat.players.player import Player
    from riverboat.players.simple import Seatable, Solved
    from riverboat.runtime.cuda import GpuDevice
    from riverboat.solvers.game_exploit import GameExploit
    from riverboat.solvers.result import SolveResult
    from riverboat.solvers.run import ProgressCallback
    from riverboat.strategies.any_strategy import AnyStrategy
    from riverboat.strategies.profiles import Profile
    from riverboat.strategies.public_strategy import PublicStrategy
    from riverboat.strategies.strategy import Strategy
    from riverboat.trees.best_response import Evaluation
    from riverboat.twentyone.learning.q_table import QTable

Registered = TypeVar("Registered")
Solution = TypeVar("Solution", covariant=True)


class Solvable(Protocol[Solution]):
    """Anything that knows how it is solved, as a spot of hold'em does."""

    def solve(self, **options: Any) -> Solution:
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
    """Return a game by its name.

    Parameters
    ----------
    name : str or Game
        One of rb.games(), or another spelling of it ("Kuhn poker"). A game is returned as it is.
    **parameters
        The parameters that differ from the game's own, such as players=3.

    Returns
    -------
    Game
        The rules with these parameters.

    Examples
    --------
    >>> rb.game("kuhn", players=3)
    Kuhn(players=3)
    """
    if isinstance(name, str):
        return make_game(name, parameters)
    if parameters:
        raise UsageError(f"{name.name} is a game already; give its parameters where it is made.")
    return name


def games() -> Names:
    """Return the names of all games.

    Returns
    -------
    Names
        A tuple of names; a notebook shows titles, players and parameters.

    Examples
    --------
    >>> "leduc" in rb.games()
    True
    """
    rows = []
    for name in known_games():
        rules = make_game(name)
        given = ", ".join(f"{key}={value}" for key, value in parameters_of(rules).items())
        rows.append((name, rules.title, str(rules.num_players), given))
    return Names.of(("game", "title", "players", "parameters"), rows)


def player(game: str | Game, who: Seatable) -> Player:
    """Return a player that is ready to sit down at a game.

    Parameters
    ----------
    game : str or Game
        The game, or its name.
    who : str, Path, AnyStrategy, SolveResult or Player
        A name of rb.players() with options ("mcts?ms=5"), a file ("leduc.rb",
        "my_bot.py:MyBot"), a strategy, the result of a solve, or an object with
        choose(view, rng).

    Returns
    -------
    Player
        Has a name and choose(view, rng).

    Examples
    --------
    >>> rb.player("kuhn", "random").name
    'random'
    """
    from riverboat.players.simple import seat

    return seat(game_of(game), who)


def players() -> Names:
    """Return the names of all players.

    Returns
    -------
    Names
        A tuple of names, which options follow as in "mcts?ms=5"; a notebook shows what each is.

    Examples
    --------
    >>> "random" in rb.players()
    True
    """
    from riverboat.players.roster import known_players

    rows = []
    for name, factory in known_players().items():
        try:
            make = find(factory) if isinstance(factory, str) else factory
            words = next(iter((make.__doc__ or "").splitlines()), "")
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
    game: Solvable[Solution],
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
) -> Solution: ...


def solve(game: Any, **options: Any) -> Any:
    """Solve a game, a spot of hold'em, or a game before the flop.

    Give one limit: `target`, `iterations` or `seconds`. Without one, a game is solved to an
    exploitability of 1e-6, a spot to 0.3 % of its pot.

    Parameters
    ----------
    game : str, Game, or what rb.spot and rb.preflop return
        What is solved. The right tree and algorithm are chosen.
    target : float or str, optional
        The exploitability to reach. For a spot in chips, or "0.3%" of the pot.
    iterations : int, optional
        The number of iterations, those before a resume included.
    seconds : float, optional
        The time.
    algorithm : str, default "auto"
        Of a game: a name such as "cfr+", "dcfr(1.5,0,2)", "es-mccfr" or "lp".
    alternating : bool, optional
        Of a game: whether players are updated in turn. The algorithm's own habit if left out.
    seed : int, default 0
        For algorithms that sample.
    threads : int, default 1
        Threads on the CPU: of spots, and of games on public trees.
    progress : callable, optional
        Called on the way with a riverboat.solvers.run.Progress.
    checkpoint : str or Path, optional
        A file that is renewed on the way and at the end.
    checkpoint_seconds : float, default 5.0
        Of a game: the time between two writes of the checkpoint.
    resume : str or Path, optional
        A checkpoint, or a saved result of an iterating algorithm, to go on from.
    memory_limit : int, optional
        Of a game: the bytes that its tree may take.
    memory : int or str, optional
        Of a spot: bytes, or a text such as "4GiB".
    locks : sequence, optional
        Of a spot: nodes whose strategy is given, as docs/spots.md writes them.
    device : str, default "cpu"
        "cpu", "cuda" (a GPU), or "auto": a GPU where it is quicker.

    Returns
    -------
    SolveResult, SolvedSpot or PreflopSolution
        The strategy and how good it is. rb.evaluate, rb.match and save() take it.

    Examples
    --------
    >>> result = rb.solve("kuhn")
    >>> round(result.value[0], 4)  # the first player loses 1/18 per hand
    -0.0556
    """
    if not isinstance(game, str) and hasattr(game, "solve"):
        return game.solve(**options)
    from riverboat.solvers.solve import solve as solve_game

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
    game: Literal["omaha"],
    hole_cards: int = 4,
    board: str | Sequence[int],
    pot: float,
    stack: float,
    ranges: tuple[str | OmahaRange, str | OmahaRange],
    sizes: Mapping[str, Any] = ...,
    rake: Mapping[str, float] = ...,
    tree: Any = ...,
    dead: str | Sequence[int] = (),
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
    """Return a spot of hold'em for two or three players, or of Omaha for two, for rb.solve.

    Parameters
    ----------
    source : str or Path, optional
        A TOML file, or the text of one; docs/spots.md has its keys. Without it, give the fields.
    game : str, optional
        "holdem", the default, or "omaha": pot-limit, with ranges such as "AA$ds,KQJT".
    hole_cards : int, optional
        In Omaha the cards of a hand, by default 4.
    board : str or sequence of int
        Three to five cards, "Qs Jh 2h".
    pot : float
        The chips in the pot.
    stack : float
        What every player has behind.
    stacks : sequence or mapping, optional
        For three players in place of `stack`: what each has behind.
    ranges : tuple of str or Range
        Two ranges, or three, in order of action.
    names : tuple of str, optional
        The names of three players, in order of action.
    sizes : mapping, optional
        Bet sizes by street and player: {"flop": {"oop": {"bet": "50%"}}}.
    rake : mapping, optional
        The rate, and the cap in chips: {"rate": 0.05, "cap": 3}.
    tree : mapping, optional
        Options of the tree, such as {"raises": 2}.
    dead : str or sequence of int, optional
        Cards that nobody can hold.
    payouts : mapping, optional
        For two players: prizes that chips are worth by ICM.
    folded : str, optional
        For three players: the range of a player who folded before the flop.

    Returns
    -------
    Spot
        The question; rb.solve answers it.

    Examples
    --------
    >>> river = rb.spot(board="Qs Jh 2h 7c 3d", pot=100, stack=100, ranges=("KK", "AA,99"),
    ...                 sizes={"river": {"ip": {"bet": "100%"}}})
    >>> rb.solve(river, iterations=10).spot.pot
    100
    """
    from riverboat.holdem.spots.spot import make_spot

    return make_spot(source, **fields)


def spot_from_hand(hands: str | Path, *, hand: int = 1, decision: int = 1) -> HandSpot:
    """Return the street of a decision in a played hand as a spot, with ranges to start from.

    Parameters
    ----------
    hands : str or Path
        A file of hands in PokerStars' text or PHH.
    hand : int, default 1
        The number of the hand in the file.
    decision : int, default 1
        The number of the decision, of all players' decisions from the flop on.

    Returns
    -------
    HandSpot
        The spot, the node of the decision, the cards held, and where the ranges are from.

    Examples
    --------
    >>> import riverboat as rb
    >>> from_hand = rb.spot_from_hand("hands.phhs", hand=5, decision=8)   # doctest: +SKIP
    >>> from_hand.spot, from_hand.node, from_hand.hand                    # doctest: +SKIP
    """
    from riverboat.holdem.histories.files import read_hand
    from riverboat.holdem.review.hand_spots import spot_from_hand as from_hand

    return from_hand(read_hand(hands, hand), decision)


def compare_nodes(
    first: str | Path | SolvedSpot,
    second: str | Path | SolvedSpot | None = None,
    *,
    node: str = "r:0",
    second_node: str | None = None,
    player: str | None = None,
    find: str | None = None,
) -> NodeComparison:
    """Return what differs between two nodes of one solved spot, or of two on the same board.

    Parameters
    ----------
    first : str, Path or SolvedSpot
        A solved spot, or its file.
    second : str, Path or SolvedSpot, optional
        Another one: locked, with other sizes or other ranges; by default the first again.
    node : str, default "r:0"
        The node of the first.
    second_node : str, optional
        The node of the second; by default the same.
    player : str, optional
        Whose hands are compared; by default those of the player who acts at the first node.
    find : str, optional
        Words that find hands, such as "flush draw without A"; only these are compared.

    Returns
    -------
    NodeComparison
        Sums, classes, groups and hands with both sides' figures; differences are the second less
        the first.

    Examples
    --------
    >>> river = rb.spot(board="Qs Jh 2h 7c 3d", pot=100, stack=100, ranges=("KK", "AA,99"),
    ...                 sizes={"river": {"ip": {"bet": "100%"}}})
    >>> always = rb.solve(river, iterations=50, locks=["r:0:c=all-in 100:1"])
    >>> change = rb.compare_nodes(rb.solve(river, iterations=50), always, node="r:0:c")
    >>> change.totals["ip"].strategy["check"] < 0
    True
    """
    from riverboat.holdem.spots.node_comparison import compare_nodes as compare

    one = _solved_spot(first)
    at = one.at(node)
    two = one if second is None else _solved_spot(second)
    seat = None if player is None else one.spot.seat_of(player)
    return compare(at, two.at(node if second_node is None else second_node), find, player=seat)


def report_flops(
    spot: str | Path | Spot,
    flops: str | Sequence[str] = "subset:25",
    *,
    target: str | float = "0.5%",
    locks: Sequence[Lock | str] = (),
    folder: str | Path | None = None,
    threads: int = 1,
    workers: int | None = None,
    memory: int | str | None = None,
    device: str = "cpu",
    progress: Callable[[JobProgress], None] | None = None,
) -> ReportTable:
    """Return what happens at the root of a spot on many flops, solved one by one.

    Parameters
    ----------
    spot : str, Path or Spot
        A spot of two or three players that begins on a flop, or its file. Its board is replaced.
    flops : str or sequence of str, default "subset:25"
        "all", "subset:25", a file with a flop in each line, or flops such as "QsJh2h".
    target : str or float, default "0.5%"
        How far each flop is solved: a percentage of the pot, or chips.
    locks : sequence of Lock or str, optional
        Locks that hold on every flop, such as "r:0=check:1".
    folder : str or Path, optional
        Where solved flops are kept; a report that was stopped goes on with them.
    threads : int, default 1
        Threads for each flop.
    workers : int, optional
        Processes that solve flops at the same time.
    memory : int or str, optional
        What a solve may take, such as "4GiB".
    device : str, default "cpu"
        "cpu", "cuda" or "auto".
    progress : callable, optional
        Called after each flop.

    Returns
    -------
    ReportTable
        A line for each flop: EV, equity, frequencies, texture and hand groups of all players.

    Examples
    --------
    >>> spot = rb.spot(board="Qs Jh 2h", pot=20, stack=20, ranges=("AsAh,QdJd", "KsKh,9d8d"),
    ...                sizes={"flop": {"oop": {"bet": "a"}}})
    >>> report = rb.report_flops(spot, ["7c5c2c", "7c7d2h"], target="5%")
    >>> report.columns["suits"]
    ['monotone', 'rainbow']
    """
    from tempfile import TemporaryDirectory

    from riverboat.holdem.spots.flop_report import report_rows
    from riverboat.holdem.spots.flops import flop_table, list_of_flops, parse_flops
    from riverboat.holdem.spots.locks import as_locks
    from riverboat.holdem.spots.schedule import parse_target
    from riverboat.holdem.spots.spot import Spot
    from riverboat.jobs.crews import open_crew
    from riverboat.runtime.devices import choose_device

    question = spot if isinstance(spot, Spot) else Spot.load(spot)
    listed = parse_flops(flops) if isinstance(flops, str) else list_of_flops("\n".join(flops))
    chips = parse_target(target, question.stake) if isinstance(target, str) else target
    with TemporaryDirectory() as unkept, open_crew(None, workers, cores=threads) as crew:
        rows = report_rows(
            question, listed, Path(unkept if folder is None else folder), crew,
            target=chips, threads=threads, memory=memory,
            device=choose_device(device), locks=as_locks(locks), progress=progress,
        )  # fmt: skip
        return flop_table(list(rows), question.names)


def report_node(
    source: str | Path | SolvedSpot,
    node: str,
    *,
    progress: Callable[[JobProgress], None] | None = None,
) -> ReportTable:
    """Return what is done at a node of a solved spot on all cards to come.

    Parameters
    ----------
    source : str, Path or SolvedSpot
        A solved spot of two or three players, or its file.
    node : str
        A node where a card comes, "r:0:c:c"; or one in which `any` stands for all cards:
        "r:0:c:c:any:b30" after a bet on all turns, "r:0:c:c:any:c:c:any" on all runouts.
    progress : callable, optional
        Called after each card.

    Returns
    -------
    ReportTable
        A line for each card or runout: EV, equity, frequencies, texture and hand groups.

    Examples
    --------
    >>> turn = rb.spot(board="Qs Jh 2h 7c", pot=20, stack=20, ranges=("AA", "KK,T9s"),
    ...                sizes={"river": {"oop": {"bet": "a"}}})
    >>> report = rb.report_node(rb.solve(turn, iterations=20), "r:0:c:c")
    >>> len(report), report.sorted("equity_oop").lines[-1].name[0]
    (48, 'K')
    """
    from riverboat.holdem.spots.node_report import report_node as report

    return report(_solved_spot(source), node, progress=progress)


def profiles() -> Names:
    """Return the names of the players that rb.exploit knows how to beat.

    Returns
    -------
    Names
        A tuple of names; a notebook shows what each does.

    Examples
    --------
    >>> "calls-too-much" in rb.profiles()
    True
    """
    from riverboat.strategies.profiles import shipped_profiles

    rows = [(name, profile.summary) for name, profile in shipped_profiles().items()]
    return Names.of(("profile", "what they do"), rows)


def exploit(
    solution: str | Path | SolvedSpot | SolveResult[Any] | Strategy,
    profile: str | Path | Profile | SolvedSpot | Strategy,
    *,
    opponent: str | int | None = None,
    player: str | int | None = None,
    confidence: float = 1.0,
    target: str | float = "0.1%",
    iterations: int | None = None,
    threads: int = 1,
    progress: ProgressCallback | None = None,
) -> SpotExploit | GameExploit:
    """Return what beats a player: the response, what it wins more, where, and what it risks.

    Parameters
    ----------
    solution : str, Path, SolvedSpot, SolveResult or Strategy
        A solved spot or the strategy of a small game, or its file. All but the opponent and the
        one who exploits play it.
    profile : str, Path, Profile, SolvedSpot or Strategy
        How the opponent plays: a name of rb.profiles(), a TOML file, or another solution, such as
        one with locks, or its file.
    opponent : str or int, optional
        Who plays so: a name of a spot ("ip"), a number of a game, counted from 0; by default the
        last.
    player : str or int, optional
        Who exploits; by default the first other.
    confidence : float, default 1.0
        The slider between safe and greedy: the probability with which the opponent is taken to play
        so. 1 is a best response, 0 the solution, between them a restricted Nash response.
    target : str or float, default "0.1%"
        Spots: how near a restricted Nash response comes to its equilibrium, in chips or per cent of
        the pot. That of a small game is exact.
    iterations : int, optional
        Spots: the most iterations for it; 2,000 if left out.
    threads : int, default 1
        Spots: threads on the CPU.
    progress : callable, optional
        Spots: called on the way with a riverboat.solvers.run.Progress.

    Returns
    -------
    SpotExploit or GameExploit
        `gain`, `risk`, `ev`, the decisions with their part of the gain, and the exploiting
        strategy.

    Examples
    --------
    >>> kuhn = rb.solve("kuhn", algorithm="lp")
    >>> beaten = rb.exploit(kuhn, "always-continues", opponent=1)
    >>> beaten.infosets[0].infoset, round(beaten.gain, 4), round(beaten.risk, 4)
    ('K|', 0.3889, 0.1111)
    """
    from riverboat.holdem.spots.exploit import exploit_spot
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.solvers.game_exploit import exploit_game

    solved, faced = _solution(solution), _faced(profile)
    seats = {"opponent": opponent, "player": player}
    if isinstance(solved, SolvedSpot):
        for name, seat in seats.items():
            if isinstance(seat, int):
                known = ", ".join(solved.spot.names)
                raise UsageError(f"The {name} in a spot is named: {known}.")
        return exploit_spot(
            solved, faced, opponent=cast("str", opponent), player=cast("str", player),
            confidence=confidence, target=target, iterations=iterations, threads=threads,
            progress=progress,
        )  # fmt: skip
    for name, seat in seats.items():
        if isinstance(seat, str):
            raise UsageError(f"The {name} in a game is a number, 0 for the first player.")
    return exploit_game(
        solved, faced, opponent=cast("int", opponent), player=cast("int", player),
        confidence=confidence,
    )  # fmt: skip


def training(
    person: str,
    *,
    deck: str | None = None,
    folder: str | Path | None = None,
    now: datetime | None = None,
) -> TrainingResults:
    """Return what a person's drills came to: results by day and group, and what comes again.

    Parameters
    ----------
    person : str
        The name that drills were given with --person, or in the browser.
    deck : str, optional
        Only what was drilled under this name, or the one whose name has these words.
    folder : str or Path, optional
        The folder of data; by default the user's.
    now : datetime, optional
        The time with its zone, on which depends what is due; by default this moment.

    Returns
    -------
    TrainingResults
        `rows`, `of("day")`, `of("street")`, `to_frame()`, `figure()`.

    Examples
    --------
    >>> ada = rb.training("Ada")  # doctest: +SKIP
    >>> ada.due, ada.of("street")[0].per_decision  # doctest: +SKIP
    (3, 0.42)
    """
    from datetime import datetime as clock

    from riverboat.arena.memory import Memory
    from riverboat.arena.people import known_file
    from riverboat.arena.training_results import TrainingResults
    from riverboat.runtime.storage import data_folder

    below = Path(folder) if folder is not None else data_folder()
    memory = Memory(known_file(below, person))
    return TrainingResults.of_memory(memory, now or clock.now().astimezone(), deck)


def preflop(source: str | Path | None = None, **keys: Any) -> PushFold | FlopQuestion:
    """Return a game of hold'em before the flop, to be solved by rb.solve.

    Parameters
    ----------
    source : str or Path, optional
        A TOML file, or the text of one. Without it, give its keys.
    **keys
        The keys of such a file, as docs/preflop.md lists them: stacks, blinds, ante, payouts …

    Returns
    -------
    PushFold or FlopQuestion
        All-in or fold, or with game="flops" two players and the flops behind.

    Examples
    --------
    >>> rb.preflop(stacks=[10, 10]).num_players
    2
    """
    from riverboat.holdem.preflop.questions import make_preflop

    return make_preflop(source, **keys)


def evaluate(
    game: str | Path | Game | AnyStrategy | Solved,
    strategy: str | Path | AnyStrategy | Solved | None = None,
    *,
    memory_limit: int | None = None,
) -> Evaluation:
    """Return how good a strategy is: value, best responses and exploitability.

    Parameters
    ----------
    game : AnyStrategy, SolveResult, str or Path
        The strategy, the result of a solve, or a file. With two arguments: the game.
    strategy : AnyStrategy, SolveResult, str or Path, optional
        The strategy, where its game is the first argument.
    memory_limit : int, optional
        The bytes that the tree may take.

    Returns
    -------
    Evaluation
        Exact figures. Of a Q table: the exact outcome and regret.

    Examples
    --------
    >>> result = rb.solve("kuhn")
    >>> rb.evaluate(result).exploitability < 1e-6
    True
    """
    from riverboat.evaluation.exploitability import evaluate_any

    if strategy is None:
        return evaluate_any(_strategy(game), memory_limit=memory_limit)
    rules = game_of(cast("str | Game", game))
    return evaluate_any(_strategy(strategy), rules, memory_limit=memory_limit)


def best_response(
    strategy: str | Path | AnyStrategy | Solved, player: int, *, memory_limit: int | None = None
) -> AnyStrategy:
    """Return the strategy with a pure best response in one player's place.

    Parameters
    ----------
    strategy : AnyStrategy, SolveResult, str or Path
        What the others play: a strategy, the result of a solve, or a file.
    player : int
        Whose best response: 0 is the first player.
    memory_limit : int, optional
        The bytes that the tree may take.

    Returns
    -------
    AnyStrategy
        The same strategy, with this player's best response to it.

    Examples
    --------
    >>> strategy = rb.solve("kuhn").strategy
    >>> rb.best_response(strategy, 1)[1, "K|b"]["b"]  # call a bet with the king
    1.0
    """
    from riverboat.evaluation.exploitability import best_response as respond
    from riverboat.games.contract import check_game

    others = _strategy(strategy)
    check_game(make_game(others.game, others.parameters))
    return respond(others, player, memory_limit=memory_limit)


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
    """Learn a strategy by playing.

    Parameters
    ----------
    what : {"twentyone", "holdem"}
        The game.
    games : int, default 1_000_000
        Twenty-one: the number of games.
    method : str, default "on-policy"
        Twenty-one: how it learns; docs/twentyone.md has the methods.
    state : str, default "points"
        Twenty-one: what the player looks at.
    objective : str, default "reward"
        Twenty-one: what is counted.
    table : QTable, optional
        Twenty-one: a table to go on from.
    config : str, Path or HoldemConfig, default "headsup-small"
        Hold'em: a shipped config by name, or a TOML file.
    minutes : float, optional
        Hold'em: the time.
    iterations : int, optional
        Hold'em: the number of walks of one player over one deal, in place of the time.
    threads : int, default 1
        Hold'em: threads on the CPU.
    seed : int, default 0
        Of the deals.
    progress : callable, optional
        Called on the way with a riverboat.solvers.run.Progress.

    Returns
    -------
    QTable or Blueprint
        A strategy like all others: it is saved, evaluated and played.

    Examples
    --------
    >>> rb.train("twentyone", games=1_000).info["games"]
    1000
    """
    try:
        name = game_class(what).name
    except UnknownNameError:
        raise UnknownNameError.among("thing to train", what, ("holdem", "twentyone")) from None
    if name == "twentyone":
        from riverboat.twentyone.learning.regret import train_table

        return train_table(**options)
    if name == "holdem":
        from riverboat.holdem.blueprints.trainer import train_blueprint

        return train_blueprint(**options)
    raise UsageError(f"{name} is not trained but solved: rb.solve({name!r}).")


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
    """Return how strong a hold'em blueprint is, by duplicate deals and local best response.

    Parameters
    ----------
    blueprint : Blueprint, str or Path
        The blueprint, or its file.
    against : sequence of str
        Sparring partners: styles or players by name.
    deals : int, default 1000
        Duplicate deals against each of them.
    boards : int, optional
        Boards of local best response; 100 if left out, 0 for none.
    raises : str, default "0.5p,1p,a"
        The sizes that the local best response bets: parts of the pot, "a" for all-in.
    baseline : Blueprint, str or Path, optional
        Another blueprint, measured on the same boards.
    response : int, default 0
        Deals that a response in the abstraction learns from; 0 for none.
    threads : int, default 1
        Threads on the CPU.
    seed : int, default 0
        Of deals and boards.

    Returns
    -------
    Strength
        Means with 95 % intervals in mbb/g, thousandths of a big blind per game.

    Examples
    --------
    >>> rb.strength("shipped", against="call", deals=500)  # doctest: +SKIP
    """
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.measure import measure

    measured = _strategy(blueprint)
    if not isinstance(measured, Blueprint):
        raise UsageError("The strength of hold'em blueprints is measured; others: rb.evaluate(x).")
    return measure(
        measured,
        against=against,
        deals=deals,
        boards=boards,
        raises=raises,
        baseline=baseline,
        response=response,
        threads=threads,
        seed=seed,
    )


def abstraction(
    source: str | Mapping[str, Any],
    *,
    threads: int = 1,
    progress: Callable[[str, float], None] | None = None,
    rebuild: bool = False,
) -> CardAbstraction:
    """Return a card abstraction of hold'em, from the cache or else built and kept there.

    Parameters
    ----------
    source : str or mapping
        A name ("equity-k-200"), a recipe, or a file; docs/abstraction.md has them.
    threads : int, default 1
        Threads that build it.
    progress : callable, optional
        Called on the way with what is done and its share.
    rebuild : bool, default False
        Build it although it is in the cache.

    Returns
    -------
    CardAbstraction
        The bucket of every hand on every street.

    Examples
    --------
    >>> rb.abstraction("preflop169").num_buckets[0]
    169
    """
    from riverboat.holdem.abstraction.card_tables import card_abstraction

    return card_abstraction(source, threads=threads, progress=progress, rebuild=rebuild)


def blackjack(
    preset: str = "vegas-6d-s17",
    *,
    shoe: Sequence[int] | None = None,
    convention: str = "CDZ-",
    strategy: Any = None,
    **changes: Any,
) -> Analysis:
    """Return the exact analysis of a blackjack table.

    Parameters
    ----------
    preset : str, default "vegas-6d-s17"
        A rule set by name.
    shoe : sequence of int, optional
        The number of cards of each rank, aces first; a full shoe if left out.
    convention : {"CDZ-", "CDP", "CDPN"}
        How the player plays split hands.
    strategy : BlackjackStrategy, optional
        A chart to evaluate; the best play if left out.
    **changes
        Rules that differ from the preset's, such as h17=True.

    Returns
    -------
    Analysis
        The table's value, and by hand("T,6", "10") that of each action.

    Examples
    --------
    >>> table = rb.blackjack("single-deck", h17=True)
    >>> list(table.action_values("T,6", "10"))[0]  # the best action
    'hit'
    """
    from riverboat.blackjack.exact.analysis import analyse
    from riverboat.blackjack.rules import rules_from

    return analyse(rules_from(preset, changes), shoe, convention, strategy)


def equity(
    *players: str | Range | OmahaRange,
    board: str = "",
    game: EquityGame = "holdem",
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    samples: int | None = None,
    seed: int = 0,
) -> Equity:
    """Return the equity of hands or ranges.

    Parameters
    ----------
    *players : str, Range or OmahaRange
        Two to nine hands ("AsAh") or ranges ("QQ+,AKs"; for Omaha "AsKsQhJh" or "AA$ds").
    board : str, default ""
        The cards that lie open, "Qs Jh 2d".
    game : {"holdem", "omaha", "omaha5", "shortdeck"}
        What is played; "omaha5" is Omaha with five cards.
    method : {"auto", "exact", "monte-carlo"}
        Count every runout or sample some; "auto" samples where counting would take long.
    samples : int, optional
        The number of samples.
    seed : int, default 0
        Of the samples.

    Returns
    -------
    Equity
        Each player's share of wins and ties.

    Examples
    --------
    >>> rb.equity("AsAh", "KdKc", board="Qs Jh 2d").as_dict()["total"]  # 45 choose 2 runouts
    990
    """
    from riverboat.cards.game_equity import game_equity

    def kept_table() -> PreflopTable:
        from riverboat.holdem.abstraction.preflop_store import preflop_table

        return preflop_table()

    return game_equity(
        game, players, board, method=method, samples=samples, seed=seed, table=kept_table
    )


def rank(cards: str) -> str:
    """Return a hand of poker in words.

    Parameters
    ----------
    cards : str
        Five to seven cards.

    Returns
    -------
    str
        What the best five of them make.

    Examples
    --------
    >>> rb.rank("Ks Kd Kh 3c 3s")
    'full house, kings over threes'
    """
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
def load(path: str | Path, kind: Literal["three-way-spot"]) -> SolvedSpot: ...
@overload
def load(path: str | Path, kind: Literal["preflop"]) -> PreflopSolution: ...
@overload
def load(path: str | Path, kind: str | None = None) -> Any: ...


def load(path: str | Path, kind: str | None = None) -> Any:
    """Read a file of any kind.

    Parameters
    ----------
    path : str or Path
        The file; "shipped" is the hold'em blueprint that comes with the package.
    kind : str, optional
        "strategy", "public-strategy", "q-table", "blueprint", "mcts-memory", "spot",
        "three-way-spot" or "preflop": a file of another kind is refused, and an editor knows
        what is returned.

    Returns
    -------
    AnyStrategy, SolvedSpot or PreflopSolution
        What the file holds.

    Examples
    --------
    >>> rb.save(rb.solve("kuhn"), "kuhn.rb")
    >>> rb.load("kuhn.rb", "strategy").game
    'kuhn'
    """
    from riverboat.strategies.kinds import kind_of, known_kinds
    from riverboat.strategies.kinds import load as load_file

    if kind is not None and kind not in known_kinds():
        raise UnknownNameError.among("kind of file", kind, known_kinds())
    holds = "blueprint" if str(path) == "shipped" else kind_of(path).name
    if kind not in (None, holds):
        raise UsageError(
            f"{path} holds {known_kinds()[holds].title}, not {known_kinds()[str(kind)].title}."
        )
    if str(path) == "shipped":
        from riverboat.holdem.blueprints.blueprint import Blueprint

        return Blueprint.load(path)
    return load_file(path)


@overload
def register(thing: Registered, *, player: str = "") -> Registered: ...


@overload
def register(*, player: str = "") -> Callable[[Registered], Registered]: ...


def register(thing: Any = None, *, player: str = "") -> Any:
    """Make a game, a player, a file kind or an algorithm of your own known by name.

    Parameters
    ----------
    thing : class, callable, FileKind, Algorithm or CFRConfig, optional
        A game's class, a function of (game, spec) that makes a player, a kind of file, or an
        algorithm. Left out, rb.register is a decorator with options.
    player : str, default ""
        The name of the player, where `thing` makes one.

    Returns
    -------
    class, callable, FileKind, Algorithm or CFRConfig
        The thing itself, so that rb.register is a decorator too.

    Examples
    --------
    >>> @rb.register(player="cautious")
    ... def cautious(game, spec):
    ...     return rb.player(game, "random")
    >>> "cautious" in rb.players()
    True
    """
    if thing is None:
        return lambda later: register(later, player=player)
    if player:
        from riverboat.players.roster import register_player

        return register_player(player, thing)
    if isinstance(thing, type):
        return register_game(cast("type[Game]", thing))
    from riverboat.solvers.algorithms import Algorithm, CFRConfig
    from riverboat.solvers.algorithms import register as register_algorithm
    from riverboat.strategies.kinds import FileKind, register_kind

    if isinstance(thing, FileKind):
        return register_kind(thing)
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


def _solved_spot(source: str | Path | SolvedSpot) -> SolvedSpot:
    """A solved spot, or the one in a file."""
    from riverboat.holdem.spots.solved import load_spot

    return load_spot(source) if isinstance(source, str | Path) else source


def _solution(source: Any) -> SolvedSpot | Strategy:
    """A solved spot or a small game's strategy, or the one in a file."""
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.strategies.kinds import load as load_file
    from riverboat.strategies.strategy import Strategy

    loaded = load_file(source) if isinstance(source, str | Path) else source
    loaded = getattr(loaded, "strategy", loaded) if not isinstance(loaded, SolvedSpot) else loaded
    if isinstance(loaded, SolvedSpot | Strategy):
        return loaded
    what = source if isinstance(source, str | Path) else type(source).__name__
    raise UsageError(f"{what} is neither a solved spot nor the strategy of a small game.")


def _faced(profile: Any) -> Any:
    """A profile, or its name or TOML file, as it is; another file is a solution."""
    if isinstance(profile, str | Path) and Path(profile).suffix == ".rb":
        return _solution(profile)
    if isinstance(profile, str | Path) or hasattr(profile, "shifts"):
        return profile
    return _solution(profile)


def _strategy(source: Any) -> AnyStrategy:
    """The strategy that a file, a result or the strategy itself stands for."""
    from riverboat.strategies.any_strategy import AnyStrategy
    from riverboat.strategies.kinds import load_table

    loaded = load_table(source) if isinstance(source, str | Path) else source
    strategy = loaded if isinstance(loaded, AnyStrategy) else getattr(loaded, "strategy", None)
    if not isinstance(strategy, AnyStrategy):
        raise UsageError(f"{type(source).__name__} is no strategy, no result and no file of one.")
    return strategy


# These three functions have the name of a package, and its contents as their attributes: without
# them `import riverboat.games.kuhn as kuhn` would look for `kuhn` in the function and fail.
for _function in (blackjack, games, players):
    _function.__dict__ = sys.modules[f"riverboat.{_function.__name__}"].__dict__
