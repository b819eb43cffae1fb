"""From a hand that was played to a spot: board, pot, stacks and ranges where a street began.

    from_hand = spot_from_hand(read_hand_file("hands.phhs").hands[4], decision=3)
    from_hand.spot              # to be solved
    from_hand.node              # the decision in it, such as "r:0:c:b2"

The spot begins with the street of the decision, and every bet that was made on it is one of its
sizes. Ranges to start from follow Bayes: two players by the shipped blueprint up to the street, a
table of three to nine by the shipped book of six up to the flop (a smaller table is one at which
the first seats have folded, and a larger one too where they have). Without either every hand counts
alike. Cards that only the file shows are no dead ones: the players did not see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from riverboat.cards.card import cards_text
from riverboat.cards.combos import combo_index
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError, UsageError
from riverboat.games.base import Action
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.preflop.following import BookPlace, BookRanges
from riverboat.holdem.preflop.solution import SHIPPED
from riverboat.holdem.review._decisions import Moment, all_followed
from riverboat.holdem.review._exact_values import SIZES, spot_of, weights_range
from riverboat.holdem.review.report import DEPTHS, SIX
from riverboat.holdem.rules.betting import CALL, FOLD, STREET_NAMES, parse_betting, raise_amount
from riverboat.holdem.rules.seats import short_seat_names
from riverboat.holdem.rules.state import Holdem, is_texas_holdem
from riverboat.holdem.spots.bet_sizes import STREETS, BetSize, PlayerSizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.spot import MAX_CHIPS, Spot
from riverboat.holdem.spots.tree import BetAction, SpotTree, build_tree

MAX_PLAYERS = 3
DIGITS = 3  # Of the weights in a range to start from
MIN_WEIGHT = 0.03
"""Of the largest weight: hands with less are there by doubt alone (`DOUBT`), and are left out."""
_CHIPS_IN_LINE = re.compile(r"(?<=[BRA])\d+")
_CHIPS_IN_WORDS = re.compile(r"\d+")
_NONE_TAKEN: Mapping[str, Sequence[str]] = {"bet": (), "raise": ()}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class HandDecision:
    """A decision of a hand from the flop on. Amounts are those of the file."""

    number: int  # Of the hand's decisions from the flop on, from 1
    street: str
    player: str
    seat: str
    cards: str  # "" where they are not known
    board: str
    pot: Decimal
    to_call: Decimal
    taken: str
    problem: str  # Why no spot can be made of it; "" where one can


@dataclass(frozen=True)
class HandSpot:
    """A spot that stands for a street of a hand, and the decision in it."""

    spot: Spot
    node: str
    hand: str  # The cards held at the decision; "" where they are not known
    player: str  # The player's name in the spot
    source: str  # Where the ranges are from, in a sentence
    chip: Decimal
    """What a chip of the spot is worth in the file's money: 1 unless that has more digits."""

    def as_dict(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "toml": self.spot.to_toml(),
            "node": self.node,
            "hand": self.hand or None,
            "player": self.player,
            "ranges": self.source,
            "chip": self.chip,
        }


def hand_decisions(hand: PhhHand) -> list[HandDecision]:
    """The decisions of a hand from the flop on, all players' in order."""
    seats = short_seat_names(hand.state.game.players)
    decisions = []
    for number, moment in enumerate(_moments(hand, None, ()), 1):
        state, player = moment.state, moment.player
        decisions.append(
            HandDecision(
                number,
                STREET_NAMES[state.betting.street],
                hand.names[player],
                seats[player],
                cards_text(state.holes[player]),
                cards_text(state.board),
                state.betting.pot * hand.unit,
                state.betting.to_call * hand.unit,
                _in_money(moment, hand.unit),
                _problem(moment),
            )
        )
    return decisions


def spot_from_hand(hand: PhhHand, decision: int = 1) -> HandSpot:
    """The street of a decision as a spot; what cannot be one is refused.

    Args:
        hand: A hand that was read.
        decision: The number of one of its `hand_decisions`.
    """
    plain = list(_moments(hand, None, ()))
    if not plain:
        raise UsageError(_nothing(hand))
    if not 1 <= decision <= len(plain):
        count = len(plain)
        raise UsageError(
            f"The hand has {count} decision{'s' * (count > 1)} from the flop on, not {decision}."
        )
    if problem := _problem(plain[decision - 1]):
        raise UsageError(problem)
    blueprint, known, source = _source(hand.state.game, _first_actions(hand))
    moments = _moments(hand, blueprint, known)
    moment = next(moment for number, moment in enumerate(moments, 1) if number == decision)
    players = [p for p, here in enumerate(moment.street_state.betting.in_hand) if here]
    whole = spot_of(moment) if len(players) == 2 else _spot_of_three(moment, players)
    held = [moment.state.holes[player] for player in players]
    chip = hand.unit if hand.unit * 100 == int(hand.unit * 100) else Decimal(1)
    spot = _plain(whole, held, chip)
    cards = moment.state.holes[moment.player]
    return HandSpot(
        spot,
        _node(build_tree(spot), moment.street_actions, float(chip)),
        cards_text(cards) if len(cards) == 2 else "",
        spot.names[players.index(moment.player)],
        source,
        hand.unit / chip,
    )


