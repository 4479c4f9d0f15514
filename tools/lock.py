"""Writes requirements/lock-pyXY.txt: the exact version of everything that requirements/*.in bring in.

Run it with the Python of a fresh environment into which those files were just installed:

    python3.11 -m venv ENV && ENV/bin/pip install -r requirements/base.in -r requirements/dev.in \
        -r requirements/build.in -r requirements/ros.in && ENV/bin/python tools/lock.py

The lock has two parts. What only the ROS 2 wheels need stands below MARKER and is left out of an environment on
top of a sourced ROS 2 installation. Lock a Python version only after a build and the tests ran with it.
"""

import re
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
MARKER = "# --- ROS 2 from wheels: everything below is left out where a ROS 2 is sourced ---"

# colcon needs these two as well, but the message generators of a sourced ROS 2 need the version it came with.
GENERATOR_TOOLS = {"catkin-pkg", "empy"}


def named_in(*files: str) -> list[str]:
    """Returns the canonical names that requirement files of this folder list."""
    lines = [line for file in files for line in (REQUIREMENTS / file).read_text(encoding="utf-8").splitlines()]
    return [canonicalize_name(Requirement(line).name) for line in lines if re.match(r"\s*[A-Za-z]", line)]


def closure(names: Iterable[str]) -> dict[str, str]:
    """Returns name -> installed version for `names` and everything they depend on here.

    Raises:
        importlib.metadata.PackageNotFoundError: when one of them is not installed.
    """
    versions: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in versions:
            continue
        distribution = metadata.distribution(name)
        versions[name] = distribution.version
        for text in distribution.requires or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return versions


def main() -> None:
    """Writes the lock of the running Python version."""
    everything = closure(named_in("base.in", "dev.in", "build.in", "ros.in"))
    common = closure(named_in("base.in", "dev.in", "build.in")).keys() - GENERATOR_TOOLS
    version = "{}.{}".format(*sys.version_info)
    path = REQUIREMENTS / f"lock-py{version.replace('.', '')}.txt"
    lines = [f"# Python {version}; written by tools/lock.py from the .in files beside it."]
    lines += [f"{name}=={everything[name]}" for name in sorted(common)]
    lines += [MARKER]
    lines += [f"{name}=={everything[name]}" for name in sorted(everything.keys() - common)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(everything)} packages")


if __name__ == "__main__":
    main()
