"""A PokerStars hand: its lines taken apart, played by the rules, and held against its own money.

    PokerStars Hand #78438784716:  Hold'em No Limit ($0.25/$0.50 USD) - 2012/04/06 15:58:37 ET
    Table 'Aenna II' 2-max Seat #2 is the button
    Seat 1: Anna ($21.86 in chips)
    Anna: raises $1 to $1.50 and is all-in
    Uncalled bet ($2.50) returned to Anna
    Anna collected $6.68 from pot
    Total pot $7 | Rake $0.32

`read_story` gathers what the lines say; `replayed` plays it. Every disagreement is an error in
words: a call of another amount than was to be called, a pot that the replay does not know. Money
is counted in hundredths, whole numbers, so that nothing is rounded. A player's name may hold
anything, also colons and brackets: it is known from the seats.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from riverboat.cards.card import CARDS
from riverboat.errors import FileFormatError, RiverboatError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.rules.betting import CALL, open_betting
from riverboat.holdem.rules.omaha import Omaha
from riverboat.holdem.rules.short_deck import ShortDeck
from riverboat.holdem.rules.state import Holdem, HoldemState

MAX_CENTS = 10**15
_MONEY = r"[$€£¥₹]?(?:[\d,]{1,15}(?:\.\d{1,2})?)"
HEADER_START = re.compile(r"PokerStars (?:Zoom |Home Game )?(?:Hand|Game) #(\d{1,20}):")
_FOREIGN = re.compile(r".{0,30}PokerStars.{0,30}\d{6,}", re.DOTALL)
_HEADER = re.compile(
    r"PokerStars (?P<kind>Zoom |Home Game )?(?:Hand|Game) #(?P<number>\d{1,20}):\s+"
    r"(?:\{[^}]*\}\s+)?(?P<game>.+?) (?P<limit>No Limit|Pot Limit|Limit)"
    rf"\s+\((?:Button Blind (?P<button>{_MONEY}) - Ante (?P<ante>{_MONEY})"
    rf"|(?P<small>{_MONEY})/(?P<big>{_MONEY}))(?P<rest>[^)]*)\)"
    r"(?: - (?P<date>.*))?"
)
_DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d) (\d{1,2}):(\d\d):(\d\d)(?: ([A-Z]{1,5}))?")
TABLE = re.compile(r"Table '(?P<label>.*)' (?P<seats>\d{1,2})-max .*?Seat #(?P<button>\d{1,2}) is")
SEAT = re.compile(
    rf"Seat (?P<seat>\d{{1,2}}): (?P<name>.+) \((?P<stack>{_MONEY}) in chips(?:, [^)]*)?\)"
    r"(?P<out> (?:is sitting out|out of hand.*))?\s*"
)
STREET = re.compile(
    r"\*\*\* (?P<name>FLOP|TURN|RIVER) \*\*\*(?: \[(?P<before>[^\]]*)\])?? \[(?P<cards>[^\]]*)\]\s*"
)
TWICE = re.compile(r"\*\*\* (?:FIRST|SECOND) ")
ACTION = re.compile(
    r"(?P<verb>folds|checks|calls|bets|raises|shows|mucks hand|doesn't show hand|posts)\b"
    rf"(?:(?P<post> (?:the |a |dead |button )*(?:small & big blinds|small blind|big blind|ante|"
    rf"straddle|button blind))?(?: (?P<money>{_MONEY})(?: to (?P<to>{_MONEY}))?)?)"
    r"(?P<all_in> and (?:is all-in|has reached the .* cap))?(?: \[(?P<cards>[^\]]*)\])?"
)
DEALT = re.compile(r"Dealt to (?P<name>.+) \[(?P<cards>[^\]]*)\]\s*")
COLLECTED = re.compile(
    rf"(?P<name>.+) collected (?P<money>{_MONEY}) from (?:main |side )?pot(?:-\d+)?"
    r"(?: \([^)]*\))?\s*"
)
TOTAL = re.compile(rf"Total pot (?P<pot>{_MONEY})\b.*?\| Rake (?P<rake>{_MONEY})")
MUCKED = re.compile(
    r"Seat \d{1,2}: (?P<name>.+?)(?: \((?:button|small blind|big blind|button blind)\))*"
    r" (?:mucked|showed) \[(?P<cards>[^\]]*)\].*"
)
GAMES: dict[str, type[Holdem]] = {
    "Hold'em": Holdem,
    "Omaha": Omaha,
    "5 Card Omaha": Omaha,
    "6+ Hold'em": ShortDeck,
}
"""The names of games in a header."""
CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "₹": "INR", "": ""}
_NUMBER = {text: number for number, text in enumerate(CARDS)}
FIXED_LIMIT_RAISES = 4


@dataclass(frozen=True)
class Header:
    """The first line of a hand."""

    number: str
    zoom: bool
    game: str  # One of GAMES
    limit: str  # "no-limit", "pot-limit" or "fixed-limit"
    small: int
    big: int  # Blinds in hundredths; in fixed-limit the small and the big bet
    symbol: str
    date: tuple[int, ...]  # Year, month, day, hour, minute, second; empty where the line has none
    zone: str
    ante: int = 0  # In short deck, whose `small` is 0 and whose `big` is the button's blind

    @property
    def hole_cards(self) -> int:
        """The number of a player's cards."""
        return 5 if self.game.startswith("5") else GAMES[self.game]().hole_cards


