"""Players between OpenSpiel and us: its bots at our tables, our strategies as its policies.

    riverboat match openspiel:tic_tac_toe openspiel:mcts openspiel:uniform_random --hands 100

    result = riverboat.solve("openspiel:leduc_poker")
    policy = strategy_policy(result.strategy)
    exploitability.nash_conv(policy.game, policy)       # open_spiel.python.algorithms

A bot gets OpenSpiel's state, as in OpenSpiel's own loops, and what the others did since its last
move. Plain MCTS would look at the hidden cards of such a state, so it is refused where something is
hidden; `ismcts` samples them itself. A strategy for one of our own games is a policy of its game
there, `riverboat_leduc`; where players move at the same time, of the turn-based game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Action, Game, State
from riverboat.games.registry import make_game
from riverboat.interop._libraries import library
from riverboat.interop.openspiel_game import OpenSpielGame, OpenSpielState, spiel
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec
from riverboat.strategies.strategy import Lookup

library("open_spiel.python.policy", "OpenSpiel")

from open_spiel.python import policy as spiel_policy  # noqa: E402

MakeBot: TypeAlias = Callable[[Any, int, int], Any]  # (pyspiel game, player, seed) → pyspiel.Bot
SEARCHES: dict[str, dict[str, float]] = {
    name: {"simulations": 200, "rollouts": 1, "uct": 2.0} for name in ("mcts", "ismcts")
}
"""Search bot → its options with their defaults."""
SHORT = {"uniform": "uniform_random", "random": "uniform_random"}


class BotPlayer:
    """A player whose moves any pyspiel.Bot chooses; it makes one bot for each seat it sits in.

    BotPlayer("mine", game, lambda spiel_game, player, seed: MyBot(player))
    """

    def __init__(self, name: str, game: Game, make: MakeBot) -> None:
        self.name, self.game, self.make = name, game, make
        self.inner = _inner(game)
        self._bots: dict[int, Any] = {}
        self._reported: dict[int, list[tuple[int, int]]] = {}

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        raise UsageError(f"{self.name} needs a table that shows it OpenSpiel's state.")

    def choose_knowing(self, state: State, rng: np.random.Generator) -> Action:
        """The bot's move; the table hands over the state (players.roster.TRUSTED)."""
        player = state.actor
        if player not in self._bots:
            self._bots[player] = self.make(self.inner, player, int(rng.integers(2**31)))
        bot, theirs = self._bots[player], self._state(state)
        try:
            self._inform(bot, player, theirs)
            number = int(bot.step(theirs))
        except spiel().SpielError as error:
            why = " ".join(str(error).split())[:200].rstrip(".")
            raise UsageError(f"OpenSpiel's bot {self.name} cannot play here: {why}.") from None
        if number not in theirs.legal_actions():
            raise UsageError(f"OpenSpiel's bot {self.name} chose {number}, an illegal action.")
        if isinstance(state, OpenSpielState):
            return next(text for text, known in state.numbers.items() if known == number)
        return str(theirs.action_to_string(player, number))

    def _state(self, state: State) -> Any:
        if isinstance(state, OpenSpielState):
            return state.inner
        from riverboat.interop.openspiel_registration import RiverboatState

        return RiverboatState(self.inner, state)

    def _inform(self, bot: Any, player: int, state: Any) -> None:
        """Report to the bot what happened since its last move; a new play starts it anew."""
        history = [(int(item.player), int(item.action)) for item in state.full_history()]
        reported = self._reported.get(player)
        num_reported = 0 if reported is None else len(reported)
        if reported is None or history[:num_reported] != reported or len(history) == num_reported:
            bot.restart()
            num_reported = 0
        if len(history) > num_reported:
            past = self.inner.new_initial_state()
            for number, (actor, action) in enumerate(history):
                if number >= num_reported and actor != player:
                    bot.inform_action(past, actor, action)
                past.apply_action(action)
        self._reported[player] = history


