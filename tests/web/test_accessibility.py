"""Pages for people who see little, tell no colours, or use no mouse: axe-core, light and dark."""

import pytest

from axe import serious_findings

MOVED = (
    "/",
    "/play",
    "/learn",
    "/learn/1/9",
    "/learn/2/8",
    "/play/leduc/a-sitting?hint=1",
    "/play/no-such-game",
    "/api",
    "/jobs",
    "/studies",
    "/add-to-study?address=/learn/1/1",
    "/holdem/preflop",
    "/holdem/blueprints",
    "/holdem/spots/from-hand",
    "/holdem/omaha",
    "/holdem/reports",
    "/holdem/ranges",
    "/holdem/preflop/shipped?line=f-f-f&hands=AKs,72o",
    "/solve?game=duel&duel.max_hits=x&until=target",
    "/holdem/equity?first=AA,KQs:0.4&second=KK&first_suits=AA",
    "/no-such-page",
    "/blackjack?h17=true&since=h17:false",
    "/blackjack/hand?up=A&hand=T",
    "/blackjack/dealer",
    "/blackjack/simulate",
    "/blackjack/train",
    "/training",
    "/drill/kuhn",
    "/play/blackjack",
    "/play/holdem/a-raised-hand?hint=1",
    "/twentyone",
    "/twentyone/learning",
    "/holdem/preflop/shipped/drill",
)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_axe_finds_nothing_serious(visit, width, dark):
    visit.forgiven = ("404", "422")
    page = visit("/", width=width, dark=dark)
    address = page.url.rstrip("/")
    for path in MOVED:
        page.goto(address + path)
        page.wait_for_selector("main h1")
        assert serious_findings(page) == [], path