def cents(text: str) -> int:
    """An amount such as "$1,234.5" in hundredths."""
    whole, _, part = text.lstrip("$€£¥₹").replace(",", "").partition(".")
    number = int(whole or "0") * 100 + int((part + "00")[:2])
    if number > MAX_CENTS:
        raise FileFormatError(f"an amount of {text} is more than this program counts")
    return number


def is_header(line: str) -> bool:
    """Whether a hand begins with this line."""
    return line.startswith("PokerStars ") and HEADER_START.match(line) is not None


def is_foreign(line: str) -> bool:
    """Whether this looks like a header in another language than English."""
    return "PokerStars" in line[:60] and _FOREIGN.match(line) is not None


def parse_header(line: str) -> Header:
    """The header's facts; games that are not read are refused in words."""
    header = _HEADER.match(line)
    if "Tournament #" in line:
        raise FileFormatError("it is a tournament's hand, and only cash hands are read")
    if header is None:
        raise FileFormatError("its first line cannot be read as a cash hand in English")
    game = header["game"].strip()
    if game not in GAMES:
        raise FileFormatError(f"it is {game}; only hold'em, Omaha and 6+ hold'em are read")
    if (header["button"] is not None) != (GAMES[game] is ShortDeck):
        raise FileFormatError("its first line has other stakes than its game has")
    if "Cap" in header["rest"]:
        raise FileFormatError("its betting has a cap, which is not played here")
    small, big = header["small"] or "0", header["big"] or header["button"]
    symbol = big[0] if not big[0].isdigit() else ""
    when = _DATE.match(header["date"] or "")
    limits = {"No Limit": "no-limit", "Pot Limit": "pot-limit", "Limit": "fixed-limit"}
    return Header(
        number=header["number"],
        zoom=header["kind"] == "Zoom ",
        game=game,
        limit=limits[header["limit"]],
        small=cents(small),
        big=cents(big),
        ante=cents(header["ante"] or "0"),
        symbol=symbol,
        date=tuple(map(int, when.groups()[:6])) if when else (),
        zone=(when[7] or "") if when else "",
    )


def read_cards(text: str) -> list[int]:
    """The cards of "Ah Kd"; an unknown word is refused."""
    try:
        return [_NUMBER[word] for word in text.split()]
    except KeyError as error:
        raise FileFormatError(f"{error.args[0]!r} is no card") from None


