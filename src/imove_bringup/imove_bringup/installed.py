"""Where installed ROS packages keep their files."""

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from imove_core.errors import ImoveError


def package_prefix(package: str) -> Path:
    """The folder under which a package is installed.

    Raises:
        ImoveError: The package is not installed.
    """
    try:
        return Path(get_package_prefix(package))
    except (PackageNotFoundError, OSError):
        raise ImoveError(f"ROS package {package} is not installed in this environment, see AMENT_PREFIX_PATH") from None


def executable_path(package: str, executable: str) -> Path:
    """The file that runs a node.

    Raises:
        ImoveError: The package or the executable is not installed.
    """
    folder = package_prefix(package) / "lib" / package
    path = folder / executable
    if not path.is_file():
        names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
        raise ImoveError(
            f"ROS package {package} has no executable {executable!r}; it has: {', '.join(names) or 'none'}"
        )
    return path


def share_file(relative: str) -> Path:
    """The path of a data file of imove_bringup, e.g. "config/fastdds.xml".

    Raises:
        ImoveError: The package is not installed.
    """
    return package_prefix("imove_bringup") / "share" / "imove_bringup" / relative
