"""What a node's process is set up for."""

import subprocess
import sys

SCRIPT = """
import gc, sys
from imove_ros.promptness import SWITCH_INTERVAL_S, be_prompt
kept = [[number] for number in range(100_000)]
be_prompt()
assert abs(sys.getswitchinterval() - SWITCH_INTERVAL_S) < 1e-6
assert gc.get_freeze_count() > len(kept) and gc.isenabled()
"""


def test_threads_hand_over_soon_and_what_is_loaded_is_not_looked_through_again():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)


BEFORE_OTHERS = """
import os
from imove_ros.promptness import FIRST_NICENESS, go_first

def niceness():
    return os.getpriority(os.PRIO_PROCESS, 0)

present = niceness()
try:
    os.setpriority(os.PRIO_PROCESS, 0, FIRST_NICENESS)
    allowed = True
    os.setpriority(os.PRIO_PROCESS, 0, present)
except PermissionError:
    allowed = False
go_first()
assert os.sched_getscheduler(0) == os.SCHED_RR or niceness() == (FIRST_NICENESS if allowed else present)
"""


def test_process_goes_before_others_where_its_user_may():
    subprocess.run([sys.executable, "-c", BEFORE_OTHERS], check=True)
