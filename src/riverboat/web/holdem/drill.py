"""The drill of a solved spot: hands are dealt, decisions priced, mistakes asked again."""

from __future__ import annotations

import json
import secrets
from typing import Any

from nicegui import run, ui

from riverboat.cards.card import card_text
from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.reading.drill import Drill, DrillHand, SpotVerdict
from riverboat.holdem.spots.spot import PLAYERS
from riverboat.strategies.files import atomic_write
from riverboat.web.app.card_pictures import BACK, cards
from riverboat.web.app.frame import button, error_note, panel, segments
from riverboat.web.app.markup import Picture
from riverboat.web.holdem.explorer import loaded
from riverboat.web.holdem.spot_runs import SpotRun


class DrillView:
    """One hand at a time, with keys; the record is a file next to the spot."""

    def __init__(self, spot_run: SpotRun, side: str) -> None:
        self.run = spot_run
        self.side = side if side in PLAYERS else PLAYERS[0]
        self.drill: Drill | None = None
        self.verdict: SpotVerdict | None = None
        self.looked = False
        self.busy = False
        with ui.element("div").classes("columns wide-side"):
            with panel():
                self.felt = Picture(tag("p", "Dealing …", cls="muted"))
                self.moves = Picture(on_pick=self._pick)
            with ui.element("div").classes("stack"):
                with panel():
                    self.judged = Picture(live=True)
                with panel("Score"):
                    self.score = Picture()
        with panel(), ui.element("div").classes("line-up"):
            self.seats = Picture(on_pick=self._pick)
            Picture(tag("a", "The solution", href=f"/holdem/spots/{spot_run.name}", cls="btn"))
            button("Start over", self._over, icon="restart_alt")
        ui.timer(0, self._open, once=True)

    @property
    def path(self) -> Any:
        return self.run.folder / f"drill-{self.side}.json"

    @property
    def hand(self) -> DrillHand | None:
        return None if self.drill is None else self.drill.hand

    async def _open(self) -> None:
        """Continue from the record, or begin."""
        self.seats.show(segments("side", [(p, p.upper()) for p in PLAYERS], self.side, "You are"))
        if not self.run.solved:
            self.felt.show(error_note("The spot is not solved yet; a drill needs its solution."))
            return
        try:
            made: Any = await run.io_bound(self._made)
        except RiverboatError as error:
            self.felt.show(error_note(error))
            return
        self.drill, self.looked = made, False
        self.verdict = self.hand.verdicts[-1] if self.hand and self.hand.verdicts else None
        self._show()

    def _made(self) -> Drill:
        solved = loaded(str(self.run.path), self.run.path.stat().st_mtime)
        try:
            return Drill.resume(solved, json.loads(self.path.read_text()))
        except (OSError, ValueError, RecursionError, RiverboatError):
            drill = Drill(solved, side=PLAYERS.index(self.side), seed=secrets.randbits(32))
            drill.deal_to_decide()
            return drill

    async def _over(self) -> None:
        self.path.unlink(missing_ok=True)
        await self._open()

    async def _pick(self, text: str) -> None:
        hand = self.hand
        if text.startswith("side=") and text[5:] in PLAYERS:
            self.side = text[5:]
            ui.navigate.history.replace(f"/holdem/spots/{self.run.name}/drill?side={self.side}")
            await self._open()
        elif self.drill is None or hand is None or self.busy:
            return
        elif text == "?":
            self.looked = True
            self._show()
        else:
            self.busy = True
            try:
                await self._act(self.drill, hand, text)
            finally:
                self.busy = False

    async def _act(self, drill: Drill, hand: DrillHand, text: str) -> None:
        if text == "next" and not hand.your_turn:
            await run.io_bound(drill.deal_to_decide)
            self.verdict = None
        elif text.startswith("act:") and hand.your_turn and text[4:] in hand.cursor.actions:
            found: Any = await run.io_bound(hand.act, text[4:], looked=self.looked)
            self.verdict = found
        else:
            return
        self.looked = False
        atomic_write(self.path, json.dumps(drill.as_dict()))
        self._show()

    def _show(self) -> None:
        drill, hand = self.drill, self.hand
        assert drill is not None
        assert hand is not None
        self.felt.show(_felt(hand))
        self.moves.show(_moves(hand))
        self.judged.show(_judged(self.run.name, hand, self.verdict, self.looked))
        self.score.show(_score(drill))


