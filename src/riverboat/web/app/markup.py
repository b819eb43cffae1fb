"""The one element of a page that shows markup, and reports clicks in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from riverboat.drawing.html import Markup

MAX_PICK = 2_000  # Longer picks do not come from our pages
_PICK = """(event) => {
  const found = event.target.closest('[data-pick]');
  if (found && !found.disabled) emit(found.dataset.pick);
}"""


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
    if isinstance(text, str) and len(text) <= MAX_PICK:
        return on_pick(text)
    return None
