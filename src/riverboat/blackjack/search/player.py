"""The player that searches: `mcts[?simulations=…&ms=…&memory=FILE]`.

At twenty-one and blackjack it runs search.mcts for every decision, on the cards it has not seen.
At a small game between players it is information-set search, made once when it sits down.

| option | default | meaning |
|---|---|---|
| simulations | 100000 | simulated rounds a decision, at most |
| ms | 1000 | milliseconds a decision, at most; given alone, simulations have no limit |
| memory | | a memory, text or binary, to begin from |
| selection | ucb1 | ucb1, ucb1-tuned, puct or flat |
| backup | bellman | bellman or average |
| rollout | basic | basic, random or greedy (from the memory) |

At a dealer over TCP, whose patience is not known, an answer takes about 10 ms in all unless
simulations or ms are given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from riverboat.blackjack.round import Blackjack, Round, play_round
from riverboat.blackjack.rules import RANKS, Shoe, fresh_cards
from riverboat.blackjack.search.mcts import Budget, Search, SearchConfig, SearchResult, offer_values
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.problem import TWENTYONE, ShoeView, Situation, Table
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.players.player import Player, View
from riverboat.players.roster import PlayerSpec
from riverboat.runtime.array_types import F64
from riverboat.runtime.stopping import current_stop

SIMULATIONS, MS = 100_000, 1_000.0
SEARCH_SHARE = 0.5
"""The part of a time limit that is searched; the rest is for what comes before and after."""
OPTIONS = ("simulations", "ms", "memory", "selection", "backup", "rollout")


class MctsPlayer:
    """Searches every decision anew, or goes on with its tree while the hand grows."""

    def __init__(
        self,
        name: str,
        table: Table,
        budget: Budget,
        config: SearchConfig | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        self.name, self.table, self.budget = name, table, budget
        self.knowledge = knowledge
        self.default_budget = False
        """Whether the budget is the usual one, which a table in a hurry may lower."""
        self.learned: Knowledge | None = None
        """What its searches find, where that is to be kept."""
        self.search = Search(config or SearchConfig())
        self._priors: dict[str, F64] = {}

    def think(self, situation: Situation, rng: np.random.Generator) -> SearchResult:
        """Search a situation within the budget."""
        self.search.reseed(int(rng.integers(1 << 62)))
        result = self.search.run(situation, self.budget, memory=self._prior(situation.up))
        if self.learned is not None:
            self.learned.learn(result)
        return result

    def limit_time(self, seconds: float) -> None:
        """Answer within `seconds`, preparation included, unless a budget was asked for."""
        if self.default_budget:
            self.budget = Budget(SIMULATIONS, SEARCH_SHARE * 1000 * seconds)

    def warm_up(self) -> None:
        """Compile, and make ready what the first decision against each open card would wait for."""
        budget, self.budget = self.budget, Budget(1)
        learned, self.learned = self.learned, None
        for up in RANKS[:10]:
            for hand in ("A6", "6T"):
                self.think(Situation(self.table, hand, up), np.random.default_rng(0))
        self.budget, self.learned = budget, learned

    def _prior(self, up: str) -> F64 | None:
        if self.knowledge is None:
            return None
        if up not in self._priors:
            self._priors[up] = self.knowledge.prior(up)
        return self._priors[up]

    def decide(self, situation: Situation, actions: str, rng: np.random.Generator) -> str:
        """One letter of `actions`: S H D P R, or before a peek I N R."""
        result = self.think(situation, rng)
        if "N" in actions:
            offers = offer_values(result)
            return max(actions, key=lambda letter: offers[letter])
        return result.best if result.best in actions else actions[0]

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        situation = view_situation(self.table, view)
        if not self.table.plain_natural:
            return self.decide(situation, "".join(view.actions), rng)
        letters = {action.upper(): action for action in view.actions}
        return letters[self.decide(situation, "".join(letters), rng)]


def view_situation(table: Table, view: View) -> Situation:
    """The situation that a view shows: with the shoe where that is known, else a fresh one."""
    known = view.situation if isinstance(view, ShoeView) else None
    return known or situation_of(table, view.infoset)


def situation_of(table: Table, infoset: str) -> Situation:
    """The situation that an infoset of blackjack or twenty-one describes."""
    if table.plain_natural:
        hand, _, up = infoset.partition("|")
        return Situation(table, hand, up)
    shown, up, _ = infoset.split("|")
    hands = shown.split(" ")
    mine = next((hand for hand in hands if hand.startswith(">")), hands[0])
    others = list(hands)
    others.remove(mine)
    shoe = None
    if others and table.rules.decks != "infinite":
        gone = "".join(others)
        cards = fresh_cards(table.rules.decks)
        shoe = tuple(cards.count(rank) - gone.count(rank) for rank in RANKS)
    return Situation(table, mine.strip(">+"), up, len(hands), shoe)


def round_situation(table: Table, at: Round) -> Situation:
    """What the only seat of a round from a fresh shoe sees."""
    _, seat, index = at.turn
    own = at.seats[seat]
    marked = (">" * (i == index) + hand.cards for i, hand in enumerate(own))
    return situation_of(table, f"{' '.join(marked)}|{at.dealer[0]}|")


def learn_by_playing(
    knowledge: Knowledge,
    table: Table,
    rounds: int,
    budget: Budget,
    *,
    seed: int = 0,
    config: SearchConfig | None = None,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Play rounds from fresh shoes and remember every search; returns how many there were.

    A stop ends it after the round.
    """
    player = MctsPlayer("mcts", table, budget, config)
    player.learned = knowledge
    chance, own = np.random.default_rng(seed).spawn(2)
    rules, searched = table.rules, 0
    decks = 8 if rules.decks == "infinite" else rules.decks

    def decide(at: Round) -> str:
        nonlocal searched
        situation, actions = round_situation(table, at), at.actions()
        searched += 1
        return player.decide(situation, actions, own)

    stop = current_stop()
    for done in range(rounds):
        if stop.requested:
            break
        cards = list(fresh_cards(decks))
        chance.shuffle(cards)
        play_round(rules, Shoe("".join(cards)), (1.0,), decide)
        if progress is not None:
            progress(done + 1)
    return searched


