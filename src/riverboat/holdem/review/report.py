"""`review_hands`: a player's hands reviewed, and what was found, worst first.

Every decision of the player is first held against the blueprint. Where the blueprint itself would
seldom do what was done, the decision is priced: by the blueprint, and, where two players are left
on the turn or river, by a spot that is solved for it. What the blueprint does often is taken to
cost nothing: in an equilibrium all actions that are taken are worth the same. Where a strategy
hardly ever reaches a decision it determines nothing there, and there is no verdict.

For prizes (`ReviewOptions.payouts`) only what is solved for them counts: turns and rivers of two
players, and decisions before the flop in a book for the same prizes. What a blueprint does often is
no excuse then, since it plays for chips.

With a book, decisions before the flop are held against it and priced by its EVs, and the ranges on
the flop are its ranges; hands that it does not fit are reviewed without it, and counted. Without
one the shipped book is taken where six sit and the blueprint is for another number of players.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from riverboat.cards.card import cards_text
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.histories.hand import PhhHand, RefusedHand
from riverboat.holdem.preflop.following import BookPlace, BookRanges
from riverboat.holdem.preflop.solution import SHIPPED
from riverboat.holdem.review._decisions import (
    MIN_SHARE,
    BlueprintValues,
    Judgement,
    Moment,
    book_judgement,
    followed,
)
from riverboat.holdem.review._exact_values import ExactValues, UndeterminedError
from riverboat.holdem.rules.betting import STREET_NAMES, parse_betting
from riverboat.holdem.rules.fields import read_payouts
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.rules.state import Holdem, is_texas_holdem
from riverboat.holdem.rules.table import seat_name

DEPTHS = (0.5, 2.5)  # Stacks that a blueprint is asked about, as multiples of its own
SIX = 6  # Players of the shipped book
YOU = "you"  # Who sits at our own tables, in the histories that they write
BIG_BLINDS, PRIZES = "bb", "prizes"  # What losses are counted in
FAR = 1.25  # From this factor on a finding says that the stacks were others


@dataclass(frozen=True)
class ReviewOptions:
    """How hands are reviewed."""

    seldom: float = 0.05  # Decisions that the blueprint takes less often than this are priced
    solve: bool = True  # Whether spots are solved on turn and river
    seconds: float = 5.0  # CPU time for each decision that is solved, at most
    threads: int = 1
    payouts: Mapping[str, Any] | Sequence[float] | None = None
    """Prizes that count in place of chips: places, or a table with places, others and bounty."""
    min_loss: float = 0.1  # Losses below this number of big blinds are left out


@dataclass(frozen=True)
class Finding:
    """A decision that cost something."""

    hand: str  # The hand's number or name in its file
    player: str
    seat: str
    street: str
    board: str
    cards: str
    pot: Decimal
    to_call: Decimal
    history: str
    unit: Decimal  # What a chip is worth in the file's money
    big_blind: int
    judgement: Judgement  # The one that counts: the solver's where there is one
    blueprint: Judgement | None = None
    note: str = ""
    prizes: bool = False  # Whether EVs are prizes, not chips

    @property
    def unit_name(self) -> str:
        """What EVs and losses are counted in: big blinds, or prizes."""
        return PRIZES if self.prizes else BIG_BLINDS

    def counted(self, amount: float) -> float:
        """An EV or a loss in that unit."""
        return amount if self.prizes else amount / self.big_blind

    @property
    def lost(self) -> float:
        """What was lost, in big blinds or prizes."""
        return self.counted(self.judgement.loss)

    @property
    def loss_bb(self) -> float:
        """What was lost, in big blinds; refused where prizes are played for."""
        return _in_big_blinds(self)

    def in_money(self, words: str) -> str:
        """Words with chips in them, such as "raise to 600", in the file's money."""
        return re.sub(r"\d+(?:\.\d+)?", lambda number: self._money(number[0]), words)

    def _money(self, chips: str) -> str:
        amount = Decimal(chips) * self.unit
        return f"{amount.quantize(Decimal(1)) if amount == int(amount) else amount.normalize():f}"

    def as_dict(self) -> dict[str, Any]:
        """Everything about it, EVs in big blinds, or in prizes."""
        unit, chips = self.unit_name, 1.0 if self.prizes else float(self.unit)
        plain = ("hand", "player", "seat", "street", "board", "cards", "pot", "to_call")
        facts: dict[str, Any] = {name: getattr(self, name) for name in plain}
        error = self.judgement.error
        facts |= {
            "betting": self.in_money(self.history),
            "loss": self.judgement.loss * chips,
            f"loss_{unit}": self.lost,
            f"error_{unit}": self.counted(error) if math.isfinite(error) else None,
            "taken": self.in_money(self.judgement.taken.words),
            "best": self.in_money(self.judgement.best.words),
            "source": self.judgement.source,
            "actions": self._actions(self.judgement),
            "note": self.note or None,
        }
        if self.blueprint is not None and self.blueprint is not self.judgement:
            facts["blueprint"] = {
                "loss_bb": self.blueprint.loss / self.big_blind,
                "actions": self._actions(self.blueprint),
            }
        return facts

    def _actions(self, judgement: Judgement) -> list[dict[str, Any]]:
        return [
            {
                "action": self.in_money(value.words),
                f"ev_{self.unit_name}": self.counted(value.ev),
                "chance": value.chance,
            }
            for value in judgement.actions
        ]


