"""A PokerStars hand as a story, and the story played by the rules and held against its own money.

`told` gathers what the lines say; `replayed` plays it. Every disagreement is an error in words: a
call of another amount than was to be called, a pot or a winner that the replay does not know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from riverboat.errors import FileFormatError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.rules.actions import CALL
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.interop.holdem_pokerstars_lines import (
    COLLECTED,
    DEALT,
    MUCKED,
    SEAT,
    STREET,
    TABLE,
    TOTAL,
    TWICE,
    Header,
    Money,
    cents,
    parse_header,
    read_cards,
    split_name,
)

__all__ = ["Story", "replayed", "told"]

FIXED_LIMIT_RAISES = 4
Act = tuple[str, str, int, bool]
"""Player ("" for the dealer), verb, amount in hundredths, whether all-in; cards for the dealer."""


@dataclass
class Story:
    """What the text of one hand says."""

    header: Header
    table: str = ""
    seat_count: int = 0
    button: int = 0
    seats: dict[str, int] = field(default_factory=dict)
    stacks: dict[str, int] = field(default_factory=dict)
    blinds: dict[str, int] = field(default_factory=dict)
    """Live bets before the cards; below 0 where posted out of turn."""
    antes: dict[str, int] = field(default_factory=dict)
    dead: dict[str, int] = field(default_factory=dict)
    small_blind: str = ""
    big_blind: str = ""
    acts: list[Act] = field(default_factory=list)
    deals: list[list[int]] = field(default_factory=list)
    hands: dict[str, list[int]] = field(default_factory=dict)
    mucked: set[str] = field(default_factory=set)
    hero: str = ""
    money: Money = field(default_factory=Money)
    order: list[str] = field(default_factory=list)
    """The players of the hand by position."""
    unit: int = 1
    """Hundredths that make one chip: 100 for whole play chips."""


def told(block: list[str]) -> Story:
    """What the lines of a hand say, in order."""
    story = Story(parse_header(block[0]))
    summary = False
    for line in block[1:]:
        if line.startswith("*** "):
            summary = _headline(story, line) or summary
        elif summary:
            _summary(story, line)
        elif line.startswith("Seat ") and not story.acts and (seat := SEAT.fullmatch(line)):
            if not seat["out"]:
                story.seats[seat["name"]] = int(seat["seat"])
                story.stacks[seat["name"]] = cents(seat["stack"])
        elif (spoken := split_name(line, story.seats)) is not None:
            _spoken(story, *spoken)
        else:
            _other(story, line)
    if not summary:
        raise FileFormatError("it is cut off: it has no summary")
    story.order = _order(story)
    amounts = [*story.stacks.values(), *story.blinds.values(), *(act[2] for act in story.acts)]
    amounts += [story.header.small, story.header.big, *story.money.collected.values()]
    if not story.header.symbol and not any(amount % 100 for amount in amounts):
        story.unit = 100
    return story


def _headline(story: Story, line: str) -> bool:
    """A line "*** … ***"; whether it is the summary's."""
    if street := STREET.fullmatch(line):
        story.deals.append(read_cards(street["cards"]))
        story.acts.append(("", "deal", 0, False))
    elif TWICE.match(line):
        raise FileFormatError("its board was run twice, which is not played here")
    return line.startswith("*** SUMMARY")


def _spoken(story: Story, name: str, found: re.Match[str]) -> None:
    """A line of a player who does something."""
    verb, cards = found["verb"], found["cards"]
    if verb == "posts":
        _posted(story, name, found)
    elif verb in ("shows", "mucks hand", "doesn't show hand"):
        if cards and len(hand := read_cards(cards)) == 2:
            story.hands[name] = hand
        elif verb == "mucks hand":
            story.mucked.add(name)
    else:
        money = found["to"] or found["money"]
        if (verb in ("calls", "bets", "raises")) != bool(money):
            raise FileFormatError(f"the line {found.string!r} cannot be read")
        story.acts.append((name, verb, cents(money) if money else 0, bool(found["all_in"])))