def mcts(game: Game, spec: PlayerSpec) -> Player:
    """`mcts[?simulations=…&ms=…&memory=FILE]`: searches before each decision."""
    if game.num_players > 1:
        from riverboat.players.simple import StrategyPlayer
        from riverboat.solvers.sampling import search_game

        spec.check_options(("simulations",))
        count = spec.number("simulations", SIMULATIONS)
        return StrategyPlayer(spec.text, search_game(game, int(count)))
    if game.name == "twentyone":
        return searcher(TWENTYONE, spec)
    if game.name == "blackjack":
        return searcher(Table(cast(Blackjack, game).table), spec)
    raise UsageError(
        f"The player mcts plays blackjack, twentyone and small games, not {game.name}."
    )


def seat_memory(game: Game, name: str, knowledge: Knowledge) -> MctsPlayer:
    """The searching player that begins from a memory that was not read from a file."""
    if game.name not in ("blackjack", "twentyone"):
        raise UsageError(f"A memory plays blackjack and twentyone, not {game.name}.")
    table = TWENTYONE if game.name == "twentyone" else Table(cast(Blackjack, game).table)
    knowledge.check_rules(table.words)
    player = MctsPlayer(name, table, Budget(SIMULATIONS, MS), SearchConfig(), knowledge)
    player.default_budget = True
    return player


def searcher(table: Table, spec: PlayerSpec) -> MctsPlayer:
    """The searching player of a spec for a table."""
    spec.check_options(OPTIONS)
    if spec.argument:
        raise UsageError(f"The player mcts has no argument {spec.argument!r}, only options.")
    path = spec.options.get("memory")
    knowledge = None if path is None else Knowledge.load(path)
    if knowledge is not None:
        knowledge.check_rules(table.words, str(path))
    player = MctsPlayer(spec.text, table, budget_of(spec), config_of(spec), knowledge)
    player.default_budget = not spec.options.keys() & {"ms", "simulations"}
    return player


def budget_of(spec: PlayerSpec) -> Budget:
    """Simulations, milliseconds or both; a second at most unless the spec says otherwise."""
    simulations: int | None = int(spec.number("simulations", SIMULATIONS))
    ms: float | None = spec.number("ms", MS)
    if "ms" in spec.options and "simulations" not in spec.options:
        simulations = None
    elif "simulations" in spec.options and "ms" not in spec.options:
        ms = None
    return Budget(simulations, ms)


def config_of(spec: PlayerSpec) -> SearchConfig:
    """The search that a spec describes."""
    given: dict[str, Any] = {
        key: spec.options[key] for key in ("selection", "backup", "rollout") if key in spec.options
    }
    if given.get("selection") == "flat":
        given.setdefault("backup", "average")
    return SearchConfig(**given)
