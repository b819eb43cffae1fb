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
  if (!found || found.disabled) return;
  const { pick, decision, once } = found.dataset;
  // A double click is one move: the second click may meet a button that was drawn meanwhile.
  if (event.detail > 1 && (decision ?? once) !== undefined) return;
  emit(decision === undefined ? pick : `${pick}@${decision}`);
}"""


class Picture:
    """HTML on a page. What carries data-pick calls `on_pick` with its text when it is clicked.

    A move carries the number of its decision in data-decision, and `on_pick` gets `PICK@NUMBER`,
    which `decided` takes apart. With it or with data-once, a double click is one click.
    """

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


def decided(text: str) -> tuple[str, int | None]:
    """A pick and the number of the decision that it was shown for; None where it has none."""
    pick, _, number = text.rpartition("@")
    return (pick, int(number)) if pick and number.isdecimal() else (text, None)
