"""Hands written as PokerStars writes cash hands, for programs that read that text.

    print(write_pokerstars(hand, number=7, table="Kitchen"))

A hand is what `read_pokerstars` and the PHH reader give. Names, seats, date, currency and rake come
from the hand's fields where it has them. Hands in one text are separated by three line ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from riverboat.cards.card import CARDS
from riverboat.cards.plain_strength import Strength
from riverboat.errors import UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.histories.hand import PhhHand, is_amount
from riverboat.holdem.histories.phh import has_usual_cards
from riverboat.holdem.rules.betting import CALL, FOLD, build_pots, parse_betting
from riverboat.holdem.rules.omaha import Omaha
from riverboat.holdem.rules.short_deck import LOWEST_RANK, ShortDeck
from riverboat.holdem.rules.state import Holdem, HoldemState

_ONE = (
    *("Deuce", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"),
    *("Jack", "Queen", "King", "Ace"),
)
_STREETS = ("before Flop", "on the Flop", "on the Turn", "on the River")
_LIMITS = {"no-limit": "No Limit", "pot-limit": "Pot Limit", "fixed-limit": "Limit"}


def _many(rank: int) -> str:
    return _ONE[rank] + ("es" if _ONE[rank] == "Six" else "s")


def hand_name(value: Strength, lowest: int = 0) -> str:
    """The name of a strength, as hand histories write it; `lowest` is the deck's lowest rank."""
    kind, ranks = value[0], value[1:]
    top = ranks[0]
    if kind in (4, 8):
        if kind == 8 and top == 12:
            return "a Royal Flush"
        # The ace is below the deck's lowest rank in the lowest straight.
        low = _ONE[top - 4] if top - 4 >= lowest else "Ace"
        return f"a straight{' flush' if kind == 8 else ''}, {low} to {_ONE[top]}"
    names = {
        0: f"high card {_ONE[top]}",
        1: f"a pair of {_many(top)}",
        2: f"two pair, {_many(top)} and {_many(ranks[1])}" if len(ranks) > 1 else "",
        3: f"three of a kind, {_many(top)}",
        5: f"a flush, {_ONE[top]} high",
        6: f"a full house, {_many(top)} full of {_many(ranks[1])}" if len(ranks) > 1 else "",
        7: f"four of a kind, {_many(top)}",
    }
    return names[kind]


def write_pokerstars_hands(hands: Iterable[PhhHand]) -> Iterator[str]:
    """The text of each hand, with what separates it from the next."""
    for number, hand in enumerate(hands, 1):
        yield write_pokerstars(hand, number=number) + "\n\n\n"


def write_pokerstars(hand: PhhHand, *, number: int = 1, table: str = "Riverboat") -> str:
    """One finished hand as PokerStars' text; `number` and `table` are for hands without them."""
    teller = _teller(hand)
    if teller.state.actor != TERMINAL:
        raise UsageError("PokerStars' text holds finished hands only; this one is not over.")
    said = hand.fields.get("hand", number)
    number = said if isinstance(said, int) and said > 0 else number
    table = str(hand.fields.get("table", table))
    lines = [*_head(teller, number, table), *_posts(teller), "*** HOLE CARDS ***"]
    lines += [*_hero(teller), *_betting(teller), *_end(teller)]
    return "\n".join(lines) + "\n"


@dataclass
class _Teller:
    """A hand with what is needed to write it."""

    hand: PhhHand
    state: HoldemState  # The last one; who mucked is out of it
    names: list[str]
    seats: list[int]
    symbol: str
    rake: int  # In chips
    folded: dict[int, int]  # Player → the street of the fold

    def money(self, chips: int) -> str:
        amount = chips * self.hand.unit
        whole = amount == amount.to_integral_value()
        return f"{self.symbol}{int(amount)}" if whole else f"{self.symbol}{amount:.2f}"


def _teller(hand: PhhHand) -> _Teller:
    game, fields = hand.state.game, hand.fields
    if _game_name(game) is None:
        raise UsageError(
            "PokerStars' text holds hold'em with 52 cards and four streets, Omaha with four or five"
            f" cards and short deck with a button blind only, not this {game.name}."
        )
    if hand.unit < Decimal("0.01"):
        raise UsageError("PokerStars' text has amounts with two decimals; this hand has more.")
    symbol, names = fields.get("currency_symbol", ""), hand.names
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return _Teller(
        hand,
        hand.ended,
        [" ".join(name.split()) or f"p{i}" for i, name in enumerate(names, 1)],
        _own_seats(fields.get("seats"), game.players),
        symbol if isinstance(symbol, str) and symbol in tuple("$€£¥₹") else "",
        int(hand.rake / hand.unit),
        {},
    )


