"""Writes a picture of each page into a folder: `make screenshots`."""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "web"))

SHOTS = {
    "home": ("/", 1280, False),
    "blackjack": ("/blackjack?cell=hard:16:T", 1280, False),
    "blackjack-phone": ("/blackjack?cell=hard:16:T", 390, True),
}
"""Name → address, width and whether it is dark."""


def main(folder: Path) -> None:
    from conftest import Server
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as driver:
        server = Server(Path(data))
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, (path, width, dark) in SHOTS.items():
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
            )
            page = context.new_page()
            page.goto(server.address + path)
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(1500)
            page.screenshot(path=folder / f"{name}.png")
            context.close()
        browser.close()
        server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