def split_name(line: str, names: Container[str]) -> tuple[str, re.Match[str]] | None:
    """The player and the action of a line "Name: verb …"; None for lines of any other kind."""
    at = line.find(": ")
    while at > 0:
        name = line[:at]
        if name in names and (action := ACTION.match(line, at + 2)):
            return name, action
        at = line.find(": ", at + 1)
    return None


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
    collected: dict[str, int] = field(default_factory=dict)  # Who took what, as the text says …
    pot: int | None = None
    rake: int = 0  # … and what the house took
    order: list[str] = field(default_factory=list)  # The players of the hand by position
    unit: int = 1  # Hundredths that make one chip: 100 for whole play chips


def read_story(block: list[str]) -> Story:
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
    _complete_posts(story)
    amounts = [*story.stacks.values(), *story.blinds.values(), *(act[2] for act in story.acts)]
    amounts += [story.header.small, story.header.big, *story.collected.values()]
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


def _spoken(story: Story, name: str, words: re.Match[str]) -> None:
    """A line of a player who does something."""
    verb, cards = words["verb"], words["cards"]
    if verb == "posts":
        _posted(story, name, words)
    elif verb in ("shows", "mucks hand", "doesn't show hand"):
        if cards and len(hand := read_cards(cards)) == story.header.hole_cards:
            story.hands[name] = hand
        elif verb == "mucks hand":
            story.mucked.add(name)
    else:
        money = words["to"] or words["money"]
        if (verb in ("calls", "bets", "raises")) != bool(money):
            raise FileFormatError(f"the line {words.string!r} cannot be read")
        story.acts.append((name, verb, cents(money) if money else 0, bool(words["all_in"])))


def _posted(story: Story, name: str, words: re.Match[str]) -> None:
    if not words["money"]:
        raise FileFormatError(f"the line {words.string!r} cannot be read")
    what, amount = words["post"] or "", cents(words["money"])
    short = bool(words["all_in"])
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
        whole = story.header.big if short and GAMES[story.header.game] is ShortDeck else 0
        story.blinds[name] = max(whole, abs(story.blinds.get(name, 0)) + amount)
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
        taken = story.collected
        taken[won["name"]] = taken.get(won["name"], 0) + cents(won["money"])
    elif not story.button and (table := TABLE.match(line)):
        story.table, story.seat_count = table["label"], int(table["seats"])
        story.button = int(table["button"])
    elif line.startswith("Hand cancelled"):
        raise FileFormatError("it was cancelled")


def _summary(story: Story, line: str) -> None:
    if total := TOTAL.match(line):
        story.pot, story.rake = cents(total["pot"]), cents(total["rake"])
    elif "] " in line or line.endswith("]"):
        shown = MUCKED.match(line)
        if shown and shown["name"] in story.seats and shown["name"] not in story.hands:
            cards = read_cards(shown["cards"])
            if len(cards) == story.header.hole_cards:
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


def _complete_posts(story: Story) -> None:
    """Count the whole ante, and the big blind, of a player whom the ante has put all-in.

    The text has what was paid; what the others must put in is the same as from a full stack.
    """
    antes, order = story.antes, story.order
    short = {name for name, ante in antes.items() if ante >= story.stacks[name]}
    full = max(antes.values(), default=0)
    antes.update(dict.fromkeys(short, full))
    if GAMES[story.header.game] is ShortDeck:
        if order[-1] in short:
            story.blinds[order[-1]] = story.header.big
        return
    if story.big_blind or not short:
        return
    # Left of the small blind; without one, both may be all-in, and the big blind is the second.
    first = order.index(story.small_blind) + 1 if story.small_blind else 0
    around = [*order[first:], *order[:first]]
    if not story.small_blind and len(order) > 2 and {*around[:2]} <= short:
        around = around[1:]
    if around[0] in short:
        story.big_blind = around[0]
        story.blinds[around[0]] = _nominal(story)[1]


