"""Tools of small games: solve one, and what a strategy loses."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from riverboat.assistants._answers import Answer, Seconds, Workshop, count_words, number
from riverboat.errors import IllegalActionError, UnknownNameError, UsageError
from riverboat.evaluation.exploitability import evaluate_any
from riverboat.games.base import Game
from riverboat.games.contract import check_game
from riverboat.games.registry import ALIASES, GAMES, make_game
from riverboat.solvers.run import Progress
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.kinds import load_table, save
from riverboat.strategies.strategy import strategy_on

SOLVE_SECONDS = 10.0
ROUNDING = 0.01  # By which probabilities may miss 1
MAX_SHOWN = 300  # Infosets whose strategy is shown
MAX_TREE = 256 << 20
"""Bytes of a strategy that is given as a table: such games are small."""

GameName = Annotated[
    str, Field(max_length=40, description="kuhn, leduc, liars_dice, showdown, rps or duel.")
]
Parameters = Annotated[
    dict[
        Annotated[str, Field(max_length=40)],
        bool
        | Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
        | Annotated[float, Field(ge=-1e6, le=1e6)]
        | Annotated[str, Field(max_length=100)],
    ],
    Field(max_length=30, description='The game\'s parameters that differ, such as {"players": 3}.'),
]
Table = Annotated[
    dict[
        Annotated[str, Field(max_length=300)],
        Annotated[
            dict[
                Annotated[str, Field(max_length=40)],
                Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)],
            ],
            Field(max_length=100),
        ],
    ],
    Field(
        max_length=20_000,
        description='Infoset → action → weight, {"J|": {"p": 2, "b": 1}, "Q|b": {"b": 1}};'
        ' "0 J|" where the player must be named too. Others are played uniformly.',
    ),
]
FileName = Annotated[
    str, Field(max_length=100, description="A file of the library, such as kuhn.rb; empty: none.")
]


class GameSolution(Answer):
    """A solved game."""

    game: str
    parameters: dict[str, Any]
    algorithm: str
    value: list[float] = Field(description="What each player wins on average.")
    exploitability: float
    num_infosets: int
    strategy: dict[str, dict[str, float]] = Field(
        description='"PLAYER INFOSET" → action → probability; left out where there are too many.'
    )
    actions: dict[str, str] = Field(description="What the actions are called.")
    file: str


class StrategyLoss(Answer):
    """How good a strategy is."""

    game: str
    value: list[float] = Field(description="What each player wins when all follow the strategy.")
    best_response: list[float] = Field(description="What each would win by the best response.")
    gains: list[float] = Field(description="The difference: what each could gain.")
    exploitability: float = Field(description="The mean of the gains.")


def solve_game(
    shop: Workshop,
    game: GameName,
    parameters: Parameters = {},  # noqa: B006
    algorithm: Annotated[
        str, Field(max_length=60, description='"auto", "cfr+", "dcfr", "es-mccfr", "lp" …')
    ] = "auto",
    seconds: Seconds = None,
    save_as: FileName = "",
) -> GameSolution:
    """Solve a small game: a strategy that nobody can exploit, the game's value, and its gap."""
    from riverboat.solvers.solve import solve
    from riverboat.strategies.strategy import Strategy

    rules = _game(game, parameters)
    path = shop.file(save_as) if save_as else None
    if path is not None and path.exists():
        raise UsageError(f"{save_as} is in the library already; choose another name.")
    limit: dict[str, Any] = {}
    if seconds is not None:
        limit["seconds"] = shop.time_for(seconds, SOLVE_SECONDS)

    def show(now: Progress) -> None:
        gap = "" if math.isnan(now.exploitability) else f", exploitable by {now.exploitability:.3g}"
        shop.report(now.share, f"{now.iterations:,} iterations{gap}")

    result = solve(
        rules,
        algorithm=_opponent_in_library(shop, algorithm),
        memory_limit=shop.memory,
        progress=show,
        **limit,
    )
    if path is not None:
        save(result.strategy, path)
    value = [number(v) or 0.0 for v in result.value]
    gap, strategy = result.exploitability, result.strategy
    table: dict[str, dict[str, float]] = {}
    if isinstance(strategy, Strategy) and len(strategy) <= MAX_SHOWN:
        table = {
            f"{player} {infoset}": {action: number(p) or 0.0 for action, p in chances.items()}
            for player, infoset, chances in strategy.entries()
        }
    first = f"the first player wins {value[0]:+.6g} a hand" if value else ""
    took = f", {result.iterations:,} iterations" if result.iterations else ""
    used = {action for row in table.values() for action in row}
    return GameSolution(
        answer=f"{rules.title}: {first} on average; no player gains more than"
        f" {max(0.0, result.nash_conv):.2g} by deviating.",
        assumed=[_parameters_words(rules), "all players play the solution"],
        exactness=f"Exploitability {gap:.2g}, measured by exact best responses"
        f" ({result.algorithm}{took})."
        + (" Of three and more players it is no proof of an equilibrium." * (len(value) > 2)),
        game=strategy.game,
        parameters=_plain(strategy.parameters),
        algorithm=result.algorithm,
        value=value,
        exploitability=gap,
        num_infosets=int(strategy.info["infosets"]),
        strategy=table,
        actions={action: rules.action_label(action) for action in sorted(used)},
        file=save_as,
    )


