"""The frame: who may come in, what is answered to what cannot be, news, and files."""

import asyncio
import itertools
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

import riverboat.web
from own_thread import in_a_thread
from riverboat.errors import UsageError
from riverboat.web.app.answers import Answers
from riverboat.web.app.events import MAX_LISTENERS, News
from riverboat.web.app.guard import MAX_BODY
from riverboat.web.app.static import FOLDER, static

TEMPLATES = Path(riverboat.web.__file__).parent / "templates"
MOVED = (
    "/learn",
    "/learn/2/8",
    "/",
    "/play",
    "/play/rps/a-sitting",
    "/api",
    "/holdem/equity",
    "/jobs",
    "/solve",
    "/studies",
    "/add-to-study?address=/learn/1/1",
    "/holdem/preflop",
    "/holdem/blueprints",
    "/holdem/spots/from-hand",
    "/holdem/omaha",
    "/holdem/reports",
    "/holdem/ranges",
    "/blackjack",
    "/blackjack/train",
    "/twentyone",
    "/holdem/spots",
    "/holdem/spots?players=3",
    "/training",
    "/drill/kuhn",
)


@pytest.mark.parametrize("path", MOVED)
def test_the_policy_of_a_page_allows_nothing_inline(client, path):
    answer = client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not re.findall(r"<style|\bstyle=|<script>|\bon\w+=\"", answer.text)


def test_no_page_asks_another_site_for_anything():
    for template in TEMPLATES.rglob("*.html"):
        assert not re.findall(r'(?:src|href)="(?:https?:)?//', template.read_text()), template


@pytest.mark.parametrize("path", [*MOVED, "/static/riverboat.css", "/api/v1/library"])
def test_a_strange_name_gets_nothing(client, path):
    for host in ("evil.example", "evil.example:80", "", "127.0.0.1.evil.example"):
        assert client.get(path, headers={"Host": host}).status_code == 403


def test_forms_and_changes_of_other_sites_are_refused(client, site):
    site.settings.folder.mkdir(exist_ok=True)
    (site.settings.folder / "one.toml").write_text("x")
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post("/library/one.toml/delete", headers=headers).status_code == 403
        assert client.delete("/api/v1/library/one.toml", headers=headers).status_code == 403
    assert (site.settings.folder / "one.toml").exists()


def test_a_body_that_is_too_large_is_refused_announced_or_not(client):
    post = client.post("/library/x/rename", content=b"a" * (MAX_BODY + 1))
    assert post.status_code == 413
    pieces = itertools.repeat(b"a" * 65536, MAX_BODY // 65536 + 2)
    assert client.post("/library/x/rename", content=pieces).status_code >= 400


@pytest.mark.parametrize("name", ["..%2Fsecret", ".web-secret", "no.rb", "a" * 200])
def test_names_that_lead_elsewhere_are_refused(client, name):
    answer = client.delete(f"/api/v1/library/{name}")
    assert answer.status_code in (404, 422)
    assert answer.json()["problems"][0]["message"]


def test_the_api_answers_errors_with_objects(client):
    for path, status in (("/api/v1/nothing", 404), ("/api/v1/holdem/equity", 422)):
        answer = client.get(path)
        assert answer.status_code == status
        assert answer.json()["problems"][0]["message"].endswith(".")
    assert client.put("/api/v1/library").status_code == 404


@pytest.mark.parametrize("text", ["\x00", "a" * 500, "..", "<script>", "1e400"])
def test_the_api_answers_whatever_it_is_asked_for(client, text):
    """Every address that reads something, with odd names in its path and odd values behind it."""
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        if (operation := methods.get("get")) is None:
            continue
        parameters = operation.get("parameters", [])
        query = {each["name"]: text for each in parameters if each["in"] == "query"}
        answer = client.get(re.sub("{[^}]+}", quote(text, safe=""), path), params=query)
        assert answer.status_code < 500, path
        assert answer.status_code < 400 or answer.json()["problems"][0]["message"], path


def test_the_api_page_shows_every_address(client):
    page = client.get("/api").text
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}" in page


def test_a_server_starts_without_numba(tmp_path):
    """What answers the first page imports no compiler; that is done a moment later."""
    program = """
import sys
from pathlib import Path
from riverboat.web.server import build
from riverboat.web.site import Settings, Site
build(Site(Settings(folder=Path("data"))))
assert not {"numba", "scipy", "matplotlib"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


def test_every_operation_and_field_of_the_api_is_described(client):
    schema = client.get("/api/openapi.json").json()
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            assert operation["description"], path
            assert operation["description"].startswith(operation["summary"]), path
            assert operation["tags"], path
            assert "422" in operation["responses"], path
    for name, model in schema["components"]["schemas"].items():
        if "ValidationError" not in name:
            assert model.get("description"), name


def test_files_are_kept_by_browsers_until_they_change(client):
    answer = client.get(static("riverboat.css"))
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/riverboat.css").headers["cache-control"] == "no-cache"
    page = client.get("/").text
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
        assert client.get(address).status_code == 200


def test_every_share_of_a_hundred_has_its_class():
    rules = re.findall(r"\.p(\d+) \{ --share: (\d+)%", (FOLDER / "percent.css").read_text())
    assert rules == [(str(n), str(n)) for n in range(101)]


def test_news_reach_those_who_listen_to_the_topic_and_end_with_the_server():
    async def listen() -> tuple[list[str], list[str]]:
        news = News()
        news.open(asyncio.get_running_loop())
        streams = [news.listen(topics) for topics in (["a", "b"], ["b"])]
        readers = [asyncio.create_task(_read(stream)) for stream in streams]
        while news.num_listeners < 2:
            await asyncio.sleep(0)
        news.publish("a")
        await asyncio.to_thread(news.publish, "b")
        await asyncio.sleep(0)
        news.close()
        heard = [await reader for reader in readers]
        assert news.num_listeners == 0
        return heard[0], heard[1]

    first, second = in_a_thread(listen())
    assert first == ["data: a\n\n", "data: b\n\n"]
    assert second == ["data: b\n\n"]


def test_news_of_one_topic_never_crowds_out_another():
    async def listen() -> list[str]:
        news = News()
        news.open(asyncio.get_running_loop())
        reader = asyncio.create_task(_read(news.listen(["a", "b"])))
        while not news.num_listeners:
            await asyncio.sleep(0)
        for topic in ("a", "a", "a", "b"):
            news.publish(topic)
        await asyncio.sleep(0)
        news.close()
        return await reader

    assert in_a_thread(listen()) == ["data: a\n\n", "data: b\n\n"]


async def _read(stream):
    return [event async for event in stream if event.startswith("data")]


def test_listeners_are_limited():
    news = News()
    for _ in range(MAX_LISTENERS):
        news.listen(["a"])
    with pytest.raises(UsageError, match="Too many pages"):
        news.listen(["a"])


def test_the_link_to_running_jobs_is_empty_while_none_runs(client):
    assert client.get("/running").text.strip() == ""


def test_answers_are_computed_once_and_errors_again(site):
    calls = []

    def work(name):
        calls.append(name)
        if name == "bad":
            raise UsageError("no")
        return name.upper()

    answers = Answers(site.workers)
    assert answers.wait(work, "good") == answers.ask(work, "good") == "GOOD"
    assert calls == ["good"]
    for _ in range(2):
        with pytest.raises(UsageError):
            answers.wait(work, "bad")
    assert calls == ["good", "bad", "bad"]
