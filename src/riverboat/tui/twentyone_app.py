"""The screen of the twenty-one table: cards, whose turn it is, results; keys H and S."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Static

from riverboat.tui.twentyone_scene import HIDDEN, picture
from riverboat.tui.twentyone_sources import RemoteSource, Source
from riverboat.twentyone.events import Acted, Dealt, Ended, Event, Folded, Settled
from riverboat.twentyone.game import is_bust, points
from riverboat.twentyone.learning.optimum import hint_for

TICK = 0.05
PAUSES: dict[type, float] = {Dealt: 0.3, Acted: 0.5, Folded: 0.5}
"""Seconds to look at an event before the next one is shown."""


class TwentyOneApp(App[None]):
    """Shows a source of events and takes the person's decisions."""

    TITLE = "Twenty-one"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: #10402c; color: white; scrollbar-size-vertical: 0; }
    #table { height: auto; padding: 1 0; }
    #message { height: 2; content-align: center middle; text-style: bold; }
    #hint { height: 1; content-align: center middle; color: #ffd75f; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "hit", "Hit"),
        Binding("s", "stand", "Stand"),
        Binding("question_mark,f1", "hint", "Hint", key_display="?"),
        Binding("space,enter,n", "next", "Next", key_display="space"),
        Binding("q,ctrl+q", "leave", "Quit", key_display="q"),
        Binding("ctrl+c", "leave", "Quit", show=False, priority=True),
    ]

    def __init__(self, source: Source, *, hurry: bool = False) -> None:
        super().__init__()
        self.source = source
        self.scene = source.start
        self.over = ""
        self._hurry = hurry
        self._next_at = 0.0
        self._holding = False

    def compose(self) -> ComposeResult:
        yield Static(id="table", markup=False)
        yield Static(id="message", markup=False)
        yield Static(id="hint", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        if isinstance(self.source, RemoteSource):
            # JOIN has been sent; the dealer is answered from the moment there is a screen.
            self.call_after_refresh(self._join, self.source)
        self.set_interval(TICK, self.tick)
        self.tick()
        self.show()

    def _join(self, source: RemoteSource) -> None:
        self.run_worker(source.run, thread=True, exit_on_error=False)

    def on_unmount(self) -> None:
        self.source.close()

    def on_resize(self, event: events.Resize) -> None:
        self.show(event.size.width)

    @property
    def asked(self) -> bool:
        """Whether the person may decide now: all has been shown and it is their turn."""
        return self.source.asked and self.scene.turn == self.scene.me and not self.source.events

    def tick(self) -> None:
        """Fetch events and show those whose time has come."""
        source = self.source
        source.poll()
        waiting, changed = source.events, False
        while waiting and (source.past or time.monotonic() >= self._next_at):
            if self._holding and not source.past:
                if source.hold is None:
                    break
                self._holding = False
            self._take(waiting.popleft(), past=bool(source.past))
            source.past = max(0, source.past - 1)
            changed = True
            if self._holding:
                break
        if changed:
            self.show()

    def _take(self, event: Event, *, past: bool) -> None:
        if isinstance(event, Ended):
            self.over = event.reason or "all games played"
        else:
            self.scene.apply(event)
        if isinstance(event, Dealt):
            self.query_one("#hint", Static).update("")
        settled = isinstance(event, Settled)
        if past or (self._hurry and not settled):
            return
        pause = PAUSES.get(type(event), 0.0)
        if settled:
            self._holding = True
            pause = 0.0 if self._hurry else self.source.hold or 0.0
        self._next_at = time.monotonic() + pause

    def show(self, width: int = 0) -> None:
        """Draw the scene, `width` columns wide, or as wide as the screen is."""
        for table in self.query("#table").results(Static):
            table.update(picture(self.scene, max(34, width or self.size.width)))
        for line in self.query("#message").results(Static):
            line.update(self.message())

    def message(self) -> str:
        """What the person should know now."""
        scene, mine = self.scene, self.scene.mine
        if self.over:
            score = f" Your score: {mine.score:+d}." if mine is not None else ""
            return f"It is over: {self.over}.{score}  Q leaves."
        if scene.settled:
            return self._result()
        if not scene.round:
            return "Waiting for the dealer …"
        if scene.me >= 0 and scene.turn == scene.me:
            return "Your turn: H hits, S stands, ? gives a hint."
        if scene.turn >= 0:
            return f"{scene.seats[scene.turn].name} decides."
        return "The others play." if scene.me >= 0 else ""

    def _result(self) -> str:
        scene, mine = self.scene, self.scene.mine
        last = 0 < scene.games <= scene.round
        after = "" if self.source.hold is not None else "  Space deals the next hand."
        after = "  That was the last hand; Q leaves." if last and scene.me >= 0 else after
        if mine is None:
            return after.strip()
        words = {"won": "You win", "lost": "You lose", "push": "A push", "bust": "You are bust"}
        word = words.get(mine.state, mine.state)
        if HIDDEN not in scene.dealer and mine.state in ("won", "lost", "push"):
            theirs = "a bust dealer" if is_bust(scene.dealer) else str(points(scene.dealer))
            word += f" with {points(mine.cards)} against {theirs}"
        return f"{word}.{after}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Watchers are not offered what only players can do."""
        return self.source.me >= 0 or action not in ("hit", "stand", "hint")

    def action_hit(self) -> None:
        self._decide(True)

    def action_stand(self) -> None:
        self._decide(False)

    def _decide(self, hit: bool) -> None:
        if self.asked and not self._holding:
            self.query_one("#hint", Static).update("")
            self._next_at = 0.0
            self.source.answer(hit)
            self.tick()

    def action_hint(self) -> None:
        mine = self.scene.mine
        if self.asked and mine is not None:
            up = self.scene.dealer[-1]
            self.query_one("#hint", Static).update(f"Best: {hint_for(mine.cards, up)}")

    def action_next(self) -> None:
        self._holding = False
        self._next_at = 0.0
        self.tick()

    def action_leave(self) -> None:
        self.exit()