def _inner(game: Game) -> Any:
    """OpenSpiel's own object for a game of its, or one made of ours."""
    if isinstance(game, OpenSpielGame):
        return game.inner
    from riverboat.interop.openspiel_registration import riverboat_game

    return riverboat_game(game)


def openspiel_player(game: Game, spec: PlayerSpec) -> BotPlayer:
    """`openspiel:BOT`: mcts, ismcts or a bot that OpenSpiel knows by name."""
    pyspiel, name = spiel(), SHORT.get(spec.argument, spec.argument)
    known = [*SEARCHES, *pyspiel.registered_bots()]
    if name not in known:
        raise UnknownNameError.among("OpenSpiel bot", name, known)
    if name not in SEARCHES:
        options = {key: _option(spec, key) for key in spec.options}
        return BotPlayer(spec.text, game, _maker(name, options))
    options = dict(SEARCHES[name])
    spec.check_options(options)
    options |= {key: _option(spec, key) for key in spec.options}
    player = BotPlayer(spec.text, game, _maker(name, options))
    if name == "ismcts" and type(player.inner).__module__ != "pyspiel":
        raise UsageError(
            f"openspiel:ismcts cannot draw the hidden cards of {game.name} anew, for it is a"
            " Python game; take a game of OpenSpiel's own."
        )
    if name == "mcts" and player.inner.get_type().information.name != "PERFECT_INFORMATION":
        raise UsageError(
            f"openspiel:mcts would see what is hidden in {game.name}; take openspiel:ismcts."
        )
    return player


def _option(spec: PlayerSpec, key: str) -> float:
    value = spec.number(key, 0.0, 1e-9, 1e9)
    return int(value) if value == int(value) else value


def _maker(name: str, options: Mapping[str, float]) -> MakeBot:
    pyspiel = spiel()

    def make(game: Any, player: int, seed: int) -> Any:
        if name == "uniform_random":
            return pyspiel.make_uniform_random_bot(player, seed)
        if name not in SEARCHES:
            return pyspiel.load_bot(name, game, player, dict(options))
        simulations = int(options["simulations"])
        evaluator = pyspiel.RandomRolloutEvaluator(int(options["rollouts"]), seed)
        if name == "mcts":
            memory, solve, verbose = 1000, True, False
            return pyspiel.MCTSBot(
                game, evaluator, options["uct"], simulations, memory, solve, seed, verbose
            )
        return pyspiel.ISMCTSBot(seed, evaluator, options["uct"], simulations)

    return make


class StrategyPolicy(spiel_policy.Policy):  # type: ignore[misc]
    """A strategy, as OpenSpiel asks for it; uniform where the strategy knows nothing."""

    def __init__(self, rules: Game, strategy: Lookup) -> None:
        self.rules, self.strategy = rules, strategy
        super().__init__(_inner(rules), list(range(rules.num_players)))

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        player = int(state.current_player()) if player_id is None else player_id
        ours, numbers = self._ours(state)
        known = self.strategy.lookup(player, ours.infoset(player)) or {}
        weights = {numbers[text]: float(known.get(text, 0.0)) for text in numbers}
        total = sum(weights.values())
        if total <= 0:
            return {number: 1 / len(weights) for number in weights}
        return {number: weight / total for number, weight in weights.items()}

    def _ours(self, state: Any) -> tuple[Any, dict[str, int]]:
        """The state as ours, and each action's number there."""
        if isinstance(self.rules, OpenSpielGame):
            ours = OpenSpielState(self.rules, state)
            return ours, ours.numbers
        held = getattr(state, "held", None)
        if held is None:
            raise UsageError(f"The strategy is for {self.rules.name}, not for {state.get_game()}.")
        return held.state, {text: held.book.action_numbers[text] for text in held.state.actions()}


def strategy_policy(strategy: Lookup) -> StrategyPolicy:
    """A strategy as a policy of the game it is for."""
    return StrategyPolicy(make_game(strategy.game, strategy.parameters), strategy)