def _game_name(game: Holdem) -> str | None:
    """What PokerStars calls a game; None for one that it does not have."""
    if isinstance(game, Omaha) and game.hole_cards == 5:
        return "5 Card Omaha" if has_usual_cards(replace(game, hole_cards=4)) else None
    if not has_usual_cards(game):
        return None
    if isinstance(game, ShortDeck):
        plain = not any(game.betting_rules.blinds[:-1]) and not game.trips_beat_straights
        return "6+ Hold'em" if plain else None
    return {"holdem": "Hold'em", "omaha": "Omaha"}[game.name]


def _is_finite(stake: Any) -> bool:
    return is_amount(stake) and Decimal(stake).is_finite()


def _own_seats(seats: Any, players: int) -> list[int]:
    """The seats that a hand names, or 1, 2, … where it names none that can be."""
    if (
        isinstance(seats, list)
        and all(isinstance(seat, int) and 1 <= seat <= 99 for seat in seats)
        and len(set(seats)) == len(seats) == players
    ):
        return list(seats)
    return list(range(1, players + 1))


def _head(teller: _Teller, number: int, table: str) -> Iterator[str]:
    hand, game = teller.hand, teller.state.game
    fields, rules = hand.fields, game.betting_rules
    limit = str(fields.get("_limit", game.limit))
    stakes = fields.get("_stakes")
    if isinstance(stakes, list) and len(stakes) == 2 and all(map(_is_finite, stakes)):
        small, big = (int(stake / hand.unit) for stake in stakes)
    elif rules.fixed:
        small, big = rules.bet_sizes[0], rules.bet_sizes[2]
    else:
        small, big = game.small_blind, game.big_blind
    money, kind = teller.money, "Zoom " if fields.get("_zoom") else ""
    currency = fields.get("currency") if teller.symbol else ""
    code = f" {currency}" if isinstance(currency, str) and currency.isalpha() else ""
    blinds = f"{money(small)}/{money(big)}"
    if isinstance(game, ShortDeck):
        blinds = f"Button Blind {money(big)} - Ante {money(max(rules.antes))} "
    yield (
        f"PokerStars {kind}Hand #{number}:  {_game_name(game)} {_LIMITS.get(limit, 'No Limit')}"
        f" ({blinds}{code}) - {_when(fields)}"
    )
    count = fields.get("seat_count")
    most = max(count if isinstance(count, int) else 0, len(teller.names), *teller.seats)
    yield f"Table '{' '.join(table.split())}' {most}-max Seat #{teller.seats[-1]} is the button"
    for seat, player in sorted(zip(teller.seats, range(game.players), strict=True)):
        yield f"Seat {seat}: {teller.names[player]} ({money(rules.stacks[player])} in chips) "


def _when(fields: Any) -> str:
    parts = [fields.get(name) for name in ("year", "month", "day")]
    zone = fields.get("time_zone_abbreviation")
    day = (
        "/".join(f"{part:02d}" for part in parts) if all(isinstance(p, int) for p in parts) else ""
    )
    clock = fields.get("time")
    hours = f"{clock.hour}:{clock:%M:%S}" if hasattr(clock, "hour") else "0:00:00"
    return f"{day or '2000/01/01'} {hours} {zone if isinstance(zone, str) and zone else 'ET'}"


def _posts(teller: _Teller) -> Iterator[str]:
    """Antes, then blinds in the order of the table; what is posted out of turn comes last."""
    state, names, money = teller.state, teller.names, teller.money
    rules = state.game.betting_rules
    same = len(set(rules.antes)) == 1
    stacks = list(rules.stacks)
    # A dead blind goes with a live one that was posted out of turn.
    both = [blind < 0 < ante for blind, ante in zip(rules.blinds, rules.antes, strict=True)]
    for player, ante in enumerate(rules.antes):
        if ante and (same or not both[player]):
            paid = min(ante, stacks[player])
            stacks[player] -= paid
            yield f"{names[player]}: posts the ante {money(paid)}{_all_in(stacks[player])}"
    order = (1, 0) if len(names) == 2 else range(len(names))
    small, named = state.game.small_blind, 0
    for player in sorted(order, key=lambda p: rules.blinds[p] < 0):
        blind = rules.blinds[player]
        if not blind:
            continue
        dead = 0 if same else rules.antes[player] * both[player]
        paid = min(abs(blind) + dead, stacks[player])
        stacks[player] -= paid
        what = "big blind"
        if isinstance(state.game, ShortDeck):
            what = "button blind"
        elif dead:
            what = "small & big blinds"
        elif blind > 0 and named == 0 and blind <= max(small, 1) and len(names) > 1:
            what = "small blind"
        elif blind > state.game.big_blind:
            what = "straddle"
        named += 1
        if paid:  # the ante may have taken all
            yield f"{names[player]}: posts {what} {money(paid)}{_all_in(stacks[player])}"


