"""Texas hold'em, no-limit, pot-limit and fixed-limit, for two to ten players, betting in chips.

Players are numbered by position: 0 sits left of the button, the last one has the button. With
three or more, player 0 posts the small blind and player 1 the big blind; with two, the button
(player 1) posts the small blind, acts first before the flop and last after it. Each street is
dealt, then bet: "f" folds, "c" checks or calls, "r60" bets or raises to 60 in all on this street
(antes apart). A raise is at least as large as the largest bet or raise of the street; who has
fewer chips may raise all-in. An all-in below a full raise does not open the betting again for
those who have acted, unless several in a row add up to one. An uncalled bet goes back. Side pots
are formed by what each player has put in; chips that do not divide go to the first winner left
of the button.

The details and where books and houses differ: docs/holdem.md. Source: the rules as PokerKit
0.7 plays them (J. Kim, "PokerKit: a comprehensive Python library for fine-grained multivariant
poker game simulations", IEEE Transactions on Games 2023), checked hand by hand against it.

| parameter | default | meaning |
|---|---|---|
| players | 2 | 2 to 10 |
| stacks | 200 | chips at the start of the hand, one number for all or one a player |
| small_blind, big_blind | 1, 2 | 0 for none |
| ante, ante_from | 0, "each" | from "each" player; "each-dead" or "big-blind": see below |
| blinds, antes | | by player, in place of the above; a blind below 0 is posted out of turn |
| limit | "no-limit" | or "pot-limit", "fixed-limit" |
| bet_sizes | | by street: the fixed bet, in no-limit the least one (unset: see below) |
| max_raises | | by street: how often a bet or raise may be made (unset: see below) |
| odd_chips | "left" | or "split": cut into fractions, as the ACPC scores |
| short_blind | "paid" | call what a big blind all-in for less has "paid", or the "full" blind |
| board_cards | 0,3,1,1 | cards dealt before the betting, a number for each street |
| hole_cards | 2 | 1 to 4 |
| ranks, suits | 13, 4 | the highest ranks and the last suits of c, d, h, s make the deck |

Unset bet sizes are the big blind, in fixed-limit twice that from the middle street on; unset
raises are unlimited, in fixed-limit one bet and three raises, where the big blind is a bet.

In pot-limit a raise is by at most the pot as it is after calling; all bets and antes are in it.

An ante from "each" counts for side pots like a bet; "each-dead" and "big-blind" antes (the last
from the big blind alone, for all) lie in the main pot and count for no side pot.

A small deck and one or two streets give Kuhn- and Leduc-sized games through the same code:
`players=2, small_blind=0, big_blind=0, ante=1, ranks=3, suits=1, hole_cards=1, board_cards=0,
limit=fixed-limit, bet_sizes=1, max_raises=1` has Kuhn poker's value −1/18 for the first player.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import ClassVar, TypeGuard

from riverboat.cards.card import CARDS, NUM_CARDS, cards_text, parse_cards
from riverboat.cards.plain_strength import Strength, strength
from riverboat.errors import IllegalActionError, ParameterError
from riverboat.games.base import (
    CHANCE,
    TERMINAL,
    Action,
    Game,
    KnownCards,
    Scene,
    SeatScene,
    Sees,
    Stakes,
    face_up,
)
from riverboat.holdem.rules.betting import (
    CALL,
    FOLD,
    Betting,
    BettingRules,
    open_betting,
    parse_betting,
    share_out,
)
from riverboat.holdem.rules.seats import seat_names

LIMITS = ("no-limit", "pot-limit", "fixed-limit")
ANTES = ("each", "each-dead", "big-blind")
MAX_CHIPS = 10**17  # What a raise's text holds, and an index
_NUMBER = {text: card for card, text in enumerate(CARDS)}


def check_parameters(game: Holdem) -> None:
    """Refuse parameters that cannot be, each with its value."""
    players, streets, deck = game.players, len(game.board_cards), game.ranks * game.suits
    cards = players * game.hole_cards + sum(game.board_cards)
    per_player, per_street = (0, players), (0, streets)
    amounts = (*game.stacks, game.big_blind, game.ante, *game.blinds, *game.antes, *game.bet_sizes)
    not_below = min(game.antes, default=0) >= 0
    checks = {
        f"players must be 2 to 10, not {players}": 2 <= players <= 10,
        f"limit is {', '.join(LIMITS)}, not {game.limit!r}": game.limit in LIMITS,
        f"ante_from is {', '.join(ANTES)}, not {game.ante_from!r}": game.ante_from in ANTES,
        f"odd_chips is left or split, not {game.odd_chips!r}": game.odd_chips in ("left", "split"),
        f"short_blind is paid or full, not {game.short_blind!r}": (
            game.short_blind in ("paid", "full")
        ),
        f"stacks takes 1 or {players} numbers above 0, not {_listed(game.stacks)}": (
            len(game.stacks) in (1, players) and min(game.stacks) > 0
        ),
        "blinds and ante must not be below 0, nor the small blind above the big blind: not"
        f" {game.small_blind}/{game.big_blind} and {game.ante}": (
            0 <= game.small_blind <= game.big_blind and game.ante >= 0
        ),
        "stacks, blinds, antes and bets are of at most 10¹⁷ chips": max(amounts) <= MAX_CHIPS,
        f"blinds takes {players} numbers, one per player, not {_listed(game.blinds)}": (
            len(game.blinds) in per_player and not_below
        ),
        f"antes takes {players} numbers, one per player, not {_listed(game.antes)}": (
            len(game.antes) in per_player and not_below
        ),
        "board_cards takes 1 to 4 numbers not below 0, one per street, not"
        f" {_listed(game.board_cards)}": 1 <= streets <= 4 and min(game.board_cards) >= 0,
        f"bet_sizes takes {streets} numbers above 0, one per street, not"
        f" {_listed(game.bet_sizes)}": (
            len(game.bet_sizes) in per_street and min(game.bet_sizes, default=1) > 0
        ),
        f"max_raises takes {streets} numbers not below 0, one per street, not"
        f" {_listed(game.max_raises)}": (
            len(game.max_raises) in per_street and min(game.max_raises, default=0) >= 0
        ),
        f"ranks must be 1 to 13 and suits 1 to 4, not {game.ranks} and {game.suits}": (
            1 <= game.ranks <= 13 and 1 <= game.suits <= 4
        ),
        **game.card_checks(),
        f"{cards} cards are needed and the deck has {deck}": cards <= deck,
    }
    for complaint, fine in checks.items():
        if not fine:
            raise ParameterError(f"{game.name}: {complaint}.")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


@dataclass(frozen=True)
class Holdem:
    """The rules with their parameters."""

    players: int = 2
    stacks: tuple[int, ...] = (200,)
    small_blind: int = 1
    big_blind: int = 2
    ante: int = 0
    ante_from: str = "each"
    blinds: tuple[int, ...] = ()
    antes: tuple[int, ...] = ()
    limit: str = "no-limit"
    bet_sizes: tuple[int, ...] = ()
    max_raises: tuple[int, ...] = ()
    odd_chips: str = "left"
    short_blind: str = "paid"
    board_cards: tuple[int, ...] = (0, 3, 1, 1)
    hole_cards: int = 2
    ranks: int = 13
    suits: int = 4

    name: ClassVar[str] = "holdem"
    title: ClassVar[str] = "Texas hold'em"
    summary: ClassVar[str] = "No-limit hold'em for two to six, against blueprints, rules or people."
    art: ClassVar[tuple[str, ...]] = ("Ad", "Kd")
    small: ClassVar[bool] = False
    utility_sum: ClassVar[float | None] = 0.0
    other_way: ClassVar[str] = (
        "Hold'em is too large to be solved whole: take riverboat train holdem, or"
        " riverboat.train() in Python."
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def card_checks(self) -> dict[str, bool]:
        """What must be true of the numbers of cards: complaint → whether it is fine."""
        return {
            "a player has 1 to 4 hole cards, and at most 7 cards with the board": (
                1 <= self.hole_cards <= 4 and self.hole_cards + sum(self.board_cards) <= 7
            )
        }

    def best_hand(self, hole: Sequence[int], board: Sequence[int]) -> Strength:
        """What a hand makes: its category and the ranks that decide."""
        return strength((*hole, *board))

    def strength(self, hole: Sequence[int], board: Sequence[int]) -> Strength:
        """How good a hand is at the showdown; the greater tuple wins."""
        return self.best_hand(hole, board)

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called, by position."""
        return seat_names(self.players)

    @property
    def num_streets(self) -> int:
        return len(self.board_cards)

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The cards in play, lowest first."""
        ranks, suits = range(13 - self.ranks, 13), range(4 - self.suits, 4)
        return tuple(4 * rank + suit for rank in ranks for suit in suits)

    @cached_property
    def betting_rules(self) -> BettingRules:
        """What the betting needs to know, with every default filled in."""
        players, streets = self.players, self.num_streets
        antes = [0] * players
        antes[0 if players == 2 else 1] = self.ante
        antes_by_player = antes if self.ante_from == "big-blind" else [self.ante] * players
        fixed = self.limit == "fixed-limit"
        bet = self.big_blind or self.ante or 1
        sizes = tuple(bet * (1 + (fixed and 2 * s >= max(2, streets))) for s in range(streets))
        raises = [4 if fixed else None] * streets
        if fixed and self.big_blind:
            raises[0] = 3
        posted = self.blinds or self.usual_blinds()
        return BettingRules(
            stacks=self.stacks * players if len(self.stacks) == 1 else self.stacks,
            blinds=posted,
            antes=self.antes or tuple(antes_by_player),
            dead_antes=self.ante_from != "each",
            bet_sizes=self.bet_sizes or sizes,
            max_raises=self.max_raises or tuple(raises),
            fixed=fixed,
            opening=max(map(abs, posted)) if self.short_blind == "full" else 0,
            pot_limit=self.limit == "pot-limit",
        )

    def usual_blinds(self) -> tuple[int, ...]:
        """The blinds by player where `blinds` does not name them."""
        blinds = [0] * self.players
        small, big = (1, 0) if self.players == 2 else (0, 1)
        blinds[small], blinds[big] = self.small_blind, self.big_blind
        return tuple(blinds)

    def utility(self, state: HoldemState, won: tuple[float, ...]) -> tuple[float, ...]:
        """The returns of a finished hand in which the players `won` these chips: the chips."""
        return won

    def start(self) -> HoldemState:
        return _next(self, (), (), "", open_betting(self.betting_rules))

    def with_hands(self, hands: Sequence[Sequence[int]]) -> HoldemState:
        """The state after these hands are dealt; an empty one stands for cards nobody knows."""
        holes = tuple(tuple(sorted(hand, reverse=True)) for hand in hands)
        dealt = [card for hand in holes for card in hand]
        if (
            len(holes) > self.players
            or any(len(hand) not in (0, self.hole_cards) for hand in holes)
            or len(set(dealt)) < len(dealt)
            or not set(self.deck).issuperset(dealt)
        ):
            raise IllegalActionError(
                f"{self.name}: {self.players} hands of {self.hole_cards} different cards are"
                " wanted."
            )
        return _next(self, holes, (), "", open_betting(self.betting_rules))

    def resume(
        self, hands: Sequence[Sequence[int]], board: Iterable[int], history: str
    ) -> HoldemState:
        """The state with these hands (empty where unknown), board and betting."""
        state = self.with_hands(hands)
        cards = list(board)
        for action in [*parse_betting(history), ""]:
            while state.actor == CHANCE and len(cards) >= state.pending:
                group, cards = cards[: state.pending], cards[state.pending :]
                state = state.deal(group)
            if action not in ("", "/"):
                state = state.after(action)
        if state.history != history or cards:
            raise IllegalActionError(
                f"{self.name}: the betting {history!r} does not fit the board that was given."
            )
        return state

    def observed(self, player: int, infoset: str) -> HoldemState:
        """The state as `player` knows it, read from an infoset: the other hands are empty."""
        hand, board, history = infoset.split("|")
        hands: list[list[int]] = [[] for _ in range(self.players)]
        hands[player] = parse_cards(hand)
        return self.resume(hands, parse_cards(board), history)

    def cards_in(self, infoset: str) -> KnownCards:
        hand, board, _ = infoset.split("|")
        hole, shown = (tuple(t[i : i + 2] for i in range(0, len(t), 2)) for t in (hand, board))
        return KnownCards(hole, shown)

    def action_label(self, action: Action) -> str:
        if action.startswith("r"):
            return f"raise to {action[1:]}"
        return {FOLD: "fold", CALL: "check or call"}.get(action, action)


def is_texas_holdem(game: Game) -> TypeGuard[Holdem]:
    """Whether a game is hold'em itself: Omaha and short deck share its table, not its values."""
    return isinstance(game, Holdem) and game.name == Holdem.name


