"""Where a rerun recording is seen: a window, a browser on a machine without a display, or a file."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import rerun as rr

from imove_bringup.rerun_page import serve_page

_HOST = "127.0.0.1"
_RERUN = (sys.executable, "-m", "rerun_cli")
# The run beside it needs memory too; the oldest data goes first.
_MEMORY_LIMITS = ("--memory-limit", "2GB", "--server-memory-limit", "512MB")


def show(recording: rr.RecordingStream, save_to: str, environ: Mapping[str, str] = os.environ) -> str:
    """Connects a recording to where it is seen.

    The viewer is a process of its own that listens on this host only; it ends with this process's group. It sends
    nothing elsewhere: rerun's usage analytics are switched off for it.

    Args:
        recording: The recording.
        save_to: An .rrd file to write instead of showing anything, "" for none.
        environ: Says whether there is a display, and where caches are kept.

    Returns:
        Where that is, for people.
    """
    if save_to:
        recording.save(save_to)
        return f"by: rerun {save_to}"
    port, web_port = _free_ports(2)
    address = f"rerun+http://{_HOST}:{port}/proxy"
    command = [*_RERUN, "--bind", _HOST, "--port", str(port), *_MEMORY_LIMITS]
    if environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"):
        where = "in a window"
        command += ["--hide-welcome-screen", "--expect-data-soon"]
    else:
        page = serve_page(f"http://{_HOST}:{web_port}", f"http://{_HOST}:{port}")
        where = f"at {page}/?{urlencode({'url': address})}"
        command += ["--serve-web", "--web-viewer-port", str(web_port)]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, env=viewer_environment(environ))
    recording.connect_grpc(address)
    return where


def viewer_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a rerun process that reports no usage; the user's own rerun settings stay as they are.

    Args:
        environ: The caller's.
    """
    cache = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    settings = cache / "imove" / "rerun-settings"
    settings.mkdir(parents=True, exist_ok=True)
    # Warnings alone, unless the caller wants more.
    environment = {"RUST_LOG": "warn", **environ, "XDG_CONFIG_HOME": str(settings)}
    command = [*_RERUN, "analytics", "disable"]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return environment


def _free_ports(count: int) -> list[int]:
    """TCP ports that nobody listens on now."""
    sockets = [socket.create_server((_HOST, 0)) for _ in range(count)]
    ports = [item.getsockname()[1] for item in sockets]
    for item in sockets:
        item.close()
    return ports