@dataclass
class Review:
    """What was found so far; it grows while hands are reviewed."""

    player: str = ""
    hands: int = 0  # Hands in which the player acted and that could be reviewed
    decisions: int = 0
    seldom: int = 0  # Decisions that were priced
    solved: int = 0
    by_book: int = 0  # Decisions before the flop that were held against a book
    undetermined: int = 0
    """Decisions without a verdict: the strategy that should price them hardly ever reaches them."""
    findings: list[Finding] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)  # Hands that were passed over, by reason
    off_book: Counter[str] = field(default_factory=Counter)
    """Hands in which the book was not asked, or only at first, by reason."""
    refused: list[RefusedHand] = field(default_factory=list)
    stopped: bool = False
    prizes: bool = False  # Whether prizes count, not chips
    unpriced: int = 0  # Decisions that nothing could price in prizes

    @property
    def worst(self) -> list[Finding]:
        """The findings, the costliest first."""
        return sorted(self.findings, key=lambda finding: -finding.lost)

    @property
    def unit_name(self) -> str:
        """What losses are counted in: big blinds, or prizes."""
        return PRIZES if self.prizes else BIG_BLINDS

    @property
    def lost(self) -> float:
        """All losses together, in big blinds or prizes."""
        return sum(finding.lost for finding in self.findings)

    @property
    def lost_bb(self) -> float:
        """All losses together, in big blinds; refused where prizes are played for."""
        return _in_big_blinds(self)

    def as_dict(self) -> dict[str, Any]:
        """The same for a program."""
        plain = ("player", "hands", "decisions", "seldom", "solved", "by_book", "undetermined")
        figures: dict[str, Any] = {name: getattr(self, name) for name in (*plain, "stopped")}
        figures |= {"unpriced": self.unpriced} if self.prizes else {}
        return figures | {
            f"lost_{self.unit_name}": self.lost,
            "passed_over": dict(self.passed),
            "off_book": dict(self.off_book),
            "refused": [{"hand": bad.section, "reason": bad.reason} for bad in self.refused],
            "findings": [finding.as_dict() for finding in self.worst],
        }

    def __repr__(self) -> str:
        return (
            f"<Review of {self.player or 'nobody'}: {self.hands:,} hands,"
            f" {len(self.findings):,} findings, {self.lost:.1f} {self.unit_name} lost>"
        )


def _in_big_blinds(counted: Finding | Review) -> float:
    if counted.prizes:
        raise UsageError("These losses are prizes and not big blinds: ask for `lost`.")
    return counted.lost


def player_of(hands: Iterable[PhhHand | RefusedHand]) -> str:
    """Whose hands these are: the hero that a text names, "you", or who shows in most hands."""
    heroes: Counter[str] = Counter()
    everybody: Counter[str] = Counter()
    num_read, refused = 0, list[RefusedHand]()
    for hand in hands:
        if isinstance(hand, RefusedHand):
            refused.append(hand)
        else:
            num_read += 1
            if isinstance(hero := hand.fields.get("_hero"), str):
                heroes[hero] += 1
            everybody.update(
                name for name, cards in zip(hand.names, hand.state.holes, strict=True) if cards
            )
    if not everybody:
        raise UsageError(_nothing_to_review(num_read, refused))
    if not heroes and YOU in everybody:
        return YOU
    (name, _), *_ = (heroes or everybody).most_common(1)
    return name


def _nothing_to_review(num_read: int, refused: Sequence[RefusedHand]) -> str:
    """Why no player can be found: no cards are known, or no hand could be read."""
    shown = "No hand shows a player's cards, so there is nothing to review."
    if not refused:
        return shown
    first = refused[0]
    why = f"{first.section}: {first.reason.rstrip('.')}."
    if num_read == 0:
        return f"No hand can be read, so there is nothing to review. {why}"
    return f"{shown} {len(refused):,} cannot be read. {why}"


