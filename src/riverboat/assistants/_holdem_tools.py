"""Tools of hold'em: a spot, the book before the flop, all-in or fold, and a review of hands."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from riverboat.assistants._answers import (
    MAX_HANDS_TEXT,
    Answer,
    Cards,
    Chips,
    Line,
    RangeText,
    Seconds,
    Workshop,
    count_words,
    mix_words,
    number,
    percent,
)
from riverboat.cards.card import cards_text
from riverboat.cards.combos import CLASS_NAMES, class_of_combos, parse_combo
from riverboat.cards.hands import parse_hand
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.cards.ranges import parse_range
from riverboat.errors import ParameterError, UsageError
from riverboat.solvers.run import Progress

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.preflop.node import PreflopNode
    from riverboat.holdem.preflop.solution import PreflopSolution
    from riverboat.holdem.spots.cursor import SpotCursor

SPOT_SECONDS = 10.0
PUSH_FOLD_SECONDS = 10.0
MAX_FINDINGS = 10
MAX_REVIEWED = 200  # Hands of one review


class SpotHand(Answer):
    """A solved spot at one of its nodes."""

    node: str
    to_act: str = Field(description="Who acts: oop or ip; empty where nobody does.")
    pot: float
    mix: dict[str, float] = Field(description="Action → how often, of the hand or the range.")
    action_evs: dict[str, float] = Field(description="Action → EV in chips; of one hand only.")
    ev: float | None = Field(description="Chips won from here on, the pot included.")
    equity: float | None
    next_nodes: list[str] = Field(description="Nodes after each action, to be asked about next.")
    exploitability_percent: float = Field(description="Of the pot, measured.")
    iterations: int
    reached_target: bool


class PreflopAnswer(Answer):
    """A decision before the flop."""

    seat: str
    line: str
    hand: str
    mix: dict[str, float] = Field(description="Action → how often, of the hand or of all hands.")
    evs: dict[str, float] = Field(description="Action → EV in the solution's unit; of one hand.")
    evs_plus_minus: dict[str, float] = Field(description="Half the 95 % intervals where sampled.")
    unit: str


class PushFoldAnswer(PreflopAnswer):
    """A decision of all-in or fold."""

    seats: list[str]
    seat_evs: list[float] = Field(description="What the hand is worth to each seat.")
    exploitability: float = Field(description="What a best response gains, at most, on average.")


class ReviewAnswer(Answer):
    """What a review found, the costliest decision first."""

    player: str
    hands: int
    decisions: int
    lost: float
    unit: str
    findings: list[dict[str, Any]]
    not_read: list[str] = Field(description="Hands that could not be read, and why.")


def spot(
    shop: Workshop,
    board: Cards,
    pot: Annotated[float, Field(gt=0, le=1e7, description="Chips in the pot.")],
    stack: Annotated[float, Field(gt=0, le=1e7, description="Chips each player has behind.")],
    oop: RangeText,
    ip: RangeText,
    hand: Annotated[
        str, Field(max_length=20, description='One hand, "AsKd"; empty for the whole range.')
    ] = "",
    node: Annotated[
        str,
        Field(max_length=200, description="Where: r:0 the start, r:0:c after a check, r:0:b50 …"),
    ] = "r:0",
    bets: Annotated[
        str, Field(max_length=100, description='Bet sizes of both, "33%,75%,a"; a is all-in.')
    ] = "50%,100%",
    raises: Annotated[str, Field(max_length=100, description='Raise sizes, "60%,2.5x".')] = "60%",
    target_percent: Annotated[
        float, Field(gt=0, le=50, description="Exploitability to reach, in percent of the pot.")
    ] = 0.3,
    seconds: Seconds = None,
    game: Annotated[
        Literal["holdem", "omaha"],
        Field(description='In Omaha hands have four cards, ranges are such as "AA$ds,KKQJ".'),
    ] = "holdem",
) -> SpotHand:
    """Solve a river, a turn, or a small flop for two players: EV and mix of a hand or a range.

    In hold'em or in Omaha, where no bet exceeds the pot.
    """
    from riverboat.holdem.spots.solve import solve_spot
    from riverboat.holdem.spots.spot import SpotRange, make_spot

    omaha = game == "omaha"
    read: Callable[[str], SpotRange] = OmahaRange.parse if omaha else parse_range
    sizes = {"bet": bets, **({"raise": raises} if raises else {})}
    streets = {name: {"oop": sizes, "ip": sizes} for name in ("flop", "turn", "river")}
    question = make_spot(
        board=board,
        pot=pot,
        stack=stack,
        # As ranges, since a text might name a file.
        ranges=(read(oop), read(ip)),
        sizes=streets,
        **({"game": game} if omaha else {}),
    )
    if hand:
        parse_hand(hand, question.hole_cards)
    limit = shop.time_for(seconds, SPOT_SECONDS)

    def show(now: Progress) -> None:
        gap = "" if math.isnan(now.exploitability) else f", exploitable by {now.exploitability:.3g}"
        shop.report(now.share, f"{now.iterations} iterations{gap}")

    shop.report(0.0, "building the tree")
    solved = solve_spot(
        question,
        target=target_percent / 100 * pot,
        seconds=limit,
        memory=shop.memory,
        progress=show,
    )
    at = solved.at(node)
    gap = float(solved.info["exploitability_pct"])
    reached = gap <= target_percent
    facts = _spot_facts(at, hand)
    when = "" if node == "r:0" else f" at {node}"
    who = at.names[at.acting()].upper()
    what = hand or "the whole range"
    mix, ev = facts["mix"], facts["ev"]
    does = f"{who} with {what} plays {mix_words(mix)}" if mix else f"{who} with {what} does not act"
    worth = "" if ev is None else f"; EV {ev:.2f} chips of a pot of {at.pot:g}"
    return SpotHand(
        answer=f"On {cards_text(question.board)}{when}, {does}{worth}.",
        assumed=[
            *(["Omaha, pot-limit"] if omaha else []),
            f"bets of {bets} of the pot, raises of {raises or 'none'}, for both on every street",
            "both ranges as given, no rake",
            "EVs are chips won from this node on",
        ],
        exactness=f"An equilibrium up to {gap:.3g} % of the pot, measured by exact best responses"
        f" ({'the target was reached' if reached else 'the time was up before the target'}).",
        exploitability_percent=gap,
        iterations=int(solved.info["iterations"]),
        reached_target=reached,
        **facts,
    )


def _spot_facts(at: SpotCursor, hand: str) -> dict[str, Any]:
    """The figures of a hand, or of the range, at a node."""
    if hand:
        one = at.figures(hand)
        mix, evs = one.strategy or {}, one.action_evs or {}
        ev, equity = one.ev, one.equity
    else:
        whole = at.summary()
        mix, evs, ev, equity = whole.strategy or {}, {}, whole.ev, whole.equity
    codes = [action.code for action in at.bet_actions] if at.player >= 0 else []
    return {
        "node": at.node_id,
        "to_act": at.names[at.player] if at.player >= 0 else "",
        "pot": at.pot,
        "mix": {name: number(share) or 0.0 for name, share in mix.items()},
        "action_evs": {name: number(v) or 0.0 for name, v in evs.items() if math.isfinite(v)},
        "ev": number(ev),
        "equity": number(equity),
        "next_nodes": [f"{at.node_id}:{code}" for code in codes],
    }


def preflop(
    shop: Workshop,
    line: Line = "",
    hand: Annotated[
        str, Field(max_length=8, description='A class or hand, "A5s", "77", "AsKd"; empty for all.')
    ] = "",
) -> PreflopAnswer:
    """What the shipped book for six players does before the flop, with a hand in a seat."""
    book = _book()
    return PreflopAnswer(**_decision(book, line, hand, _BOOK_ASSUMED, _BOOK_EXACTNESS))


_BOOK_ASSUMED = ("six players with 100 big blinds, cash, no rake", "everybody follows the book")
_BOOK_EXACTNESS = (
    "An approximation: the book was trained with buckets after the flop; EVs are measured on new"
    " deals, with 95 % intervals."
)


def push_fold(
    shop: Workshop,
    stacks: Annotated[
        list[Annotated[float, Field(gt=0, le=1e7)]],
        Field(min_length=2, max_length=6, description="Chips, first to act first, big blind last."),
    ],
    line: Line = "",
    hand: Annotated[
        str, Field(max_length=8, description='A class or hand, "A5s", "77", "AsKd"; empty for all.')
    ] = "",
    blinds: Annotated[
        list[Chips], Field(min_length=2, max_length=2, description="Small and big blind.")
    ] = [0.5, 1.0],  # noqa: B006
    ante: Annotated[float, Field(ge=0, le=1e6, description="Of each player.")] = 0.0,
    payouts: Annotated[
        list[Chips], Field(max_length=20, description="Prizes, the first place first: ICM counts.")
    ] = [],  # noqa: B006
    others: Annotated[
        list[Chips], Field(max_length=20, description="Stacks at other tables, for the prizes.")
    ] = [],  # noqa: B006
    seconds: Seconds = None,
) -> PushFoldAnswer:
    """All-in or fold before the flop for two to six players, for chips or for prizes by ICM."""
    from riverboat.holdem.preflop.allin_solver import preflop_limit, solve_preflop
    from riverboat.holdem.preflop.push_fold import PushFold

    keys: dict[str, Any] = {"stacks": stacks, "blinds": blinds, "ante": ante}
    if payouts:
        keys["payouts"] = {"places": payouts, **({"others": others} if others else {})}
    elif others:
        raise UsageError("Other stacks count for prizes only: give payouts.")
    game = PushFold.from_fields(keys)
    if hand:
        _class_of(hand)  # Refused before the work
    target = preflop_limit(game).target
    solution = solve_preflop(
        game,
        target=target,
        seconds=shop.time_for(seconds, PUSH_FOLD_SECONDS if target is None else shop.seconds),
        progress=lambda now: shop.report(now.share, f"{now.iterations} iterations"),
        counting=lambda share: shop.report(share, "counting three-way deals, once"),
    )
    gap, sampled = float(solution.info["exploitability"]), solution.info["method"] == "sampled"
    assumed = (
        f"all-in or fold, stacks {_amounts(stacks)}",
        f"blinds {_amounts(blinds)}" + (f", an ante of {ante:g} each" if ante else ""),
        f"prizes {_amounts(payouts)} by ICM" if payouts else "chips, no prizes",
        *([f"stacks at other tables {_amounts(others)}"] if others else []),
    )
    exactness = (
        f"Sampled deals: a best response gains at most {gap:.3g} {game.unit} on average."
        if sampled
        else f"All deals are counted: a best response gains {gap:.2g} {game.unit} on average."
    )
    facts = _decision(solution, line, hand, assumed, exactness)
    return PushFoldAnswer(
        **facts,
        seats=list(solution.seats),
        seat_evs=[number(ev) or 0.0 for ev in solution.info["ev"]],
        exploitability=gap,
    )


def _amounts(amounts: list[float]) -> str:
    return ", ".join(f"{amount:g}" for amount in amounts)


@lru_cache(1)
def _book() -> PreflopSolution:
    from riverboat.holdem.preflop.solution import SHIPPED, PreflopSolution

    return PreflopSolution.load(SHIPPED)


@lru_cache(1)
def _blueprint() -> Blueprint:
    from riverboat.holdem.blueprints.blueprint import Blueprint

    return Blueprint.load("shipped")


def _decision(
    solution: PreflopSolution, line: str, hand: str, assumed: tuple[str, ...], exactness: str
) -> dict[str, Any]:
    """The parts of an answer about a decision before the flop."""
    at = solution.node(line)
    unit = str(solution.info.get("unit", "big blinds"))
    spots = f"{at.seat.upper()} {f'after {at.story}' if at.story else 'to open'}"
    facts: dict[str, Any] = {
        "seat": at.seat,
        "line": at.name,
        "hand": "",
        "evs": {},
        "evs_plus_minus": {},
        "unit": unit,
        "assumed": list(assumed),
        "exactness": exactness,
    }
    if at.rare:
        return facts | {"mix": {}, "answer": f"{spots}: {at.rare_words}."}
    if not hand:
        mix = dict(zip(at.labels, at.totals.tolist(), strict=True))
        shown = {name: number(share) or 0.0 for name, share in mix.items()}
        return facts | {"mix": shown, "answer": f"{spots}, all hands: {mix_words(mix)}."}
    name, c = _class_of(hand)
    facts["hand"] = name
    if not at.knows(c):
        words = f"{spots} with {name}: it gets here too seldom to be known."
        return facts | {"mix": {}, "answer": words}
    return facts | _class_facts(at, c, f"{spots} with {name}", unit)


def _class_facts(at: PreflopNode, c: int, who: str, unit: str) -> dict[str, Any]:
    mix = dict(zip(at.labels, at.frequencies[:, c].tolist(), strict=True))
    evs, errors = dict[str, float](), dict[str, float]()
    for i, label in enumerate(at.labels):
        if math.isfinite(value := float(at.values[i, c])):
            evs[label] = number(value) or 0.0
            if at.errors is not None:
                errors[label] = number(float(at.errors[i, c])) or 0.0
    worth = ", ".join(
        f"{label} {ev:+.3f}" + (f" ± {errors[label]:.3f}" if label in errors else "")
        for label, ev in evs.items()
    )
    told = f" EVs in {unit}: {worth}." if evs else ""
    return {
        "mix": {name: number(share) or 0.0 for name, share in mix.items()},
        "evs": evs,
        "evs_plus_minus": errors,
        "answer": f"{who}: {mix_words(mix)}.{told}",
    }


def _class_of(hand: str) -> tuple[str, int]:
    """The class of a hand, "A5s" or "As5s", and its number."""
    plain = hand.strip()
    named = plain[:2].upper() + plain[2:].lower()
    if named in CLASS_NAMES:
        return named, CLASS_NAMES.index(named)
    if len(plain) >= 4:
        c = int(class_of_combos()[parse_combo(plain)])
        return CLASS_NAMES[c], c
    raise ParameterError(f"A hand is written A5s, AKo, 77 or AsKd, not {hand!r}.")


def review(
    shop: Workshop,
    hands: Annotated[
        str,
        Field(max_length=MAX_HANDS_TEXT, description="Hands as PokerStars writes them, or as PHH."),
    ],
    player: Annotated[
        str, Field(max_length=60, description="Whose hands; empty: whose cards are shown.")
    ] = "",
    payouts: Annotated[
        list[Chips], Field(max_length=20, description="Prizes, where chips are worth prizes.")
    ] = [],  # noqa: B006
    seconds: Seconds = None,
) -> ReviewAnswer:
    """Review pasted hands of hold'em: where expected value was lost, the worst decision first."""
    from riverboat.holdem.histories.files import hands_in
    from riverboat.holdem.histories.hand import RefusedHand
    from riverboat.holdem.review.report import Review, ReviewOptions, player_of, review_hands

    read = list(hands_in(hands))
    if len(read) > MAX_REVIEWED:
        raise UsageError(f"One call reviews {MAX_REVIEWED} hands at most, not {len(read):,}.")
    who = player or player_of(read)
    refused = [one for one in read if isinstance(one, RefusedHand)]
    if len(refused) == len(read):
        raise UsageError(
            f"No hand can be read: {refused[0].reason}" if refused else "The text has no hands."
        )
    options = ReviewOptions(
        seconds=shop.time_for(seconds, 2.0), payouts=list(payouts) if payouts else None
    )

    def show(now: Review) -> None:
        shop.report(now.hands / len(read), f"{now.hands} hands, {len(now.findings)} findings")

    report = review_hands(read, who, _blueprint(), options=options, progress=show)
    facts, unit = report.as_dict(), report.unit_name
    left_out = [f"{count_words(n, 'hand')}: {why}" for why, n in facts["passed_over"].items()]
    if not report.hands and left_out:
        raise UsageError(f"No hand was reviewed; {'; '.join(left_out)}.")
    others = f" Left out: {'; '.join(left_out)}." if left_out else ""
    rows = [finding.as_dict() for finding in report.worst[:MAX_FINDINGS]]
    name = "big blinds" if unit == "bb" else unit
    if report.worst:
        first = report.worst[0]
        told = (
            f" The costliest: {f'hand {first.hand}, ' if first.hand else ''}{first.street},"
            f" {first.cards}: it was {first.in_money(first.judgement.taken.words)}, better is"
            f" {first.in_money(first.judgement.best.words)} ({first.lost:.2f} {name})."
        )
    else:
        told = ""
    return ReviewAnswer(
        answer=f"{who}: {report.lost:.2f} {name} lost in {len(report.findings)} of"
        f" {report.decisions} decisions, in {count_words(report.hands, 'hand')}.{told}{others}",
        assumed=[
            "opponents follow the shipped strategy, or the shipped book where six sit",
            f"what the strategy does in {percent(options.seldom)} of cases or more costs nothing",
        ],
        exactness="Turns and rivers of two players are solved, up to the error given; other"
        " decisions are priced by a trained strategy, roughly.",
        player=who,
        hands=report.hands,
        decisions=report.decisions,
        lost=number(report.lost) or 0.0,
        unit=name,
        findings=_plain(rows),
        not_read=[f"{bad.section}: {bad.reason}" for bad in report.refused[:MAX_FINDINGS]]
        + [f"passed over: {reason}" for reason in facts["passed_over"]],
    )


def _plain(value: Any) -> Any:
    """Facts as JSON has them: decimals as numbers, what is not finite as None."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    return number(float(value), 8)


def warm_up() -> None:
    """Load the book."""
    _book()
