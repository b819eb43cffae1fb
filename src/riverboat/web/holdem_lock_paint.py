"""Node locking by painting: a brush of one action and a share, and what is locked so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from riverboat.errors import RiverboatError
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_grid import action_colours
from riverboat.holdem.spots.spot_locks import Lock
from riverboat.holdem.spots.spot_paint import paint, unpaint
from riverboat.web.holdem_spot_work import SpotRun
from riverboat.web.markup import Markup, Picture, tag
from riverboat.web.page_frame import button

__all__ = ["LockPainter"]

FREE = ""
"""The brush that takes locks away."""
MOST_WORDS = 60


class LockPainter:
    """Tools below the grid. `on_change` hears when a lock or the mode changes."""

    def __init__(
        self, run: SpotRun, on_change: Callable[[], None], on_solve: Callable[[], Any]
    ) -> None:
        self.run, self.on_change = run, on_change
        self.on = False
        self.action = FREE
        self.at: SpotCursor | None = None
        self.mode = Picture(on_pick=self._pick)
        with ui.element("div").classes("lock-tools") as self.tools:
            self.brushes = Picture(on_pick=self._pick)
            with ui.element("div").classes("line-up brush-line") as self.share_line:
                self.share = ui.slider(min=0, max=100, step=5, value=100).props("dense")
                self.share.props('aria-label="Share of the brush, per cent"')
                self.share.on_value_change(lambda: self._show_share())
                self.words = Picture()
        self.list = Picture(on_pick=self._pick)
        with ui.element("div").classes("line-up"):
            self.solve = button("Solve again with locks", on_solve, main=True, icon="lock")

    @property
    def locks(self) -> list[Lock]:
        return self.run.painted

    def show(self, at: SpotCursor | None) -> None:
        """At another node."""
        self.at = at
        if at is None or (self.action and self.action not in at.actions):
            self.action = FREE
        if at is not None and at.player >= 0 and not self.action:
            self.action = at.actions[0]
        self._show()

    def painted(self, text: str) -> None:
        """Cells that were dragged over, as "paint:AA,KK"."""
        if self.at is None or not self.on:
            return
        names = [name for name in text[:2000].partition(":")[2].split(",") if name]
        try:
            if self.action == FREE:
                self.run.paint(unpaint(self.locks, self.at.node_id, names))
            else:
                share = float(self.share.value) / 100
                self.run.paint(paint(self.locks, self.at, names, self.action, share))
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
        self._changed()

    def _pick(self, text: str) -> None:
        kind, _, what = text.partition(":")
        if kind == "mode":
            self.on = what == "lock"
        elif kind == "brush" and self.at is not None and what in (FREE, *self.at.actions):
            self.action = what
        elif kind == "unlock":
            kept = [lock for i, lock in enumerate(self.locks) if str(i) != what]
            self.run.paint(kept if what != "all" else [])
        self._changed()

    def _changed(self) -> None:
        self._show()
        self.on_change()

    def _show(self) -> None:
        acts = self.at is not None and self.at.player >= 0
        self.mode.show(_modes(self.on) if acts else Markup(""))
        self.tools.set_visibility(acts and self.on)
        if acts and self.at is not None:
            self.brushes.show(_brushes(self.at, self.action))
        self.share_line.set_visibility(self.action != FREE)
        self.list.show(_list(self.locks))
        changed = self.locks != self.run.locks
        self.solve.set_visibility(changed and not self.run.running)
        self.solve.set_text("Solve again with locks" if self.locks else "Solve again without locks")
        self._show_share()

    def _show_share(self) -> None:
        words = f"{self.action} {self.share.value:g} %"
        if self.share.value < 100:
            words += ", the rest as now"
        self.words.show(tag("span", words, cls="muted small nowrap"))


def _modes(on: bool) -> Markup:
    buttons = [
        tag(
            "button",
            words,
            type="button",
            data_pick=f"mode:{name}",
            aria_pressed="true" if (name == "lock") == on else "false",
        )
        for name, words in (("look", "Look"), ("lock", "Lock by painting"))
    ]
    return tag("div", buttons, cls="segments", role="group", aria_label="What a click does")


def _brushes(at: SpotCursor, chosen: str) -> Markup:
    named = list(zip(at.actions, action_colours(at.bet_actions), strict=True))
    buttons = [
        tag(
            "button",
            tag("i", cls="dot", style=f"background:{colour}") if colour else None,
            words,
            type="button",
            data_pick=f"brush:{action}",
            aria_pressed="true" if action == chosen else "false",
        )
        for action, words, colour in [*((a, a, c) for a, c in named), (FREE, "free again", "")]
    ]
    return tag("div", buttons, cls="segments wrap brushes", role="group", aria_label="Brush")


def _list(locks: list[Lock]) -> Markup:
    if not locks:
        return Markup("")
    rows = []
    for number, lock in enumerate(locks):
        hands = lock.hands or "every hand"
        shown = hands if len(hands) <= MOST_WORDS else hands[:MOST_WORDS] + " …"
        mix = ", ".join(f"{a} {s:.0%}" for a, s in lock.strategy.items() if s > 0)
        away = tag(
            "button",
            "remove",
            type="button",
            cls="linklike",
            data_pick=f"unlock:{number}",
            aria_label=f"Remove the lock of {shown} at {lock.node}",
        )
        node = tag("code", lock.node, cls="muted")
        rows.append(tag("li", tag("b", shown), " ", mix, " ", node, " ", away))
    every = tag("button", "Remove all", type="button", cls="linklike", data_pick="unlock:all")
    return tag(
        "div",
        tag("h3", "Locked ", every if len(locks) > 1 else None),
        tag("ul", rows),
        cls="lock-list",
    )
