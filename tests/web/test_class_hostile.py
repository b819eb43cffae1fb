"""A client that tries: others' cards, others' turns, files, nonsense, floods."""

import asyncio
import json
import random
import re
from pathlib import Path

import pytest

pytest.importorskip("nicegui")

from own_thread import in_a_thread
from web_client import RawStudent, knock


@pytest.fixture
def school(make_server):
    server = make_server("--class")
    server.code = server.find(r"code (\w+)\s")
    server.key = server.find(r"key (\S+)\s")
    return server


async def two_at_a_table(school, game="kuhn"):
    """Two students in a round that the teacher started; the journal tells who sits where."""
    first, second = RawStudent(school.address), RawStudent(school.address)
    for student, kind in ((first, "good"), (second, "evil")):
        await student.join(f"{kind} {random.randrange(10**9)}", school.code)
        assert "Hello" in student.seen
    teacher = RawStudent(school.address)
    await teacher.http.post("/class/teacher/enter", data={"key": school.key})
    await teacher.load("/class/teacher")
    await teacher.connect()
    start = next(
        (int(n), e["events"][0]["listener_id"])
        for n, e in teacher.elements.items()
        if "Start the round" in json.dumps(e) and e.get("events")
    )
    for student in (first, second):
        await student.connect()
    teacher.element, teacher.listener = start
    await teacher.pick({})
    while not first.moves and "is thinking" not in first.seen:
        await first.wait()
    for student in (first, second):
        await student.socket.disconnect()
        await student.load()
        await student.connect()
    await teacher.close()
    return first, second


