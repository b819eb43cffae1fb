"""The drill of a solved spot: hands are dealt, decisions priced, mistakes asked again."""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.arena.hand_drill import HandDrill
from riverboat.cards.card import card_text
from riverboat.cards.hands import hand_cards
from riverboat.drawing.html import signed
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.drill import Drill, DrillHand
from riverboat.runtime.storage import atomic_write
from riverboat.web.api.spot_nodes import START, spot_node
from riverboat.web.api.spots import GONE, NOT_SOLVED
from riverboat.web.app.card_pictures import BACK
from riverboat.web.app.templates import render
from riverboat.web.holdem.open_spots import open_spot
from riverboat.web.holdem.spot_runs import SpotRun
from riverboat.web.pages.holdem.drill_parts import (
    kept_text,
    mix_of,
    mix_rows,
    of_person,
    takes_back,
)
from riverboat.web.site import AskedSite, Site
from riverboat.web.training.trainee import Trainee, known, trainee

router = APIRouter()
_drilling = threading.Lock()
"""Records are read, changed and written by one request at a time."""


@dataclass(frozen=True)
class Seat:
    """A player at the table of a drill."""

    who: str
    cards: tuple[str, ...]
    what: str
    own: bool
    turn: bool
    out: bool


@dataclass(frozen=True)
class SpotDrill:
    """The record of one side of a spot: a file next to its solution."""

    run: SpotRun
    side: str
    trainee: Trainee

    @property
    def path(self) -> Path:
        return self.run.folder / f"drill-{self.side}{of_person(self.trainee)}.json"

    def open(self) -> Drill:
        """The drill as it was left, or a new one; other groups deal the hand anew."""
        solved = open_spot(self.run.path).solved
        try:
            kept = json.loads(self.path.read_text())
            drill = Drill.resume(solved, kept)
            if not takes_back(drill, kept, self.trainee):
                return drill
        except (OSError, ValueError, RecursionError, RiverboatError):
            side = self.run.spot.names.index(self.side)
            drill = Drill(solved, side=side, seed=secrets.randbits(32))
        self.trainee.deal(drill)
        self.keep(drill)
        return drill

    def keep(self, drill: Drill) -> None:
        """Write the record."""
        atomic_write(self.path, kept_text(drill, self.trainee))

    def act(self, action: str, decision: str, *, looked_up: bool) -> None:
        """Take an action or deal the next hand; what belongs to another decision does nothing."""
        drill = self.open()
        hand = drill.hand
        if hand is None or decision != decision_of(drill):
            return
        if action == "next" and not hand.your_turn:
            self.trainee.deal(drill)
        elif hand.your_turn and action in hand.actions:
            verdict = hand.act(action, looked_up=looked_up)
            self.trainee.note(hand.question(verdict), verdict)
        else:
            return
        self.keep(drill)


def decision_of(drill: Drill) -> str:
    """The name of the decision that a drill waits for."""
    verdicts = 0 if drill.hand is None else len(drill.hand.verdicts)
    return f"{drill.score.hands}-{drill.score.tally.asked}-{verdicts}"


@router.get("/holdem/spots/{name}/drill", response_model=None)
def drill_page(
    request: Request, name: str, site: AskedSite, side: str = "", look: str = ""
) -> Response:
    """Show the hand that is played, and how the last decision was."""
    return _page(request, name, site, side, look)


