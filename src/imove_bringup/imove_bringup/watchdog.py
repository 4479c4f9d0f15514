"""Stops node processes whose supervisor has died.

Run as a program of its own, beside the supervisor: stdin is a pipe that only the supervisor holds open. A
line `+TARGET` adds a process by its id, or a process group by minus its id, as in kill(2); `-TARGET` removes it.
When the pipe closes, the targets that are left get SIGINT and, after a grace time, SIGKILL. Uses the standard
library alone: it starts without site packages.
"""

import contextlib
import os
import signal
import sys
import time

_POLL_S = 0.05


def _signal(target: int, number: int) -> bool:
    """Signals a process or a group; False when it is gone."""
    try:
        os.kill(target, number)
    except ProcessLookupError:
        return False
    return True


def stop(targets: set[int], grace_s: float) -> None:
    """Ends processes and groups: SIGINT, then SIGKILL for those that are still there after `grace_s` seconds."""
    left = {target for target in targets if _signal(target, signal.SIGINT)}
    deadline = time.monotonic() + grace_s
    while left and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        left = {target for target in left if _signal(target, 0)}
    for target in left:
        _signal(target, signal.SIGKILL)


def main() -> None:
    """Reads targets from stdin until the supervisor is gone; the argument is the grace time in s."""
    targets: set[int] = set()
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            target = int(line[1:])
            if line[0] == "+":
                targets.add(target)
            else:
                targets.discard(target)
    stop(targets, float(sys.argv[1]))


if __name__ == "__main__":
    main()
