"""DDS settings that every process of a graph needs."""

from collections.abc import Mapping
from pathlib import Path

from imove_bringup.installed import share_file

# Fast DDS's default shared memory segment is smaller than one 640x480 image, so that best-effort images get lost. This
# built-in transport set carries them, but has no effect while discovery stays on this host; there a profile does it.
_LARGE_DATA = "LARGE_DATA?max_msg_size=2MB&sockets_size=2MB&non_blocking=true"
_PROFILE = "config/fastdds.xml"
_FAST_DDS_CHOICES = (
    "FASTDDS_BUILTIN_TRANSPORTS",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "FASTRTPS_DEFAULT_PROFILES_FILE",
)
_RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
_THIS_HOST = "LOCALHOST"
_DISCOVERY_CHOICES = (_RANGE, "ROS_LOCALHOST_ONLY", "ROS_DISCOVERY_SERVER")


def transport_defaults(environ: Mapping[str, str], profile: Path | None = None) -> dict[str, str]:
    """Variables that carry camera images without loss and keep discovery on this host.

    Args:
        environ: The caller's environment.
        profile: Fast DDS profile for one host; None for the installed one.

    Returns:
        Only what the caller has not decided: own Fast DDS profiles or an own discovery range are left alone.
    """
    defaults = {}
    if not any(name in environ for name in _DISCOVERY_CHOICES):
        defaults[_RANGE] = _THIS_HOST
    if not any(name in environ for name in _FAST_DDS_CHOICES):
        if defaults.get(_RANGE, environ.get(_RANGE)) == _THIS_HOST:
            defaults["FASTDDS_DEFAULT_PROFILES_FILE"] = str(profile or share_file(_PROFILE))
        else:
            defaults["FASTDDS_BUILTIN_TRANSPORTS"] = _LARGE_DATA
    return defaults
