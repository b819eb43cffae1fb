"""The explorer driven by keys."""

from importlib.resources import files
from io import StringIO

import pytest
from rich.console import Console
from textual.widgets import Static

from exact_three_way import RIVER
from own_thread import in_a_thread
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.tui.spot_explorer import SpotExplorer, runout_values
from spot_texts import TURN

THREEWAY = files("riverboat.examples").joinpath("threeway.toml").read_text()


@pytest.fixture(scope="module")
def solved() -> SolvedSpot:
    return Spot.from_toml(TURN).solve(target="1%")


@pytest.mark.parametrize("size", [(160, 40), (100, 30), (80, 24)])
def test_keys_walk_the_tree(solved: SolvedSpot, size: tuple[int, int]) -> None:
    app = SpotExplorer(solved.at("r:0"))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.press("right", "down", "p", "p", "9")
            assert (app.chosen, app.cursor.node_id) == (14, "r:0")
            await pilot.press("1", "1")
            assert app.cursor.node_id == "r:0:c:c"
            assert app.card == "Kh"
            await pilot.press("enter")
            assert app.cursor.node_id == "r:0:c:c:Kh"
            await pilot.press("b", "up", "right", "enter")
            assert "Qs lies on the board" in str(app.query_one("#help", Static).render())
            await pilot.press("r")
            assert app.cursor.node_id == "r:0"
            await pilot.resize_terminal(60, 20)
            await pilot.press("q")

    in_a_thread(run())


def test_a_key_shows_groups_in_place_of_hands(solved: SolvedSpot) -> None:
    app = SpotExplorer(solved.at("r:0"))

    async def run() -> None:
        async with app.run_test(size=(100, 50)) as pilot:
            shown = []
            for _ in range(5):
                await pilot.press("g")
                screen = Console(file=StringIO(), width=100)
                screen.print(app._facts())
                shown.append(screen.file.getvalue())  # type: ignore[attr-defined]
            assert "overpair" in shown[0]
            assert "open-ended" in shown[1]
            assert "no blocker" in shown[2]
            assert "pocket pair" in shown[3]
            assert "AA" in shown[4]

    in_a_thread(run())


def test_a_narrow_window_has_the_hands_below_the_grid(solved: SolvedSpot) -> None:
    app = SpotExplorer(solved.at("r:0"))

    async def run() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            assert app.query_one("#right").region.x >= 50
            for width in (60, 44):
                await pilot.resize_terminal(width, 24)
                await pilot.pause()
                grid, hands = app.query_one("#left").region, app.query_one("#right").region
                assert grid.width == 41  # drawn for the new width, not for the one before
                assert (hands.x, hands.y, hands.width) == (0, grid.bottom, width)
                assert hands.height >= 4

    in_a_thread(run())


def test_the_grid_goes_through_three_players() -> None:
    app = SpotExplorer(ThreeWaySpot.from_toml(RIVER).solve(iterations=5).at())

    async def run() -> None:
        async with app.run_test(size=(140, 40)) as pilot:
            await pilot.press("1")
            assert (app.cursor.node_id, app.cursor.player) == ("r:0:c", 1)
            for player in (2, 0, 1):
                await pilot.press("p")
                assert app.player == player
            await pilot.press("q")

    in_a_thread(run())


def test_hands_are_whole_and_side_pots_named_on_a_small_screen() -> None:
    """Three actions at 80 columns; "As…" for four hands told nothing."""
    solved = ThreeWaySpot.from_toml(THREEWAY).solve(iterations=5)
    app = SpotExplorer(solved.at("r:0:c:b36"))
    shown = Console(width=37, file=StringIO(), record=True)

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            shown.print(app._facts())
            await pilot.press("right", "right", "down", "down", "down")
            shown.print(app._facts())
            app.cursor = solved.at("r:0:b100:c")
            shown.print(app._facts())
            app.cursor = solved.at("r:0:b100:f")
            shown.print(app._facts())

    in_a_thread(run())
    text = shown.export_text()
    assert "…" not in text
    assert "AdAc" in text
    assert "QJo is not in the range here" in text
    assert "pots: 60 (SB, BB, BTN), 120 (SB, BB)" in text
    assert "BB  has folded" in text


def test_runouts_average_to_the_value_before_them(solved: SolvedSpot) -> None:
    """What a card is worth on average, weighted by how often it can come, is what was expected."""
    cursor = solved.at("r:0:c:c")
    values = runout_values(cursor, 0)
    assert len(values) == 48
    weights = {}
    for card in values:
        after = cursor.deal(card)
        weights[card] = float(after.weights(0) @ after.meetings(0))
    mean = sum(values[card] * weights[card] for card in values) / sum(weights.values())
    assert mean == pytest.approx(cursor.summary(0).ev, abs=1e-3)
