"""Writes the URDF, MJCF and mesh files of every arm model, or checks that those on disk are up to date.

Run ``python -m imove_description.generate [--check]`` after a change of an arm file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from imove_description.arm_model import ArmModel, arm_names, load_arm_model
from imove_description.meshes import mesh_files
from imove_description.mjcf import arm_mjcf
from imove_description.urdf import arm_urdf


def generated_files(model: ArmModel) -> dict[str, bytes]:
    """Every file that is derived from an arm model: path relative to the share folder, to content."""
    files = {
        f"urdf/{model.name}.urdf": arm_urdf(model).encode(),
        f"mjcf/{model.name}.xml": arm_mjcf(model, mesh_folder="../meshes").encode(),
    }
    return files | {f"meshes/{name}": content for name, content in mesh_files(model).items()}


def stale_files(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Paths, relative to folder, that are missing, differ, or are not generated any more; sorted."""
    stale = {path for path, content in files.items() if not _holds(folder / path, content)}
    for subfolder in {Path(path).parent for path in files}:
        present = {(subfolder / entry.name).as_posix() for entry in (folder / subfolder).glob("*")}
        stale |= present - set(files)
    return sorted(stale)


def write_files(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Brings the files below folder up to date; returns the paths that changed, sorted."""
    stale = stale_files(folder, files)
    for path in stale:
        if path in files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(files[path])
        else:
            (folder / path).unlink()
    return stale


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status: 1 if --check found a stale file, else 0."""
    parser = argparse.ArgumentParser(prog="imove_description.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    parser.add_argument(
        "--folder",
        type=Path,
        default=_source_folder(),
        help="folder that holds urdf, mjcf and meshes (default: that of the source package)",
    )
    options = parser.parse_args(arguments)
    if options.folder is None:
        parser.error("imove_description is installed without its source, so --folder must be given")
    files: dict[str, bytes] = {}
    for name in arm_names():
        files |= generated_files(load_arm_model(name))
    stale = stale_files(options.folder, files) if options.check else write_files(options.folder, files)
    for path in stale:
        print(f"{'stale' if options.check else 'wrote'} {path}")
    return 1 if options.check and stale else 0


def _source_folder() -> Path | None:
    folder = Path(__file__).resolve().parents[1]
    return folder if (folder / "package.xml").is_file() else None


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


if __name__ == "__main__":
    sys.exit(main())
