"""The rerun viewer, where rerun is installed: what is logged, and that it listens on this host only."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

from imove_bringup.scene_view import SceneView
from imove_core.rig import load_rig
from imove_core.state import ObjectState

rr = pytest.importorskip("rerun", reason="the viewer comes with ./imove setup --view")

from imove_bringup.rerun_scene import RerunScene  # noqa: E402
from imove_bringup.rerun_window import show  # noqa: E402

DEADLINE_S = 30.0


def printed(path):
    command = [sys.executable, "-m", "rerun", "rrd", "print", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=DEADLINE_S).stdout


def test_everything_is_logged_under_its_name(tmp_path):
    rig, recording = load_rig("piperx_dual"), rr.RecordingStream("test")
    assert show(recording, str(tmp_path / "scene.rrd")) == f"by: rerun {tmp_path / 'scene.rrd'}"
    scene = RerunScene(rig, recording)
    scene.set_time(1_500_000_000)
    view = SceneView(episode_id="e1", labels={"object_0": "mug"}, instruction="pick up the mug")
    scene.start_episode(view)
    zero, one = np.zeros(3), np.full(3, 0.05)
    mug = ObjectState("object_0", zero, np.array([0.0, 0, 0, 1]), -one, one, zero, zero)
    scene.log_objects([mug], view)
    scene.log_stage("lift: mug")
    for arm in rig.arms:
        scene.log_joints(arm, arm.home_positions, "measured")
    for camera in rig.cameras:
        scene.log_image(camera, np.zeros((48, 64, 3), np.uint8), camera.intrinsics.resized(64, 48).matrix)
    recording.flush()
    recording.disconnect()
    text = printed(tmp_path / "scene.rrd")
    for arm in rig.arms:
        assert f"/joints/{arm.name}/measured - " in text
        for link in arm.arm_model.links:
            assert f"/world/{arm.name}/{link.name} - " in text
    for entity in (
        *("/world/objects", "/events", "/world/static_camera/image", "/world/left/link6/left_hand_camera/image"),
        *("/world/left/base_link/white", "/world/right/finger2/rubber"),
    ):
        assert f"{entity} - " in text, entity


def test_viewer_without_a_display_serves_a_page_on_this_host(tmp_path):
    script = (
        "import rerun as rr, sys\nfrom imove_bringup.rerun_window import show\n"
        "print(show(rr.RecordingStream('test'), '', {}), flush=True)\nsys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        process_group=0,
    ) as process:
        try:
            where = process.stdout.readline().split()
            assert where[0] == "at"
            assert where[1].startswith("http://127.0.0.1:")
            assert answer(where[1].partition("?")[0]) == 200
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def answer(url):
    """The HTTP status of a server that may still be starting."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=DEADLINE_S) as response:
                return response.status
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
