"""Stops node processes whose supervisor has died.

Run as a program of its own, beside the supervisor: stdin is a pipe that only the supervisor holds open. A
line `+PGID` adds a process group, `-PGID` removes it. When the pipe closes, the groups that are left get
SIGINT and, after a grace time, SIGKILL. Uses the standard library alone: it starts without site packages.
"""

import contextlib
import os
import signal
import sys
import time

_POLL_S = 0.05


def _signal_group(group: int, number: int) -> bool:
    """Signals a process group; False when it is gone."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def stop_groups(groups: set[int], grace_s: float) -> None:
    """Ends process groups: SIGINT, then SIGKILL for those that are still there after `grace_s` seconds."""
    left = {group for group in groups if _signal_group(group, signal.SIGINT)}
    deadline = time.monotonic() + grace_s
    while left and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        left = {group for group in left if _signal_group(group, 0)}
    for group in left:
        _signal_group(group, signal.SIGKILL)


def main() -> None:
    """Reads process groups from stdin until the supervisor is gone; the argument is the grace time in s."""
    groups: set[int] = set()
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            group = int(line[1:])
            if line[0] == "+":
                groups.add(group)
            else:
                groups.discard(group)
    stop_groups(groups, float(sys.argv[1]))


if __name__ == "__main__":
    main()
