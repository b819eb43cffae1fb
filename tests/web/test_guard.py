"""Names, origins and headers: other sites get neither pages nor news."""

import functools
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

pytest.importorskip("fastapi")

from riverboat.web.app.guard import host_of
from waiting import PATIENCE

# A page may have to compile kernels first; httpx gives up after five seconds by itself.
get = functools.partial(httpx.get, timeout=PATIENCE)
post = functools.partial(httpx.post, timeout=PATIENCE)


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


@pytest.mark.parametrize("path", ["/", "/static/riverboat.css", "/api/v1/library"])
def test_a_strange_name_gets_no_page(server, path):
    for host in (f"evil.example:{port_of(server)}", "evil.example", "", "127.0.0.1.evil.example"):
        assert get(server.address + path, headers={"Host": host}).status_code == 403
    for host in ("localhost", f"127.0.0.1:{port_of(server)}", f"[::1]:{port_of(server)}"):
        assert get(server.address + path, headers={"Host": host}).status_code == 200


def test_pages_carry_the_security_headers(server):
    answer = get(server.address + "/solve")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    form = get(server.address + "/holdem/spots")  # Remembers what was typed, by browser
    cookie = form.headers["set-cookie"].lower()
    assert "samesite=lax" in cookie
    assert "httponly" in cookie


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


ATTACK = """async (page) => {
  const told = {};
  try { told.page = (await (await fetch(page)).text()).slice(0, 100); } catch { told.page = null; }
  told.news = await new Promise((done) => {
    const open = new EventSource(`${page}/events?topic=running`);
    open.onopen = () => done(true);
    open.onerror = () => done(false);
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
        page.goto(other_site)
        assert page.evaluate(ATTACK, server.address) == {"page": None, "news": False}
        page.goto(other_site.replace("127.0.0.1", "evil.example"))
        told = page.evaluate(ATTACK, f"http://evil.example:{port}")
        assert told == {"page": None, "news": False}
        page.goto(other_site)
        page.set_content(f"<iframe src='{server.address}'></iframe>")
        page.wait_for_load_state()
        assert not [f for f in page.frames[1:] if f.url.startswith(server.address)]
