"""The wire of the Annual Computer Poker Competition: lines to states and back, without sockets.

A dealer sends `MATCHSTATE:position:hand:betting:cards` to every seat whenever something happens;
the one whose turn it is answers with the same line, a colon and an action. In no-limit a raise
names the player's total over the hand, in fixed-limit it is a bare "r". Lines end in CR LF.

    S-> MATCHSTATE:0:30:c:9s8h|                 C-> MATCHSTATE:0:30:c:9s8h|:r250
    S-> MATCHSTATE:0:30:cr250c/:9s8h|/8c8d5c

Source: the competition's protocol document, version 2.0.0, and the behaviour of its dealer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from riverboat.cards.card import cards_text, parse_cards
from riverboat.errors import FileFormatError, IllegalActionError, ParameterError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.rules.betting import CALL, FOLD, parse_betting, raise_amount
from riverboat.holdem.rules.state import Holdem, HoldemState

VERSION = "VERSION:2.0.0"
MAX_LINE = 4096  # Longer lines are not lines of this protocol
MAX_ROUND_ACTIONS = 64
"""The reference programs hold no more actions per round: past that no raise is taken."""

_VERSION = re.compile(r"VERSION:\d+\.\d+\.\d+", re.ASCII)
_LINE = re.compile(
    r"MATCHSTATE:(\d{1,3}):(\d{1,10}):([^:]*):([^:]*)(?::(.*))?", re.ASCII | re.DOTALL
)
_TOKEN = re.compile(r"[fFcCkK]|[rRbB]\d{0,18}", re.ASCII)
_ACTION = re.compile(r"([fFcCkKrRbB])(?:\s*([+-]?\d{1,18}))?", re.ASCII)
_LETTER = {"f": FOLD, "c": CALL, "k": CALL, "r": "r", "b": "r"}


@dataclass(frozen=True)
class MatchState:
    """A line taken apart; `answer` is what a player has put behind it."""

    position: int
    hand: int
    actions: tuple[Action, ...]
    """The betting without the marks between rounds, letters and sizes as on the wire."""
    hands: tuple[tuple[int, ...], ...]  # Each player's cards, empty where they are not shown
    board: tuple[int, ...]
    answer: str | None = None


def is_version(line: str) -> bool:
    """Whether this is a player's greeting; like the reference dealer, accept any version."""
    return _VERSION.match(line) is not None


def parse_match_state(line: str) -> MatchState:
    """The line of a dealer, or of a player with its answer."""
    match = _LINE.fullmatch(line.rstrip("\r\n"))
    if match is None:
        raise FileFormatError(f"{line[:80]!r} is not a MATCHSTATE line.")
    betting = match[3].replace("/", "")
    actions = _TOKEN.findall(betting)
    if "".join(actions) != betting:
        raise FileFormatError(f"The betting {match[3][:80]!r} cannot be read.")
    hands, _, board = match[4].partition("/")
    try:
        cards = [parse_cards(hand) for hand in hands.split("|")]
        shared = parse_cards(board.replace("/", ""))
    except ParameterError as error:
        raise FileFormatError(f"The cards {match[4][:80]!r} cannot be read.") from error
    return MatchState(
        int(match[1]),
        int(match[2]),
        tuple(_LETTER[token[0].lower()] + token[1:] for token in actions),
        tuple(tuple(sorted(hand, reverse=True)) for hand in cards),
        tuple(shared),
        match[5],
    )


def read_state(
    game: Holdem, seen: MatchState, before: tuple[MatchState, HoldemState] | None = None
) -> HoldemState:
    """The state of the hand as far as a line shows it.

    `before` is an earlier line of the same match with its state: where this line only goes on
    from there, what they share is not played through again.
    """
    if (
        len(seen.hands) != game.players
        or not 0 <= seen.position < game.players
        or any(len(hand) not in (0, game.hole_cards) for hand in seen.hands)
    ):
        raise FileFormatError(f"The line is not of a game with {game.players} players.")
    board, actions = list(seen.board), list(seen.actions)
    try:
        if before is not None and _continues(before[0], seen):
            state = replace(before[1], holes=seen.hands)
            board = board[len(state.board) :]
            actions = actions[len(before[0].actions) :]
        else:
            state = game.with_hands(seen.hands)
        for token in [*actions, ""]:
            while state.actor == CHANCE and len(board) >= state.pending:
                dealt, board = board[: state.pending], board[state.pending :]
                state = state.deal(dealt)
            if token:
                state = state.after(_street_action(state, token))
    except IllegalActionError as error:
        raise FileFormatError(f"The line does not fit the game: {error}") from error
    return state


def _continues(earlier: MatchState, later: MatchState) -> bool:
    """Whether a line says what an earlier one said and goes on from there."""
    mine = earlier.position
    return (
        (earlier.hand, mine, earlier.hands[mine]) == (later.hand, later.position, later.hands[mine])
        and later.actions[: len(earlier.actions)] == earlier.actions
        and later.board[: len(earlier.board)] == earlier.board
    )


