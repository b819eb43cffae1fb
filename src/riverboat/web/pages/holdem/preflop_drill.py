"""The drill before the flop: hands are dealt, decisions priced, mistakes asked again."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop.quiz import PreflopDrill, PreflopHand
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.runtime.storage import atomic_write
from riverboat.web.app.templates import render
from riverboat.web.holdem.preflop_solutions import open_solution
from riverboat.web.pages.holdem.drill_parts import (
    kept_text,
    mix_of,
    mix_rows,
    of_person,
    takes_back,
)
from riverboat.web.pages.holdem.seats_table import Seated, SeatSpot, seats_round_table
from riverboat.web.site import AskedSite, Site
from riverboat.web.training.trainee import Trainee, known, trainee

router = APIRouter()
ANY = "any"
_drilling = threading.Lock()
"""Records are read, changed and written by one request at a time."""


@dataclass(frozen=True)
class Record:
    """The record of one seat at one solution: a file among those of all solutions."""

    solution: PreflopSolution
    address: str
    side: str
    folder: Path
    trainee: Trainee

    @property
    def path(self) -> Path:
        """Another solution under the same name has another record."""
        facts = [self.address, self.side, self.solution.title, self.solution.info]
        key = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()
        return self.folder / f"{key[:16]}{of_person(self.trainee)}.json"

    @property
    def sides(self) -> dict[str, str]:
        """The seats that can be drilled, and their words."""
        deciding = dict.fromkeys(node.seat for node in self.solution.nodes)
        return {ANY: "any seat"} | {seat: seat.upper() for seat in deciding}

    def open(self) -> PreflopDrill:
        """The drill as it was left, or a new one; other groups deal the hand anew."""
        try:
            kept = json.loads(self.path.read_text())
            drill = PreflopDrill.resume(self.solution, kept)
            if not takes_back(drill, kept, self.trainee):
                return drill
        except (OSError, ValueError, RecursionError, RiverboatError):
            drill = self.new()
        self.trainee.deal(drill)
        self.keep(drill)
        return drill

    def new(self) -> PreflopDrill:
        """A drill without a hand."""
        seat = None if self.side == ANY else self.side
        return PreflopDrill(self.solution, seat=seat, seed=secrets.randbits(32))

    def keep(self, drill: PreflopDrill) -> None:
        """Write the record."""
        self.folder.mkdir(parents=True, exist_ok=True)
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


def decision_of(drill: PreflopDrill) -> str:
    """The name of the decision that a drill waits for."""
    verdicts = 0 if drill.hand is None else len(drill.hand.verdicts)
    return f"{drill.score.hands}-{drill.score.tally.asked}-{verdicts}"


def find_solution(site: Site, name: str) -> PreflopSolution:
    """A solution by its name in the library."""
    try:
        return open_solution(site.library, name)
    except OSError:
        raise UsageError(f"{name[:60]} cannot be read.") from None


def record_of(
    site: Site, solution: PreflopSolution, name: str, side: str, trained: Trainee
) -> Record:
    """The record of a seat; without a known one, of any seat."""
    folder = site.settings.folder / ".web" / "preflop-drills"
    record = Record(solution, f"/holdem/preflop/{quote(name)}", ANY, folder, trained)
    return replace(record, side=side) if side in record.sides else record


@router.get("/holdem/preflop/{name}/drill", response_model=None)
def drill_page(
    request: Request, name: str, site: AskedSite, side: str = ANY, look: str = ""
) -> Response:
    """Show the hand that is played, and how the last decision was."""
    return _page(request, name, site, side, look)


def _page(
    request: Request, name: str, site: Site, side: str, look: str = "", refused: str = ""
) -> Response:
    try:
        solution = site.answers.ask(find_solution, site, name)
    except RiverboatError as error:
        return render(
            request, "problem.html", 404, title="There is no such solution", words=str(error)
        )
    trained, drill, found = trainee(request, site), None, None
    problem = refused or trained.problem
    if solution is not None:
        found = record_of(site, solution, name, side, trained)
        whole = found.new()
        here = f"{found.address}/drill?{urlencode({'side': found.side})}"
        trained = replace(trained, here=here, deck=whole.deck, groups=whole.groups)
        found = replace(found, trainee=trained)
        try:
            with _drilling:
                drill = None if problem else found.open()
        except RiverboatError as error:
            problem = str(error)
    hand = drill.hand if drill else None
    looking = bool(look) and hand is not None and hand.your_turn
    verdict = hand.verdicts[-1] if hand is not None and hand.verdicts else None
    hint = hand.hint() if looking and hand is not None else None
    return render(
        request,
        "holdem/preflop_drill.html",
        422 if problem else 200,
        problem=problem,
        trained=trained,
        again=trained.again(hand.question(verdict)) if hand and verdict else "",
        title="Fold, call or raise?",
        place="/holdem",
        tab="/holdem/preflop",
        base=f"/holdem/preflop/{quote(name)}",
        words_of_solution=found.solution.title if found else "",
        sides=found.sides if found else {},
        side=found.side if found else side,
        waiting=found is None,
        hand=hand,
        decision=decision_of(drill) if drill else "",
        looking=looking,
        verdict=verdict,
        unit=drill.unit if drill else "",
        seats=_seats(hand) if hand is not None else [],
        cards=(hand.cards[:2], hand.cards[2:]) if hand is not None else (),
        words=_words(hand) if hand is not None else [],
        mix=mix_rows(*hint) if hint else mix_of(verdict),
        tiles=_score(drill) if drill else [],
        node_address=f"/holdem/preflop/{quote(name)}?{urlencode({'line': verdict.node})}"
        if verdict
        else "",
    )


@router.post("/holdem/preflop/{name}/drill", response_model=None)
def act(
    request: Request,
    name: str,
    site: AskedSite,
    side: str = ANY,
    action: Annotated[str, Form(max_length=60)] = "",
    decision: Annotated[str, Form(max_length=60)] = "",
    looked: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Take an action, deal the next hand, or start the record anew."""
    solution = find_solution(site, name)
    try:
        trained = known(trainee(request, site))
        found = record_of(site, solution, name, side, trained)
        with _drilling:
            if action == "over":
                found.path.unlink(missing_ok=True)
            else:
                found.act(action, decision, looked_up=bool(looked))
    except RiverboatError as error:
        return _page(request, name, site, side, refused=str(error))
    query = f"{urlencode({'side': found.side})}{trained.tail}"
    return RedirectResponse(f"{found.address}/drill?{query}", 303)


