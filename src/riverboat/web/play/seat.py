"""Buttons for moves with their keys, and a coach's advice as bars.

What one player sees at a table of several people: the felt, their own moves, the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from riverboat.arena.class_table import ClassTable
from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.games.base import Action, State
from riverboat.players.coach import Advice
from riverboat.players.player import View, move_keys
from riverboat.web.app.charts import move_colours
from riverboat.web.app.frame import button
from riverboat.web.app.markup import Picture
from riverboat.web.play.names import isolated
from riverboat.web.play.scenes import draw_scene, may_see

MAX_BUTTONS = 30  # More moves than this are chosen by number (the raises of no-limit hold'em)


def move_buttons(
    view: View,
    *,
    hint: bool,
    keys: Callable[[Sequence[Action]], dict[str, Action]],
    prefix: str = "do",
    decision: int | None = None,
    sizes: Sequence[Action] = (),
) -> Markup:
    """A button for each move with its key, picking `prefix:move`; `?` asks for a hint.

    `decision` is the number of this decision, where `prefix` does not hold it already.
    Where there are too many moves, `sizes` are those that get a button besides the usual ones.
    """
    few = len(view.actions) > MAX_BUTTONS
    actions = _few(view, sizes) if few else list(view.actions)
    typed = {action: key for key, action in keys(actions).items()}
    buttons = [
        pick_button(
            f"{prefix}:{action}",
            view.label(action),
            " ",
            tag("kbd", typed[action]) if action in typed else None,
            cls="btn",
            data_key=typed.get(action),
            data_decision=decision,
            data_once=True,
        )
        for action in actions
    ]
    ask = pick_button("?", "hint ", tag("kbd", "?"), cls="btn", data_key="?") if hint else None
    return tag("div", buttons, ask, cls="moves")


def _few(view: View, sizes: Sequence[Action]) -> list[Action]:
    """Of a no-limit decision: fold, call, the sizes given or shares of the pot, all-in."""
    plain = [action for action in view.actions[:3] if not action.startswith("r")]
    low, high = (int(action[1:]) for action in (view.actions[len(plain)], view.actions[-1]))
    stakes = view.stakes()
    wanted = {int(action[1:]) for action in sizes if action.startswith("r")}
    if not wanted and stakes is not None:
        wanted = {int(stakes.price + share * (stakes.pot + stakes.price)) for share in (0.5, 1)}
    raises = sorted({low, high, *(size for size in wanted if low < size < high)})
    return [*plain, *(f"r{size}" for size in raises)]


def advice_picture(advice: Advice) -> Markup:
    """The mixture as bars with each move's value, and the reasons in words."""
    rows = []
    known = advice.chances.keys() | advice.values.keys()
    actions = [each for each in advice.view.actions if each in known]
    labels = [advice.view.label(action) for action in actions]
    for action, label, colour in zip(actions, labels, move_colours(labels), strict=True):
        chance = advice.chances.get(action, 0.0)
        ev = advice.values.get(action)
        value = "" if ev is None else f" EV {signed(ev, 3)}"
        rows += [
            tag("span", label),
            tag("div", tag("i", style=f"width:{100 * chance:.1f}%;background:{colour}"), cls="bar"),
            tag("span", f"{chance:.0%}", tag("span", value, cls="muted small"), cls="value"),
        ]
    words = [tag("p", line, cls="muted small") for line in advice.lines()[1:]]
    return join(tag("div", rows, cls="mix"), words)


def next_button(pick: str, decision: int | None = None) -> Markup:
    """Deals the next hand."""
    return pick_button(
        pick,
        "Next hand ",
        tag("kbd", "Enter"),
        cls="btn main-act",
        data_key="Enter",
        data_decision=decision,
        data_once=True,
    )


