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


AUTOPLAY = """([on, until]) => {
  window.autoplay?.disconnect();
  if (!on) return;
  const moves = '.moves [data-pick^="do:"], [data-pick="ready:"]';
  const move = () => {
    if (until && document.querySelector('.log')?.innerText.includes(until)) {
      window.autoplay.disconnect();
    } else {
      document.querySelector(moves)?.click();
    }
  };
  window.autoplay = new MutationObserver(move);
  window.autoplay.observe(document.body, { childList: true, subtree: true });
  move();
}"""


def autoplay(pages, on=True, *, until=""):
    """Let pages make the first possible move, until their log has some words; or stop that."""
    for page in pages:
        page.evaluate(AUTOPLAY, [on, until])