def journal(school):
    lines = (school.folder / "class" / "class.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def acts(school, *, by_clock=False):
    """Moves that students made; with `by_clock` also those that the clock made for them."""
    moves = [event for event in journal(school) if event["do"] == "act"]
    return [move for move in moves if by_clock or not move.get("clock")]


async def still_works(school):
    student = RawStudent(school.address)
    await student.join(f"late {random.randrange(10**9)}", school.code)
    assert "Hello" in student.seen
    await student.close()


def test_nobody_sees_or_plays_anothers_cards(school):
    async def run():
        good, evil = await two_at_a_table(school)
        tables = [event for event in journal(school) if event["do"] == "round"][-1]["tables"]
        # The page holds nothing of the table that would tell the cards: no seed, no ids, no state.
        for plan in tables:
            assert str(plan["seed"]) not in evil.seen
            assert not any(seat and seat in evil.seen for seat in plan["seats"])
        turn, other = (good, evil) if good.moves else (evil, good)
        before = len(acts(school))
        move = turn.moves[0]
        # Clicks of the other: on the own page, and on the page whose id was never told.
        await other.pick(move)
        await other.pick(move, client="00000000-0000-4000-8000-000000000000")
        await other.pick(move, element=999_999)
        await other.pick("do:0:no such move")
        await other.pick("ready:")
        await other.settle()
        assert len(acts(school)) == before
        assert turn.client_id not in other.seen
        # The same click by the one whose turn it is counts, and counts once.
        for _ in range(5):
            await turn.pick(move)
        await turn.settle()
        assert len(acts(school)) == before + 1
        await good.close()
        await evil.close()

    in_a_thread(run())


def test_no_file_can_be_reached(school):
    async def run():
        student = RawStudent(school.address)
        await student.join("reader", school.code)
        secret = (school.folder / ".web-secret").read_text()
        for path in (
            "/class/../class.jsonl",
            "/static/../../../../.web-secret",
            "/static/%2e%2e/%2e%2e/library.py",
            "/static/..%2f..%2fweb_server.py",
            "/class/class.jsonl",
            "/.web-secret",
            "/_nicegui/../.web-secret",
            "/solve/strategy/..%2F.web-secret",
        ):
            answer = await student.http.get(path)
            assert secret not in answer.text
            assert school.key not in answer.text
            assert "import annotations" not in answer.text
        for path in ("/", "/play", "/blackjack", "/solve", "/twentyone", "/holdem"):
            answer = await student.http.get(path)
            assert answer.url.path == "/class"
        await student.close()

    in_a_thread(run())


def test_a_forged_cookie_is_worth_nothing(school):
    async def run():
        student = RawStudent(school.address)
        student.http.cookies.set("session", "eyJ0ZWFjaGVyIjogdHJ1ZX0=.aaaa.bbbb")
        answer = await student.http.get("/solve")
        assert answer.url.path == "/class"
        await student.close()

    in_a_thread(run())


def test_nonsense_and_floods_hurt_nobody(school):
    rng = random.Random(3)
    nonsense = [None, 3, [], {}, "do:", "do:99999999999999999999:p", "do:٣:p", "x" * 100_000]

    async def run():
        good, evil = await two_at_a_table(school)
        before = len(acts(school))
        for _ in range(200):
            await evil.pick(rng.choice(nonsense), element=rng.choice([None, -1, "x", 2**60]))
        for message in ({}, {"client_id": 5}, [], "text", {"client_id": evil.client_id}):
            for name in ("event", "ack", "log", "javascript_response", "handshake", "other"):
                await evil.socket.emit(name, message)
        await evil.socket.emit("event", {"client_id": evil.client_id, "id": "9" * 2_000_000})
        await evil.gone.wait()  # the oversized message ends this connection, and no other
        await good.settle()
        assert good.socket.connected
        assert len(acts(school)) == before
        for _ in range(60):
            flood = RawStudent(school.address)
            await flood.http.get("/class")
            await flood.close()
        await still_works(school)
        await good.close()
        await evil.close()

    in_a_thread(run())
    assert school.process.poll() is None


def memory(process):
    """Bytes that a process holds."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", text).group(1))


def reconnects(school, count):
    """One who comes and goes all the time, with ids that are made up and with the own page's."""

    async def run():
        good, evil = await two_at_a_table(school)
        before, acted, held = len(acts(school)), 0, memory(school.process)
        own = evil.client_id
        floods = [
            asyncio.create_task(knock(school.address, count // 2)),
            asyncio.create_task(knock(school.address, count // 2, client_id=own)),
        ]
        # Meanwhile the good one plays on whenever it is his turn, and is answered each time.
        done = asyncio.gather(*floods)
        while not done.done():
            if good.moves and (move := good.moves[0]).startswith("do:"):
                good.changed.clear()
                await good.pick(move)
                # The clock and the ranking change the page, too; a move has the decision's number.
                while move in good.moves:
                    await good.wait()
                acted += 1
            else:
                moved = asyncio.ensure_future(good.changed.wait())
                await asyncio.wait({done, moved}, return_when=asyncio.FIRST_COMPLETED)
                moved.cancel()
                good.changed.clear()
        answered = sum(flood.result() for flood in floods)
        assert answered > count * 0.9
        assert good.socket.connected
        # On a slow machine the clock may have moved for either of them.
        made = len(acts(school)) - before
        assert made <= acted <= made + len(acts(school, by_clock=True)) - len(acts(school))
        assert memory(school.process) - held < 100_000_000
        await still_works(school)
        await good.close()
        await evil.close()

    in_a_thread(run())
    assert school.process.poll() is None


def test_a_thousand_reconnects_hurt_nobody(school):
    reconnects(school, 1_000)


@pytest.mark.slow
def test_five_thousand_reconnects_hurt_nobody(school):
    reconnects(school, 5_000)


def test_many_wrong_codes_and_bodies(school):
    async def run():
        student = RawStudent(school.address)
        answer = await student.http.post("/class/join", content=b"\xff" * 50_000)
        assert answer.status_code == 200
        answer = await student.http.post("/class/join", data={"name": "x", "code": "é" * 40})
        assert "not the code" in answer.text
        answer = await student.http.post("/class/teacher/enter", content=b"key=\xff\xfe")
        assert "not the key" in answer.text
        await student.close()
        await still_works(school)

    in_a_thread(run())
