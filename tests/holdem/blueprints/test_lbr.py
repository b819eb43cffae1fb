"""Local best response for all hands at once against the same rule played out hand by hand."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from riverboat.cards.card import cards_text, parse_cards
from riverboat.cards.combos import COMBO_CARDS, parse_combo
from riverboat.cards.equity import equity
from riverboat.cards.preflop import PREFLOP_BOARDS
from riverboat.cards.strength import strength
from riverboat.errors import ParameterError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.abstraction.preflop_store import preflop_table
from riverboat.holdem.blueprints.betting_tree import amount_of
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.lbr import RAISES, Exploiter, difference, local_best_response
from riverboat.holdem.rules.state import HoldemState

SMALL = {
    "game": {"stacks": 24},
    "bets": {"preflop": ["2.5x", "1p,a"], "flop": ["0.7p,a", "a"], "cap": [2, 2, 1, 1]},
    "cards": {"scheme": "percentile", "flop": 4, "turn": 4, "river": 4},
}
Weights = NDArray[np.float64]


def random_blueprint(seed: int, config: dict[str, object] = SMALL) -> Blueprint:
    abstract = AbstractGame.build(HoldemConfig.from_table(config))
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 65_536, abstract.num_bytes // 8)
    # Some infosets were never reached, some actions are never taken.
    numbers[rng.random(len(numbers)) < 0.3] = 0
    return Blueprint(abstract, numbers.astype(np.uint16))


class ByHand:
    """One hand of the exploiter on one board, by the readable rules and the definition."""

    def __init__(
        self,
        blueprint: Blueprint,
        hand: tuple[int, ...],
        board: list[int],
        raises: tuple[str, ...] = RAISES,
    ) -> None:
        self.blueprint, self.hand, self.board, self.raises = blueprint, hand, board, raises
        self.shares: dict[int, Weights] = {}

    def play(self, seat: int) -> float:
        game = self.blueprint.rules
        other = [card for card in range(52) if card not in (*self.hand, *self.board)][:2]
        hands = [self.hand, other] if seat == 0 else [other, self.hand]
        self.seat = seat
        return self.value(game.with_hands(hands), self.alive(0, np.ones(1326)))

    def alive(self, dealt: int, weights: Weights) -> Weights:
        dead = (*self.hand, *self.board[:dealt])
        return np.where(np.isin(COMBO_CARDS, dead).any(axis=1), 0.0, weights)

    def share(self, dealt: int) -> Weights:
        """(1326,) the hand's part of the pot against each other hand."""
        if dealt not in self.shares:
            result = np.zeros(1326)
            board = self.board[:dealt]
            for other in np.flatnonzero(self.alive(dealt, np.ones(1326))):
                theirs = [int(card) for card in COMBO_CARDS[other]]
                unseen = [c for c in range(52) if c not in (*self.hand, *board, *theirs)]
                values = []
                for rest in combinations(unseen, 5 - dealt):
                    a = strength([*self.hand, *board, *rest])
                    b = strength([*theirs, *board, *rest])
                    values.append((a > b) + (a == b) / 2)
                result[other] = np.mean(values)
            self.shares[dealt] = result
        return self.shares[dealt]

    def value(self, state: HoldemState, weights: Weights, dealt: int = 0) -> float:
        """Chips times weights that are won from here on; `dealt` cards where betting goes on."""
        betting = state.betting
        if not weights.any():
            return 0.0
        if state.actor == CHANCE and betting.queue:
            now = len(state.board) + state.pending
            after = state.deal(self.board[len(state.board) : now])
            return self.value(after, self.alive(now, weights), now)
        if state.actor in (CHANCE, TERMINAL):
            pairs = comb(52 - dealt, 2) * comb(50 - dealt, 2)
            cost = betting.rules.stacks[self.seat] - betting.stacks[self.seat]
            if all(betting.in_hand):
                return float((self.share(dealt) * betting.pot - cost) @ weights) / pairs
            return (betting.in_hand[self.seat] * betting.pot - cost) * weights.sum() / pairs
        if state.actor == self.seat:
            return self.value(state.after(self.choose(state, weights, dealt)), weights, dealt)
        actions, chances = self.blueprint.all_hands(state)
        return sum(
            self.value(state.after(action), weights * chances[:, i], dealt)
            for i, action in enumerate(actions)
        )

    def choose(self, state: HoldemState, weights: Weights, dealt: int) -> Action:
        betting, share, total = state.betting, self.share(dealt), weights.sum()
        worth: dict[Action, float] = {"f": 0.0} if betting.to_call else {}
        part = share @ weights / total
        worth["c"] = part * (betting.pot + betting.to_call) - betting.to_call
        allowed = betting.raise_range()
        for size in self.raises if allowed else ():
            action = f"r{amount_of(size, betting, allowed)}"
            put = int(action[1:]) - betting.bets[self.seat]
            after = state.after(action)
            actions, chances = self.blueprint.all_hands(after)
            folded = weights * (chances[:, actions.index("f")] if "f" in actions else 0.0)
            stay = weights - folded
            pot = betting.pot + put + after.betting.to_call
            called = (share @ stay) * pot - put * stay.sum()
            worth[action] = (folded.sum() * betting.pot + called) / total
        return max(worth, key=lambda action: worth[action])


