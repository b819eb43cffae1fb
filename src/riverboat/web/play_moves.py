"""Buttons for moves with their keys, and a coach's advice as bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riverboat.games.base import Action
from riverboat.players.coach import Advice
from riverboat.players.player import View
from riverboat.web.markup import Markup, join, signed, tag

__all__ = ["advice_picture", "move_buttons"]

MOST_BUTTONS = 30
"""More moves than this are chosen by number (the raises of no-limit hold'em)."""


def move_buttons(
    view: View,
    *,
    hint: bool,
    keys: Callable[[Sequence[Action]], dict[str, Action]],
    prefix: str = "do",
) -> Markup:
    """A button for each move, the key beside it, picking `prefix:move`; `?` asks for a hint."""
    actions = _few(view) if len(view.actions) > MOST_BUTTONS else list(view.actions)
    typed = {action: key for key, action in keys(actions).items()}
    buttons = [
        tag(
            "button",
            view.label(action),
            " ",
            tag("kbd", typed[action]) if action in typed else None,
            type="button",
            cls="btn",
            data_pick=f"{prefix}:{action}",
            data_key=typed.get(action),
        )
        for action in actions
    ]
    ask = (
        tag(
            "button",
            "hint ",
            tag("kbd", "?"),
            type="button",
            cls="btn",
            data_pick="?",
            data_key="?",
        )
        if hint
        else None
    )
    return tag("div", buttons, ask, cls="moves")


def _few(view: View) -> list[Action]:
    """Of a no-limit decision: fold, call, some sizes of the pot, all-in."""
    plain = [action for action in list(view.actions[:3]) if not action.startswith("r")]
    sizes = [int(action[1:]) for action in (view.actions[len(plain)], view.actions[-1])]
    stakes = view.stakes()
    chosen = []
    if stakes is not None:
        for share in (0.5, 1.0):
            wanted = int(stakes.price + share * (stakes.pot + stakes.price))
            if sizes[0] < wanted < sizes[1]:
                chosen.append(f"r{wanted}")
    return [*plain, f"r{sizes[0]}", *dict.fromkeys(chosen), f"r{sizes[1]}"]


def advice_picture(advice: Advice) -> Markup:
    """The mixture as bars, each move's worth beside it, and the words below."""
    rows = []
    shown = [
        a for a in advice.view.actions[:MOST_BUTTONS] if a in advice.chances or a in advice.worth
    ]
    for action in shown or advice.mixture:
        chance = advice.chances.get(action, 0.0)
        worth = advice.worth.get(action)
        value = "" if worth is None else f" worth {signed(worth, 3)}"
        rows += [
            tag("span", advice.view.label(action)),
            tag("div", tag("i", style=f"width:{100 * chance:.1f}%"), cls="bar"),
            tag("span", f"{chance:.0%}", tag("span", value, cls="muted small"), cls="value"),
        ]
    words = [tag("p", line, cls="muted small") for line in advice.lines()[1:]]
    return join(tag("div", rows, cls="mix"), words)
