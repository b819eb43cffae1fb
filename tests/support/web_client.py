"""A browser without a screen: what a page's socket can be told, by a friend or an enemy.

Speaks NiceGUI's own protocol (a page by HTTP, then socket.io), so that hostile and load tests can
send what no browser would.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import uuid
from typing import Any

import httpx
import socketio


class RawStudent:
    """One student in a class."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.AsyncClient(
            base_url=address, follow_redirects=True, timeout=30, verify=False
        )
        self.socket = socketio.AsyncClient(reconnection=False)
        self.seen = ""
        """Everything the server has sent, page and updates."""
        self.moves: list[str] = []
        """What can be picked now, `do:3:b`."""
        self.changed = asyncio.Event()
        self.socket.on("update", self._update)

    async def join(self, name: str, code: str) -> None:
        answer = await self.http.post("/class/join", data={"name": name, "code": code})
        self._page(answer.text)

    async def load(self, path: str = "/class") -> None:
        self._page((await self.http.get(path)).text)

    def _page(self, text: str) -> None:
        self.seen += text
        found = re.search(r"'client_id': '([0-9a-f-]+)'", text)
        self.client_id = found.group(1) if found else ""
        raw = re.search(r"parseElements\(String\.raw`(.*?)`\)", text, re.S)
        self.elements = json.loads(_plain(raw.group(1))) if raw else {}
        self.element, self.listener = 0, ""
        for number, element in self.elements.items():
            for event in element.get("events", []):
                if event["type"] == "click":
                    self.element, self.listener = int(number), event["listener_id"]
        self._take(self.elements)

    def _take(self, elements: dict[str, Any]) -> None:
        for number, element in elements.items():
            if int(number) == self.element:
                content = str((element or {}).get("props", {}).get("innerHTML", ""))
                self.moves = re.findall(r'data-pick="((?:do|ready):[^"]*)"', content)

    async def _update(self, message: dict[str, Any]) -> None:
        self.seen += json.dumps(message)
        self._take({k: v for k, v in message.items() if k.isdigit()})
        self.changed.set()

    async def connect(self) -> None:
        query = (
            f"client_id={self.client_id}&next_message_id=0&implicit_handshake=true"
            f"&tab_id={uuid.uuid4()}&document_id={uuid.uuid4()}"
        )
        cookies = "; ".join(f"{k}={v}" for k, v in self.http.cookies.items())
        await self.socket.connect(
            f"{self.address}?{query}",
            headers={"Cookie": cookies},
            transports=["websocket"],
            socketio_path="/_nicegui_ws/socket.io",
        )

    async def pick(self, text: Any, *, client: str = "", element: Any = None) -> None:
        """Send a click; by default on the own page's moves."""
        await self.socket.emit(
            "event",
            {
                "id": self.element if element is None else element,
                "client_id": client or self.client_id,
                "listener_id": self.listener,
                "args": [json.dumps(text)],
            },
        )

    async def wait(self, seconds: float = 10) -> None:
        """Until something changes on the page."""
        await asyncio.wait_for(self.changed.wait(), seconds)
        self.changed.clear()

    async def close(self) -> None:
        if self.socket.connected:
            await self.socket.disconnect()
        await self.http.aclose()


def _plain(text: str) -> str:
    """The page's JSON as it was before it was put into a script."""
    text = text.replace("&#36;", "$").replace("&#96;", "`").replace("&gt;", ">")
    return html.unescape(text) if text.lstrip().startswith("{&quot;") else _entities(text)


def _entities(text: str) -> str:
    return text.replace("&lt;", "<").replace("&amp;", "&")