def only(hand: int) -> NDArray[np.uint8]:
    return (np.arange(1326) == hand).astype(np.uint8)


SMALL_RAISES = ("0.2p", "0.4p", "3p")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("seed", "hand", "board", "raises"),
    [
        (1, "AhKh", "Qh 7h 2c 9d 9h", RAISES),
        (2, "7c7d", "Ks Qs 7s 3h 2d", RAISES),
        (3, "5s4s", "Ad Kd 3c 2h 8s", RAISES),
        (4, "JdTh", "Jc Tc 4d Js 4c", SMALL_RAISES),
        (5, "9c2d", "Ah Kh Qh Jh 3s", SMALL_RAISES),
        (6, "AhKh", "Qh 7h 2c 9d 9h", ("0.2p",)),
        (7, "JsJd", "2c Th 5d 8c 3s", ("0.2p",)),
    ],
)
def test_a_hand_is_played_as_by_the_readable_rules(
    seed: int, hand: str, board: str, raises: tuple[str, ...]
) -> None:
    """Before the flop the definition would need 1.7 million boards a pair: the exact table's.

    Small raises lie below the abstract ones, and a small bet may be taken for a check. Without an
    all-in the last two hands, among the highest in the order of all hands, see flops.
    """
    blueprint, cards = random_blueprint(seed), parse_cards(board)
    combo = parse_combo(hand)
    slow = ByHand(blueprint, tuple(COMBO_CARDS[combo].tolist()), cards, raises)
    wins, ties = preflop_table().rows(np.array([combo]))
    slow.shares[0] = (wins[0] + ties[0] / 2) / PREFLOP_BOARDS
    slow.shares[3] = np.zeros(1326)
    for other in np.flatnonzero(slow.alive(3, np.ones(1326))):
        hands = [slow.hand, tuple(COMBO_CARDS[other].tolist())]
        slow.shares[3][other] = exact(hands, cards[:3])
    fast = Exploiter(blueprint, raises, only(combo)).on_board(np.array(cards, np.uint8))
    assert fast == pytest.approx((slow.play(0) + slow.play(1)) / 2, rel=1e-5)


def exact(hands: list[tuple[int, ...]], board: list[int]) -> float:
    return float(equity([cards_text(hand) for hand in hands], cards_text(board)).equity[0])


def test_the_mean_over_single_hands_is_the_value_of_all() -> None:
    blueprint, board = random_blueprint(8), np.array(parse_cards("2c 8d Jh Qs 3c"), np.uint8)
    whole = Exploiter(blueprint, RAISES).on_board(board)
    halves = [
        Exploiter(blueprint, RAISES, (np.arange(1326) % 2 == side).astype(np.uint8))
        for side in (0, 1)
    ]
    assert whole == pytest.approx(sum(half.on_board(board) for half in halves))


def test_the_order_in_which_a_flop_falls_does_not_matter() -> None:
    """Small raises have two readings; the blueprint's own is by the board whatever its order."""
    exploiter = Exploiter(random_blueprint(4), SMALL_RAISES)
    first, *others = [
        exploiter.on_board(np.array(parse_cards(board), np.uint8))
        for board in ("Jc 8d 2h Qs 3c", "2h Jc 8d Qs 3c", "8d 2h Jc Qs 3c")
    ]
    assert others == pytest.approx([first, first], rel=1e-9)


def test_threads_and_seeds() -> None:
    blueprint = random_blueprint(3)
    one = local_best_response(blueprint, 4, seed=7)
    two = local_best_response(blueprint, 4, seed=7, threads=2)
    other = local_best_response(blueprint, 4, seed=8)
    continued = local_best_response(blueprint, 4, seed=7, won=one.boards[:3].tolist())
    assert continued.boards.tolist() == one.boards.tolist()
    assert one.boards.tolist() == two.boards.tolist()
    assert one.boards.tolist() != other.boards.tolist()


@pytest.mark.e2e
def test_a_difference_on_the_same_boards_is_narrower_than_its_parts() -> None:
    first = local_best_response(random_blueprint(1), 6, seed=2)
    second = local_best_response(random_blueprint(2), 6, seed=2)
    found = difference(first, second)
    assert found.mean == pytest.approx(first.estimate.mean - second.estimate.mean)
    assert found.ci95 < np.hypot(first.estimate.ci95, second.estimate.ci95)
    with pytest.raises(UsageError, match="same boards"):
        difference(first, local_best_response(random_blueprint(2), 3, seed=2))


def test_what_it_is_not_for_is_refused() -> None:
    three = {
        "game": {"players": 3, "stacks": 8},
        "bets": {"preflop": "a", "cap": 1},
        "cards": {"scheme": "percentile", "flop": 1, "turn": 1, "river": 1},
    }
    with pytest.raises(UsageError, match="two players"):
        local_best_response(random_blueprint(1, three), 4)
    with pytest.raises(ParameterError, match="not 1"):
        local_best_response(random_blueprint(1), 1)