def _page(
    request: Request, name: str, site: Site, side: str, look: str = "", refused: str = ""
) -> Response:
    run = site.spot_runs.find(name)
    if run is None:
        return render(request, "problem.html", 404, title="There is no such spot", words=GONE)
    side = side if side in run.spot.names else run.spot.names[0]
    address = f"/holdem/spots/{run.name}"
    trained = replace(trainee(request, site), here=f"{address}/drill?side={quote(side)}")
    found = SpotDrill(run, side, trained)
    problem, drill, waiting = refused or trained.problem, None, False
    try:
        if problem:
            raise UsageError(problem)
        if not run.solved:
            raise UsageError(NOT_SOLVED)
        waiting = site.answers.ask(spot_node, run.path, START) is None
        if not waiting:
            with _drilling:
                drill = found.open()
    except RiverboatError as error:
        problem = str(error)
    if run.solved and not waiting and run.spot.payouts is None:
        whole = drill or Drill(open_spot(run.path).solved, side=run.spot.names.index(side))
        trained = replace(trained, deck=whole.deck, groups=whole.groups)
    hand = None if drill is None else drill.hand
    looking = bool(look) and hand is not None and hand.your_turn
    verdict = hand.verdicts[-1] if hand is not None and hand.verdicts else None
    return render(
        request,
        "holdem/drill.html",
        422 if problem else 200,
        title="Drill",
        place="/holdem",
        tab="/holdem/spots",
        run=run,
        side=found.side,
        address=address,
        trained=trained,
        again=trained.again(hand.question(verdict)) if hand and verdict else "",
        waiting=waiting,
        problem=problem,
        drill=drill,
        hand=hand,
        decision="" if drill is None else decision_of(drill),
        looking=looking,
        verdict=verdict,
        seats=[] if hand is None else _seats(hand),
        board=[] if hand is None else [card_text(card) for card in hand.cursor.board],
        words=[] if hand is None else _words(hand),
        mix=mix_rows(*hand.hint()) if looking and hand is not None else mix_of(verdict),
        tiles=[] if drill is None else _score(drill),
    )


@router.post("/holdem/spots/{name}/drill", response_model=None)
def act(
    request: Request,
    name: str,
    site: AskedSite,
    side: str = "",
    action: Annotated[str, Form(max_length=60)] = "",
    decision: Annotated[str, Form(max_length=60)] = "",
    looked: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Take an action, deal the next hand, or start the record anew."""
    run = site.spot_runs.find(name)
    if run is None or not run.solved or side not in run.spot.names:
        return render(request, "problem.html", 404, title="There is no such spot", words=GONE)
    try:
        found = SpotDrill(run, side, known(trainee(request, site)))
        with _drilling:
            if action == "over":
                found.path.unlink(missing_ok=True)
            else:
                found.act(action, decision, looked_up=bool(looked))
    except RiverboatError as error:
        return _page(request, name, site, side, refused=str(error))
    tail = found.trainee.tail
    return RedirectResponse(f"/holdem/spots/{name}/drill?{urlencode({'side': side})}{tail}", 303)


def _seats(hand: DrillHand) -> list[Seat]:
    """The opponents, then you."""
    cursor, side, over = hand.cursor, hand.drill.side, not hand.your_turn
    seats = []
    for player, name in enumerate(cursor.names):
        you, out = player == side, player in cursor.node.folded
        hole_cards = cursor.solved.spot.hole_cards
        held = [BACK] * hole_cards
        if you or over:
            held = [
                card_text(card) for card in hand_cards(hole_cards)[hand.combos[player]].tolist()
            ]
        what = "folded" if out else f"{cursor.stacks[player]:g} behind"
        seat = Seat(
            "you" if you else name.upper(), tuple(reversed(held)), what, you,
            you and not over, out and not you,
        )  # fmt: skip
        seats.append(seat)
    return sorted(seats, key=lambda seat: seat.own)


def _words(hand: DrillHand) -> list[str]:
    missed = hand.again is not None and hand.again.mistakes > 0 and not hand.verdicts
    again = "Once more: you missed this before." if missed else ""
    result = ""
    if hand.won is not None:
        result = f"You win {hand.won:g}." if hand.won > 0 else f"You lose {-hand.won:g}."
        result = "Nobody wins." if hand.won == 0 else result
    return [text for text in (again, " · ".join(hand.story), result) if text]


def _score(drill: HandDrill[Any]) -> list[tuple[str, str]]:
    score = drill.score
    right = f"{score.tally.right / score.tally.asked:.0%}" if score.tally.asked else "–"
    hands = f"{score.hands} hand{'s' * (score.hands != 1)}"
    return [
        (right, f"right of {score.tally.asked} decision{'s' * (score.tally.asked != 1)}"),
        (f"{score.tally.lost:.2f}", f"chips lost by mistakes in {hands}"),
        (signed(score.chips, 1), "chips won, luck included"),
        (f"{len(drill.queue.items)}", "to come again"),
    ]
