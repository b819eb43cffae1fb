"""Drills of spots and before the flop: hands are dealt, decisions priced, mistakes asked again."""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from nicegui import ui

from riverboat.arena.drill import DrilledHand, HandDrill, HandVerdict
from riverboat.cards.card import card_text
from riverboat.cards.combos import combo_text
from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.drawing.palette import action_colours
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop.quiz import PreflopDrill, PreflopHand
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.drill import Drill, DrillHand
from riverboat.runtime.storage import atomic_write
from riverboat.web.app.card_pictures import BACK, cards
from riverboat.web.app.frame import button, error_note, in_thread, panel, segments
from riverboat.web.app.markup import Picture, decided
from riverboat.web.holdem.explorer import loaded
from riverboat.web.holdem.spot_runs import SpotRun


class DrillView(ABC):
    """One hand at a time, with keys; the record is a file."""

    lucky: ClassVar[bool]  # Whether hands are played to the end, so that chips are won by luck

    def __init__(self, address: str, sides: Sequence[tuple[str, str]], side: str) -> None:
        """`address` is the solution's page, `sides` the seats: name in the address, words."""
        self.address, self.sides, self.unit = address, list(sides), "chips"
        self.side = side if side in dict(sides) else self.sides[0][0]
        self.drill: HandDrill[Any] | None = None
        self.verdict: HandVerdict | None = None
        self.looked_up = False
        self.busy = False
        self.decision = 0  # Number of moves so far, so that a click on what is gone does nothing
        with ui.element("div").classes("columns wide-side"):
            with panel():
                self.felt = Picture(tag("p", "Dealing …", cls="muted"))
                self.moves = Picture(on_pick=self._pick)
            with ui.element("div").classes("stack"):
                with panel():
                    self.judged = Picture(live=True)
                with panel("Score"):
                    self.score = Picture()
        with panel(), ui.element("div").classes("line-up at-foot"):
            self.seats = Picture(on_pick=self._pick)
            Picture(tag("a", "The solution", href=address, cls="btn"))
            button("Start over", self._over, icon="restart_alt")
        ui.timer(0, self._open, once=True)

    @property
    @abstractmethod
    def path(self) -> Path:
        """The record of the chosen side."""

    @abstractmethod
    def made(self, kept: Any) -> HandDrill[Any]:
        """The drill that was kept, or a new one where None was; called in a thread."""

    @abstractmethod
    def draw(self, hand: Any) -> Markup:
        """The table with the hand."""

    @abstractmethod
    def node_address(self, node: str) -> str:
        """The page of a decision."""

    @property
    def hand(self) -> DrilledHand | None:
        return None if self.drill is None else self.drill.hand

    async def _open(self) -> None:
        """Continue from the record, or begin."""
        self.seats.show(segments("side", self.sides, self.side, "You are"))
        try:
            made: Any = await in_thread(self._resumed)
        except RiverboatError as error:
            self.felt.show(error_note(error))
            return
        self.drill, self.looked_up = made, False
        self.verdict = self.hand.verdicts[-1] if self.hand and self.hand.verdicts else None
        self._show()

    def _resumed(self) -> HandDrill[Any]:
        try:
            return self.made(json.loads(self.path.read_text()))
        except (OSError, ValueError, RecursionError, RiverboatError):
            drill = self.made(None)
            drill.deal_to_decide()
            return drill

    async def _over(self) -> None:
        self.path.unlink(missing_ok=True)
        await self._open()

    async def _pick(self, text: str) -> None:
        hand = self.hand
        text, decision = decided(text)
        if text.startswith("side=") and text[5:] in dict(self.sides):
            self.side = text[5:]
            ui.navigate.history.replace(f"{self.address}/drill?{urlencode({'side': self.side})}")
            await self._open()
        elif self.drill is None or hand is None or self.busy:
            return
        elif text == "?":
            self.looked_up = True
            self._show()
        elif decision == self.decision:
            self.busy = True
            try:
                await self._act(self.drill, hand, text)
            finally:
                self.busy = False

    async def _act(self, drill: HandDrill[Any], hand: DrilledHand, text: str) -> None:
        if text == "next" and not hand.your_turn:
            await in_thread(drill.deal_to_decide)
            self.verdict = None
        elif text.startswith("act:") and hand.your_turn and text[4:] in hand.actions:
            found: Any = await in_thread(hand.act, text[4:], looked_up=self.looked_up)
            self.verdict = found
        else:
            return
        self.looked_up = False
        self.decision += 1
        self.path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self.path, json.dumps(drill.as_dict()))
        self._show()

    def _show(self) -> None:
        drill, hand = self.drill, self.hand
        assert drill is not None
        assert hand is not None
        self.felt.show(self.draw(hand))
        self.moves.show(_moves(hand, self.decision))
        self.judged.show(self._judged(hand))
        self.score.show(_score(drill, self.unit, lucky=self.lucky))

    def _judged(self, hand: DrilledHand) -> Markup:
        """The value of the last decision or, looked up, that of each action."""
        verdict = self.verdict
        if self.looked_up and hand.your_turn:
            head = tag("h2", "Looked up: this one is not counted, and comes again.")
            return join(head, _mix(*hand.hint(), ""))
        if verdict is None:
            return tag("p", "Your decision is judged here.", cls="muted")
        lead = "The solution plays:"
        if verdict.right:
            head = tag("h2", f"Right: {verdict.action}", cls="good")
        elif verdict.priced:
            head = tag("h2", f"{verdict.action} costs {verdict.cost:.2f} {self.unit}", cls="bad")
            lead = f"{verdict.cost / verdict.pot:.1%} of the pot; " if self.unit != "prizes" else ""
            lead += f"best is {verdict.best}."
        else:
            head = tag("h2", f"Wrong: {verdict.action}", cls="bad")
        link = tag("a", "Look at this node", href=self.node_address(verdict.node))
        body = _mix(verdict.strategy, verdict.values, verdict.action)
        shown = tag("p", lead, cls="muted")
        return tag("div", head, shown, body, tag("p", link, cls="small"), cls="options")


