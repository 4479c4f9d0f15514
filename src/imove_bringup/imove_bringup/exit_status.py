"""The exit status of a graph, the same under the supervisor and under ROS's own launch."""

import signal

SIGNAL_BASE = 128  # what shells add to the number of a signal


def graph_exit_status(*, required: int | None, has_crash: bool, interrupted_by: signal.Signals | None) -> int:
    """What a graph reports to the shell.

    Args:
        required: How the first required node ended, 0 and up or minus a signal number; None when the graph has
            none.
        has_crash: Whether a node died before the graph was told to stop.
        interrupted_by: The signal that told the graph to stop, None when it ended by itself.

    Returns:
        With a required node: its status, or 128 + N when signal N ended it or kept it from being done. Without: 1
        after a crash; 0 after a Ctrl-C, which is how such a graph ends; 128 + N after another signal.
    """
    if required is not None:
        if required != 0 and interrupted_by is not None:
            return SIGNAL_BASE + interrupted_by
        return SIGNAL_BASE - required if required < 0 else required
    if interrupted_by is not None and interrupted_by != signal.SIGINT:
        return SIGNAL_BASE + interrupted_by
    return int(has_crash)
