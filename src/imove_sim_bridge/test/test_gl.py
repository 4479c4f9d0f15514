"""Off-screen contexts: what a working one tells, and how a broken one fails."""

import os
import re
import subprocess
import sys

import pytest

from imove_sim_bridge.gl import INSTALL_HINT, check_gl

REPORT = """
from imove_core.errors import ImoveError
from imove_sim_bridge.gl import check_gl
try:
    print(check_gl())
except ImoveError as error:
    print(error)
"""
STEP_THEN_RENDER = """
import sys
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.spec import EpisodeSpec
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import AssetLibrary
library = AssetLibrary.shipped()
backend = create_backend("mujoco", load_rig("piperx_dual"), library.get, (64, 48))
backend.load(EpisodeSpec.from_json(sys.stdin.read()))
backend.reset()
print(len(backend.advance({}, 2)))
try:
    print(len(backend.observe(["static_camera"])))
except ImoveError as error:
    print(error)
"""


def run(script: str, given: str = "", **changes: str) -> list[str]:
    """Runs a script with a changed environment; it must succeed in silence. Returns its output lines."""
    unset = {name for name, value in changes.items() if not value}
    environment = {name: value for name, value in (os.environ | changes).items() if name not in unset}
    # Warnings of libraries (Mesa, glfw) are theirs; tracebacks and exceptions at exit would be ours.
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, input=given, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_facts_of_a_working_context():
    facts = check_gl()
    assert set(facts) == {"platform", "renderer", "version"}
    assert facts["platform"] in ("egl", "osmesa") and facts["renderer"]
    assert re.match(r"\d\.\d", facts["version"])


def test_egl_is_the_default():
    [line] = run(REPORT, MUJOCO_GL="", PYOPENGL_PLATFORM="")
    assert "'platform': 'egl'" in line


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"},
            rf"no off-screen renderer with MUJOCO_GL=egl \(Cannot initialize .*\); {re.escape(INSTALL_HINT)}",
        ),
        ({"PYOPENGL_PLATFORM": "glx"}, "no off-screen renderer: PYOPENGL_PLATFORM is 'glx' but MUJOCO_GL is 'egl'; .*"),
        ({"MUJOCO_GL": "glfw"}, "unknown MUJOCO_GL 'glfw'; allowed: egl, osmesa"),
    ],
)
def test_a_broken_platform_fails_with_one_sentence(changes, message):
    [line] = run(REPORT, **({"MUJOCO_GL": "egl", "PYOPENGL_PLATFORM": ""} | changes))
    assert re.fullmatch(message, line)


def test_physics_runs_without_a_renderer_and_images_fail_plainly(drawn):
    steps, error = run(STEP_THEN_RENDER, drawn[0].to_json(), MUJOCO_GL="egl", __EGL_VENDOR_LIBRARY_DIRS="/nonexistent")
    assert steps == "2"
    assert error.startswith("no off-screen renderer with MUJOCO_GL=egl")


def test_a_process_may_end_without_closing_the_simulator(drawn):
    assert run(STEP_THEN_RENDER, drawn[0].to_json()) == ["2", "1"]
