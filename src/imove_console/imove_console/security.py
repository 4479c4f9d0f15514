"""Who may use the console: the address it is bound to, the token, and the names under which it may be asked for."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from imove_core.errors import ImoveError

TOKEN_BYTES = 24
LOCALHOST = "localhost"


@dataclass(frozen=True)
class Access:
    """What a request must show.

    Attributes:
        token: Secret of this run, "" where only this host can connect.
        names: Host names under which the page may be asked for, beside addresses.
        loopback_only: Whether only this host's own addresses are such addresses.
    """

    token: str
    names: frozenset[str]
    loopback_only: bool

    def knows(self, token: str) -> bool:
        """Whether a token is the right one, in a time that does not tell how much of it is."""
        return not self.token or secrets.compare_digest(token.encode(), self.token.encode())

    def permits_host(self, host: str) -> bool:
        """Whether the Host header is an address, or a name of this machine.

        A foreign name that somebody points at this machine (DNS rebinding) is neither.
        """
        name = _name_of(host)
        if name is None:
            return False
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name in self.names
        return address.is_loopback or not self.loopback_only

    def permits_origin(self, origin: str | None, host: str) -> bool:
        """Whether the Origin header is the page itself; programs that are no browsers send none."""
        return origin is None or origin == f"http://{host}"


def access_for(host: str) -> Access:
    """What is asked of requests where the console is bound to an address.

    Args:
        host: IP address or name that the console is bound to, e.g. 127.0.0.1 or 0.0.0.0.

    Raises:
        ImoveError: It is no address.
    """
    try:
        loopback = host == LOCALHOST or ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise ImoveError(
            f"host is '{host}'; an IP address is allowed: 127.0.0.1 for this computer, 0.0.0.0 for the network"
        ) from error
    if loopback:
        return Access("", frozenset({LOCALHOST}), loopback_only=True)
    machine = socket.gethostname().lower()
    names = frozenset({LOCALHOST, machine, f"{machine}.local"})
    return Access(secrets.token_urlsafe(TOKEN_BYTES), names, loopback_only=False)


def _name_of(host: str) -> str | None:
    """The name or address in a Host header, lower case; None where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    if parts.netloc != host or parts.username is not None or not parts.hostname:
        return None
    return parts.hostname