def _moments(
    hand: PhhHand, blueprint: Blueprint | None, known: Sequence[BookPlace | None]
) -> Iterator[Moment]:
    """The decisions from the flop on."""
    if is_texas_holdem(hand.state.game):
        yield from (m for m in all_followed(hand.state, blueprint, known) if m.state.board)


def _nothing(hand: PhhHand) -> str:
    game = hand.state.game
    if not is_texas_holdem(game):
        return f"The hand is of {game.title}, and a spot is made of hold'em hands."
    return "The hand has no decision from the flop on."


def _first_actions(hand: PhhHand) -> list[Action]:
    return parse_betting(hand.state.history.split("/")[0])


def _problem(moment: Moment) -> str:
    """Why no spot can be made of the street; empty where one can."""
    betting = moment.street_state.betting
    count = sum(betting.in_hand)
    if moment.state.game.limit != "no-limit":
        return f"The hand is {moment.state.game.limit}, and spots are no-limit."
    if count > MAX_PLAYERS:
        street = STREET_NAMES[betting.street]
        return f"{_NUMBERS[count].capitalize()} players see the {street}; a spot has two or three."
    if betting.pot + max(betting.stacks) > MAX_CHIPS:
        return f"The hand has more than the {MAX_CHIPS:,.0f} chips that a spot can have."
    return ""


def _in_money(moment: Moment, unit: Decimal) -> str:
    """What was done, in words and in the file's money."""
    words = moment.state.action_words(moment.action)
    return _CHIPS_IN_WORDS.sub(lambda chips: f"{(int(chips[0]) * unit).normalize():,f}", words)


def _source(
    game: Holdem, actions: Sequence[Action]
) -> tuple[Blueprint | None, Sequence[BookPlace | None], str]:
    """What ranges follow at a table, and that in a sentence."""
    every = "Every hand counts alike: no solution that is shipped fits this table and its stacks."
    if game.players == 2:
        blueprint = _shipped_blueprint()
        depths = [sorted(g.betting_rules.stacks)[0] / max(g.big_blind, 1)
                  for g in (game, blueprint.rules)]  # fmt: skip
        if game.limit == blueprint.rules.limit and DEPTHS[0] <= depths[0] / depths[1] <= DEPTHS[1]:
            return blueprint, (), "Ranges follow the shipped blueprint of two players."
        return None, (), every
    known = _book_places(game, list(actions))
    if not any(known):
        return None, (), every
    whole = len(known) == len(actions)
    return (
        None,
        known,
        "Ranges before the flop are those of the shipped book of six players"
        + (", as far as it has the line" * (not whole))
        + "; what was done after it does not narrow them.",
    )


def _book_places(game: Holdem, actions: list[Action]) -> list[BookPlace | None]:
    """The decisions before the flop in the book of six players, however many sit here."""
    missing = SIX - game.players
    stacks = list(game.betting_rules.stacks)
    if missing > 0:
        stacks[2:2] = [max(stacks)] * missing
        actions = [FOLD] * missing + actions
    elif missing < 0:
        if actions[:-missing] != [FOLD] * -missing:
            return []
        del stacks[2 : 2 - missing]
        actions = actions[-missing:]
    try:
        six = Holdem(
            players=SIX, stacks=tuple(stacks), small_blind=game.small_blind,
            big_blind=game.big_blind, limit=game.limit,
        )  # fmt: skip
        places = _shipped_book().places(six, actions)
    except RiverboatError:
        return []
    if not places:
        return []
    return [*([None] * -missing), *places[max(0, missing) :]]


@lru_cache(maxsize=1)
def _shipped_blueprint() -> Blueprint:
    return Blueprint.load("shipped")


@lru_cache(maxsize=1)
def _shipped_book() -> BookRanges:
    return BookRanges.load(SHIPPED)