def _seats(hand: PreflopHand) -> list[SeatSpot]:
    """Every seat with its chips and what it did last."""
    node = hand.node
    done = {at.seat: label for at, label in hand.drill.solution.steps(node.line)}
    if not hand.your_turn and hand.verdicts:
        done[hand.seat] = hand.verdicts[-1].action
    acting = node.seat if hand.your_turn else ""
    return seats_round_table(
        [
            Seated(
                seat,
                chips,
                "to act" if seat == acting else done.get(seat, ""),
                done.get(seat) == "fold",
            )
            for seat, chips in node.put.items()
        ],
        acting,
    )


def _words(hand: PreflopHand) -> list[str]:
    missed = hand.again is not None and hand.again.mistakes > 0 and not hand.verdicts
    again = "Once more: you missed this before." if missed else ""
    over = "" if hand.your_turn else "Your part of the hand is over."
    return [text for text in (again, " · ".join(hand.story), over) if text]


def _score(drill: PreflopDrill) -> list[tuple[str, str]]:
    score, tally = drill.score, drill.score.tally
    right = f"{tally.right / tally.asked:.0%}" if tally.asked else "–"
    hands = f"{score.hands} hand{'s' * (score.hands != 1)}"
    return [
        (right, f"right of {tally.asked} decision{'s' * (tally.asked != 1)}"),
        (f"{tally.lost:.2f}", f"{drill.unit} lost by mistakes in {hands}"),
        (f"{len(drill.queue.items)}", "to come again"),
    ]
