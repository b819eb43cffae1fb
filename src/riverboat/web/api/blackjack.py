"""Blackjack: what a round is worth under any rules, the chart, a hand, and the dealer's odds."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query
from pydantic import BaseModel, Field

from riverboat.blackjack.exact.analysis import Analysis, analyse, shoe_without
from riverboat.blackjack.exact.best_chart import chart_value
from riverboat.blackjack.rules import BlackjackRules, parse_up_card
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.blackjack.simulations import MAX_ROUNDS, SimulationOrder, SimulationRun
from riverboat.web.blackjack.table import USUAL_TABLE, query_of, rules_of_query
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/blackjack", tags=["Blackjack"], responses=REFUSED)
MAX_TABLES = 64
"""Tables whose values are kept."""
MAX_SEEN = 1300
"""Letters of a list of cards seen; the largest shoe has 416 cards."""
Values = dict[str, float]
RulesDict = dict[str, int | float | bool | str]
CardsText = Annotated[str, Field(max_length=60, examples=["T,6"])]
SeenText = Annotated[str, Field(max_length=MAX_SEEN, examples=["5,5,5"])]
OptionText = Annotated[str | None, Field(max_length=20)]


class TableAnswer(BaseModel):
    """What a round is worth at a table; the facts of `riverboat blackjack ev --json`."""

    rules: RulesDict
    ev: float = Field(description="Expected result of a round per unit bet, with perfect play.")
    ev_by_up: dict[str, float] = Field(description="The same by the dealer's up card.")
    convention: str = Field(description="How hands are played after a split.")


class ChartAnswer(BaseModel):
    """The best chart of a table; the facts of `riverboat blackjack chart --json`."""

    rules: RulesDict
    ev: float = Field(description="Expected result of a round that is played by the chart.")
    name: str
    hard: dict[str, dict[str, str]] = Field(description="Total → up card → code.")
    soft: dict[str, dict[str, str]]
    pairs: dict[str, dict[str, str]]


class HandFacts(BaseModel):
    """What each action is worth; the facts of `riverboat blackjack hand --json`."""

    hand: str
    up: str
    hands: int = Field(description="How many hands the seat plays.")
    actions: Values = Field(description="Action → value per unit bet, the best first.")
    best: str
    reasons: list[str] = Field(description="Why the best one is best.")
    rules: RulesDict
    convention: str
    by_cards: dict[str, Values] | None = Field(
        None, description="For a hard total: each of its two-card hands and its values."
    )
    insurance: float | None = Field(
        None, description="Value per unit of insurance, where it is offered."
    )


class DealerAnswer(BaseModel):
    """How the dealer ends; the facts of `riverboat blackjack dealer --json`."""

    rules: RulesDict
    hand: str = Field(description="The player's cards, taken out of the shoe.")
    up: dict[str, Values] = Field(description="Up card → outcome → probability.")


@lru_cache(maxsize=MAX_TABLES)
def analysis_of(rules: BlackjackRules, seen: str = "") -> Analysis:
    """A table with its value, for all visitors; `seen` are cards that left the shoe."""
    with about("seen"):
        shoe = shoe_without(rules, seen) if seen else None
    analysis = analyse(rules, shoe)
    if not seen:
        analysis.ev  # noqa: B018
    return analysis


def table_value(rules: BlackjackRules) -> TableAnswer:
    """Return what a round is worth."""
    return TableAnswer.model_validate(analysis_of(rules).as_dict())


def table_chart(rules: BlackjackRules) -> ChartAnswer:
    """Return the best chart and what it is worth."""
    chart, value = chart_value("best", rules)
    return ChartAnswer.model_validate(
        {"rules": dataclasses.asdict(rules), "ev": value, **chart.as_dict()}
    )


def hand_value(
    rules: BlackjackRules, cards: str, up: str, seen: str = "", hands: int = 1
) -> HandFacts:
    """Return what each action is worth with a hand, and why; at an ace insurance too."""
    analysis = analysis_of(rules, seen)
    with about("up"):
        shown = parse_up_card(up)
    with about("cards"):
        answer = analysis.hand(cards, shown, hands=hands)
    facts = answer.as_dict()
    if answer.up == "A" and rules.insurance and len(answer.cards) == 2 and hands == 1:
        facts["insurance"] = analysis.insurance(answer.cards)
    return HandFacts.model_validate(facts)


def hand_values(rules: BlackjackRules, hands: tuple[str, ...], up: str) -> dict[str, HandFacts]:
    """Return the answers for several hands against the same card."""
    return {hand: hand_value(rules, ",".join(hand), up) for hand in hands}


def dealer_odds(rules: BlackjackRules, hand: str = "") -> DealerAnswer:
    """Return how the dealer ends by up card, from a fresh shoe."""
    analysis = analysis_of(rules)
    with about("hand"):
        table = analysis.dealer_table(hand)
    return DealerAnswer(rules=dataclasses.asdict(rules), hand=hand, up=table)


def asked_rules(
    rules: Annotated[str, Query(max_length=40, description="A preset.")] = USUAL_TABLE,
    decks: OptionText = None,
    h17: OptionText = None,
    bj_pays: OptionText = None,
    double_on: OptionText = None,
    das: OptionText = None,
    max_split_hands: OptionText = None,
    max_split_hands_aces: OptionText = None,
    hit_split_aces: OptionText = None,
    surrender: OptionText = None,
    hole_card: OptionText = None,
    insurance: OptionText = None,
    charlie: OptionText = None,
    dealer_charlie: OptionText = None,
    combo: OptionText = None,
    split_by: OptionText = None,
) -> BlackjackRules:
    """The table of a question: a preset, and the options that differ from it."""
    given = {name: text for name, text in locals().items() if text is not None}
    with about("rules"):
        return rules_of_query(given)


AskedRules = Annotated[BlackjackRules, Depends(asked_rules)]


@router.get("/table")
def table(site: AskedSite, rules: AskedRules) -> TableAnswer:
    """Return what a round is worth under any rules, exactly."""
    return site.answers.wait(table_value, rules)


@router.get("/chart")
def chart(site: AskedSite, rules: AskedRules) -> ChartAnswer:
    """Return the best chart for any rules."""
    return site.answers.wait(table_chart, rules)


@router.get("/hand")
def hand(
    site: AskedSite,
    rules: AskedRules,
    cards: CardsText,
    up: Annotated[str, Field(max_length=10, examples=["T"])],
    seen: SeenText = "",
    hands: Annotated[int, Field(ge=1, le=4)] = 1,
) -> HandFacts:
    """Return what each action is worth with a hand, best first, and why."""
    return site.answers.wait(hand_value, rules, cards, up, seen, hands)


@router.get("/dealer")
def dealer(site: AskedSite, rules: AskedRules, hand: CardsText = "") -> DealerAnswer:
    """Return how the dealer ends for each up card, before the hole card is checked."""
    return site.answers.wait(dealer_odds, rules, hand)


class SimulationQuestion(BaseModel):
    """What is to be played by the million."""

    rules: str = Field(USUAL_TABLE, max_length=40, description="A preset.")
    options: dict[str, str] = Field({}, description="Rules that differ from the preset's.")
    rounds: int = Field(10_000_000, ge=1, le=MAX_ROUNDS)
    strategy: Annotated[str, Field(max_length=20)] = "published"
    count: Annotated[str, Field(max_length=20, description="A counting system, or empty.")] = ""
    ramp: Annotated[str, Field(max_length=200, examples=["1 2@1 4@2 8@3"])] = ""
    deviations: Annotated[str, Field(max_length=1000, examples=["illustrious18 fab4"])] = ""
    penetration: float = Field(0.75, ge=0, lt=1, description="Share of the shoe that is dealt.")
    bankroll: float = Field(1000.0, gt=0, description="Units to lose, for the risk of ruin.")
    seed: int = Field(0, ge=0, lt=2**63)


class SimulationAnswer(BaseModel):
    """A simulation: how it stands, and what it says so far."""

    name: str
    page: str
    state: str = Field(description="waiting, starting, running, done, stopped, or what went wrong.")
    share: float = Field(description="How much of it is played.")
    facts: dict[str, Any] = Field(
        description="The figures of `riverboat blackjack simulate --json` so far, and the fan."
    )

    @classmethod
    def of(cls, run: SimulationRun) -> SimulationAnswer:
        page = f"/blackjack/simulate/{run.name}"
        return cls(name=run.name, page=page, state=run.state, share=run.share, facts=run.facts)


def begin_simulation(site: Site, asked: SimulationQuestion) -> SimulationRun:
    """Begin a simulation in the background; what is wrong is said at its field."""
    with about("rules"):
        rules = rules_of_query({**asked.options, "rules": asked.rules})
    values = asked.model_dump(exclude={"rules", "options"})
    return site.simulations.begin(SimulationOrder(rules=query_of(rules), **values))


def find_simulation(site: Site, name: str) -> SimulationRun:
    """A simulation by its name."""
    found = site.simulations.find(name)
    if found is None:
        raise HTTPException(404, "There is no such simulation; it was not kept or never begun.")
    return found


@router.post("/simulations", status_code=201)
def simulate(site: AskedSite, asked: SimulationQuestion) -> SimulationAnswer:
    """Begin to play rounds by the million; ask for the simulation to see how it stands."""
    return SimulationAnswer.of(begin_simulation(site, asked))


@router.get("/simulations/{name}")
def simulation(site: AskedSite, name: str) -> SimulationAnswer:
    """Return what a simulation says so far."""
    return SimulationAnswer.of(find_simulation(site, name))


@router.post("/simulations/{name}/stop")
def stop_simulation(site: AskedSite, name: str) -> SimulationAnswer:
    """End a simulation with what was played."""
    found = find_simulation(site, name)
    found.stop()
    return SimulationAnswer.of(found)