class SpotDrillView(DrillView):
    """The drill of a solved spot; its record lies next to the spot."""

    lucky = True

    def __init__(self, spot_run: SpotRun, side: str) -> None:
        self.run = spot_run
        spot = spot_run.spot
        self.names = spot.names
        sides = [(player, player.upper()) for player in self.names]
        super().__init__(f"/holdem/spots/{spot_run.name}", sides, side)

    @property
    def path(self) -> Path:
        return self.run.folder / f"drill-{self.side}.json"

    def made(self, kept: Any) -> Drill:
        if not self.run.solved:
            raise UsageError("The spot is not solved yet; a drill needs its solution.")
        solved = loaded(str(self.run.path), self.run.path.stat().st_mtime)
        if kept is not None:
            return Drill.resume(solved, kept)
        side = self.names.index(self.side)
        return Drill(solved, side=side, seed=secrets.randbits(32))

    def draw(self, hand: DrillHand) -> Markup:
        return _felt(hand)

    def node_address(self, node: str) -> str:
        return f"{self.address}?node={node}"


class PreflopDrillView(DrillView):
    """The drill before the flop; records of all solutions lie in one folder."""

    lucky = False

    def __init__(self, solution: PreflopSolution, name: str, folder: Path, side: str) -> None:
        self.solution, self.folder = solution, folder
        deciding = dict.fromkeys(node.seat for node in solution.nodes)
        sides = [("any", "any seat"), *((seat, seat.upper()) for seat in deciding)]
        super().__init__(f"/holdem/preflop/{quote(name)}", sides, side)
        self.unit = str(solution.info.get("unit", "chips"))

    @property
    def path(self) -> Path:
        """Another solution under the same name has another record."""
        facts = [self.address, self.side, self.solution.title, self.solution.info]
        key = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()
        return self.folder / f"{key[:16]}.json"

    def made(self, kept: Any) -> PreflopDrill:
        if kept is not None:
            return PreflopDrill.resume(self.solution, kept)
        seat = None if self.side == "any" else self.side
        return PreflopDrill(self.solution, seat=seat, seed=secrets.randbits(32))

    def draw(self, hand: PreflopHand) -> Markup:
        return _preflop_felt(hand)

    def node_address(self, node: str) -> str:
        return f"{self.address}?{urlencode({'line': node})}"