def strategy_loss(
    shop: Workshop,
    game: Annotated[
        str, Field(max_length=40, description="The game of the table; empty with a file.")
    ] = "",
    strategy: Table = {},  # noqa: B006
    file: FileName = "",
    parameters: Parameters = {},  # noqa: B006
) -> StrategyLoss:
    """What a strategy loses to the best answer: one given as a table, or a file of the library."""
    if bool(file) == bool(game):
        raise UsageError("Give a game with a strategy as a table, or a file, one of the two.")
    if file and (strategy or parameters):
        raise UsageError("A file has its own game and strategy: leave the others out.")
    known: AnyStrategy
    if file:
        known = load_table(shop.file_there(file))
        rules = _game(known.game, dict(known.parameters))
    else:
        rules = _game(game, parameters)
        known = _from_table(rules, strategy)
    evaluation = evaluate_any(known, rules, memory_limit=shop.memory)
    gains = [
        best - value for best, value in zip(evaluation.best_response, evaluation.value, strict=True)
    ]
    shown = ", ".join(f"player {i + 1} {round(gain, 9) + 0.0:.6g}" for i, gain in enumerate(gains))
    rest = f"{count_words(len(strategy), 'infoset')} given, all others uniform"
    return StrategyLoss(
        answer=f"In {rules.title} a best response gains per hand, in the place of {shown};"
        f" exploitability {round(evaluation.exploitability, 9) + 0.0:.6g}.",
        assumed=[_parameters_words(rules), f"the file {file}" if file else rest],
        exactness="Exact: every history is counted.",
        game=rules.name,
        value=[number(v, 9) or 0.0 for v in evaluation.value],
        best_response=[number(v, 9) or 0.0 for v in evaluation.best_response],
        gains=[number(v, 9) or 0.0 for v in gains],
        exploitability=number(evaluation.exploitability, 9) or 0.0,
    )


def _game(name: str, parameters: dict[str, Any]) -> Game:
    """A game of the house; those of other libraries may read files, and are refused."""
    if ":" in name:
        raise UnknownNameError.among("game", name, GAMES)
    plain = "_".join(name.lower().replace("-", " ").split())
    if plain not in GAMES and plain not in ALIASES:
        raise UnknownNameError.among("game", name, GAMES)
    rules = make_game(plain, parameters)
    if other_way := getattr(rules, "other_way", ""):
        raise UsageError(f"{other_way} Here: blackjack_hand, spot, preflop or push_fold.")
    check_game(rules)
    return rules


def _opponent_in_library(shop: Workshop, algorithm: str) -> str:
    """An algorithm whose opponent, where it names a file, is one of the library."""
    from riverboat.solvers.algorithms import AGAINST, parse_algorithm

    name, equals, opponent = parse_algorithm(algorithm).text.partition("=")
    if name != AGAINST or not equals or opponent == "random":
        return algorithm
    return f"{AGAINST}={shop.file_there(opponent)}"


def _from_table(rules: Game, table: dict[str, dict[str, float]]) -> AnyStrategy:
    """The strategy of a table; infosets and actions that the game does not have are refused."""
    from riverboat.trees.game_tree import build_tree

    tree = build_tree(rules, memory_limit=MAX_TREE)
    keys = list(zip(tree.players.tolist(), tree.infosets, strict=True))
    places: dict[str, list[int]] = {}
    for i, (player, infoset) in enumerate(keys):
        places.setdefault(infoset, []).append(i)
        places.setdefault(f"{player} {infoset}", []).append(i)
    probabilities, offsets = tree.uniform(), tree.offsets.tolist()
    for name, row in table.items():
        if name not in places:
            raise UnknownNameError.among("infoset", name, [infoset for _, infoset in keys])
        if sum(row.values()) <= 0:
            raise UsageError(f"At {name} no action has a weight above 0.")
        if abs(sum(row.values()) - 1) > ROUNDING:
            raise UsageError(
                f"At {name} the probabilities add up to {sum(row.values()):.6g}, and not to 1."
            )
        for i in places[name]:
            actions = tree.actions[offsets[i] : offsets[i + 1]]
            for action in row:
                if action not in actions:
                    raise IllegalActionError(
                        f"At {name} there is no action {action!r}; there are: {', '.join(actions)}."
                    )
            weights = np.array([row.get(action, 0.0) for action in actions])
            probabilities[offsets[i] : offsets[i + 1]] = weights / weights.sum()
    return strategy_on(tree, probabilities, {"algorithm": "table"})


def _parameters_words(rules: Game) -> str:
    from riverboat.games.base import parameters_of

    given = ", ".join(f"{key}={value}" for key, value in parameters_of(rules).items())
    return f"{rules.name}{f' with {given}' if given else ''}"


def _plain(parameters: Any) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in parameters.items()}
