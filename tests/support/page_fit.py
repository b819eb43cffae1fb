"""Whether a page fits its window, with nothing cut off; and opening pages that come back."""

from functools import partial
from typing import Any

from waiting import becomes

WIDTHS = (390, 1280, 1920)
_CUT_OFF = """() => {
  const wide = document.documentElement.scrollWidth;
  const found = wide > innerWidth ? [`the page is ${wide} wide`] : [];
  for (const each of document.querySelectorAll('main *, header *')) {
    const texts = [...each.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!texts || !each.checkVisibility()) continue;
    // Boxes that scroll sideways where they are narrow, and words that are heard and not seen.
    const scrolls = each.closest(
      '.scroll-x, .q-tabs__content, .segments, .skip, .unseen, .running-link, .tree-box, ' +
      '.steps-line, .desk-moves, .spot-tiles');
    const box = each.getBoundingClientRect(), style = getComputedStyle(each);
    const hides = ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis';
    const cut = hides && each.scrollWidth > each.clientWidth + 1;
    const outside = box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
    if (!scrolls && (cut || outside)) found.push(`${each.className}: ${each.textContent}`);
  }
  return found;
}"""

_DRAWN = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""
"""Two frames: then the page is laid out for its new width, charts too."""


def fits(page: Any) -> None:
    """At 390, 1280 and 1920 px, light and dark."""
    before = page.viewport_size
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(_DRAWN)
            becomes(partial(page.evaluate, _CUT_OFF), [])
    page.set_viewport_size(before)


def go_again(page, address):
    """Open an address; a page that comes back by itself at that moment takes the call away."""
    for _ in range(5):
        try:
            page.goto(address)
            return
        except Exception as error:
            if "ERR_ABORTED" not in str(error) and "interrupted" not in str(error):
                raise
            page.wait_for_load_state()
    raise AssertionError(f"{address} does not open")
