"""Names, origins and headers: other sites get neither pages nor sockets."""

import functools
import json
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

pytest.importorskip("nicegui")

from own_thread import in_a_thread
from riverboat.web.app.guard import host_of
from waiting import PATIENCE

# A page may have to compile kernels first; httpx gives up after five seconds by itself.
get = functools.partial(httpx.get, timeout=PATIENCE)
post = functools.partial(httpx.post, timeout=PATIENCE)
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("localhost:8080", "localhost"),
        ("LocalHost.", "localhost"),
        ("[::1]:80", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("evil.example:80", "evil.example"),
    ],
)
def test_the_name_of_an_authority(authority, name):
    assert host_of(authority) == name


def port_of(server):
    return server.address.rpartition(":")[2]


@pytest.mark.parametrize(
    "path", ["/", "/static/riverboat.css", SOCKET.replace("websocket", "polling")]
)
def test_a_strange_name_gets_no_page(server, path):
    for host in (f"evil.example:{port_of(server)}", "evil.example", "", "127.0.0.1.evil.example"):
        assert get(server.address + path, headers={"Host": host}).status_code == 403
    for host in ("localhost", f"127.0.0.1:{port_of(server)}", f"[::1]:{port_of(server)}"):
        assert get(server.address + path, headers={"Host": host}).status_code == 200


def test_pages_carry_the_security_headers(server):
    answer = get(server.address)
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    cookie = answer.headers["set-cookie"].lower()
    assert "samesite=lax" in cookie
    assert "httponly" in cookie


def sockets_that_open(address, headers):
    import aiohttp

    async def run():
        async with aiohttp.ClientSession() as session:
            try:
                async with session.ws_connect(address + SOCKET, headers=headers) as socket:
                    return (await socket.receive(timeout=PATIENCE)).type == aiohttp.WSMsgType.TEXT
            except aiohttp.WSServerHandshakeError:
                return False

    return in_a_thread(run())


def test_a_socket_opens_for_pages_of_this_server_only(server):
    port = port_of(server)
    here, there = f"127.0.0.1:{port}", f"evil.example:{port}"
    assert sockets_that_open(server.address, {})
    assert sockets_that_open(server.address, {"Origin": f"http://{here}"})
    assert not sockets_that_open(server.address, {"Origin": f"http://{there}"})
    assert not sockets_that_open(server.address, {"Origin": "http://127.0.0.1:1"})
    assert not sockets_that_open(server.address, {"Origin": "null"})
    assert not sockets_that_open(server.address, {"Host": there, "Origin": f"http://{there}"})


