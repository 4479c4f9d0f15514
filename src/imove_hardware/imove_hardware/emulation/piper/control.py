"""What a test, or a person, may ask of running emulated arms: faults, a guiding hand, a report."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from imove_core.errors import ImoveError, unknown_name
from imove_core.values import FrozenValue, first_fault
from imove_hardware.emulation.piper.faults import ArmFaults, LineFaults
from imove_hardware.emulation.piper.line import Line

_MOST_BYTES = 65536
Angle = Annotated[float, Field(ge=-7.0, le=7.0)]
SixAngles = Annotated[tuple[Angle, ...], Field(min_length=6, max_length=6)]
SixLimits = Annotated[tuple[tuple[Angle, Angle], ...], Field(min_length=6, max_length=6)]


class Guide(FrozenValue):
    """Where a person's hand has an arm: joints in rad, opening of the gripper in m."""

    joints_rad: SixAngles
    opening_m: Annotated[float, Field(ge=0.0, le=0.1)]


class Request(FrozenValue):
    """One line of JSON; what is left out stays as it is.

    Attributes:
        arm: Whose faults, guide, limits or firmware are meant.
        line: Whose line faults are meant.
        arm_faults: All faults of the arm from now on.
        line_faults: All faults of the line from now on.
        guide: Where a hand has the arm.
        limits_rad: Joint limits that its controller keeps, as after a botched setting.
        firmware: Eight characters, as `S-V1.8-8`.
    """

    arm: str = ""
    line: str = ""
    arm_faults: ArmFaults | None = None
    line_faults: LineFaults | None = None
    guide: Guide | None = None
    limits_rad: SixLimits | None = None
    firmware: Annotated[str, Field(pattern=r"^[ -~]{8}$")] | None = None


class Desk:
    """Obeys requests."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Speaks for all arms of some lines."""
        self._lines = {line.channel: line for line in lines}
        self._arms = {arm.name: arm for line in lines for arm in line.arms}

    def obey(self, request: Request) -> dict[str, Any]:
        """Does what is asked and returns a report on every arm.

        Raises:
            ImoveError: No such arm or line, or something is asked of none.
        """
        if request.line_faults is not None:
            if request.line not in self._lines:
                raise unknown_name("line", request.line, self._lines)
            self._lines[request.line].faults = request.line_faults
        if any((request.arm_faults, request.guide, request.limits_rad, request.firmware)):
            if request.arm not in self._arms:
                raise unknown_name("arm", request.arm, self._arms)
            arm = self._arms[request.arm]
            arm.faults = request.arm_faults or arm.faults
            if request.guide is not None:
                arm.guide(request.guide.joints_rad, request.guide.opening_m)
            arm.registers.limits_rad = list(request.limits_rad or arm.registers.limits_rad)
            arm.registers.firmware = request.firmware or arm.registers.firmware
        return {"arms": [arm.report() for arm in self._arms.values()]}

    def answer(self, text: str) -> dict[str, Any]:
        """Obeys a line of JSON; `{"error": sentence}` where it cannot be obeyed."""
        try:
            return self.obey(Request.model_validate_json(text))
        except ValidationError as error:
            return {"error": first_fault(error, "the request")}
        except ImoveError as error:
            return {"error": str(error)}


class ControlServer:
    """Takes requests on a loopback port, one line of JSON each, and answers each with a line; a context manager.

    Attributes:
        port: Where it listens on 127.0.0.1.
    """

    def __init__(self, desk: Desk, port: int = 0) -> None:
        """Starts to listen.

        Args:
            desk: Obeys.
            port: 0 for any free one.

        Raises:
            ImoveError: The port is taken.
        """

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while (line := self.rfile.readline(_MOST_BYTES)).endswith(b"\n"):
                    self.wfile.write(json.dumps(desk.answer(line.decode("utf-8", "replace"))).encode() + b"\n")

        socketserver.ThreadingTCPServer.allow_reuse_address = True
        try:
            self._server = socketserver.ThreadingTCPServer(("127.0.0.1", port), Handler)
        except OSError as error:
            raise ImoveError(
                f"port {port} on 127.0.0.1 cannot be listened on ({error}); allowed: a free port, 0"
            ) from error
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="emulator_control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()