def _posted(story: Story, name: str, found: re.Match[str]) -> None:
    if not found["money"]:
        raise FileFormatError(f"the line {found.string!r} cannot be read")
    what, amount = found["post"] or "", cents(found["money"])
    short = bool(found["all_in"])
    if "ante" in what:
        story.antes[name] = max(story.antes.get(name, 0), amount)
    elif "small & big" in what:
        live = min(_nominal(story)[1], amount)
        story.blinds[name], story.dead[name] = -live, amount - live
    elif "small" in what and not story.small_blind:
        story.small_blind = name
        story.blinds[name] = max(amount, _nominal(story)[0]) if short else amount
    elif "small" in what:
        story.dead[name] = amount
    elif "big" in what and not story.big_blind:
        story.big_blind = name
        story.blinds[name] = max(amount, _nominal(story)[1]) if short else amount
    elif "straddle" in what or "button blind" in what:
        # Who has posted a blind already adds to it.
        story.blinds[name] = abs(story.blinds.get(name, 0)) + amount
    else:
        story.blinds[name] = -amount


def _nominal(story: Story) -> tuple[int, int]:
    header = story.header
    fixed = header.limit == "fixed-limit"
    return (header.small // 2, header.small) if fixed else (header.small, header.big)


def _other(story: Story, line: str) -> None:
    """The table, hole cards, money; everything else (chat, coming and going) is passed over."""
    if (dealt := DEALT.fullmatch(line)) and dealt["name"] in story.seats:
        story.hero = dealt["name"]
        story.hands[dealt["name"]] = read_cards(dealt["cards"])
    elif (won := COLLECTED.fullmatch(line)) and won["name"] in story.seats:
        taken = story.money.collected
        taken[won["name"]] = taken.get(won["name"], 0) + cents(won["money"])
    elif not story.button and (table := TABLE.match(line)):
        story.table, story.seat_count = table["table"], int(table["seats"])
        story.button = int(table["button"])
    elif line.startswith("Hand cancelled"):
        raise FileFormatError("it was cancelled")


def _summary(story: Story, line: str) -> None:
    if total := TOTAL.match(line):
        story.money.pot, story.money.rake = cents(total["pot"]), cents(total["rake"])
    elif "] " in line or line.endswith("]"):
        shown = MUCKED.match(line)
        if shown and shown["name"] in story.seats and shown["name"] not in story.hands:
            cards = read_cards(shown["cards"])
            if len(cards) == 2:
                story.hands[shown["name"]] = cards


def _order(story: Story) -> list[str]:
    """Who plays, by position: left of the button first. Two players: the small blind last."""
    acting = {act[0] for act in story.acts} - {""}
    playing = acting | story.blinds.keys() | story.antes.keys() | story.dead.keys()
    if not story.button:
        raise FileFormatError("it does not say where the button is")
    if len(playing) < 2:
        raise FileFormatError("fewer than two players take part in it")
    if len(playing) > 10:
        raise FileFormatError(f"{len(playing)} players take part in it, and at most 10 are read")
    order = sorted(playing, key=lambda name: (story.seats[name] - story.button - 1) % 100)
    if len({story.seats[name] for name in order}) < len(order):
        raise FileFormatError("two players sit on one seat")
    if len(order) == 2 and order[0] == story.small_blind:
        order.reverse()
    return order


def _game(story: Story) -> Holdem:
    order, unit, header = story.order, story.unit, story.header
    fixed = header.limit == "fixed-limit"
    big = header.small if fixed else header.big
    blinds = tuple(story.blinds.get(name, 0) // unit for name in order)
    antes = tuple((story.antes.get(name, 0) + story.dead.get(name, 0)) // unit for name in order)
    each = len(set(antes)) == 1
    sizes = (header.small, header.small, header.big, header.big) if fixed else (header.big,) * 4
    return Holdem(
        players=len(order),
        stacks=tuple(story.stacks[name] // unit for name in order),
        small_blind=min(_nominal(story)) // unit,
        big_blind=big // unit,
        blinds=blinds,
        ante=max(antes),
        ante_from="each" if each else "each-dead",
        antes=() if each else antes,
        limit="fixed-limit" if fixed else "no-limit",
        bet_sizes=tuple(size // unit for size in sizes),
        max_raises=(FIXED_LIMIT_RAISES,) * 4 if fixed else (),
    )


def replayed(story: Story) -> tuple[HoldemState, tuple[int, ...]]:
    """The state after the whole story, and who mucked; the money of the text is checked."""
    order = story.order
    place = {name: player for player, name in enumerate(order)}
    state = _game(story).with_hands([story.hands.get(name, []) for name in order])
    deals = iter(story.deals)
    for name, verb, amount, all_in in story.acts:
        if verb == "deal":
            state = state.deal(next(deals))
            continue
        if state.actor == CHANCE:
            raise FileFormatError(f"{name} acts while cards are still to be dealt")
        if state.actor == TERMINAL or place[name] != state.actor:
            raise FileFormatError(f"it is not the turn of {name}, who {verb}")
        state = _played(story, state, name, verb, amount // story.unit)
        if all_in and state.betting.stacks[place[name]] and state.betting.queue:
            raise FileFormatError(f"{name} is said to be all-in and has chips left")
    mucked = _mucked(story, state, place)
    _check_money(story, state, mucked)
    return state, mucked


def _played(story: Story, state: HoldemState, name: str, verb: str, chips: int) -> HoldemState:
    """The state after one action, refused in the file's own money."""
    betting = state.betting
    if verb == "folds":
        return state.give_up()
    if verb == "checks" and betting.to_call:
        raise FileFormatError(f"{name} checks, where {_money(story, betting.to_call)} is to call")
    if verb == "calls" and chips != betting.to_call:
        raise FileFormatError(
            f"{name} calls {_money(story, chips)}, where {_money(story, betting.to_call)} is to"
            " be called"
        )
    if verb in ("checks", "calls"):
        return state.after(CALL)
    allowed = betting.raise_range()
    if story.header.limit == "pot-limit" and allowed:
        most = max(betting.bets) + betting.pot + betting.to_call
        allowed = (allowed[0], max(allowed[0], min(allowed[1], most)))
    if allowed is None:
        raise FileFormatError(f"{name} {verb}, where no bet or raise is allowed")
    if not allowed[0] <= chips <= allowed[1]:
        raise FileFormatError(
            f"{name} {verb} to {_money(story, chips)}, where {_money(story, allowed[0])} to"
            f" {_money(story, allowed[1])} is possible"
        )
    return state.after(f"r{chips}")


def _mucked(story: Story, state: HoldemState, place: dict[str, int]) -> tuple[int, ...]:
    """At a showdown: who threw the hand away, or never showed it."""
    if sum(state.betting.in_hand) < 2 or state.actor >= 0:
        return ()
    return tuple(
        player
        for name, player in place.items()
        if state.betting.in_hand[player] and (name in story.mucked or not state.holes[player])
    )


def _check_money(story: Story, state: HoldemState, mucked: Sequence[int]) -> None:
    """Refuse a hand whose pot, winners or rake are not what the replay gives."""
    if state.actor >= 0:
        raise FileFormatError(f"it ends while {story.order[state.actor]} is still to act")
    money, unit = story.money, story.unit
    if money.pot is None:
        raise FileFormatError("it does not say its total pot")
    pot = state.betting.pot
    if money.pot != pot * unit:
        raise FileFormatError(
            f"its total pot is {_money(story, money.pot // unit)}, and the actions come to"
            f" {_money(story, pot)}"
        )
    total = sum(money.collected.values())
    if total + money.rake != money.pot:
        raise FileFormatError("what was collected and the rake are not the total pot")
    for name, won in zip(story.order, _winnings(state, mucked), strict=True):
        said = money.collected.get(name, 0) // unit
        # Rake comes out of what is won; a chip that does not divide may go to another winner.
        slack = len(story.order)
        if not won - money.rake // unit - slack <= said <= won + slack or bool(won) != bool(said):
            raise FileFormatError(
                f"{name} collected {_money(story, said)}, and the replay gives {_money(story, won)}"
            )


def _winnings(state: HoldemState, mucked: Sequence[int]) -> list[int]:
    """What each player takes from the pot."""
    in_hand = [here and player not in mucked for player, here in enumerate(state.betting.in_hand)]
    alive, pot = sum(in_hand), state.betting.pot
    if alive == 1:
        return [pot * here for here in in_hand]
    if not alive or state.actor == CHANCE:
        raise FileFormatError("its board is not dealt to the end")
    shown = replace(state, betting=replace(state.betting, in_hand=tuple(in_hand)))
    stacks = zip(state.betting.rules.stacks, state.betting.stacks, strict=True)
    paid = (before - after for before, after in stacks)
    return [round(gain) + spent for gain, spent in zip(shown.returns(), paid, strict=True)]


def _money(story: Story, chips: int) -> str:
    amount = chips * story.unit
    whole, part = divmod(amount, 100)
    return f"{story.header.symbol}{whole:,}" + (f".{part:02}" if part else "")