def _felt(hand: DrillHand) -> Markup:
    cursor, side = hand.cursor, hand.drill.side
    board = cards([card_text(card) for card in cursor.board])
    over = not hand.your_turn
    theirs = hand.their_cards if over else BACK * 2
    seats = [
        (PLAYERS[1 - side].upper(), [theirs[:2], theirs[2:]], cursor.stacks[1 - side]),
        ("you", [hand.cards[:2], hand.cards[2:]], cursor.stacks[side]),
    ]
    drawn = [
        tag(
            "div",
            tag("span", name, cls="who"),
            cards(held),
            tag("span", f"{stack:g} behind", cls="what"),
            cls="seat turn" if name == "you" and not over else "seat",
        )
        for name, held, stack in seats
    ]
    story = " · ".join(hand.story)
    again = "Once more: you missed this before." if hand.again and not hand.verdicts else ""
    result = ""
    if hand.won is not None:
        result = f"You win {hand.won:g}." if hand.won > 0 else f"You lose {-hand.won:g}."
        result = "Nobody wins." if hand.won == 0 else result
    words = [text for text in (again, story, result) if text]
    return tag(
        "div",
        tag("div", drawn[0], cls="seats"),
        tag(
            "div",
            board,
            tag("span", tag("i", cls="chip"), f"pot {cursor.pot:g}", cls="pot"),
            [tag("span", text, cls="drill-words") for text in words],
            cls="middle",
        ),
        tag("div", drawn[1], cls="seats own"),
        cls="felt drill-felt",
    )


def _moves(hand: DrillHand) -> Markup:
    if not hand.your_turn:
        return tag("div", _key("Next hand", "next", "Enter", "btn main-act"), cls="moves")
    buttons = [
        _key(action, f"act:{action}", str(number) if number < 10 else "", "btn")
        for number, action in enumerate(hand.cursor.actions, 1)
    ]
    return tag("div", buttons, _key("look up", "?", "?", "btn"), cls="moves")


def _key(words: str, pick: str, key: str, cls: str) -> Markup:
    shown = tag("kbd", key) if key else None
    return tag(
        "button", f"{words} ", shown, type="button", cls=cls, data_pick=pick, data_key=key or None
    )


def _judged(name: str, hand: DrillHand, verdict: SpotVerdict | None, looked: bool) -> Markup:
    """The value of the last decision or, looked up, that of each action."""
    if looked and hand.your_turn:
        figures = hand.cursor.figures(hand.cards, hand.drill.side)
        assert figures.strategy is not None
        assert figures.action_evs is not None
        head = tag("h2", "Looked up: this one is not counted, and comes again.")
        return join(head, _mix(figures.strategy, figures.action_evs, ""))
    if verdict is None:
        return tag("p", "Your decision is judged here.", cls="muted")
    if verdict.right:
        head = tag("h2", f"Right: {verdict.action}", cls="good")
    else:
        head = tag("h2", f"{verdict.action} costs {verdict.cost:.2f} chips", cls="bad")
    part = f"{verdict.cost / verdict.pot:.1%} of the pot; best is {verdict.best}."
    lead = tag("p", part if not verdict.right else "The solution plays:", cls="muted")
    link = tag("a", "Look at this node", href=f"/holdem/spots/{name}?node={verdict.node}")
    body = _mix(verdict.strategy, verdict.values, verdict.action)
    return tag("div", head, lead, body, tag("p", link, cls="small"), cls="options")


def _mix(strategy: dict[str, float], values: dict[str, float], taken: str) -> Markup:
    rows = []
    for action, share in strategy.items():
        words = tag("b", f"{action} ◂") if action == taken else action
        bar = tag("span", tag("i", style=f"width:{100 * share:.1f}%"), cls="bar")
        value = f"{share:.0%} · EV {signed(values[action], 2)}"
        rows += [tag("span", words), bar, tag("span", value, cls="value")]
    return tag("div", rows, cls="mix")


def _score(drill: Drill) -> Markup:
    score = drill.score
    right = f"{score.tally.right / score.tally.asked:.0%}" if score.tally.asked else "–"
    tiles = [
        (right, f"right of {score.tally.asked}"),
        (
            f"{score.tally.lost:.2f}",
            f"chips lost by mistakes in {score.hands} hand{'s' * (score.hands != 1)}",
        ),
        (signed(score.chips, 1), "chips with luck"),
        (f"{len(drill.queue.items)}", "to come again"),
    ]
    shown = [tag("div", tag("b", b), tag("span", s), cls="tile") for b, s in tiles]
    return tag("div", shown, cls="tile-row")
