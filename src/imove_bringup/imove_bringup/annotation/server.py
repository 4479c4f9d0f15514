"""Serves the review page to this host only.

The address holds a random token, which every request must carry; posts must carry it in a header as well, which no
other site's page can send. Requests under another host name are refused, so that no foreign name can be pointed here.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.desk import ReviewDesk, UnknownCase
from imove_bringup.annotation.folder import AnnotationFolder
from imove_core.errors import ImoveError

TOKEN_HEADER = "X-Imove-Token"

_HOST = "127.0.0.1"
_MAX_BODY_BYTES = 65536
_IDLE_S = 60.0
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_FILES = {
    "": ("index.html", "text/html; charset=utf-8"),
    "review.js": ("review.js", "text/javascript; charset=utf-8"),
    "form.js": ("form.js", "text/javascript; charset=utf-8"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
    "style.css": ("style.css", "text/css; charset=utf-8"),
}


class ReviewServer(ThreadingHTTPServer):
    """The page of one corpus."""

    daemon_threads = True

    def __init__(self, corpus: Corpus, folder: AnnotationFolder, port: int) -> None:
        """Binds to the loopback address.

        Args:
            corpus: The assets.
            folder: The queue and where decisions go.
            port: 0 for any free one.

        Raises:
            ImoveError: The port is taken.
        """
        self.desk = ReviewDesk(corpus, folder)
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((_HOST, port), _Handler)
        except OSError as error:
            raise ImoveError(f"port {port} cannot be served: {error.strerror}; give another one with --port") from error

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{_HOST}:{self.server_port}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    protocol_version = "HTTP/1.0"  # a connection a request: none outlives the server, no unread body is a request
    server_version, sys_version = "imove", ""
    timeout = _IDLE_S

    def do_GET(self) -> None:  # noqa: N802, a name that the base class looks for
        route = self._route()
        if route is None:
            self._send_error(HTTPStatus.NOT_FOUND, "no such page")
        elif route in _FILES:
            name, kind = _FILES[route]
            page = resources.files("imove_bringup.annotation") / "page" / name
            self._send(HTTPStatus.OK, page.read_bytes(), kind)
        elif route == "overview":
            self._answer(self.server.desk.overview)
        elif route.startswith("case/"):
            self._answer(lambda: self.server.desk.case(route.removeprefix("case/")))
        elif route.startswith("picture/"):
            self._answer(lambda: self.server.desk.picture(route.removeprefix("picture/")))
        else:
            self._send_error(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:  # noqa: N802, a name that the base class looks for
        action = {"accept": self.server.desk.accept, "reject": self.server.desk.reject}.get(self._route() or "")
        if action is None:
            self._send_error(HTTPStatus.NOT_FOUND, "no such page")
            return
        token = self.headers.get(TOKEN_HEADER, "")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self._send_error(HTTPStatus.FORBIDDEN, f"posts need the header {TOKEN_HEADER}")
            return
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()) or int(length) > _MAX_BODY_BYTES:
            self._send_error(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body of at most {_MAX_BODY_BYTES} bytes is needed"
            )
            return
        try:
            request = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            self._send_error(HTTPStatus.BAD_REQUEST, "the body is no JSON object")
            return
        self._answer(lambda: action(request))

    def _route(self) -> str | None:
        """What stands behind the token; None without the right token, or under another host name."""
        names = {f"{name}:{self.server.server_port}" for name in (_HOST, "localhost")}
        _, _, behind_slash = self.path.split("?")[0].partition("/")
        token, slash, route = behind_slash.partition("/")
        has_token = secrets.compare_digest(token.encode(), self.server.token.encode())
        return route if slash and has_token and self.headers.get("Host") in names else None

    def _answer(self, work: Callable[[], dict[str, Any] | bytes]) -> None:
        try:
            result = work()
        except UnknownCase as error:
            self._send_error(HTTPStatus.NOT_FOUND, str(error))
        except ImoveError as error:
            self._send_error(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError as error:
            self._send_error(HTTPStatus.INTERNAL_SERVER_ERROR, f"{error.filename}: {error.strerror}")
        else:
            if isinstance(result, bytes):
                self._send(HTTPStatus.OK, result, "image/png")
            else:
                self._send(HTTPStatus.OK, json.dumps(result).encode(), "application/json")

    def _send_error(self, status: HTTPStatus, message: str) -> None:
        self._send(status, json.dumps({"error": message}).encode(), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", _POLICY),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the address of a request holds the token."""
