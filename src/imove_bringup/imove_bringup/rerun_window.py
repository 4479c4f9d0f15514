"""Where a rerun recording is seen: a window, a browser on a machine without a display, or a file."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping

import rerun as rr

_HOST = "127.0.0.1"
# The run beside it needs memory too; the oldest data goes first.
_MEMORY_LIMITS = ("--memory-limit", "2GB", "--server-memory-limit", "512MB")


def show(recording: rr.RecordingStream, save_to: str, environ: Mapping[str, str] = os.environ) -> str:
    """Connects a recording to where it is seen.

    The viewer is a process of its own that listens on this host only; it ends with this process's group.

    Args:
        recording: The recording.
        save_to: An .rrd file to write instead of showing anything, "" for none.
        environ: Says whether there is a display.

    Returns:
        Where that is, for people.
    """
    if save_to:
        recording.save(save_to)
        return f"by: rerun {save_to}"
    port, web_port = _free_ports(2)
    address = f"rerun+http://{_HOST}:{port}/proxy"
    command = [sys.executable, "-m", "rerun", "--bind", _HOST, "--port", str(port), *_MEMORY_LIMITS]
    if environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"):
        where = "in a window"
        command += ["--hide-welcome-screen", "--expect-data-soon"]
    else:
        where = f"at http://{_HOST}:{web_port}/?url={address}"
        command += ["--serve-web", "--web-viewer-port", str(web_port)]
    subprocess.Popen(command, stdin=subprocess.DEVNULL)
    recording.connect_grpc(address)
    return where


def _free_ports(count: int) -> list[int]:
    """TCP ports that nobody listens on now."""
    sockets = [socket.create_server((_HOST, 0)) for _ in range(count)]
    ports = [item.getsockname()[1] for item in sockets]
    for item in sockets:
        item.close()
    return ports
