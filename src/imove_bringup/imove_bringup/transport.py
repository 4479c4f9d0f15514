"""DDS settings that every process of a graph needs."""

from collections.abc import Mapping

# Fast DDS's default shared memory segment is smaller than one 640x480 image, so that best-effort images get
# lost; this built-in transport set carries them.
_LARGE_DATA = "LARGE_DATA?max_msg_size=2MB&sockets_size=2MB&non_blocking=true"
_FAST_DDS_CHOICES = (
    "FASTDDS_BUILTIN_TRANSPORTS",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "FASTRTPS_DEFAULT_PROFILES_FILE",
)
_DISCOVERY_CHOICES = ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "ROS_DISCOVERY_SERVER")


def transport_defaults(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that carry camera images without loss and keep discovery on this host.

    Args:
        environ: The caller's environment.

    Returns:
        Only what the caller has not decided: own Fast DDS profiles or an own discovery range are left alone.
    """
    defaults = {}
    if not any(name in environ for name in _FAST_DDS_CHOICES):
        defaults["FASTDDS_BUILTIN_TRANSPORTS"] = _LARGE_DATA
    if not any(name in environ for name in _DISCOVERY_CHOICES):
        defaults["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    return defaults
