"""Where a run keeps its logs."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path


def log_parent(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of all runs that name none: `$ROS_LOG_DIR`, or `.imove/log` where imove was started."""
    return Path(environ.get("ROS_LOG_DIR") or ".imove/log").expanduser().absolute()


def make_log_dir(parent: Path, now: datetime) -> Path:
    """Makes the log folder of one run, and points the link `latest` beside it to it.

    Args:
        parent: Made when missing.
        now: Local time, which names the folder.
    """
    parent.mkdir(parents=True, exist_ok=True)
    stamp, attempt = f"{now:%Y-%m-%d-%H-%M-%S}", 1
    while True:
        folder = parent / (stamp if attempt == 1 else f"{stamp}-{attempt}")
        try:
            folder.mkdir()
            break
        except FileExistsError:
            attempt += 1
    _point_latest_to(folder)
    return folder


def _point_latest_to(folder: Path) -> None:
    latest, new = folder.parent / "latest", folder.parent / f".latest-{folder.name}"
    if latest.exists() and not latest.is_symlink():
        return
    new.symlink_to(folder.name, target_is_directory=True)
    new.replace(latest)
