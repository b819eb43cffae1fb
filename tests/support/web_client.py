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

from waiting import PATIENCE


class RawStudent:
    """One student in a class."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.AsyncClient(
            base_url=address, follow_redirects=True, timeout=PATIENCE, verify=False
        )
        self.socket = socketio.AsyncClient(reconnection=False)
        self.seen = ""
        """Everything the server has sent, page and updates."""
        self.moves: list[str] = []
        """What can be picked now, `do:3:b`."""
        self.changed = asyncio.Event()
        self.gone = asyncio.Event()
        self.socket.on("update", self._update)
        self.socket.on("disconnect", lambda *_: self.gone.set())

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
            wait_timeout=PATIENCE,
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

    async def settle(self) -> None:
        """Until the server has taken in everything that was sent so far."""
        await self.socket.call("ack", {"client_id": "", "next_message_id": 0}, timeout=PATIENCE)

    async def wait(self, seconds: float = PATIENCE) -> None:
        """Until something changes on the page."""
        await asyncio.wait_for(self.changed.wait(), seconds)
        self.changed.clear()

    async def close(self) -> None:
        if self.socket.connected:
            await self.socket.disconnect()
        await self.http.aclose()


async def knock(address: str, count: int, *, at_once: int = 25, client_id: str = "") -> int:
    """Open the socket and drop it, `count` times, some in the middle of the handshake.

    How many times the server answered; whoever knocks like that may be turned away.
    """
    import aiohttp

    answered = 0
    place = address.replace("http", "ws", 1) + "/_nicegui_ws/socket.io/"
    queue = iter(range(count))

    async def visitor(session: aiohttp.ClientSession) -> None:
        nonlocal answered
        for number in queue:
            query = {
                "EIO": "4",
                "transport": "websocket",
                "client_id": client_id or str(uuid.uuid4()),
                "tab_id": str(uuid.uuid4()),
                "document_id": str(uuid.uuid4()),
                "implicit_handshake": "true",
                "next_message_id": "0",
            }
            try:
                async with session.ws_connect(place, params=query, timeout=_PATIENCE) as socket:
                    await socket.receive(timeout=PATIENCE)
                    if number % 3:
                        await socket.send_str("40")
                    if number % 3 == 1:
                        await socket.receive(timeout=PATIENCE)
                    answered += 1
                    if number % 2 and socket._response.connection is not None:
                        socket._response.connection.close()  # gone without a word
            except (aiohttp.ClientError, TimeoutError, OSError):
                continue

    _PATIENCE = aiohttp.ClientWSTimeout(ws_close=2.0)
    connector = aiohttp.TCPConnector(limit=at_once)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(visitor(session) for _ in range(at_once)))
    return answered


def _plain(text: str) -> str:
    """The page's JSON as it was before it was put into a script."""
    text = text.replace("&#36;", "$").replace("&#96;", "`").replace("&gt;", ">")
    return html.unescape(text) if text.lstrip().startswith("{&quot;") else _entities(text)


def _entities(text: str) -> str:
    return text.replace("&lt;", "<").replace("&amp;", "&")
