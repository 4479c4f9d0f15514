"""Checks before anything starts: what a graph names must exist, and this machine must be able to run it.

Each check raises ImoveError with one sentence. Lower packages are imported inside the checks, so that only
the ones a graph needs are loaded.
"""

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from imove_bringup.installed import executable_path
from imove_core.errors import ImoveError

# The recorder's reserve, and room for a hundred simulated episodes.
RECORDING_BYTES = 2_000_000_000


def check_assets(assets: str) -> None:
    """The corpus folders, separated by commas, can be opened together with the shipped objects."""
    if assets:
        from imove_tasks.assets.library import folders_from, open_library

        open_library(folders_from(assets))


def check_suite(suite: str, rig: str, *, episodes: int) -> None:
    """The suite is a shipped one or a valid suite file, is for the rig, and has so many episodes."""
    from imove_tasks.suites import open_suite

    opened = open_suite(suite)
    opened.open_rig(rig)
    opened.first(episodes)


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


def check_run(parameters: Mapping[str, object]) -> None:
    """Suite, rig and conditions go together, and the output folder is new or holds the same run or comparison.

    Args:
        parameters: Of the evaluator.
    """
    from imove_eval.blinded.study import Study
    from imove_eval.output_folder import check_free_space
    from imove_eval.settings import run_from
    from imove_eval.store import check_resumable

    output = Path(str(parameters["output"]))
    if parameters["policies"]:
        Study.of(parameters).check(output)
    else:
        check_resumable(output, run_from(parameters).settings)
    check_free_space(output)


def check_recording(record: bool, output: str) -> None:
    """Where something is to be recorded, the disk has room for it."""
    if record:
        from imove_eval.output_folder import check_free_space

        check_free_space(Path(output), RECORDING_BYTES)
