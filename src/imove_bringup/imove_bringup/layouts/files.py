"""Layout files of rigs: which there are, and what is in them."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from imove_bringup.layouts.foxglove import foxglove_layout
from imove_bringup.layouts.rviz import rviz_config
from imove_core.rig import Rig

DOMAINS = ("sim", "real")


def layout_files(rig: Rig) -> dict[str, str]:
    """Contents by file name: `RIG.rviz`, and `RIG.DOMAIN.foxglove.json` for each domain."""
    files = _rviz_file(rig)
    for domain in DOMAINS:
        layout = foxglove_layout(rig, domain)
        files[f"{rig.name}.{domain}.foxglove.json"] = json.dumps(layout, indent=2) + "\n"
    return files


def temporary_rviz_file(rig: Rig) -> Path:
    """Writes a rig's layout of rviz2 for a graph that this process runs; the file goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="imove-view-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (path,) = write(folder, _rviz_file(rig))
    return path


def _rviz_file(rig: Rig) -> dict[str, str]:
    return {f"{rig.name}.rviz": yaml.safe_dump(rviz_config(rig), sort_keys=False)}


def write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Writes files into a folder, which is made if it is not there; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        partial = folder / f"{name}.partial"
        partial.write_text(content, encoding="utf-8")
        os.replace(partial, folder / name)
    return [folder / name for name in files]
