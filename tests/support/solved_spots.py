"""Small solved spots whose values are known, put among those of a server."""

from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.holdem.spots.bet_sizes import PlayerSizes, parse_sizes
from riverboat.holdem.spots.spot import Spot
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, shown_facts

NAME = "polarriver"
"""Aces and queens against kings, pot 100 and stack 100: closed forms are known (Chen and
Ankenman, The Mathematics of Poker, 2006: the bettor bluffs half of his bad hands)."""


def polar(board="2s 2h 2d 3c 3d"):
    bets, none = PlayerSizes(bet=parse_sizes("a", "bets")), PlayerSizes()
    cards = tuple(parse_cards(board))
    streets = ("turn", "river") if len(cards) == 4 else ("river",)
    sizes = dict.fromkeys(streets, (bets, none))
    if len(cards) == 4:
        sizes["turn"] = (none, none)
    ranges = (Range.parse("AA,QQ"), Range.parse("KK"))
    return Spot(cards, 100, 100, ranges, sizes=sizes)


def put(folder, solved, name=NAME, target="0.02%"):
    """A solved spot among those of a server's folder."""
    order = SpotOrder(solved.spot, target, tuple(solved.locks))
    run = SpotRun(name, folder / ".web" / "spots" / name, order)
    run.folder.mkdir(parents=True, exist_ok=True)
    solved.save(run.path)
    run.facts.update(shown_facts(solved.info))
    run.parts[0].state = "done"
    run.keep()
    return f"/holdem/spots/{name}"


def drawn_river():
    """The river of docs/study.md: strong hands and missed draws against pairs that beat these."""
    bets, all_in = parse_sizes("50%, a", "bets"), parse_sizes("a", "bets")
    ranges = ("KK,TT,KTs,QJ,AsQs,AsJs,As5s,8s7s", "KQ,KJs,AT,QTs,JTs,A9s")
    return Spot(
        tuple(parse_cards("Ts 9s 2d 4d Kh")),
        100,
        100,
        tuple(Range.parse(text) for text in ranges),
        sizes={"river": (PlayerSizes(bet=bets), PlayerSizes(bet=all_in))},
    )


def polar_of_three():
    """The polar river with a third player between, who is all-in with a hand that never wins."""
    bets, none = PlayerSizes(bet=parse_sizes("a", "bets")), PlayerSizes()
    return Spot(
        tuple(parse_cards("2s 2h 2d 3c 3d")),
        100,
        (100, 0, 100),
        tuple(Range.parse(text) for text in ("AA,QQ", "9c8c", "KK")),
        names=("sb", "bb", "btn"),
        sizes={"river": (bets, none, none)},
    )