def _preflop_felt(hand: PreflopHand) -> Markup:
    """Every seat with its chips and what it did last; yours with your cards."""
    node, solution = hand.node, hand.drill.solution
    done = {at.seat: label for at, label in solution.steps(node.line)}
    if not hand.your_turn and hand.verdicts:
        done[hand.seat] = hand.verdicts[-1].action
    seats = []
    for seat, chips in node.put.items():
        what = "to act" if seat == node.seat and hand.your_turn else done.get(seat, "")
        own = seat == hand.seat
        gone = done.get(seat) == "fold"
        seats.append(
            tag(
                "div",
                tag("span", "you" if own else "", cls="what"),
                tag("span", seat.upper(), cls="who"),
                cards([hand.cards[:2], hand.cards[2:]], cls="small-cards") if own else None,
                tag("span", f"{chips:g} in", cls="what"),
                tag("span", what, cls="what strong"),
                cls=f"seat{' turn' if own and hand.your_turn else ''}{' out' if gone else ''}",
            )
        )
    again = "Once more: you missed this before." if hand.again and not hand.verdicts else ""
    over = "" if hand.your_turn else "Your part of the hand is over."
    words = [text for text in (again, " · ".join(hand.story), over) if text]
    pot = tag("span", tag("i", cls="chip"), f"pot {hand.pot:g}", cls="pot")
    said = [tag("span", text, cls="drill-words") for text in words]
    return tag(
        "div",
        tag("div", seats, cls="seats preflop-seats"),
        tag("div", pot, said, cls="middle"),
        cls="felt preflop-felt",
    )


def _felt(hand: DrillHand) -> Markup:
    cursor, side = hand.cursor, hand.drill.side
    board = cards([card_text(card) for card in cursor.board])
    over = not hand.your_turn
    drawn = {}
    for player, name in enumerate(cursor.names):
        you, out = player == side, player in cursor.node.folded
        held = combo_text(hand.combos[player]) if you or over else BACK * 2
        turn = " turn" if you and not over else ""
        drawn[player] = tag(
            "div",
            tag("span", "you" if you else name.upper(), cls="who"),
            cards([held[:2], held[2:]]),
            tag("span", "folded" if out else f"{cursor.stacks[player]:g} behind", cls="what"),
            cls=f"seat{turn}{' out' if out and not you else ''}",
        )
    others = [seat for player, seat in drawn.items() if player != side]
    story = " · ".join(hand.story)
    again = "Once more: you missed this before." if hand.again and not hand.verdicts else ""
    result = ""
    if hand.won is not None:
        result = f"You win {hand.won:g}." if hand.won > 0 else f"You lose {-hand.won:g}."
        result = "Nobody wins." if hand.won == 0 else result
    words = [text for text in (again, story, result) if text]
    return tag(
        "div",
        tag("div", others, cls="seats"),
        tag(
            "div",
            board,
            tag("span", tag("i", cls="chip"), f"pot {cursor.pot:g}", cls="pot"),
            [tag("span", text, cls="drill-words") for text in words],
            cls="middle",
        ),
        tag("div", drawn[side], cls="seats own"),
        cls="felt drill-felt",
    )


def _moves(hand: DrilledHand, decision: int) -> Markup:
    if not hand.your_turn:
        following = _key("Next hand", "next", "Enter", "btn main-act", decision)
        return tag("div", following, cls="moves")
    buttons = [
        _key(action, f"act:{action}", str(number) if number < 10 else "", "btn", decision)
        for number, action in enumerate(hand.actions, 1)
    ]
    return tag("div", buttons, _key("look up", "?", "?", "btn"), cls="moves")


def _key(words: str, pick: str, key: str, cls: str, decision: int | None = None) -> Markup:
    return pick_button(
        pick,
        f"{words} ",
        tag("kbd", key) if key else None,
        cls=cls,
        data_key=key or None,
        data_decision=decision,
    )


def _mix(strategy: dict[str, float], values: dict[str, float], taken: str) -> Markup:
    rows = []
    colours = action_colours(list(strategy))
    for (action, share), colour in zip(strategy.items(), colours, strict=True):
        words = tag("b", f"{action} ◂") if action == taken else action
        filled = tag("i", style=f"width:{100 * share:.1f}%;background:{colour}")
        bar = tag("span", filled, cls="bar")
        value = f"{share:.0%}"
        if not math.isnan(values[action]):
            value += f" · EV {signed(values[action], 2)}"
        rows += [tag("span", words), bar, tag("span", value, cls="value")]
    return tag("div", rows, cls="mix")


def _score(drill: HandDrill[Any], unit: str, *, lucky: bool) -> Markup:
    score = drill.score
    right = f"{score.tally.right / score.tally.asked:.0%}" if score.tally.asked else "–"
    tiles = [
        (right, f"right of {score.tally.asked} decision{'s' * (score.tally.asked != 1)}"),
        (
            f"{score.tally.lost:.2f}",
            f"{unit} lost by mistakes in {score.hands} hand{'s' * (score.hands != 1)}",
        ),
        *([(signed(score.chips, 1), f"{unit} won, luck included")] if lucky else []),
        (f"{len(drill.queue.items)}", "to come again"),
    ]
    shown = [tag("div", tag("b", b), tag("span", s), cls="tile") for b, s in tiles]
    return tag("div", shown, cls="tile-row")
