"""Blueprints at a real table: duplicate deals against any player, with less variance.

Every deal is played once from each seat with the same cards, so that luck of the deal evens out.
With two players and four streets a second value of each hand is known that has the same mean: its
result averaged over all hands the blueprint may hold, given what it did, and after an all-in over
all completions of a flop or turn. The blueprint's probabilities are known for every hand, so that
its range is exact (Bowling, Johanson, Burch and Szafron, "Strategy evaluation in extensive games
with importance sampling", ICML 2008, for all hands at once). The result minus that average has mean
zero and is taken out by regression, a control variate, so that the interval never grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np

from riverboat.arena.hand import ActionTaken, Dealt, Event, play_hand, player_stream
from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, combo_index
from riverboat.cards.strength import strength_tables
from riverboat.drawing.html import html_table
from riverboat.games.base import Action
from riverboat.holdem.abstraction.deals import has_full_boards
from riverboat.holdem.blueprints._lbr_kernels import share_on_boards
from riverboat.holdem.blueprints.abstract_play import Estimate, estimate
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.players import HoldemPlayer
from riverboat.holdem.blueprints.pot_shares import without
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.rules.table import deal_from_deck
from riverboat.players.player import Player
from riverboat.runtime.array_types import F64

STRETCH = 50  # Deals with random numbers of their own, so that they can be played anywhere


class Range:
    """Weights (1326,) of the hands a blueprint may hold, those with `dead` cards left out."""

    def __init__(self, blueprint: Blueprint, dead: tuple[int, ...], salt: str = "") -> None:
        self.blueprint, self.salt = blueprint, salt
        self.weights: F64 = without(np.ones(len(COMBO_CARDS)), dead)

    def see(self, state: HoldemState, action: Action) -> None:
        """The blueprint, to act in `state`, took `action`."""
        actions, chances = self.blueprint.all_hands(state, self.salt)
        self.weights = self.weights * chances[:, actions.index(action)]

    def see_board(self, board: tuple[int, ...]) -> None:
        """Remove the hands that hold a card of the board."""
        self.weights = without(self.weights, board)


def pot_share_of(
    hand: tuple[int, ...],
    board: tuple[int, ...],
    weights: F64,
    rng: np.random.Generator,
    *,
    samples: int = 300,
) -> float:
    """What part of the pot a hand wins against a range if nobody bets any more.

    Exact over all completions of a flop or turn; before the flop over `samples` random boards.
    """
    unseen = np.array([card for card in range(NUM_CARDS) if card not in hand and card not in board])
    missing = 5 - len(board)
    if missing > 2:
        completed = rng.permuted(np.tile(unseen, (samples, 1)), axis=1)[:, :missing]
    else:
        groups = list(combinations(unseen.tolist(), missing))
        completed = np.array(groups, np.uint8).reshape(len(groups), missing)
    boards = np.empty((len(completed), 5), np.uint8)
    boards[:, : len(board)] = board
    boards[:, len(board) :] = completed
    combo = combo_index(min(hand), max(hand))
    return float(share_on_boards(boards, combo, weights, *strength_tables().arrays))


Choice = Callable[[HoldemState, np.random.Generator], Action]
"""Picks an action; it gets the whole state and must use its own cards only."""


@dataclass(frozen=True, repr=False)
class MatchResult:
    """What the blueprint won, as it fell and with less luck in it."""

    plain: Estimate
    reduced: Estimate
    seats: tuple[Estimate, ...]  # By seat, as it fell

    def as_dict(self) -> dict[str, Any]:
        """The figures for a program, in mbb/g."""
        return {
            "games": self.plain.games,
            "as_it_fell": {"mean": self.plain.mean, "ci95": self.plain.ci95},
            "less_luck": {"mean": self.reduced.mean, "ci95": self.reduced.ci95},
            "by_seat": [{"mean": seat.mean, "ci95": seat.ci95} for seat in self.seats],
        }

    def __repr__(self) -> str:
        return f"<MatchResult {self.reduced} over {self.plain.games:,} games>"

    def _repr_html_(self) -> str:
        named = [("as it fell", self.plain), ("with less luck", self.reduced)]
        named += [(f"as player {number}", seat) for number, seat in enumerate(self.seats, 1)]
        rows = [(name, f"{one.mean:+z,.0f}", f"± {one.ci95:,.0f}") for name, one in named]
        return html_table(("", "mbb/g", "95 %"), rows, title=f"{self.plain.games:,} games")


def blueprint_choice(blueprint: Blueprint, salt: str = "") -> Choice:
    """A blueprint as a partner."""

    return lambda state, rng: blueprint.draw(state, rng, salt)


def duplicate_match(
    blueprint: Blueprint,
    opponent: Choice,
    deals: int,
    *,
    seed: int = 0,
    reduce: bool = True,
    progress: Callable[[int], None] | None = None,
    played: list[F64] | None = None,
) -> MatchResult:
    """The blueprint in each seat of `deals` deals, `opponent` in all the others.

    Luck is taken out (`reduce`) with two players, 52 cards and four streets. `played` has the
    first stretches of deals from an earlier call; those played now are added to it.
    """
    stretches: list[F64] = [] if played is None else played
    for number, first in enumerate(range(0, deals, STRETCH)):
        if number < len(stretches):
            continue
        count = min(STRETCH, deals - first)
        report = None if progress is None else lambda done, first=first: progress(first + done)
        stretches.append(
            play_stretch(
                blueprint, opponent, number, count, seed=seed, reduce=reduce, progress=report
            )
        )
    return match_result(blueprint.rules, np.concatenate(stretches))


def play_stretch(
    blueprint: Blueprint,
    opponent: Choice,
    number: int,
    deals: int,
    *,
    seed: int = 0,
    reduce: bool = True,
    progress: Callable[[int], None] | None = None,
) -> F64:
    """Deals of the match's stretch `number`: (deals, P, 2), as it fell and with less luck.

    They follow from the seed and the number alone; a stretch has at most STRETCH deals.
    """
    game = blueprint.rules
    source = np.random.default_rng(seed if number == 0 else [seed, number])
    chance, play = source.spawn(2)
    play = player_stream(play)
    mine = blueprint_choice(blueprint)
    results = np.empty((deals, game.players, 2))
    known = blueprint if reduce and game.players == 2 and has_full_boards(game) else None
    for deal in range(deals):
        deck = [int(card) for card in chance.permutation(game.deck)]
        for seat in range(game.players):
            results[deal, seat] = _play(game, deck, seat, mine, opponent, known, play)
        if progress is not None:
            progress(deal + 1)
    return results


def match_result(game: Holdem, results: F64) -> MatchResult:
    """What the deals of all stretches (N, P, 2) come to."""
    plain, reduced, deals = results[:, :, 0], results[:, :, 1], len(results)
    unit = float(game.big_blind or game.ante or 1)
    games = deals * game.players
    mean = plain.mean(axis=1)
    return MatchResult(
        estimate(mean, unit, games),
        estimate(_without_luck(mean, plain - reduced), unit, games),
        tuple(estimate(plain[:, seat], unit) for seat in range(game.players)),
    )


def _without_luck(results: F64, luck: F64) -> F64:
    """Results (N,) less what the columns of `luck` (N, P), of mean zero, explain of them."""
    spread = luck - luck.mean(axis=0)
    slopes = np.linalg.lstsq(spread, results - results.mean(), rcond=None)[0]
    return np.asarray(results - luck @ slopes, np.float64)


def _play(
    game: Holdem,
    deck: list[int],
    seat: int,
    mine: Choice,
    opponent: Choice,
    known: Blueprint | None,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """One hand: the seat's return and its average over the range (the same without `known`)."""
    others = HoldemPlayer("opponent", game, opponent)
    seats: list[Player] = [others] * game.players
    seats[seat] = HoldemPlayer("blueprint", game, mine)
    follower = _Follower(known, deck, seat) if known is not None else None
    record = play_hand(game, seats, deal_from_deck(deck), [rng] * game.players, listener=follower)
    plain = record.returns[seat]
    state = cast(HoldemState, record.last)
    if follower is None or not all(state.betting.in_hand):
        return plain, plain
    return plain, _averaged(state, seat, follower.board_of(state), follower.held, rng)