def answers(sent: MatchState, received: MatchState) -> bool:
    """Whether a player's line answers the one it was sent, not an older one."""
    mine = sent.position
    return (
        (received.position, received.hand, received.actions) == (mine, sent.hand, sent.actions)
        and len(received.hands) == len(sent.hands)
        and received.hands[mine] == sent.hands[mine]
        and set(received.board) == set(sent.board)
    )


def legal_action(state: HoldemState, text: str) -> tuple[Action, str | None]:
    """What an answer does at `state`, and a complaint where it had to be changed.

    As the reference dealer has it: a raise of an impossible size is moved to the nearest possible
    one, anything else that cannot be done is a call.
    """
    match = _ACTION.match(text)
    letter = _LETTER[match[1].lower()] if match else ""
    actions, raises = state.actions(), state.betting.raise_range()
    if not match or (letter == "r" and not match[2] and state.game.limit == "no-limit"):
        return CALL, f"bad action {text[:40]!r} changed to call"
    if letter != "r":
        legal = letter in actions
        return (letter, None) if legal else (CALL, "a fold with nothing to call changed to call")
    crowded = (
        len(parse_betting(state.history.rpartition("/")[2])) + len(state.holes) > MAX_ROUND_ACTIONS
    )
    if raises is None or crowded:
        return CALL, "a raise that is not possible changed to call"
    if state.game.limit == "fixed-limit":
        return f"r{raises[0]}", None
    wanted = int(match[2]) - _before_street(state)
    amount = min(max(wanted, raises[0]), raises[1])
    moved = f"raise of {match[2]} changed to {amount + _before_street(state)}"
    return f"r{amount}", moved if amount != wanted else None


def format_action(state: HoldemState, action: Action) -> str:
    """An action of the player to act, as the wire has it."""
    amount = raise_amount(action)
    if amount is None:
        return action
    return "r" if state.game.limit == "fixed-limit" else f"r{amount + _before_street(state)}"


@lru_cache(maxsize=8)
def format_betting(game: Holdem, history: str) -> str:
    """A betting text with raises as totals over the hand; a dealer needs one for every seat."""
    rules = game.betting_rules
    fixed = rules.fixed
    before, top, words = max(rules.antes), max(rules.blinds), []
    for token in parse_betting(history):
        amount = raise_amount(token)
        if token == "/":
            before, top = before + top, 0
        if amount is None:
            words.append(token)
        else:
            top = amount
            words.append("r" if fixed else f"r{before + amount}")
    return "".join(words)


def format_match_state(
    state: HoldemState, position: int, hand: int, dealt: Sequence[int] = ()
) -> str:
    """The line that the player at `position` gets, without its end.

    Cards are written in the order in which they were `dealt`, or else from the highest down.
    """
    showdown = state.actor == TERMINAL and sum(state.betting.in_hand) > 1
    hands = [
        _cards(cards, dealt) if p == position or (showdown and state.betting.in_hand[p]) else ""
        for p, cards in enumerate(state.holes)
    ]
    betting = format_betting(state.game, state.history)
    return f"MATCHSTATE:{position}:{hand}:{betting}:{'|'.join(hands)}{_board(state, dealt)}"


def format_log(
    state: HoldemState, hand: int, names: Sequence[str], dealt: Sequence[int] = ()
) -> str:
    """A finished hand in the log: every card, each player's gain and name, by position."""
    hands = "|".join(_cards(cards, dealt) for cards in state.holes)
    betting = format_betting(state.game, state.history)
    values = "|".join(_number(value) for value in state.returns())
    return f"STATE:{hand}:{betting}:{hands}{_board(state, dealt)}:{values}:{'|'.join(names)}"


def format_score(totals: Sequence[float], names: Sequence[str]) -> str:
    """The last line of a match: each seat's total."""
    return f"SCORE:{'|'.join(_number(total) for total in totals)}:{'|'.join(names)}"


def _street_action(state: HoldemState, token: Action) -> Action:
    """A wire action as the rules write it."""
    if token[0] != "r":
        return token
    raises = state.betting.raise_range() if state.actor >= 0 else None
    if state.game.limit == "fixed-limit" and raises:
        return f"r{raises[0]}"
    if state.game.limit == "fixed-limit" and _calls_all_in(state):
        # The reference programs let a player "raise" who has only enough to call.
        return CALL
    return f"r{int(token[1:] or 0) - _before_street(state)}"


def _calls_all_in(state: HoldemState) -> bool:
    betting, player = state.betting, state.actor
    return player >= 0 and max(betting.bets) - betting.bets[player] >= betting.stacks[player]


def _before_street(state: HoldemState) -> int:
    """What the player to act had put in before this street."""
    betting, player = state.betting, max(state.actor, 0)
    return betting.paid[player] - betting.bets[player]


def _board(state: HoldemState, dealt: Sequence[int]) -> str:
    """The board, a slash before each round's cards but the first's."""
    rounds, text, start = state.history.count("/") + 1, "", 0
    for number, count in enumerate(state.game.board_cards[:rounds]):
        text += "/" * (number > 0) + _cards(state.board[start : start + count], dealt)
        start += count
    return text


def _cards(cards: Sequence[int], dealt: Sequence[int]) -> str:
    return cards_text(sorted(cards, key=dealt.index) if dealt else cards)


def _number(value: float) -> str:
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
