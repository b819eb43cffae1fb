"""Waiting for a condition instead of for a time."""

import threading
import time
from collections.abc import Callable

PATIENCE = 240.0
"""Seconds after which something that should have happened has not.

A slow machine may have to start programs and compile their kernels first; a wait that is over as
soon as the thing has happened costs nothing by being patient.
"""


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE, what: str = "") -> None:
    """Return as soon as the condition holds; fail where it does not within the limit."""
    pause, deadline = threading.Event(), time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"still waiting for {what or condition}"
        pause.wait(0.02)


def becomes(read: Callable[[], object], value: object) -> None:
    """Wait until what is read is the value: a page draws its parts one after the other."""
    deadline = time.monotonic() + PATIENCE
    while (found := read()) != value:
        assert time.monotonic() < deadline, f"{found!r} instead of {value!r}"


AUTOPLAY = """([on, until]) => {
  const end = () => { window.autoplay?.disconnect(); clearInterval(window.again); };
  end();
  if (!on) return;
  const moves = '.moves [name="move"]:not([value="raise"])';
  const move = () => {
    if (until && document.querySelector('.log')?.innerText.includes(until)) {
      end();
    } else if (!document.querySelector('.htmx-request')) {
      const button = document.querySelector(moves);
      // Before htmx has taken the form over, a click would load the page anew, without this.
      if (button?.form['htmx-internal-data']?.initHash) button.click();
    }
  };
  window.autoplay = new MutationObserver(move);
  window.autoplay.observe(document.body, { childList: true, subtree: true });
  window.again = setInterval(move, 1000);  // a move that came too late is refused without a change
  move();
}"""


def autoplay(pages, on=True, *, until=""):
    """Let pages make the first possible move, until their log has some words; or stop that."""
    for page in pages:
        page.evaluate(AUTOPLAY, [on, until])
