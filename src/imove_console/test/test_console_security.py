"""What the console lets through: names, origins, tokens, sizes."""

import http.client
import json
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from imove_console.app import MOST_PAGES
from imove_console.frames import MOST_BYTES
from imove_console.guard import PAGE_HEADER
from imove_console.security import access_for
from imove_console.serving import WebServer
from imove_core.errors import ImoveError

from .console_helpers import DEADLINE_S, Console, picture, serving


def request(console, method, path, **headers):
    """Status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", console.server.port, timeout=DEADLINE_S)
    try:
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def near():
    with serving() as console:
        yield console


@pytest.fixture(scope="module")
def wide():
    with serving(host="0.0.0.0") as console:
        yield console


def test_this_computer_needs_no_token(near):
    assert near.server.url == f"http://{near.address}/"
    status, headers, body = request(near, "GET", "/")
    assert status == 200
    assert b"imove" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in headers
    assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")
    assert "server" not in headers


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "user@127.0.0.1", "192.168.1.7", "", "127.0.0.1:x", "["]
)
def test_another_name_or_address_is_refused(near, host):
    assert request(near, "GET", "/", Host=host)[0] == 421
    assert request(near, "POST", "/api/stop", Host=host, **{PAGE_HEADER: "x"})[0] == 421
    assert near.desk.stops == []


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:9000", "[::1]:8765"])
def test_a_forwarded_port_is_no_other_name(near, host):
    assert request(near, "GET", "/", Host=host)[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://{here}", "http://localhost:1", ""])
def test_pages_of_other_origins_get_nothing(near, origin):
    origin = origin.format(here=near.address)
    assert request(near, "GET", "/api/episodes", Origin=origin)[0] == 403
    assert request(near, "POST", "/api/stop", Origin=origin, **{PAGE_HEADER: "x"})[0] == 403
    with pytest.raises(InvalidStatus, match="403"), near.socket(Origin=origin):
        pass
    assert near.desk.stops == []


def test_a_form_of_another_site_cannot_stop(near):
    assert request(near, "POST", "/api/stop")[0] == 403
    assert request(near, "GET", "/api/stop", **{PAGE_HEADER: "x"})[0] == 405
    assert near.desk.stops == []


@pytest.mark.parametrize(
    "path",
    ["/docs", "/openapi.json", "/page/../board.py", "/page/..%2fboard.py", "/page/", "/page/node.py", "//", "/%00"],
)
def test_nothing_else_is_served(near, path):
    assert request(near, "GET", path)[0] == 404


def test_the_network_needs_the_token(wide):
    token = wide.access.token
    assert len(token) >= 32
    assert wide.server.url.endswith(f"?token={token}")
    for path in (
        "/",
        "/page/main.js",
        "/api/episodes",
        f"/?token={token[:-1]}",
        "/?token=",
        f"/api/episodes?token={token}",
    ):
        assert request(wide, "GET", path)[0] == 401
    assert request(wide, "POST", "/api/stop", **{PAGE_HEADER: "x"})[0] == 401
    for cookie in ("", f"imove_console_{wide.server.port}=wrong", "é=;;;"):
        with pytest.raises(InvalidStatus, match="403"), wide.socket(Cookie=cookie):
            pass
    assert wide.desk.stops == []


def test_the_token_becomes_a_cookie_that_scripts_cannot_read(wide):
    status, headers, body = request(wide, "GET", f"/?token={wide.access.token}")
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    name = cookie.split(";")[0]
    assert request(wide, "GET", "/", Cookie=name)[0] == 200
    assert json.loads(request(wide, "POST", "/api/stop", Cookie=name, **{PAGE_HEADER: "x"})[2])["ok"]
    with wide.socket(Cookie=name) as page:
        assert page.state()["rig"] == "piperx_dual"
    with pytest.raises(InvalidStatus, match="403"), wide.socket(Cookie=name, Origin="http://evil.example"):
        pass


def test_each_console_has_a_token_of_its_own():
    assert access_for("0.0.0.0").token != access_for("0.0.0.0").token
    assert access_for("127.0.0.1").token == access_for("::1").token == access_for("localhost").token == ""
    with pytest.raises(ImoveError, match="127.0.0.1 for this computer"):
        access_for("my-robot")


def test_a_taken_port_is_said(near):
    console = Console()
    console.server.close()
    with pytest.raises(ImoveError, match=f"port {near.server.port}: .*give another console_port"):
        WebServer(near.server._parts, "127.0.0.1", near.server.port)


def test_large_messages_end_the_connection_and_nothing_else(near):
    for message in ("x" * 100_000, b"\0" * 10, "x" * 16_000 + "é" * 400):
        with near.socket() as page:
            page.state()
            page.socket.send(message)
            with pytest.raises(ConnectionClosed):
                page.answer(99)
    with near.socket() as page:
        assert page.state()["rig"] == "piperx_dual"


def test_an_image_that_is_too_large_is_dropped(near):
    near.frames.put("static_camera", b"\xff\xd8\xff" + bytes(MOST_BYTES))
    assert near.frames.newest("static_camera") is None
    near.frames.put("static_camera", picture(9))
    assert near.frames.newest("static_camera").number == 1


def test_only_so_many_pages_are_open():
    with serving() as console, ExitStack() as stack:
        for _ in range(MOST_PAGES):
            stack.enter_context(console.socket()).state()
        with console.socket() as late, pytest.raises(ConnectionClosed):
            late.answer(0)