def _spot_of_three(moment: Moment, players: Sequence[int]) -> Spot:
    """The street as a spot of three, each with an own stack and the sizes that were taken."""
    betting, board = moment.street_state.betting, moment.street_state.board
    names = short_seat_names(moment.state.game.players)
    street = STREETS[len(board) - 3]
    taken = _sizes_taken(moment)
    sizes = {
        name: tuple(
            _with_usual(name, taken[player] if name == street else _NONE_TAKEN)
            for player in players
        )
        for name in STREETS[len(board) - 3 :]
    }
    num_raises = sum(raise_amount(action) is not None for action in _whole_street(moment))
    return Spot(
        board,
        betting.pot,
        [float(betting.stacks[player]) for player in players],
        [
            weights_range(moment.street_ranges[player], moment.state.holes[player], board)
            for player in players
        ],
        names=[names[player].lower().replace("+", "") for player in players],
        sizes=sizes,
        tree=TreeOptions(allin_below_spr=1.0, raises=max(2, num_raises)),
    )


def _whole_street(moment: Moment) -> tuple[Action, ...]:
    return (*moment.street_actions, *moment.later)


def _sizes_taken(moment: Moment) -> list[dict[str, list[str]]]:
    """Bets and raises of the street by player, in chips on top of what was faced."""
    taken: list[dict[str, list[str]]] = [
        {"bet": [], "raise": []} for _ in range(moment.state.game.players)
    ]
    betting = moment.street_state.betting
    for action in _whole_street(moment):
        if (amount := raise_amount(action)) is not None:
            kind = "raise" if betting.top else "bet"
            taken[betting.queue[0]][kind].append(f"{amount - betting.top}c")
        betting = betting.after(action)
        if not betting.queue:
            break
    return taken


def _with_usual(street: str, taken: Mapping[str, Sequence[str]]) -> PlayerSizes:
    """The usual sizes of a street, and those that a player took."""
    usual_bets, usual_raises = SIZES[street]
    bets = ",".join((usual_bets, *taken["bet"]))
    raises = ",".join((usual_raises, *taken["raise"]))
    return PlayerSizes(parse_sizes(bets, "bets"), parse_sizes(raises, "raises", raises=True))


def _plain(spot: Spot, held: Sequence[tuple[int, ...]], chip: Decimal) -> Spot:
    """The spot in the file's money, with ranges that a form can show.

    Weights have a few digits, and hands that are there by doubt alone are left out; the hand that
    was held stays.
    """
    ranges = []
    for range_, cards in zip(spot.ranges, held, strict=True):
        assert isinstance(range_, Range)
        weights = range_.weights.round(DIGITS)
        kept = np.where(weights < MIN_WEIGHT * weights.max(), 0.0, weights)
        if len(cards) == 2:
            kept[combo_index(*cards)] = max(weights[combo_index(*cards)], MIN_WEIGHT)
        ranges.append(Range(kept))

    def money(chips: float) -> float:
        return float(Decimal(int(chips)) * chip)

    def scaled(sizes: tuple[BetSize, ...]) -> tuple[BetSize, ...]:
        texts = [f"{money(s.number):.10g}c" if s.kind == "c" else s.text for s in sizes]
        return parse_sizes(",".join(texts), "sizes", raises=True)

    return Spot(
        spot.board,
        money(spot.pot),
        [money(stack) for stack in spot.stacks],
        ranges,
        names=spot.names,
        sizes={
            street: tuple(PlayerSizes(scaled(own.bet), scaled(own.raises)) for own in by_player)
            for street, by_player in spot.sizes.items()
        },
        tree=replace(
            spot.tree,
            add=tuple(
                _CHIPS_IN_LINE.sub(lambda chips: f"{money(int(chips[0])):.10g}", line)
                for line in spot.tree.add
            ),
        ),
    )


def _node(tree: SpotTree, actions: Sequence[Action], chip: float) -> str:
    """The id of the node after some actions, or of the last one on the way that the tree has."""
    at, path = tree.nodes[0], ["r", "0"]
    for action in actions:
        found = _action(at.actions, action, chip)
        if found is None:
            break
        path.append(found.code)
        at = tree.nodes[at.children[at.actions.index(found)]]
    return ":".join(path)


def _action(actions: Sequence[BetAction], wanted: Action, chip: float) -> BetAction | None:
    """The tree's action that was taken; a bet beyond the stacks is its all-in."""
    amount = raise_amount(wanted)
    if amount is None:
        letters = {FOLD: "F", CALL: "XC"}[wanted]
        return next((action for action in actions if action.letter in letters), None)
    bets = [action for action in actions if action.letter in "BRA"]
    money = amount * chip
    exact = next((action for action in bets if abs(action.chips - money) < 1e-6), None)
    beyond = next((a for a in bets if a.letter == "A" and a.chips <= money), None)
    return exact or beyond
