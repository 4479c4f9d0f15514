"""One graph at a time in a ROS domain: two would answer each other's services and mix their results."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from imove_core.errors import ImoveError


@contextmanager
def hold_domain(environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Keeps other imove graphs on this host out of the ROS domain while it is entered.

    The lock is a socket name that the system gives back when the process ends, however it ends; like the domain's
    loopback traffic, it belongs to the network namespace.

    Args:
        environ: Where ROS_DOMAIN_ID is looked up.

    Raises:
        ImoveError: Another graph runs in the domain.
    """
    domain = environ.get("ROS_DOMAIN_ID") or "0"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as holder:
        try:
            holder.bind(f"\0imove-graph-{domain}")
        except OSError as error:
            raise ImoveError(
                f"another imove graph runs in ROS domain {domain} of this host; wait for it, or set ROS_DOMAIN_ID to "
                "another number"
            ) from error
        yield