class _Follower:
    """A listener that follows what the blueprint in `seat` may hold, heads-up."""

    def __init__(self, blueprint: Blueprint, deck: Sequence[int], seat: int) -> None:
        hidden = deck[2 * (1 - seat) : 2 * (1 - seat) + 2]
        self.seat, self.held = seat, Range(blueprint, tuple(hidden))
        self.closed: tuple[int, ...] | None = None
        """The board where betting ended, before the rest was dealt."""

    def __call__(self, event: Event) -> None:
        if isinstance(event, ActionTaken) and event.seat == self.seat:
            self.held.see(cast(HoldemState, event.before), event.action)
        elif isinstance(event, Dealt):
            before, after = cast(HoldemState, event.before), cast(HoldemState, event.after)
            if len(before.holes) < before.game.players:
                return
            if self.closed is None and not before.betting.queue:
                self.closed = before.board
            if self.closed is None:
                self.held.see_board(after.board)

    def board_of(self, state: HoldemState) -> tuple[int, ...]:
        """The board over whose completions a showdown is averaged."""
        return self.closed if self.closed is not None and len(self.closed) >= 3 else state.board


def _averaged(
    state: HoldemState, seat: int, board: tuple[int, ...], held: Range, rng: np.random.Generator
) -> float:
    """What the seat wins at a showdown on average over its range; `board` where betting ended."""
    betting = state.betting
    share = pot_share_of(state.holes[1 - seat], board, held.weights, rng)
    return (1 - share) * betting.pot - (betting.rules.stacks[seat] - betting.stacks[seat])
