"""Groups of hands by rules to be read: every five cards a hand may play, one hand at a time."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from riverboat.cards.plain_strength import strength

Cards = tuple[int, ...]
STRAIGHTS = [{12, 0, 1, 2, 3}, *({top - i for i in range(5)} for top in range(4, 13))]


def fives(hand: Cards, board: Cards, omaha: bool | None = None) -> Iterator[Cards]:
    """Every five cards that may be played, those with a card of the hand only."""
    if not (len(hand) > 2 if omaha is None else omaha):
        for five in combinations((*hand, *board), 5):
            if five[0] in hand:
                yield five
    else:
        for two in combinations(hand, 2):
            for three in combinations(board, 3):
                yield (*two, *three)


@cache
def straight_of(ranks: Cards) -> int:
    """1 for a five-high straight up to 10; 0 for five ranks that are none."""
    return STRAIGHTS.index(set(ranks)) + 1 if set(ranks) in STRAIGHTS else 0


def straight(hand: Cards, board: Cards, omaha: bool | None = None) -> int:
    """The hand's best straight, in hold'em higher than any of the board alone; 0 for none."""
    played = fives(hand, board, omaha)
    own = max(straight_of(tuple(sorted(c // 4 for c in five))) for five in played)
    alone = [straight_of(tuple(sorted(c // 4 for c in f))) for f in combinations(board, 5)]
    omaha = len(hand) > 2 if omaha is None else omaha
    return own if omaha or own > max(alone, default=0) else 0


def flushes(hand: Cards, board: Cards, omaha: bool | None = None) -> list[Cards]:
    """The ranks of all flushes that a hand may play, best first."""
    found = [five for five in fives(hand, board, omaha) if len({card % 4 for card in five}) == 1]
    return sorted(tuple(sorted((c // 4 for c in five), reverse=True)) for five in found)[::-1]


def best(hand: Cards, board: Cards) -> Cards:
    """The strength of the best five; in hold'em the board's own five count too."""
    played = max(strength(five) for five in fives(hand, board))
    return max(played, strength(board)) if len(hand) == 2 and len(board) == 5 else played


def made(hand: Cards, board: Cards) -> str:
    """The made hand, with flush and straight not yet told from the nuts."""
    category, *ranks = best(hand, board)
    on_board = [card // 4 for card in board]
    held = [card // 4 for card in hand]
    distinct = sorted(set(on_board), reverse=True)
    if (
        len(hand) == 2
        and len(board) == 5
        and category >= 4
        and best(hand, board) == strength(board)
    ):
        return "the board"
    if category in (4, 5, 6, 8):
        return {4: "straight", 5: "flush", 6: "full house", 8: "straight flush"}[category]
    high = {12: "ace high", 11: "king high"}.get(max(held), "nothing")
    if category == 7:
        return "quads" if on_board.count(ranks[0]) < 4 else high
    if category == 3:
        return {1: "set", 2: "trips"}.get(on_board.count(ranks[0]), high)
    if category == 0:
        return high
    own = [rank for rank in ranks[:category] if on_board.count(rank) < 2]
    if len(own) == 2:
        places = [distinct.index(rank) if rank in distinct else None for rank in own]
        last = len(distinct) - 1
        if places == [0, 1]:
            return "top two pair"
        if places == [0, last]:
            return "top and bottom pair"
        return "bottom two pair" if places == [last - 1, last] else "two pair"
    if not own:
        return high
    if own[0] in on_board:
        return ("top pair", "second pair", "third pair", "low pair", "low pair")[
            distinct.index(own[0])
        ]
    return "overpair" if own[0] > distinct[0] else "underpair"


def has_nut_flush(hand: Cards, board: Cards) -> bool:
    """Whether nobody can hold a better flush, straight flushes aside."""
    mine = flushes(hand, board)[0]
    suits = [suit for suit in range(4) if sum(card % 4 == suit for card in board) >= 3]
    left = [c for c in range(52) if c % 4 in suits and c not in (*hand, *board)]
    others = (flushes(two, board, len(hand) > 2) for two in combinations(left, 2))
    return all(mine >= other[0] for other in others if other)


def outs(hand: Cards, board: Cards) -> tuple[list[int], list[int]]:
    """The next cards that make a straight, and those that make a flush."""
    category = best(hand, board)[0]
    deck = [card for card in range(52) if card not in (*hand, *board)]
    straights = [c for c in deck if straight(hand, (*board, c))] if category < 4 else []
    made_flush = [c for c in deck if flushes(hand, (*board, c))] if category < 5 else []
    return straights, made_flush


def draw(hand: Cards, board: Cards) -> str:
    """The draw, with the nut flush draw not yet told from others."""
    if len(board) == 5:
        return "no draw"
    straights, made_flush = outs(hand, board)
    ranks = {card // 4 for card in straights}
    if straights and made_flush:
        return "combo draw"
    if made_flush:
        return "flush draw"
    if straights:
        if len(straights) >= 9:
            return "big wrap" if len(straights) >= 13 else "wrap"
        return "open-ended" if len(ranks) > 1 else "gutshot"
    category = best(hand, board)[0]
    above = min(card // 4 for card in hand) > max(card // 4 for card in board)
    if len(hand) == 2 and category < 4 and above and hand[0] // 4 != hand[1] // 4:
        return "overcards"
    for suit in range(4):
        mine, there = (sum(card % 4 == suit for card in cards) for cards in (hand, board))
        if len(board) == 3 and mine >= 2 and there == 1 and category < 5:
            return "backdoor flush draw"
    return "no draw"


@cache
def best_straight(board: Cards, omaha: bool) -> int:
    """The highest straight that any two cards make on a board; 0 for none."""
    left = [card for card in range(52) if card not in board]
    return max(straight(two, board, omaha) for two in combinations(left, 2))


def blocker(hand: Cards, board: Cards) -> str:
    """What the hand holds of the nuts without having them."""
    for num, word in ((3, "nut flush blocker"), (2, "nut flush draw blocker")):
        for suit in range(4):
            there = sum(card % 4 == suit for card in board)
            if there != num and not (num == 3 and there > 3):
                continue
            top = max(card for card in range(suit, 52, 4) if card not in board)
            if num == 3 and top in hand and not flushes(hand, board):
                return word
            next_card = next(c for c in range(suit, 52, 4) if c not in (*hand, *board))
            drawing = num == 2 and len(board) < 5 and flushes(hand, (*board, next_card))
            if num == 2 and len(board) < 5 and top in hand and not drawing:
                return word
    if best(hand, board)[0] < 4:
        top = best_straight(board, len(hand) > 2)
        missing = STRAIGHTS[top - 1] - {card // 4 for card in board} if top else set()
        if any(card // 4 in missing for card in hand):
            return "nut straight blocker"
    return "no blocker"