class RaiseField:
    """A slider for the size of a raise, where the game has many.

    `on_raise` receives the move and the number of the decision that it was shown for.
    """

    def __init__(self, on_raise: Callable[[str, int], Any]) -> None:
        self.on_raise = on_raise
        self.row = ui.element("div").classes("line-up")
        self.shown: tuple[int, tuple[int, int]] | None = None

    def clear(self) -> None:
        self.shown = None
        self.row.clear()

    def show(self, view: View | None, state: State, decision: int) -> None:
        """The sizes of this decision; nothing where there is no view or only one size."""
        betting = getattr(state, "betting", None)
        wanted = betting.raise_range() if view is not None and betting is not None else None
        shown = None if wanted is None else (decision, wanted)
        if shown == self.shown:
            return
        self.shown = shown
        self.row.clear()
        if wanted is None or wanted[0] == wanted[1]:
            return
        low, high = wanted
        with self.row:
            number = ui.number("raise to", value=low, min=low, max=high, precision=0)
            number.props("outlined dense").style("max-width: 130px")
            slider = ui.slider(min=low, max=high, value=low).bind_value(number)
            slider.props('aria-label="raise to"').style("flex: 1; min-width: 140px")

            def go() -> Any:
                value = int(number.value) if number.value is not None else low
                return self.on_raise(f"r{min(max(value, low), high)}", decision)

            button("Raise", go)


class SeatView:
    """One place at a table. `on_pick` receives "do:DECISION:MOVE" and "ready:"."""

    def __init__(self, on_pick: Callable[[str], Any]) -> None:
        self.felt = Picture(live=True)
        with ui.element("section").classes("panel"):
            self.moves = Picture(on_pick=on_pick)
            self.raising = RaiseField(lambda move, decision: on_pick(f"do:{decision}:{move}"))
        self.log: Picture | None = None

    def clear(self, felt: Markup, words: str) -> None:
        """No hand is played here now."""
        self.felt.show(felt)
        self.moves.show(tag("p", words, cls="muted") if words else Markup(""))
        self.raising.clear()

    def show(
        self,
        table: ClassTable,
        place: int,
        names: Sequence[str],
        *,
        ready: str = "",
        seconds: float | None = None,
    ) -> None:
        """The table as a place may see it.

        `names` are by place, `ready` says who is still waited for after a hand, and `seconds` are
        left to the player whose turn it is, where a clock runs.
        """
        seat = table.position(place)
        by_seat = [names[table.place_at(p)] for p in range(table.count)]
        see = may_see(table.state, seat, open_end=False)
        self.felt.show(draw_scene(table.game, table.state, by_seat, seat, see))
        view = table.view
        mine = view if view is not None and view.player == seat else None
        moves = self._moves(table, place, names, mine, ready)
        self.moves.show(
            join(_timed_out(table, place), moves, _countdown(seconds, mine is not None))
        )
        self.raising.show(mine, table.state, table.decisions)
        if self.log is not None:
            self.log.show(_log(table, place))

    def _moves(
        self, table: ClassTable, place: int, names: Sequence[str], view: View | None, ready: str
    ) -> Markup:
        if view is not None:
            prefix = f"do:{table.decisions}"
            return move_buttons(view, hint=False, keys=move_keys, prefix=prefix)
        last = table.lines[place][-1] if table.lines[place] else ""
        if table.over:
            return tag("p", "The round is over at this table.", cls="strong")
        if table.between:
            waits = tag("span", ready, cls="muted") if ready else None
            return tag("div", next_button("ready:"), tag("b", last), waits, cls="moves")
        assert table.view is not None
        who = names[table.place_at(table.view.player)]
        return tag("p", isolated(who), " is thinking …", cls="muted")


def _timed_out(table: ClassTable, place: int) -> Markup | None:
    words = table.timed_out.get(place)
    return tag("p", f"{words[0].upper()}{words[1:]}.", cls="note") if words else None


def _countdown(seconds: float | None, mine: bool) -> Markup | None:
    """Seconds that the browser counts down."""
    if seconds is None:
        return None
    left = tag("b", f"{seconds:.0f}", data_seconds=f"{seconds:.1f}", cls="num")
    words = " s left; then the clock moves for you" if mine else " s left"
    return tag("p", left, words, cls="muted small countdown", role="timer")


def score_text(score: float) -> str:
    """A score with its sign; nothing won is 0."""
    return f"{score:+g}".replace("-", "−") if score else "0"


def _log(table: ClassTable, place: int) -> Markup:
    lines = [tag("span", line) for line in reversed(table.lines[place][-30:])]
    total = tag("p", f"Your score here: {score_text(table.scores[place])}", cls="strong")
    log = tag("div", lines, cls="log muted", tabindex="0", aria_label="What happened")
    return join(total, log)