@dataclass(frozen=True, slots=True)
class HoldemState:
    """The cards dealt, the betting as a text with "/" between streets, and where chips stand."""

    game: Holdem
    holes: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    history: str
    betting: Betting
    actor: int
    pending: int = 0  # How many cards chance still deals to the hand or street at which it is
    dealing: tuple[int, ...] = ()  # The cards it has dealt there so far

    def actions(self) -> Sequence[Action]:
        return self.betting.actions() if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        """The next card. A hand and a street's board are dealt from the highest card down, so
        that every set of cards comes up once; the probabilities are those of the sets.
        """
        if self.actor != CHANCE:
            return ()
        lower = self._dealable()
        ways = comb(len(lower), self.pending)
        return tuple(
            (CARDS[card], comb(below, self.pending - 1) / ways)
            for below, card in enumerate(lower)
            if below >= self.pending - 1
        )

    def after(self, action: Action) -> HoldemState:
        if self.actor == CHANCE:
            card = _NUMBER.get(action, -1)
            if card not in self._dealable()[self.pending - 1 :]:
                raise IllegalActionError(
                    f"{self.game.name}: the card {action!r} cannot be dealt here."
                )
            return self._dealt((*self.dealing, card), self.pending - 1)
        if self.actor == TERMINAL:
            raise IllegalActionError(f"{self.game.name}: the hand is over.")
        betting = self.betting.after(action)
        return _next(self.game, self.holes, self.board, self.history + action, betting)

    def give_up(self) -> HoldemState:
        """The state after a fold, also where checking is free: hand histories have such folds."""
        if self.actor < 0:
            raise IllegalActionError(f"{self.game.name}: nobody is to act who could fold.")
        betting = self.betting.fold()
        return _next(self.game, self.holes, self.board, self.history + FOLD, betting)

    def deal(self, cards: Iterable[int]) -> HoldemState:
        """All the cards that are pending at once, in any order."""
        dealt = (*self.dealing, *cards)
        free = self.unseen()
        if (
            self.actor != CHANCE
            or len(dealt) != self.pending + len(self.dealing)
            or len(set(dealt)) < len(dealt)
            or not free.issuperset(dealt)
        ):
            raise IllegalActionError(
                f"{self.game.name}: {self.pending} other cards are to be dealt here, not"
                f" {cards_text(dealt)}."
            )
        return self._dealt(tuple(sorted(dealt, reverse=True)), 0)

    def deal_from(self, deck: list[int]) -> HoldemState:
        """Everything chance has to deal before the next player acts, from the end of `deck`."""
        state = self
        while state.actor == CHANCE:
            state = state.deal([deck.pop() for _ in range(state.pending)])
        return state

    def returns(self) -> tuple[float, ...]:
        """Chips won or lost over the hand, or what the game makes of them."""
        if self.actor != TERMINAL:
            raise IllegalActionError(f"{self.game.name}: the hand is not over.")
        betting, dead = self.betting, self.betting.rules.dead
        showdown = sum(betting.in_hand) > 1
        if showdown and not all(
            hand for hand, here in zip(self.holes, betting.in_hand, strict=True) if here
        ):
            raise IllegalActionError(
                f"{self.game.name}: a hand that was not shown cannot be compared."
            )
        strengths = [
            self.game.strength(hand, self.board) if showdown and here else ()
            for hand, here in zip(self.holes, betting.in_hand, strict=True)
        ]
        split = self.game.odd_chips == "split"
        taken = share_out(betting.paid, betting.in_hand, strengths, sum(dead), split)
        paid = zip(taken, betting.paid, dead, strict=True)
        chips = tuple(float(won - chips - ante) for won, chips, ante in paid)
        return self.game.utility(self, chips)

    def stakes(self) -> Stakes:
        return Stakes(self.betting.pot, self.betting.to_call if self.actor >= 0 else 0)

    def action_words(self, action: Action) -> str:
        """An action in words: "call 4", "raise to 30"."""
        return self.betting.words(action)

    def infoset(self, player: int) -> str:
        """Hand, board and betting, as in "AsKd|Qs8h2c|cr6c/"; Holdem.observed reads it back."""
        hand = self.holes[player] if player < len(self.holes) else ()
        return f"{_text(hand)}|{_text(self.board)}|{self.history}"

    def scene(self, sees: Sees) -> Scene:
        betting, titles = self.betting, self.game.seat_names
        seats = []
        for p, title in enumerate(titles):
            inside = betting.in_hand[p]
            bet = f"bet {betting.bets[p]} · " if betting.bets[p] else ""
            note = f"{bet}{betting.stacks[p]} left" if inside else "folded"
            hole = [CARDS[card] for card in self.holes[p]] if p < len(self.holes) else []
            cards = face_up(hole, sees(p)) if inside or sees(p) else ()
            seats.append(SeatScene(cards, note, not inside, title))
        return Scene(seats, board=[CARDS[card] for card in self.board])

    def opens(self, seat: int) -> bool:
        """At a showdown those who are still in it show."""
        return sum(self.betting.in_hand) > 1 and self.betting.in_hand[seat]

    def describe(self, player: int | None) -> str:
        betting = self.betting
        lines = [f"board [{_text(self.board)}]  pot {betting.pot}"]
        for p, stack in enumerate(betting.stacks):
            hand = self.holes[p] if p < len(self.holes) else ()
            shown = _text(hand) if player in (None, p) else "??" * len(hand)
            button = " (button)" if p == self.game.players - 1 else ""
            bet = f"  bet {betting.bets[p]}" if betting.bets[p] else ""
            out = "" if betting.in_hand[p] else "  folded"
            turn = "  to act" if p == self.actor else ""
            lines.append(f"player {p + 1}{button} [{shown}]  stack {stack}{bet}{out}{turn}")
        return "\n".join(lines)

    def unseen(self) -> set[int]:
        """The cards that nobody holds and that are not on the board."""
        seen = {card for hand in self.holes for card in hand}
        return set(self.game.deck) - seen - set(self.board)

    def _dealable(self) -> list[int]:
        """The unseen cards below the last one dealt here, lowest first."""
        limit = self.dealing[-1] if self.dealing else NUM_CARDS
        return sorted(card for card in self.unseen() if card < limit)

    def _dealt(self, cards: tuple[int, ...], pending: int) -> HoldemState:
        game, holes, board = self.game, self.holes, self.board
        if pending:
            return HoldemState(
                game, holes, board, self.history, self.betting, CHANCE, pending, cards
            )
        if len(holes) < game.players:
            holes = (*holes, cards)
        else:
            board = board + cards
        return _next(game, holes, board, self.history, self.betting)


def _next(
    game: Holdem,
    holes: tuple[tuple[int, ...], ...],
    board: tuple[int, ...],
    history: str,
    betting: Betting,
) -> HoldemState:
    """The state at the next point where a card is dealt, a player acts or the hand is over."""
    if len(holes) < game.players:
        return HoldemState(game, holes, board, history, betting, CHANCE, game.hole_cards)
    while True:
        pending = sum(game.board_cards[: betting.street + 1]) - len(board)
        if pending:
            return HoldemState(game, holes, board, history, betting, CHANCE, pending)
        if betting.queue:
            return HoldemState(game, holes, board, history, betting, betting.queue[0])
        if sum(betting.in_hand) == 1 or betting.street == game.num_streets - 1:
            return HoldemState(game, holes, board, history, betting, TERMINAL)
        betting, history = betting.next_street(), history + "/"


def _text(cards: Iterable[int]) -> str:
    return "".join([CARDS[card] for card in cards])
