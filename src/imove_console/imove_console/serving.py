"""Runs the web application in a thread of its own."""

from __future__ import annotations

import socket
import threading

import uvicorn

from imove_console.app import Parts, create_app
from imove_console.guard import TOKEN_PARAMETER
from imove_console.protocol import MOST_TEXT_BYTES
from imove_core.errors import ImoveError

BACKLOG = 32
MOST_CONNECTIONS = 64
CLOSE_S = 2
PING_S, PONG_S = 5.0, 10.0


class WebServer:
    """Serves one console; the socket is bound when it is made, so that a taken port is known at once."""

    def __init__(self, parts: Parts, host: str, port: int) -> None:
        """Binds.

        Args:
            parts: Of the application.
            host: Address to bind to.
            port: 0 for any free one.

        Raises:
            ImoveError: The address cannot be bound.
        """
        self._parts, self._host = parts, host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            raise ImoveError(
                f"console cannot be served on {host} port {port}: {error.strerror}; give another console_port"
            ) from error
        config = uvicorn.Config(
            create_app(parts),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            ws_max_size=MOST_TEXT_BYTES,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PONG_S,
            ws_per_message_deflate=False,
            h11_max_incomplete_event_size=16_384,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=CLOSE_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    @property
    def port(self) -> int:
        """Port that is bound."""
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        """Address for people, with the token where one is needed."""
        wide = self._host in ("0.0.0.0", "::")
        name = socket.gethostname().lower() if wide else f"[{self._host}]" if ":" in self._host else self._host
        token = self._parts.access.token
        return f"http://{name}:{self.port}/" + (f"?{TOKEN_PARAMETER}={token}" if token else "")

    def start(self) -> None:
        """Begins to serve."""
        self._thread.start()

    def close(self) -> None:
        """Ends all connections and waits until that is done."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()
