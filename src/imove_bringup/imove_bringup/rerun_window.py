"""Where a rerun recording is seen: a window, a browser on a machine without a display, or a file."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlencode

import rerun as rr

from imove_bringup.guard import Guard
from imove_bringup.rerun_page import serve_page

_HOST = "127.0.0.1"
_RERUN = (sys.executable, "-m", "rerun_cli")
# The run beside it needs memory too; the oldest data goes first.
_MEMORY_LIMITS = ("--memory-limit", "2GB", "--server-memory-limit", "512MB")
_STOP_GRACE_S = 2.0


class Window:
    """What shows a recording.

    Attributes:
        where: Where that is, for people.
    """

    def __init__(self, recording: rr.RecordingStream, where: str, held: ExitStack) -> None:
        """Takes what `close` ends."""
        self.where = where
        self._recording = recording
        self._held = held

    def close(self) -> None:
        """Hands over what is still waiting, and ends the viewer."""
        self._recording.disconnect()
        self._held.close()


def show(recording: rr.RecordingStream, save_to: str, environ: Mapping[str, str] = os.environ) -> Window:
    """Connects a recording to where it is seen.

    The viewer is a process of its own that listens on this host only, and ends with this one, however that ends. It
    sends nothing elsewhere: rerun's usage analytics are switched off for it.

    Args:
        recording: The recording.
        save_to: An .rrd file to write instead of showing anything, "" for none.
        environ: Says whether there is a display, and where caches are kept.
    """
    held = ExitStack()
    if save_to:
        recording.save(save_to)
        return Window(recording, f"by: rerun {save_to}", held)
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
    # In a group of its own, so that a Ctrl-C leaves it alive until it has received everything.
    viewer = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=viewer_environment(environ), process_group=0)
    held.enter_context(Guard(_STOP_GRACE_S)).watch(-viewer.pid)
    held.callback(_stop, viewer)
    recording.connect_grpc(address)
    return Window(recording, where, held)


def _stop(viewer: "subprocess.Popen[bytes]") -> None:
    os.killpg(viewer.pid, signal.SIGINT)
    # What does not stop is left to the guard.
    with suppress(subprocess.TimeoutExpired):
        viewer.wait(_STOP_GRACE_S)


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