def _all_in(stack: int) -> str:
    return "" if stack else " and is all-in"


def _hero(teller: _Teller) -> Iterator[str]:
    """The hand of the one whose history it is."""
    hero = teller.hand.fields.get("_hero")
    if hero in teller.names and (cards := teller.state.holes[teller.names.index(str(hero))]):
        yield f"Dealt to {hero} [{_cards(cards)}]"


def _betting(teller: _Teller) -> Iterator[str]:
    """Every action and every street's cards; what was not called at the end."""
    game, board = teller.state.game, list(teller.hand.state.board)
    now = game.with_hands(teller.hand.state.holes)
    shown, before = 0, now.betting
    for action in [*parse_betting(teller.hand.state.history), ""]:
        while now.actor == CHANCE and len(board) - shown >= now.pending:
            name = ("FLOP", "TURN", "RIVER")[max(0, shown - 2)]
            cards = board[shown : shown + now.pending]
            past = f" [{_cards(board[:shown])}]" if shown else ""
            if not now.betting.queue and before.queue:
                yield from _returned(teller, before)
                before = now.betting
            yield f"*** {name} ***{past} [{_cards(cards)}]"
            now, shown = now.deal(cards), shown + len(cards)
        if action in ("", "/"):
            continue
        yield _action(teller, now, action)
        player, before = now.actor, now.betting
        if action == FOLD:
            teller.folded[player] = before.street
        now = now.give_up() if action == FOLD else now.after(action)
        before = _paid_in(before, action)
    if before.queue:
        yield from _returned(teller, before)


def _paid_in(betting: Any, action: str) -> Any:
    """The betting after an action, before uncalled chips are returned."""
    player, bets = betting.queue[0], list(betting.bets)
    if action == CALL:
        bets[player] += betting.to_call
    elif action != FOLD:
        bets[player] = int(action[1:])
    return replace(betting, bets=tuple(bets))


def _returned(teller: _Teller, betting: Any) -> Iterator[str]:
    """The line of an uncalled bet, where only one player has made the highest bet."""
    top, second = sorted(betting.bets)[:-3:-1]
    if top > second:
        name = teller.names[betting.bets.index(top)]
        yield f"Uncalled bet ({teller.money(top - second)}) returned to {name}"


def _action(teller: _Teller, now: HoldemState, action: str) -> str:
    betting, player, money = now.betting, now.actor, teller.money
    name, to_call = teller.names[player], betting.to_call
    if action == FOLD:
        return f"{name}: folds "
    if action == CALL and not to_call:
        return f"{name}: checks "
    if action == CALL:
        all_in = _all_in(betting.stacks[player] - to_call)
        return f"{name}: calls {money(to_call)}{all_in}"
    amount, top = int(action[1:]), betting.top
    all_in = _all_in(betting.stacks[player] + betting.bets[player] - amount)
    if not top:
        return f"{name}: bets {money(amount)}{all_in}"
    return f"{name}: raises {money(amount - top)} to {money(amount)}{all_in}"


