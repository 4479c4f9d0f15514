#!/usr/bin/env -S python3 -S
"""A small process to supervise; its first argument says how it behaves."""

import json
import os
import signal
import subprocess
import sys
import time


def say(text):
    print(text, flush=True)


def wait_for_ever():
    while True:
        time.sleep(60)


def exit_with(code):
    say(f"exiting with {code}")
    sys.exit(int(code))


def die_by(name):
    os.kill(os.getpid(), signal.Signals[name])


def stop_when_asked(code="0"):
    signal.signal(signal.SIGINT, lambda *_: sys.exit(int(code)))
    say("ready")
    wait_for_ever()


def ignore(*names):
    for name in names:
        signal.signal(signal.Signals[name], signal.SIG_IGN)
    say("ready")
    wait_for_ever()


def spawn_and_wait():
    child = subprocess.Popen([sys.executable, "-S", __file__, "ignore", "SIGINT"], stdout=subprocess.DEVNULL)
    say(f"child {child.pid}")
    say("ready")
    wait_for_ever()


def spawn_and_exit():
    # The child keeps stdout open.
    child = subprocess.Popen([sys.executable, "-S", __file__, "ignore", "SIGINT"])
    say(f"child {child.pid}")


def write_both():
    say("to stdout")
    print("to stderr", file=sys.stderr, flush=True)


def report():
    say(json.dumps({"argv": sys.argv[1:], "environ": dict(os.environ), "pid": os.getpid()}))


def write_much(lines):
    sys.stdout.write("".join(f"line {number} {'x' * 200}\n" for number in range(int(lines))))
    sys.stdout.write("no newline at the end")


if __name__ == "__main__":
    own = sys.argv[2 : sys.argv.index("--ros-args")] if "--ros-args" in sys.argv else sys.argv[2:]
    globals()[sys.argv[1]](*own)
