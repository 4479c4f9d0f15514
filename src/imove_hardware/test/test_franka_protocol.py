"""Ways against the vendor's client library and a simulated arm that speaks its protocol and enforces its limits.

Both need an older numpy than imove and live in an environment apart: `IMOVE_FRANKA_PYTHON` names its Python
(docs/hardware-franka.md). Not run without it.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from imove_core.rig import load_rig
from imove_hardware.emulation.franka.controller import EmulatedController, Trajectory
from imove_hardware.franka.course import Course, course_limits

PYTHON = os.environ.get("IMOVE_FRANKA_PYTHON", "")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="IMOVE_FRANKA_PYTHON names no Python with pylibfranka and franka-sim"
)
HERE = Path(__file__).parent
MS = 1_000_000
EPOCH_NS = 1_000_000_000
# Both are fixed in the client library.
HOST, PORT = "127.0.0.1", 1337
START = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.785])
ARM = load_rig("fr3_single").arm("arm")
DEADLINE_S = 100.0


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """A simulated arm that enforces the limits of motions."""
    folder = tmp_path_factory.mktemp("franka_sim")
    model = folder / "arm.xml"
    subprocess.run([PYTHON, str(HERE / "franka_sim_model.py"), str(model)], check=True, timeout=DEADLINE_S)
    command = [str(Path(PYTHON).parent / "run-franka-sim-server"), "--port", str(PORT), "--enforce-motion-limits"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "FR3_MJCF": str(model)})
        try:
            deadline = time.monotonic() + DEADLINE_S
            while not listens():
                assert server.poll() is None and time.monotonic() < deadline, (folder / "server.log").read_text()
                time.sleep(0.2)
            yield folder
        finally:
            server.kill()
            server.wait()


def listens():
    """Whether something does on the arm's port."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, PORT)) == 0


def driven(folder, positions):
    """What the client says of positions (T, 7), one a millisecond."""
    path = folder / "positions.npy"
    np.save(path, positions)
    command = [PYTHON, str(HERE / "franka_sim_client.py"), str(path), HOST]
    # It would wait for ever for an arm that says nothing more.
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def way(goals, period_ms):
    """Positions (T, 7) at 1 kHz of a controller that is sent ways to goals, each for a while."""
    plan = Course(course_limits(ARM), START, EPOCH_NS)
    names = ARM.joint_names[:-1]
    controller, positions = EmulatedController(names, START), []
    for ms in range(len(goals) * period_ms + 1500):
        now_ns = EPOCH_NS + ms * MS
        if ms % 20 == 0:
            goal = goals[min(ms // period_ms, len(goals) - 1)]
            sent = plan.follow(now_ns, lambda stamp_ns, goal=goal: goal)
            trajectory = Trajectory(names, sent.stamp_ns, sent.offsets_ns.tolist(), sent.positions, sent.velocities)
            assert controller.accept(trajectory, controller.sample(now_ns), now_ns) == ""
        positions.append(controller.sample(now_ns)[0])
    return np.array(positions)


@pytest.mark.timeout(300)
def test_leaping_goals_are_driven_at_1_khz_without_a_reflex_and_a_jump_is_not(arm):
    leaps = START + np.random.default_rng(0).uniform(-0.6, 0.6, (4, 7))
    positions = way(leaps, 350)
    told = driven(arm, positions)
    assert told["reflex"] == "" and told["cycles"] > 1000
    assert np.allclose(told["reached"], positions[-1] - START, atol=0.05)

    jump = np.repeat(START[None], 400, axis=0)
    jump[100:, 0] += 0.05
    told = driven(arm, jump)
    assert "discontinuity" in told["reflex"] and "dle" in told["recovered"]