def _end(teller: _Teller) -> Iterator[str]:
    """Showdown, who collects, summary."""
    state, names, money = teller.state, teller.names, teller.money
    alive = [player for player, here in enumerate(state.betting.in_hand) if here]
    showdown = sum(teller.hand.state.betting.in_hand) > 1
    values: list[Strength] = [()] * len(names)
    for player in alive:
        if showdown and not state.holes[player]:
            raise UsageError("A hand at the showdown is not known, so nobody knows who won.")
        if showdown:
            values[player] = state.game.strength(state.holes[player], state.board)
    if showdown:
        yield "*** SHOW DOWN ***"
        for player, here in enumerate(teller.hand.state.betting.in_hand):
            if here and player in alive:
                shown = _cards(state.holes[player])
                yield f"{names[player]}: shows [{shown}] ({_name_of(state, player)})"
            elif here:
                yield f"{names[player]}: mucks hand "
    won = [0] * len(names)
    pots = _shares(teller, values)
    labels = _pot_labels(len(pots))
    for label, (_, shares) in reversed(list(zip(labels, pots, strict=True))):
        for player, chips in shares:
            won[player] += chips
            yield f"{names[player]} collected {money(chips)} from {label}"
    yield "*** SUMMARY ***"
    parts = [
        f"{label[0].upper()}{label[1:]} {money(sum(chips for _, chips in shares))}."
        for label, (_, shares) in zip(labels, pots, strict=True)
    ]
    split = " " + " ".join(parts) if len(pots) > 1 else ""
    yield f"Total pot {money(state.betting.pot)}{split} | Rake {money(teller.rake)} "
    if state.board:
        yield f"Board [{_cards(state.board)}]"
    for seat, player in sorted(zip(teller.seats, range(len(names)), strict=True)):
        yield f"Seat {seat}: {names[player]}{_summary(teller, player, won[player], values)}"


def _shares(teller: _Teller, values: Sequence[Strength]) -> list[tuple[int, list[tuple[int, int]]]]:
    """Each pot with what its winners take of it.

    The rake comes out of the pots by their size, unless the hand says what each winner collected.
    """
    betting = teller.state.betting
    pots = build_pots(betting.paid, betting.in_hand, sum(betting.rules.dead))
    total, rake = sum(chips for chips, _ in pots), teller.rake
    paid: list[tuple[int, dict[int, int]]] = []
    for index, (chips, players) in enumerate(pots):
        last = index == len(pots) - 1
        cut = rake if last else min(rake, teller.rake * chips // max(total, 1))
        rake -= cut
        best = max(values[player] for player in players)
        tied = [player for player in players if values[player] == best]
        share, odd = divmod(chips - cut, len(tied))
        shares = [(player, share + (odd if player == tied[0] else 0)) for player in tied]
        paid.append((chips, dict(shares)))
    _follow_winnings(teller.hand, [shares for _, shares in paid])
    return [
        (chips, [(player, part) for player, part in shares.items() if part])
        for chips, shares in paid
    ]


def _follow_winnings(hand: PhhHand, pots: Sequence[dict[int, int]]) -> None:
    """Share the rake and odd chips as the file's `winnings` do, where they are of these pots."""
    said = [amount / hand.unit for amount in hand.amounts("winnings")]
    if sum(said) != sum(sum(shares.values()) for shares in pots):
        return
    for player, amount in enumerate(said):
        own = [shares for shares in pots if player in shares]
        missing = amount - sum(shares[player] for shares in own)
        largest = max(own, key=lambda shares: shares[player], default=None)
        if largest is not None and missing == int(missing):
            largest[player] += int(missing)


def _pot_labels(count: int) -> list[str]:
    if count <= 1:
        return ["pot"] * count
    sides = ["side pot"] if count == 2 else [f"side pot-{number}" for number in range(1, count)]
    return ["main pot", *sides]


def _summary(teller: _Teller, player: int, won: int, values: Sequence[Strength]) -> str:
    rules, state, position = teller.state.betting.rules, teller.state, ""
    short_deck = isinstance(state.game, ShortDeck)
    if player == len(teller.names) - 1:
        position += " (button blind)" if short_deck else " (button)"
    if short_deck:
        pass
    elif 0 < rules.blinds[player] <= state.game.small_blind:
        position += " (small blind)"
    elif 0 < rules.blinds[player] <= state.game.big_blind:
        position += " (big blind)"
    if player in teller.folded:
        street = teller.folded[player]
        idle = street == 0 and not rules.blinds[player] and not state.betting.paid[player]
        return f"{position} folded {_STREETS[street]}" + (" (didn't bet)" if idle else "")
    if not state.betting.in_hand[player]:
        cards = state.holes[player]
        return f"{position} mucked{f' [{_cards(cards)}]' if cards else ''}"
    if not values[player]:
        return f"{position} collected ({teller.money(won)})"
    shown = f"{position} showed [{_cards(state.holes[player])}] and"
    result = f" won ({teller.money(won)})" if won else " lost"
    return f"{shown}{result} with {_name_of(state, player)}"


def _name_of(state: HoldemState, player: int) -> str:
    """The name of what a player's hand makes."""
    lowest = LOWEST_RANK if isinstance(state.game, ShortDeck) else 0
    return hand_name(state.game.best_hand(state.holes[player], state.board), lowest)


def _cards(cards: Iterable[int]) -> str:
    return " ".join(CARDS[card] for card in cards)
