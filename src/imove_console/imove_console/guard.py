"""Lets only those requests through that may use the console, and says what the page may do."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from imove_console.security import Access

COOKIE = "imove_console_{port}"
"""Cookies are shared by all ports of a host; each console has its own."""
TOKEN_PARAMETER = "token"
WEEK_S = 7 * 24 * 3600
POLICY_VIOLATION = 1008
PAGE_HEADER = "X-Imove-Console"
"""Requests that change something have it; a form of another site cannot send it."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_NEEDS_TOKEN = "Open the address that the console has printed when it started: it has the token in it.\n"


class Guard:
    """Stands before the application, for HTTP and for websockets alike.

    A token in the address becomes a cookie that scripts cannot read, and the address is shown without it.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        """Guards an application.

        Args:
            app: The application.
            access: What requests must show.
        """
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request or connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._entry(scope)
        if answer is None and not self._access.knows(_cookie(headers, _cookie_name(scope))):
            answer = PlainTextResponse(_NEEDS_TOKEN, 401)
        if scope["type"] == "websocket":
            if answer is not None:
                # Before it is accepted, a close is an answer with status 403.
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
                return
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await (answer or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._access.permits_host(hosts[0]):
            return PlainTextResponse("The console is not asked for under this name; use its address.\n", 421)
        if len(origins) > 1 or not self._access.permits_origin(origins[0] if origins else None, hosts[0]):
            return PlainTextResponse("Only the console's own page may ask for this.\n", 403)
        return None

    def _entry(self, scope: Scope) -> Response | None:
        """Takes a token from the address of the page."""
        if scope["type"] != "http" or scope["path"] != "/" or not self._access.token:
            return None
        token = dict(_parameters(scope)).get(TOKEN_PARAMETER)
        if token is None or not self._access.knows(token):
            return None
        entered = RedirectResponse("/", 303)
        entered.set_cookie(_cookie_name(scope), token, max_age=WEEK_S, httponly=True, samesite="strict")
        return entered


def _parameters(scope: Scope) -> list[tuple[str, str]]:
    try:
        return parse_qsl(scope["query_string"].decode("ascii"), max_num_fields=8)
    except ValueError:
        return []


def _cookie_name(scope: Scope) -> str:
    server = scope.get("server")
    return COOKIE.format(port=server[1] if server else 0)


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