def review_hands(
    hands: Iterable[PhhHand | RefusedHand],
    player: str,
    blueprint: Blueprint,
    *,
    book: BookRanges | None = None,
    options: ReviewOptions | None = None,
    progress: Callable[[Review], None] | None = None,
) -> Review:
    """Review a player's hands; Ctrl-C keeps what was found and says so in `stopped`."""
    chosen = options or ReviewOptions()
    review = Review(player, prizes=chosen.payouts is not None)
    desk = _Desk(blueprint, book, chosen, review)
    try:
        for hand in hands:
            if isinstance(hand, RefusedHand):
                review.refused.append(hand)
            else:
                desk.review_hand(hand)
            if progress is not None:
                progress(review)
    except KeyboardInterrupt:
        review.stopped = True
    return review


class _Desk:
    """What looking over needs, and where findings go."""

    def __init__(
        self, blueprint: Blueprint, book: BookRanges | None, options: ReviewOptions, review: Review
    ) -> None:
        self.blueprint, self.book, self.options, self.review = blueprint, book, options, review
        self.values = BlueprintValues(blueprint)
        self.exact = ExactValues(options.seconds, options.threads)
        self.payouts: Payouts | None = None  # Of the hand at hand
        if options.payouts is not None:
            self._check_prizes(options.payouts)
        elif book is not None and book.places_paid:
            raise UsageError("The book is for prizes: name them with payouts.")
        self.kept: dict[tuple[object, ...], Judgement | None] = {}
        self.given_book = book is not None

    def _check_prizes(self, given: Mapping[str, Any] | Sequence[float]) -> None:
        places = read_payouts(given, None).places
        if not self.options.solve and self.book is None:
            raise UsageError(
                "For prizes decisions are solved, or priced by a book; ask for either."
            )
        if self.book is not None and self.book.places_paid not in ((), places):
            raise UsageError("The book is for other prizes.")

    def review_hand(self, hand: PhhHand) -> None:
        """Price the player's decisions in a hand, or note why the hand is passed over."""
        review, names = self.review, hand.names
        if names.count(review.player) != 1:
            review.passed["the player is not in it"] += 1
            return
        player = names.index(review.player)
        if not is_texas_holdem(hand.state.game):
            review.passed[f"it is {hand.state.game.title}, and only hold'em is reviewed"] += 1
            return
        cards = hand.state.holes[player]
        reason = self._unfit(hand.state.game, cards)
        if reason and len(cards) == 2:
            self._take_shipped_book(hand.state.game)
        fits = self._book_fits(hand)
        if reason and not (fits and len(cards) == 2):
            review.passed[reason] += 1
            return
        review.hands += 1
        try:
            self._play_for_prizes(hand.state.game)
            # Where only the book fits, only it can say something.
            blueprint = None if reason else self.blueprint
            for moment in followed(hand.state, blueprint, player, self.book if fits else None):
                self._decide(hand, moment, by_book=bool(reason))
        except RiverboatError as error:
            review.passed[str(error).rstrip(".")] += 1

    def _play_for_prizes(self, game: Holdem) -> None:
        """Find the prizes for a hand: the last places are gone where fewer players are left."""
        if self.options.payouts is None:
            return
        given = read_payouts(self.options.payouts, None)
        remaining = game.players + len(given.others)
        table = {
            "places": given.places[:remaining],
            "others": given.others,
            "bounty": given.bounties,
        }
        self.payouts = read_payouts(table, game.players)
        self.exact = replace(self.exact, prizes=self.payouts)

    def _take_shipped_book(self, game: Holdem) -> None:
        """Take the book of six players where six sit, unless another one was given."""
        if self.book is None and self.options.payouts is None and game.players == SIX:
            self.book = BookRanges.load(SHIPPED)

    def _book_fits(self, hand: PhhHand) -> bool:
        """Whether the book fits the table; counted where it does not, or is left on the way."""
        game, actions = hand.state.game, parse_betting(hand.state.history.split("/")[0])
        if self.book is None or not (self.given_book or game.players == SIX):
            return False
        reason = self.book.unfit(game)
        if not reason and len(self.book.places(game, actions)) < len(actions):
            reason = "a line that the book does not have"
        if reason:
            self.review.off_book[reason] += 1
        return not self.book.unfit(game)

    def _unfit(self, game: Holdem, cards: tuple[int, ...]) -> str:
        """Why the blueprint cannot say anything of a hand; empty where it can."""
        rules = self.blueprint.rules
        if len(cards) != 2:
            return "the player's cards are not known"
        if game.players != rules.players:
            return f"{game.players} players, and the blueprint is for {rules.players}"
        if game.limit != rules.limit:
            return f"{game.limit}, and the blueprint is {rules.limit}"
        depth = _depth(game) / _depth(rules)
        if not DEPTHS[0] <= depth <= DEPTHS[1]:
            return f"stacks far from the {_depth(rules):.0f} big blinds of the blueprint"
        return ""

    def _decide(self, hand: PhhHand, moment: Moment, *, by_book: bool = False) -> None:
        review, options = self.review, self.options
        if by_book and moment.book is None:
            return
        review.decisions += 1
        if self.payouts is not None:
            self._for_prizes(hand, moment)
            return
        if moment.book is not None:
            self._by_book(hand, moment, moment.book)
            return
        if len(moment.opponents) != 1:
            return
        chance = self.values.chance_taken(moment)
        if chance is not None and chance >= options.seldom:
            return
        review.seldom += 1
        plain = self._by_blueprint(moment)
        try:
            exact = self.exact.examine(moment) if options.solve else None
        except UndeterminedError:
            review.undetermined += 1
            return
        review.solved += exact is not None
        if exact is None and plain is not None and moment.min_share < MIN_SHARE:
            review.undetermined += 1
            return
        counted = exact or plain
        if counted is None or not self._is_mistake(counted, hand.state.game.big_blind or 1):
            return
        review.findings.append(self._finding(hand, moment, counted, plain))

    def _for_prizes(self, hand: PhhHand, moment: Moment) -> None:
        """Price a decision in prizes, where a book or a solved spot can."""
        if moment.book is not None and self.book is not None and self.book.places_paid:
            self._by_book(hand, moment, moment.book)
            return
        solved = self.exact.judge(moment) if self.options.solve else None
        self.review.solved += solved is not None
        self.review.unpriced += solved is None
        if solved is not None and self._is_mistake(solved, self._chips(hand.state.game)):
            self.review.findings.append(self._finding(hand, moment, solved, None))

    def _chips(self, game: Holdem) -> float:
        """A big blind in chips or, for prizes, its share of all prizes."""
        big_blind = float(game.big_blind or 1)
        if self.payouts is None:
            return big_blind
        chips = sum(game.betting_rules.stacks) + sum(self.payouts.others)
        return big_blind * sum(self.payouts.places) / chips

    def _by_book(self, hand: PhhHand, moment: Moment, place: BookPlace) -> None:
        self.review.by_book += 1
        if place.chances[moment.combo] >= self.options.seldom:
            return
        self.review.seldom += 1
        counted = book_judgement(moment)
        self.review.undetermined += counted is None
        if counted is not None and self._is_mistake(counted, self._chips(hand.state.game)):
            self.review.findings.append(self._finding(hand, moment, counted, None))

    def _is_mistake(self, judgement: Judgement, big_blind: float) -> bool:
        """Whether a decision lost more than the error of the figure, and the solution avoids it."""
        mixed = judgement.source == "solver" and judgement.taken.chance >= self.options.seldom
        error = judgement.error if math.isfinite(judgement.error) else 0.0
        min_loss = max(self.options.min_loss * big_blind, error)
        return not mixed and judgement.loss >= min_loss

    def _by_blueprint(self, moment: Moment) -> Judgement | None:
        """The blueprint's judgement; before the flop hands of one kind are judged once."""
        if moment.state.board:
            return self.values.judge(moment)
        first, second = sorted(moment.state.holes[moment.player], reverse=True)
        kind = (first >> 2, second >> 2, first & 3 == second & 3)
        key = (moment.state.history, moment.action, moment.state.game.betting_rules, kind)
        if key not in self.kept:
            self.kept[key] = self.values.judge(moment)
        return self.kept[key]

    def _finding(
        self, hand: PhhHand, moment: Moment, counted: Judgement, plain: Judgement | None
    ) -> Finding:
        state, unit = moment.state, hand.unit
        betting, game = state.betting, state.game
        depth = _depth(game) / _depth(self.blueprint.rules)
        note = ""
        if counted.source != "book" and not 1 / FAR <= depth <= FAR:
            note = (
                f"stacks of {_depth(game):.0f} big blinds, and the blueprint is for"
                f" {_depth(self.blueprint.rules):.0f}"
            )
        return Finding(
            hand=hand.section or str(hand.fields.get("hand", "")),
            player=hand.names[moment.player],
            seat=seat_name(moment.player, game.players),
            street=STREET_NAMES[betting.street],
            board=cards_text(state.board),
            cards=cards_text(state.holes[moment.player]),
            pot=betting.pot * unit,
            to_call=betting.to_call * unit,
            history=state.history,
            unit=unit,
            big_blind=game.big_blind or 1,
            judgement=counted,
            blueprint=plain,
            note=note,
            prizes=self.payouts is not None,
        )


def _depth(game: Holdem) -> float:
    """The smaller of the two largest stacks, in big blinds."""
    stacks = sorted(game.betting_rules.stacks)
    return stacks[-2] / max(game.big_blind, 1)
