"""River decisions for a quiz (arena.quiz), valued against the solution of the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riverboat.arena.quiz import Question, spread
from riverboat.cards.card import card_text, parse_cards
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.spot import make_spot
from riverboat.holdem.spots.tree import BetAction
from riverboat.players.player import View, keep_state

BIG_BLIND = 2
STACK = 50 * BIG_BLIND
OPENED = 5 * BIG_BLIND  # The button's raise before the flop, which was called
POT, BEHIND = 2 * OPENED, STACK - OPENED
TARGET = "0.001%"
"""Of the pot: far below the losses that a quiz counts."""
QUESTIONS_EACH = 4  # Hands at each node
NODES = ("r:0", "r:0:c", "r:0:b10", "r:0:c:b20")
SIZES = {"bet": "50%,100%,a", "raise": "a"}


@dataclass(frozen=True)
class River:
    """A board with both ranges."""

    board: str
    oop: str
    ip: str


RIVERS = (
    River("Ks 9s 4d 2c Jh", "AA,KQ,QTs,T8s,A5s,44", "KJ,AK,99,QT,A9,AQ,JTs"),
    River("Qh 8h 3h 8c 2s", "AhKs,AQ,Q8s,JJ,Th9h,A4s,76s", "KQ,QJ,AhAs,Kh7h,A8s,99,54s"),
    River("7d 6d 5c 2h As", "AK,98s,77,A7s,KdQd,QJs", "A5s,AQ,66,84s,KTs,JTs,9d8d"),
)


def questions() -> list[Question]:
    """Hands at several nodes of each river; values are in big blinds."""
    drawn = []
    for river in RIVERS:
        spot = make_spot(
            board=river.board,
            pot=POT,
            stack=BEHIND,
            ranges=(river.oop, river.ip),
            sizes={"river": {"oop": SIZES, "ip": SIZES}},
        )
        solved = solve_spot(spot, target=TARGET)
        for node in NODES:
            drawn += spread(_at(river, solved.at(node)), QUESTIONS_EACH)
    return drawn


def _at(river: River, cursor: SpotCursor) -> list[Question]:
    """A question for each hand that reaches a node."""
    player = cursor.player
    game = Holdem(stacks=(STACK,))
    actions = tuple(_action(action) for action in cursor.bet_actions)
    weights, evs = cursor.weights(player), cursor.action_evs()
    asked = []
    for i, hand in enumerate(cursor.hands(player)):
        if weights[i] < 0.01:
            continue  # The solution hardly takes this hand to the node
        state = _state(game, river, cursor, hand)
        values = dict(zip(actions, (evs[:, i] / BIG_BLIND).tolist(), strict=True))
        view = _view(game, state, actions, river)
        asked.append(Question(view, values, "bb", f"{hand} on {river.board}, {cursor.node_id}"))
    return asked


def _action(action: BetAction) -> str:
    """A spot's action as the game writes it."""
    return {"X": "c", "C": "c", "F": "f"}.get(action.letter) or f"r{action.total:.0f}"


def _state(game: Holdem, river: River, cursor: SpotCursor, hand: str) -> HoldemState:
    """The state of the game at a node, where the player who acts has this hand."""
    mine, theirs = (
        parse_cards(hand),
        [parse_cards(other) for other in cursor.hands(1 - cursor.player)],
    )
    other = next(cards for cards in theirs if not {*cards} & {*mine})
    hands = (mine, other) if cursor.player == 0 else (other, mine)
    board = parse_cards(river.board)
    state = game.start()
    for word in (
        *_dealt(hands[0]), *_dealt(hands[1]), f"r{OPENED}", "c", *_dealt(board[:3]), "c", "c",
        *_dealt(board[3:4]), "c", "c", *_dealt(board[4:]),
    ):  # fmt: skip
        state = state.after(word)
    for word in cursor.node_id.split(":")[2:]:
        state = state.after(f"r{word[1:]}" if word.startswith("b") else word)
    return state


def _dealt(cards: Sequence[int]) -> list[str]:
    """Cards in the order in which the game deals those that come together: highest first."""
    return [card_text(card) for card in sorted(cards, reverse=True)]


def _view(game: Holdem, state: HoldemState, actions: tuple[str, ...], river: River) -> View:
    """The decision with the sizes of the spot, and what is known of both ranges."""
    seat = state.actor
    words = (
        f"{state.describe(seat)}\nBefore the flop the button raised to {OPENED} and was called;"
        " flop and turn were checked. Both know these ranges and play the equilibrium from here."
        f"\nThe first to act on this river has: {river.oop}.\nThe button has: {river.ip}."
    )
    view = View(game, seat, state.infoset(seat), actions, lambda: words)
    keep_state(view, state)
    return view