def _game(story: Story) -> Holdem:
    order, unit, header = story.order, story.unit, story.header
    fixed = header.limit == "fixed-limit"
    big = header.small if fixed else header.big
    blinds = tuple(story.blinds.get(name, 0) // unit for name in order)
    antes = tuple((story.antes.get(name, 0) + story.dead.get(name, 0)) // unit for name in order)
    same = len(set(antes)) == 1
    sizes = (header.small, header.small, header.big, header.big) if fixed else (header.big,) * 4
    return GAMES[header.game](
        players=len(order),
        stacks=tuple(story.stacks[name] // unit for name in order),
        small_blind=min(_nominal(story)) // unit,
        big_blind=big // unit,
        blinds=blinds,
        ante=max(antes),
        ante_from="each" if same else "each-dead",
        antes=() if same else antes,
        limit=header.limit,
        hole_cards=header.hole_cards,
        bet_sizes=tuple(size // unit for size in sizes),
        max_raises=(FIXED_LIMIT_RAISES,) * 4 if fixed else (),
        short_blind="full",
    )


def replayed(story: Story) -> tuple[HoldemState, tuple[int, ...]]:
    """The state after the whole story, and who mucked; the money of the text is checked.

    PokerStars has a big blind called in full though its player is all-in for less; a text by other
    rules, and one where only two are left, may call what was paid.
    """
    game = _game(story)
    rules = game.betting_rules
    if max(open_betting(rules).bets) >= rules.opening:
        return _replayed(story, game)
    try:
        return _replayed(story, game)
    except RiverboatError:
        return _replayed(story, replace(game, short_blind="paid"))


def _replayed(story: Story, game: Holdem) -> tuple[HoldemState, tuple[int, ...]]:
    order = story.order
    numbers = {name: player for player, name in enumerate(order)}
    state = game.with_hands([story.hands.get(name, []) for name in order])
    deals = iter(story.deals)
    for name, verb, amount, all_in in story.acts:
        if verb == "deal":
            state = state.deal(next(deals))
            continue
        if state.actor == CHANCE:
            raise FileFormatError(f"{name} acts while cards are still to be dealt")
        if state.actor == TERMINAL or numbers[name] != state.actor:
            raise FileFormatError(f"it is not the turn of {name}, who {verb}")
        state = _played(story, state, name, verb, amount // story.unit)
        if all_in and state.betting.stacks[numbers[name]] and state.betting.queue:
            raise FileFormatError(f"{name} is marked all-in and has chips left")
    mucked = _mucked(story, state, numbers)
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
    if allowed is None:
        raise FileFormatError(f"{name} {verb}, where no bet or raise is allowed")
    if not allowed[0] <= chips <= allowed[1]:
        raise FileFormatError(
            f"{name} {verb} to {_money(story, chips)}, where {_money(story, allowed[0])} to"
            f" {_money(story, allowed[1])} is possible"
        )
    return state.after(f"r{chips}")


def _mucked(story: Story, state: HoldemState, numbers: dict[str, int]) -> tuple[int, ...]:
    """At a showdown: who threw the hand away, or never showed it."""
    if sum(state.betting.in_hand) < 2 or state.actor >= 0:
        return ()
    return tuple(
        player
        for name, player in numbers.items()
        if state.betting.in_hand[player] and (name in story.mucked or not state.holes[player])
    )


def _check_money(story: Story, state: HoldemState, mucked: Sequence[int]) -> None:
    """Refuse a hand whose pot, winners or rake are not what the replay gives."""
    if state.actor >= 0:
        raise FileFormatError(f"it ends while {story.order[state.actor]} is still to act")
    unit = story.unit
    if story.pot is None:
        raise FileFormatError("it does not say its total pot")
    pot = state.betting.pot
    if story.pot != pot * unit:
        raise FileFormatError(
            f"its total pot is {_money(story, story.pot // unit)}, and the actions come to"
            f" {_money(story, pot)}"
        )
    total = sum(story.collected.values())
    if total + story.rake != story.pot:
        raise FileFormatError("what was collected and the rake are not the total pot")
    for name, won in zip(story.order, _winnings(state, mucked), strict=True):
        said = story.collected.get(name, 0) // unit
        # Rake comes out of what is won; a chip that does not divide may go to another winner.
        slack = len(story.order)
        if not won - story.rake // unit - slack <= said <= won + slack or bool(won) != bool(said):
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
