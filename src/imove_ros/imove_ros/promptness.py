"""Keeps the threads of a node's process from waiting for each other longer than they must."""

import gc
import os
import sys
from contextlib import suppress

SWITCH_INTERVAL_S = 50e-6
"""How long a thread may go on while another one waits for the interpreter.

Python's own 5 ms add up where several threads take messages while another one answers a policy's chunk: measured by
bench/policy_latency.py, the slowest in a hundred answers waited 0.2 s and more for its command.
"""

FIRST_PRIORITY = 10
FIRST_NICENESS = -10


def go_first() -> None:
    """Lets this process go before others, as far as its user may have that: one that commands arms has to be in time.

    Real-time scheduling where it is allowed (`ulimit -r`), else a better place among the others (`ulimit -e`). Call it
    first of all: threads that are there already keep what they have.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(FIRST_PRIORITY))
    except PermissionError:
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, FIRST_NICENESS)


def be_prompt() -> None:
    """Sets this process up for short waits; call it when what the node needs is loaded.

    What is there by then stays until the end: the collector of garbage need not look through it again and again.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.collect()
    gc.freeze()