def test_a_form_of_another_site_is_refused(make_server):
    server = make_server("--class", "--name", "class.example.org")
    form = {"name": "Eve", "code": server.find(r"code (\w+)\s")}
    join = server.address + "/class/join"
    assert post(join, data=form, headers={"Origin": "http://evil.example"}).status_code == 403
    assert post(join, data=form, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert "Eve" not in (server.folder / "class" / "class.jsonl").read_text()
    named = {"Host": "class.example.org", "Origin": "https://class.example.org"}
    assert post(join, data=form, headers=named).status_code == 303
    assert '"Eve"' in (server.folder / "class" / "class.jsonl").read_text()


def test_secrets_are_private_from_the_start(make_server):
    server = make_server("--class")
    for name in (".web-secret", "class/class.jsonl"):
        assert stat.S_IMODE((server.folder / name).stat().st_mode) == 0o600
    for name in (".web", "class"):
        assert stat.S_IMODE((server.folder / name).stat().st_mode) == 0o700


ATTACK = """async ([page, socket]) => {
  const told = {};
  try { told.page = (await (await fetch(page)).text()).slice(0, 100); } catch { told.page = null; }
  told.socket = await new Promise((done) => {
    const open = new WebSocket(socket);
    open.onmessage = () => done(true);
    open.onclose = open.onerror = () => done(false);
  });
  return told;
}"""


class Elsewhere(BaseHTTPRequestHandler):
    """The page of another site."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>another site</h1>")

    def log_message(self, *words):
        pass


@pytest.fixture
def other_site():
    site = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}"
    site.shutdown()
    site.server_close()


def test_a_page_at_a_name_that_leads_here_gets_nothing(server, other_site, launch):
    """DNS rebinding: evil.example first leads to another site, then to this machine."""
    port = port_of(server)
    with launch("--host-resolver-rules=MAP evil.example 127.0.0.1") as browser:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        answer = page.goto(f"http://evil.example:{port}/")
        assert answer.status == 403
        assert "Riverboat" not in page.title()
        socket = f"ws://127.0.0.1:{port}{SOCKET}"
        page.goto(other_site)
        told = page.evaluate(ATTACK, [server.address, socket])
        assert told == {"page": None, "socket": False}
        page.goto(other_site.replace("127.0.0.1", "evil.example"))
        rebound = socket.replace("127.0.0.1", "evil.example")
        told = page.evaluate(ATTACK, [f"http://evil.example:{port}/", rebound])
        assert told == {"page": None, "socket": False}
        page.goto(other_site)
        page.set_content(f"<iframe src='{server.address}'></iframe>")
        page.wait_for_load_state()
        assert not [f for f in page.frames[1:] if f.url.startswith(server.address)]


BAD_FRAMES = [
    "",
    "4",
    "42",
    "42[",
    "42{}",
    "42[]",
    '42["event"]',
    '42["event",5]',
    '42["event",[]]',
    '42["event",{}]',
    '42["event",{"client_id":[]}]',
    '42["event",{"client_id":{}}]',
    '42["log",{"client_id":"x","level":"x"}]',
    '42["ack",{"client_id":"CLIENT"}]',
    '42["ack",{"client_id":"CLIENT","next_message_id":"x"}]',
    '42["handshake",{}]',
    '42["handshake",{"client_id":"CLIENT"}]',
    '42["log",{"client_id":"CLIENT","level":"x"}]',
    '42["event",{"client_id":"CLIENT","id":[]}]',
    '42["event",{"client_id":"CLIENT","id":{}}]',
    '42["event",{"client_id":"CLIENT","id":4,"args":["{"]}]',
    '42["event",{"client_id":"CLIENT","id":4,"args":5,"listener_id":[]}]',
    '42["javascript_response",{"client_id":"CLIENT"}]',
    "451-",
    '451-["event",{"_placeholder":true}]',
    "43",
    "43[",
    '43{"a":1}',
    "44",
    "45",
    "46",
    "47",
    "48",
    "49",
    "4x",
    "x",
    "9",
    "\x00",
    "é" * 50,
    "40/other,",
    "41",
    "41/other,",
    "2probe",
    "3",
    "5",
    "6",
    "1" * 200,
    "42" + "[" * 5000,
    "4" + "9" * 300,
    '4299999999999999999999["event",{}]',
    '42["connect",{}]',
    '42["disconnect"]',
    "42[null,{}]",
    '42[{"a":1}]',
    "4\ud7ff",
    b"\x00\x01",
    b"",
    b"4" * 100,
    b"\xff" * 10,
]


def test_bad_frames_leave_no_traceback(make_server):
    import aiohttp

    server = make_server()

    async def run():
        text = get(server.address + "/play/kuhn").text
        client = text.partition("'client_id': '")[2].partition("'")[0]
        assert client
        query = "&implicit_handshake=true&next_message_id=0&tab_id=t&document_id=d"
        address = f"{server.address}{SOCKET}&client_id={client}{query}"
        async with aiohttp.ClientSession() as session:
            for frame in BAD_FRAMES:
                async with session.ws_connect(address) as socket:
                    await socket.receive(timeout=PATIENCE)
                    await socket.send_str("40")
                    await socket.receive(timeout=PATIENCE)
                    if isinstance(frame, bytes):
                        await socket.send_bytes(frame)
                    else:
                        await socket.send_str(str(frame).replace("CLIENT", client))
                    await socket.send_str("3")
                for early in ("40[", "40{}x", "4" + str(frame)[:20]):  # before the handshake
                    async with session.ws_connect(server.address + SOCKET) as socket:
                        await socket.receive(timeout=PATIENCE)
                        await socket.send_str(early)

    in_a_thread(run())
    assert get(server.address).status_code == 200
    server.stop()
    assert "Traceback" not in server.said()
    assert "Exception" not in server.said()


@pytest.mark.parametrize(
    "body", [b"4" * 100, b"42[", b"42[\x1e40", b"b!!!!", b"\xff\xfe", b"x", b"", b"4" * 2_000_000]
)
def test_a_bad_body_of_a_page_that_polls_is_answered(server, body):
    """Nobody fetches what the server would still send: it does not wait for that."""
    address = server.address + SOCKET.replace("websocket", "polling")
    session = json.loads(get(address).text[1:])["sid"]
    answer = post(f"{address}&sid={session}", content=body)
    assert answer.status_code in (200, 400)
