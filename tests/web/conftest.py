"""A server on a free port and one real Chromium for all browser tests."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from waiting import PATIENCE, wait_until

pytest.importorskip("fastapi", reason="the browser pages need the extra web")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With a failure go the open pages' words and what the server said."""
    report = yield
    visit = item.funcargs.get("visit") if report.when == "call" and report.failed else None
    for context in visit.contexts if visit else []:
        for page in context.pages:
            try:
                words = page.locator("body").inner_text(timeout=2000)
            except Exception as error:
                words = str(error)
            report.sections.append((f"page {page.url}", words[:3000]))
    if visit and (running := item.funcargs.get("server")) is not None:
        report.sections.append(("the server said", running.said()[-6000:]))
    return report


class Server:
    """`riverboat web` as a user starts it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options
        self.log = folder.with_suffix(".log")
        self.start("0")

    def start(self, port: str) -> None:
        """Its words go to a file: a pipe that nobody reads would stop it once it is full."""
        command = [sys.executable, "-m", "riverboat", "web", "--no-open", "--port", port]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--folder", str(self.folder), *self.options],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        self.address = self.find(r"Riverboat is at (http://[^ ]+?)/ ")

    def find(self, pattern: str) -> str:
        """The first group of a pattern in what it says; waits until it has said it."""

        def told() -> bool:
            ended = self.process.poll() is not None
            found = re.search(pattern, self.said()) is not None
            assert found or not ended, f"the server ended: {self.said()}"
            return found

        wait_until(told, what=pattern)
        return re.search(pattern, self.said()).group(1)  # type: ignore[union-attr]

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        """As a machine that loses power."""
        self.process.send_signal(signal.SIGKILL)
        self._gone()

    def restart(self) -> None:
        self.start(self.address.rpartition(":")[2])

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self._gone()

    def _gone(self) -> None:
        self.process.wait(PATIENCE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("web"))
    yield running
    running.stop()


@pytest.fixture
def site(tmp_path: Path) -> Any:
    """What a server shares, with a folder of its own."""
    from riverboat.web.site import Settings, Site

    return Site(Settings(folder=tmp_path / "data"))


@pytest.fixture
def client(site) -> Iterator[Any]:
    """A browser without scripts: requests to the application, without a socket."""
    from starlette.testclient import TestClient

    from riverboat.web.server import build

    with TestClient(build(site), base_url="http://localhost", follow_redirects=False) as made:
        yield made


@pytest.fixture(scope="session")
def driver() -> Iterator[object]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: browser tests are left out (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def launch(driver) -> Callable:
    """Starts a browser of one's own, with arguments; for `with`."""

    def start(*arguments: str):
        return driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *arguments])

    return start


@pytest.fixture(scope="session")
def browser(launch) -> Iterator[object]:
    running = launch()
    yield running
    running.close()


@pytest.fixture
def visit(browser, server) -> Iterator[Callable]:
    """Opens a page of the server; at the end no error may stand in the console."""
    errors: list[str] = []
    contexts = []

    def open_page(
        path: str, *, width: int = 1280, dark: bool = False, base: str = "", scripts: bool = True
    ):
        scheme = "dark" if dark else "light"
        size = {"width": width, "height": 900}
        context = browser.new_context(
            viewport=size, color_scheme=scheme, reduced_motion="reduce", java_script_enabled=scripts
        )
        contexts.append(context)
        context.set_default_timeout(1000 * PATIENCE)  # kernels may have to be compiled
        page = context.new_page()
        address = base or server.address

        def console(message) -> None:
            # htmx reports a request that a newer one replaced as an error.
            replaced = message.text.startswith(("htmx:sendAbort", "htmx:afterRequest"))
            if message.type == "error" and not replaced:
                errors.append(message.text)

        def request(sent) -> None:
            if not sent.url.startswith((address, "data:", "blob:", address.replace("http", "ws"))):
                errors.append(f"a request to the outside: {sent.url}")

        page.on("console", console)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", request)
        page.goto(address + path)
        page.wait_for_selector("main h1")
        return page

    open_page.forgiven = ()  # type: ignore[attr-defined]
    open_page.contexts = contexts  # type: ignore[attr-defined]
    yield open_page
    for context in contexts:
        context.close()
    forgiven = open_page.forgiven  # type: ignore[attr-defined]
    assert not [error for error in errors if not any(f in error for f in forgiven)]


@pytest.fixture(scope="session")
def make_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable]:
    """More servers, for tests that stop them or need options."""
    running: list[Server] = []

    def make(*options: str) -> Server:
        running.append(Server(tmp_path_factory.mktemp("web"), *options))
        return running[-1]

    yield make
    for each in running:
        each.stop()
