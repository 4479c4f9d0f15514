"""Checks before anything starts: what a graph names must exist, and this machine must be able to run it.

Each check raises ImoveError with one sentence. Lower packages are imported inside the checks, so that only
the ones a graph needs are loaded.
"""

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path

from imove_bringup.installed import executable_path
from imove_core.errors import ImoveError

# Records of a run are small; a bag of three raw RGB-D cameras takes about 1 GB an episode before compression.
FREE_BYTES = 200 * 10**6
FREE_BYTES_RECORDING = 5 * 10**9


def check_rig(rig: str) -> None:
    """The rig is a shipped one or a valid rig file."""
    from imove_core.rig import load_rig

    load_rig(rig)


def check_suite(suite: str, *, episodes: int) -> None:
    """The suite is a shipped one or a valid suite file, and has so many episodes."""
    from imove_tasks.suites import open_suite

    open_suite(suite).first(episodes)


def check_view(view: str) -> None:
    """The viewer is installed."""
    if view == "rviz":
        try:
            executable_path("rviz2", "rviz2")
        except ImoveError:
            raise ImoveError(
                "view:=rviz needs rviz2, which is not installed here; use view:=rerun or view:=none"
            ) from None
    if view == "rerun" and importlib.util.find_spec("rerun") is None:
        raise ImoveError("view:=rerun needs rerun-sdk, which is not installed here; run ./imove setup --view")


def check_gl() -> None:
    """Camera images can be rendered."""
    from imove_sim_bridge.gl import check_gl as check

    check()


def check_disk(output: Path, *, recording: bool) -> None:
    """The disk of the output folder has room.

    Args:
        output: Folder, need not exist yet.
        recording: Whether bags are written as well.
    """
    folder = output
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise ImoveError(f"output:={output} cannot be a folder, {folder} is a file")
    free, needed = shutil.disk_usage(folder).free, FREE_BYTES_RECORDING if recording else FREE_BYTES
    if free < needed:
        raise ImoveError(f"the disk of {folder} has {free / 1e9:.1f} GB free; the run needs {needed / 1e9:.1f} GB")


def check_output(output: Path, settings: Mapping[str, object]) -> None:
    """The output folder is new, or holds an unfinished run with the same settings.

    Args:
        output: Folder, need not exist yet.
        settings: Parameters of the evaluator.
    """
    from imove_eval.store import check_resumable

    check_resumable(output, dict(settings))
