"""HTML as text, and the one element that shows it.

Everything a page draws itself (cards, charts, grids, tables) goes through `tag`, which escapes
whatever is not Markup already: a name such as `<script>` is shown, never run.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

__all__ = ["Markup", "Picture", "join", "signed", "tag"]

MOST_TEXT = 200
"""Longer picks do not come from our pages."""
_VOID = {"input", "br", "img", "use", "path", "rect", "circle", "line"}
_PICK = """(event) => {
  const found = event.target.closest('[data-pick]');
  if (found && !found.disabled) emit(found.dataset.pick);
}"""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def join(*parts: object) -> Markup:
    """The parts one after the other, escaped where they are not Markup; None is left out."""
    return Markup("".join(_text(part) for part in parts))


def _text(part: object) -> str:
    if part is None:
        return ""
    if isinstance(part, Markup):
        return part
    if isinstance(part, (list, tuple)):
        return "".join(_text(each) for each in part)
    return html.escape(str(part))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. `cls` is its class, `data_pick` its data-pick; True stands for a bare one."""
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = "class" if key == "cls" else key.rstrip("_").replace("_", "-")
        words.append(label if value is True else f'{label}="{html.escape(str(value))}"')
    inside = " ".join(words)
    if name in _VOID:
        return Markup(f"<{inside} />")
    return Markup(f"<{inside}>{join(*children)}</{name}>")


def signed(value: float, digits: int = 4) -> str:
    """A number with its sign, the minus as long as the plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")  # no −0


class Picture:
    """HTML on a page. What carries data-pick calls `on_pick` with its text when it is clicked."""

    def __init__(
        self,
        content: Markup = Markup(""),  # noqa: B008
        *,
        on_pick: Callable[[str], Any] | None = None,
        cls: str = "",
        live: bool = False,
    ) -> None:
        """`live` tells a screen reader to read changes aloud."""
        self.element = ui.html(content, sanitize=False)
        if cls:
            self.element.classes(cls)
        if live:
            self.element.props('aria-live="polite"')
        if on_pick is not None:
            self.element.on("click", lambda event: _picked(event, on_pick), js_handler=_PICK)

    def show(self, content: Markup) -> None:
        if self.element.content != content:
            self.element.content = content


def _picked(event: GenericEventArguments, on_pick: Callable[[str], Any]) -> Any:
    """What was clicked, as a short text; anything else did not come from the page."""
    text = event.args
    if isinstance(text, str) and len(text) <= MOST_TEXT:
        return on_pick(text)
    return None
