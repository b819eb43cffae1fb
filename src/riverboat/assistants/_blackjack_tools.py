"""Tools of blackjack: a hand, a chart, and a count with its bet."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field

from riverboat.assistants._answers import Answer, Preset, RuleChanges, SeenCards, Workshop, number
from riverboat.blackjack.charts import UPS
from riverboat.blackjack.exact.analysis import Analysis, analyse, shoe_without
from riverboat.blackjack.exact.best_chart import find_best_chart, known_chart
from riverboat.blackjack.rules import BlackjackRules, parse_cards, rules_from, value
from riverboat.blackjack.simulation.counting import counter_from
from riverboat.errors import ParameterError

EXACT = "Exact: every order of the cards is counted, with the cards seen taken out."
KEPT = 8  # Tables whose analysis is kept between calls


class BlackjackHand(Answer):
    """The value of each action with a hand."""

    hand: str
    dealer: str
    best: str
    actions: dict[str, float] = Field(description="Action → EV in bets, best first.")
    rules: dict[str, Any]


class BlackjackChart(Answer):
    """The best total-dependent strategy of a table."""

    ev_percent: float = Field(description="What a round is worth, in percent of the bet.")
    chart: dict[str, Any] = Field(
        description="Rows hard, soft and pairs → dealer's card → code: S stand, H hit, D double or"
        " hit, Ds double or stand, P split, R surrender or hit, and so on."
    )
    rules: dict[str, Any]


class BlackjackCount(Answer):
    """A count, the bet it asks for, and the exact value of the next round."""

    running_count: float
    true_count: float | None
    bet: float = Field(description="In units, by the ramp.")
    ev_percent: float = Field(description="Exact value of the next round, in percent of the bet.")
    insurance_percent: float | None = Field(
        description="Exact value of insurance, in percent of it; nothing where none is offered."
    )
    cards_left: int
    deviations: list[str] = Field(description="Index plays whose count is reached, 16vT:S@0.")


def blackjack_hand(
    shop: Workshop,
    hand: Annotated[
        str,
        Field(max_length=60, description='The hand: "T,6", "A,7", or a total: "16", "soft 18".'),
    ],
    dealer: Annotated[
        str, Field(max_length=10, description='The dealer\'s up card: "A", "7", "10".')
    ],
    rules: Preset = "vegas-6d-s17",
    changes: RuleChanges = {},  # noqa: B006
    seen: SeenCards = "",
    hands: Annotated[
        int, Field(ge=1, le=32, description="How many hands the seat plays, above 1 after a split.")
    ] = 1,
) -> BlackjackHand:
    """The exact EV of every action with a blackjack hand, best first, and why."""
    table = rules_from(rules, changes)
    answer = _analysis(table, _in_order(seen)).hand(hand, dealer, hands=hands)
    others = [f"{name} {other:+.4f}" for name, other in list(answer.values.items())[1:]]
    ev = answer.values[answer.best]
    best = f"With {answer.name} against {answer.up}, {answer.best}: EV {ev:+.4f}"
    rest = f" bets, against {', '.join(others)}." if others else " bets."
    return BlackjackHand(
        answer=f"{best}{rest} {answer.explain()}",
        assumed=[table.summary, "play after this decision is the best", _seen_words(seen)],
        exactness=EXACT,
        hand=answer.name,
        dealer=answer.up,
        best=answer.best,
        actions={name: number(ev, 8) or 0.0 for name, ev in answer.values.items()},
        rules=asdict(table),
    )


def blackjack_chart(
    shop: Workshop,
    rules: Preset = "vegas-6d-s17",
    changes: RuleChanges = {},  # noqa: B006
) -> BlackjackChart:
    """The best basic strategy for a blackjack table, and what a round is worth with it."""
    table = rules_from(rules, changes)
    chart, ev = _chart(table)
    return BlackjackChart(
        answer=f"With this chart a round is worth {100 * ev:+.4f} % of the bet ({table.summary}).",
        assumed=[table.summary, "a fresh shoe", "insurance is never taken"],
        exactness="Exact, and no change of a single cell gains anything. A chart goes by totals;"
        " blackjack_hand knows the cards.",
        ev_percent=number(100 * ev) or 0.0,
        chart=chart.as_dict(),
        rules=asdict(table),
    )


def blackjack_count(
    shop: Workshop,
    seen: Annotated[
        str, Field(max_length=2_000, description='All cards seen since the shuffle, "5,5,T,A,6".')
    ],
    system: Annotated[
        str, Field(max_length=20, description="hilo, ko, hiopt1, hiopt2, omega2, zen or halves.")
    ] = "hilo",
    ramp: Annotated[
        str | None,
        Field(max_length=200, description='Bets by count, "1 2@1 4@2 8@3"; Hi-Lo has its own.'),
    ] = None,
    rules: Preset = "vegas-6d-s17",
    changes: RuleChanges = {},  # noqa: B006
) -> BlackjackCount:
    """The count after the cards seen, the bet it asks for, and the next round's exact EV."""
    table = rules_from(rules, changes)
    if table.decks == "infinite":
        raise ParameterError("An infinite shoe cannot be counted: set decks to 1 to 8.")
    counter = counter_from(system, ramp)
    cards = parse_cards(seen) if seen else ""
    tags = counter.system.tags
    running = counter.system.initial(table.decks) + sum(tags[value(card) - 1] for card in cards)
    num_left = 52 * table.decks - len(cards)
    analysis = _analysis(table, _in_order(seen))
    true = running / (num_left / 52) if counter.system.true_count else None
    count = running if true is None else true
    bet, ev, insurance = counter.ramp.bet(count), analysis.ev, _insurance(analysis)
    changed = [str(item) for item in counter.deviations if count >= item.index]
    shown = f"running count {running:+g}" + ("" if true is None else f", true count {true:+.2f}")
    return BlackjackCount(
        answer=f"{counter.system.name}: {shown}; the ramp {counter.ramp} bets {bet:g}. The next"
        f" round is worth {100 * ev:+.3f} % of the bet, {_insurance_words(insurance)}.",
        assumed=[table.summary, "decks left are known exactly", "play by the best strategy"],
        exactness="The count is the system's; the EVs are exact for the cards that are left.",
        running_count=running,
        true_count=number(true) if true is not None else None,
        bet=bet,
        ev_percent=number(100 * ev) or 0.0,
        insurance_percent=None if insurance is None else number(100 * insurance),
        cards_left=num_left,
        deviations=changed,
    )


def _insurance(analysis: Analysis) -> float | None:
    """What insurance is worth, given that the dealer shows an ace; None where none is offered."""
    offered = analysis.rules.insurance and analysis.engine.counts[0]
    return analysis.insurance() if offered else None


def _insurance_words(insurance: float | None) -> str:
    return (
        "insurance is not offered" if insurance is None else f"insurance {100 * insurance:+.2f} %"
    )


def _in_order(seen: str) -> str:
    """Cards seen in the order of ranks, so that the same cards are one question."""
    return "".join(sorted(parse_cards(seen))) if seen.strip() else ""


@lru_cache(KEPT)
def _analysis(table: BlackjackRules, seen: str) -> Analysis:
    shoe = shoe_without(table, ",".join(seen), tens_apart=table.split_by == "rank")
    return analyse(table, shoe)


@lru_cache(KEPT)
def _chart(table: BlackjackRules) -> Any:
    return known_chart(table) or find_best_chart(table)


def _seen_words(seen: str) -> str:
    return f"{len(_in_order(seen))} cards seen are gone" if seen.strip() else "a fresh shoe"


def warm_up() -> None:
    """Load compiled code, so that the first answer is quick."""
    _analysis(rules_from(), "").hand("T,6", UPS[9])
