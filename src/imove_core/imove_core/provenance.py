"""Where a result comes from: versions, platform and source revision."""

import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("imove-core", "mujoco", "numpy", "scipy", "ros-rclpy", "ros-rmw-fastrtps-cpp")


def package_versions(names: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """Installed versions by distribution name; a package that is not installed is left out."""
    versions = {}
    for name in names:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def source_revision(folder: Path) -> str:
    """Git commit of the checkout that holds `folder`, with `-dirty` when files differ; "unknown" outside a checkout."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return result.stdout.strip() if result.returncode == 0 else "unknown"


def collect() -> dict[str, Any]:
    """Versions, platform and source revision as plain data."""
    return {
        "versions": {"python": platform.python_version(), **package_versions()},
        "platform": {
            "system": platform.system(),
            "machine": platform.machine(),
            "libc": platform.libc_ver()[1],
        },
        "revision": source_revision(Path(__file__).resolve().parent),
    }
