"""Serves rerun's web viewer with leave to talk to this host only.

The page itself reports usage to its makers, whatever the settings of the server behind it say, and takes no option
against that; the browser keeps it to what a Content-Security-Policy allows.
"""

import threading
import urllib.request
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import URLError
from urllib.parse import urlsplit

_HOST = "127.0.0.1"
_TIMEOUT_S = 30.0


def serve_page(origin: str, data_url: str) -> str:
    """Serves what `origin` serves, from a thread that ends with this process.

    Args:
        origin: Address of rerun's own web server, `http://HOST:PORT`; may still be starting.
        data_url: The only other address that the page may talk to, `http://HOST:PORT`.

    Returns:
        The address of the page, `http://HOST:PORT`.
    """
    policy = f"default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' data: blob: {data_url}"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802, a name that the base class looks for
            try:
                # The path alone: the query is for the page's script.
                with urllib.request.urlopen(origin + urlsplit(self.path).path, timeout=_TIMEOUT_S) as answer:
                    body, kind = answer.read(), answer.headers["Content-Type"]
            except URLError as error:
                self.send_error(HTTPStatus.BAD_GATEWAY, str(error.reason))
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: requests are no news."""

    server = ThreadingHTTPServer((_HOST, 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://{_HOST}:{server.server_port}"
