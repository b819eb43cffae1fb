"""The screen driven by keys: a local table, a seat at a dealer over TCP, a log being written."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from own_thread import in_a_thread
from riverboat.cli.twentyone.table import score_line
from riverboat.tui.twentyone_app import TwentyOneApp
from riverboat.tui.twentyone_sources import LocalSource, LogSource, RemoteSource, Source
from riverboat.twentyone.events import Acted, Dealt, Ended, Finished, Noted, Opened, Settled
from riverboat.twentyone.game import points
from riverboat.twentyone.learning.optimum import hint_for
from riverboat.twentyone.log import LogWriter
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.wire.client import connect
from riverboat.twentyone.wire.line import HostOptions
from riverboat.twentyone.wire.server import Dealer, DealerOptions, LogOptions
from seats import seated
from waiting import PATIENCE

SIZE = (80, 24)


def drive(source: Source, script: Callable[[TwentyOneApp, Any], Any]) -> TwentyOneApp:
    app = TwentyOneApp(source, hurry=True)

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            await script(app, pilot)

    in_a_thread(asyncio.wait_for(run(), PATIENCE))
    return app


async def until(pilot: Any, condition: Callable[[], bool]) -> None:
    while not condition():
        await pilot.pause(0.01)


def text(app: TwentyOneApp, name: str) -> str:
    return str(app.query_one(name, Static).render())


def test_playing_by_keys_with_bots_at_the_table() -> None:
    """The same seed dealt by hand says what the screen must show."""
    twin = Table(["you", "bot"], 5, shuffled_decks(9))
    twin.start()

    async def script(app: TwentyOneApp, pilot: Any) -> None:
        for number in range(1, 4):
            assert app.scene.round == number
            assert app.scene.seats[0].cards == twin.seats[0].cards
            assert app.scene.dealer == ["??", twin.up_card]
            assert text(app, "#message").startswith("Your turn")
            while twin.asking == 0 and twin.round == number:
                hit = points(twin.seats[0].cards) < 15
                hand = [*twin.seats[0].cards]
                await pilot.press("h" if hit else "s")
                twin.answer(hit)
                assert app.scene.seats[0].cards[: len(hand)] == hand
            while twin.asking == 1:
                twin.answer(points(twin.seats[1].cards) < 16)
            await pilot.pause()
            assert app.scene.settled
            assert app.scene.seats[0].score == twin.seats[0].score
            assert "Space deals the next hand" in text(app, "#message")
            await pilot.press("h", "s")
            assert app.scene.round == number
            await pilot.press("space")

    drive(LocalSource("you", [seated("bot", 16)], 5, 9), script)


def test_the_hint_is_the_exact_one_and_is_shown_only_on_demand() -> None:
    async def script(app: TwentyOneApp, pilot: Any) -> None:
        assert text(app, "#hint") == ""
        await pilot.press("question_mark")
        cards, up = app.scene.seats[0].cards, app.scene.dealer[1]
        assert text(app, "#hint") == f"Best: {hint_for(cards, up)}"
        await pilot.press("s")
        assert text(app, "#hint") == ""

    drive(LocalSource("you", [], 5, 9), script)


def test_everything_fits_into_80_by_24() -> None:
    async def script(app: TwentyOneApp, pilot: Any) -> None:
        for widget in app.query("Static, Footer"):
            assert app.screen.region.contains_region(widget.region)
        assert app.query_one("#table").region.height == 17

    bots = [seated(f"bot {n}", 16) for n in range(5)]
    drive(LocalSource("you", bots, 5, 9), script)


def test_the_last_hand_says_so_and_q_leaves() -> None:
    async def script(app: TwentyOneApp, pilot: Any) -> None:
        await pilot.press("s")
        assert "That was the last hand" in text(app, "#message")
        await pilot.press("q")

    assert drive(LocalSource("you", [], 1, 9), script).return_value is None


@pytest.fixture
def dealer(tmp_path: Path) -> Any:
    server = Dealer(
        DealerOptions(
            players=1,
            games=3,
            seed=1,
            log=LogOptions(tmp_path / "log.jsonl"),
            host=HostOptions(pace=0.0, linger=0.2),
        )
    )
    port = server.listen()
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server, port, thread
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_seat_at_a_dealer_over_tcp(dealer: Any) -> None:
    server, port, thread = dealer

    async def script(app: TwentyOneApp, pilot: Any) -> None:
        for number in range(1, 4):
            await until(pilot, lambda n=number: app.scene.round == n and app.asked)  # type: ignore[misc]
            assert len(app.scene.seats[0].cards) == 2
            assert app.scene.dealer[0] == "??"
            await pilot.press("s")
            await until(pilot, lambda n=number: app.scene.settled or app.scene.round > n)  # type: ignore[misc]
            await pilot.press("space")
        await until(pilot, lambda: bool(app.over))
        assert "the dealer said QUIT" in text(app, "#message")

    app = drive(RemoteSource("ada", connect("127.0.0.1", port, 5)), script)
    thread.join(PATIENCE)
    seat = server.results()[0]
    assert (seat.name, seat.games) == ("ada", 3)
    assert app.scene.seats[0].score == seat.score


def test_leaving_a_dealer_folds_the_seat(dealer: Any) -> None:
    server, port, thread = dealer

    async def script(app: TwentyOneApp, pilot: Any) -> None:
        await until(pilot, lambda: app.asked)
        await pilot.press("q")

    drive(RemoteSource("ada", connect("127.0.0.1", port, 5)), script)
    thread.join(PATIENCE)
    assert server.results()[0].forfeits >= 2


def test_watching_a_log_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = LogWriter(path, 3)
    log.write(Opened(["ada", "bob"], 50), 0)
    log.write(Noted("ada", "said hello unasked"))
    table = Table(["ada", "bob"], 50, shuffled_decks(3), lambda event: log.write(event, 0))
    table.start()
    while table.round < 40:
        table.answer(hit=False)
    log._stream.flush()  # type: ignore[union-attr]

    async def script(app: TwentyOneApp, pilot: Any) -> None:
        assert app.scene.round == 40
        assert [seat.wins for seat in app.scene.seats] == [seat.wins for seat in table.seats]
        assert text(app, "#message") == "ada decides."
        table.fold(0, "left")
        while not table.finished:
            table.answer(hit=False)
        log.close()
        await until(pilot, lambda: bool(app.over))
        assert app.scene.round == 50
        assert [seat.wins for seat in app.scene.seats] == [seat.wins for seat in table.seats]
        assert app.scene.seats[0].out == "left"
        await pilot.press("h", "s", "question_mark")

    drive(LogSource(path), script)


def test_a_log_can_be_watched_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = LogWriter(path, 3)
    log.write(Opened(["ada"], 2), 0)
    table = Table(["ada"], 2, shuffled_decks(3), lambda event: log.write(event, 0))
    table.start()
    table.answer(hit=False)
    table.answer(hit=False)
    log.close()
    assert [type(event) for event in LogSource(path, from_start=True).events] == [
        Opened, Dealt, Acted, Settled, Dealt, Acted, Settled, Finished, Ended,
    ]  # fmt: skip
    late = LogSource(path)
    assert [type(event) for event in late.events] == [Dealt, Acted, Settled, Finished, Ended]
    assert late.start.round == 1
    assert late.start.seats[0].score == table.seats[0].score - (
        {"WIN": 1, "PUSH": 0}.get(late.events[2].results[0], -1)
    )


def test_a_log_that_runs_away_is_caught_up_with(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = LogWriter(path, 3)
    log.write(Opened(["ada"], 500), 0)
    log._stream.flush()  # type: ignore[union-attr]
    source = LogSource(path)
    table = Table(["ada"], 500, shuffled_decks(3), lambda event: log.write(event, 0))
    table.start()
    while table.round < 400:
        table.answer(hit=False)
    log._stream.flush()  # type: ignore[union-attr]

    async def script(app: TwentyOneApp, pilot: Any) -> None:
        await until(pilot, lambda: app.scene.round == 400)
        assert app.scene.seats[0].score == table.seats[0].score

    drive(source, script)
    log.close()


def test_a_resize_is_drawn_with_the_new_width() -> None:
    async def script(app: TwentyOneApp, pilot: Any) -> None:
        for width in (120, 60, 100):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            lines = text(app, "#table").split("\n")
            score = lines[0].rstrip()
            assert len(score) == width - 1, "the score stands at the right edge"

    drive(LocalSource("you", [seated("bot", 16)], 5, 9), script)


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
def test_every_way_out_leaves_with_the_score(key: str) -> None:
    async def script(app: TwentyOneApp, pilot: Any) -> None:
        await pilot.press("s")
        await pilot.press(key)
        await pilot.pause()

    app = drive(LocalSource("you", [], 5, 9), script)
    assert app.return_code == 0, "it was asked to leave, not torn down"
    mine = app.scene.seats[0]
    assert score_line(app.scene) == (
        f"1 game: {mine.wins} won, {mine.pushes} pushed, {mine.losses} lost; score {mine.score:+}."
    )


def test_the_person_joins_before_the_screen_is_up(dealer: Any) -> None:
    """Dealers wait for JOIN for a short time; a screen takes longer to come up."""
    server, port, thread = dealer
    source = RemoteSource("ada", connect("127.0.0.1", port, 5))
    end = time.monotonic() + PATIENCE
    while not (server.host.lobby or server.started):
        assert time.monotonic() < end, "nobody joined"

    async def script(app: TwentyOneApp, pilot: Any) -> None:
        await until(pilot, lambda: app.asked)
        await pilot.press("q")

    drive(source, script)
    thread.join(PATIENCE)
    assert server.results()[0].name == "ada"


def test_a_dealer_that_shows_its_card_again_deals_no_new_round() -> None:
    ours, theirs = socket.socketpair()
    theirs.settimeout(PATIENCE)
    source = RemoteSource("ada", ours)
    assert theirs.recv(100) == b"JOIN ada\t\0"  # before there is a screen
    thread = threading.Thread(target=source.run, daemon=True)
    thread.start()
    opening = b"BEGIN\0CARD Two of Clubs\0CARD Three of Clubs\0DEALER Six of Hearts\0DECISION\0"
    theirs.sendall(opening)
    while not source.asked:
        pass
    source.answer(True)
    assert theirs.recv(100) == b"HIT\0"
    theirs.sendall(b"CARD Four of Clubs\0DEALER Six of Hearts\0RESULT WIN\0QUIT\0")
    thread.join(PATIENCE)
    scene = source.start
    for event in source.events:
        if not isinstance(event, Ended):
            scene.apply(event)
    assert (scene.round, scene.seats[0].cards, scene.seats[0].wins) == (1, ["2c", "3c", "4c"], 1)
    theirs.close()
