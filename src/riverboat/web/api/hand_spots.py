"""Hands that were played, pasted as text: their decisions, and a spot for one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riverboat.cards.card import cards_text
from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.holdem.histories.files import hands_in
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.spots.locks import words_of
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, build_tree
from riverboat.web.app.pasted import MAX_BYTES, PastedTexts
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite

router = APIRouter(prefix="/holdem/hands", tags=["Hold'em spots"], responses=REFUSED)
MAX_HANDS = 500
"""Hands of a text that are read."""
HandsText = Annotated[
    str, Field(max_length=MAX_BYTES, description="Hands in PokerStars' text or PHH.")
]


class HandsAsked(BaseModel):
    """Hands to be read."""

    text: HandsText


class DecisionAsked(BaseModel):
    """A decision to make a spot of."""

    text: HandsText
    hand: Annotated[int, Field(ge=1, description="Its number in the text.")] = 1
    decision: Annotated[int, Field(ge=1, description="Its number from the flop on.")] = 1


class DecisionFacts(BaseModel):
    """A decision of a hand from the flop on, in the money of the text."""

    number: int
    street: str
    player: str
    seat: str
    cards: str | None
    board: str
    pot: float
    to_call: float
    taken: str
    problem: str | None = Field(description="Why no spot can be made of it.")


class HandFacts(BaseModel):
    """A hand of a text."""

    number: int
    name: str = Field(description="As the text calls it.")
    players: list[str]
    hero: str | None = Field(description="Whose cards the text shows from the beginning.")
    board: str
    problem: str | None = Field(description="Why it cannot be read, or has no decision.")
    decisions: list[DecisionFacts]


class HandSpotFacts(BaseModel):
    """A street of a hand as a spot."""

    toml: str
    node: str = Field(description="The node of the decision in the spot.")
    place: str = Field(description="The same in words.")
    hand: str | None = Field(description="The cards held, where they are known.")
    player: str
    ranges: str = Field(description="Where the ranges to start from are from.")
    label: str


def read_hands(text: str) -> list[HandFacts]:
    """Return the hands of a text with their decisions; refused where none can be read."""
    hands = [_facts(number, hand) for number, hand in _numbered(text)]
    if not any(hand.players for hand in hands):
        raise FileFormatError(hands[0].problem or "No hand can be read.")
    return hands


def _numbered(text: str) -> Iterator[tuple[int, PhhHand | str]]:
    """Each hand with its number, or why it cannot be read."""
    if not text.strip():
        raise UsageError("Paste a hand of PokerStars or in PHH, or choose a file.")
    number = 0
    for number, found in enumerate(hands_in(text), 1):
        yield number, found if isinstance(found, PhhHand) else f"{found.section}: {found.reason}"
        if number == MAX_HANDS:
            return
    if not number:
        raise FileFormatError("The text has no hand of PokerStars in English, nor one in PHH.")


def _facts(number: int, hand: PhhHand | str) -> HandFacts:
    if isinstance(hand, str):
        return _without(number, hand)
    from riverboat.holdem.review.hand_spots import hand_decisions

    hero = hand.fields.get("_hero")
    decisions = [
        DecisionFacts(
            number=decision.number,
            street=decision.street,
            player=decision.player,
            seat=decision.seat,
            cards=decision.cards or None,
            board=decision.board,
            pot=float(decision.pot),
            to_call=float(decision.to_call),
            taken=decision.taken,
            problem=decision.problem or None,
        )
        for decision in hand_decisions(hand)
    ]
    return HandFacts(
        number=number,
        name=str(hand.section or hand.fields.get("hand", number)),
        players=hand.names,
        hero=hero if isinstance(hero, str) else "you" if "you" in hand.names else None,
        board=cards_text(hand.state.board),
        problem=None if decisions else "It has no decision of hold'em from the flop on.",
        decisions=decisions,
    )


def _without(number: int, problem: str) -> HandFacts:
    return HandFacts(
        number=number, name=str(number), players=[], hero=None, board="", problem=problem,
        decisions=[],
    )  # fmt: skip


def hand_spot(text: str, hand: int, decision: int) -> HandSpotFacts:
    """Return the street of a decision as a spot with ranges to start from."""
    from riverboat.holdem.review.hand_spots import hand_decisions, spot_from_hand

    with about("hand"):
        found = next((one for number, one in _numbered(text) if number == hand), None)
        if found is None:
            raise UsageError(f"The text has no hand {hand}.")
        if isinstance(found, str):
            raise FileFormatError(found)
    with about("decision"):
        made = spot_from_hand(found, decision)
    chosen = hand_decisions(found)[decision - 1]
    label = f"Hand {found.section or found.fields.get('hand', hand)}, {chosen.street}"
    return HandSpotFacts(
        toml=made.spot.to_toml(),
        node=made.node,
        place=node_place(made.spot, made.node),
        hand=made.hand or None,
        player=made.player,
        ranges=made.source,
        label=label[:60],
    )


def kept_hands(folder: Path, name: str) -> list[HandFacts]:
    """The hands of a text that was pasted before."""
    return read_hands(PastedTexts(folder).read(name))


def kept_hand_spot(folder: Path, name: str, hand: int, decision: int) -> HandSpotFacts:
    """The spot of a decision in a text that was pasted before."""
    return hand_spot(PastedTexts(folder).read(name), hand, decision)


def node_place(spot: Spot, node: str) -> str:
    """Where a decision of a spot stands, such as "after check, bet 5"; "" where it has none."""
    try:
        at = (tree := build_tree(spot)).nodes[0]
        taken = []
        for word in words_of(node):
            after = tree.child(at, word)
            taken.append(at.actions[at.children.index(after.index)].words)
            at = after
    except RiverboatError:
        return ""
    if at.kind != NodeKind.DECISION:
        return ""
    return f"after {', '.join(taken)}" if taken else "at the start"


@router.post("")
def hands(asked: HandsAsked) -> list[HandFacts]:
    """Return the hands of a text with their decisions from the flop on."""
    with about("text"):
        return read_hands(asked.text)


@router.post("/spot")
def spot(asked: DecisionAsked, site: AskedSite) -> HandSpotFacts:
    """Return the street of a decision as a spot, with ranges to start from."""
    return site.answers.wait(hand_spot, asked.text, asked.hand, asked.decision)
