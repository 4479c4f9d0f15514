"""What a person's `resume` sets going: recovery where there was an error, then the unlocking of the arm."""

from __future__ import annotations

from imove_core.errors import ImoveError
from imove_hardware.arm_state import Mode
from imove_hardware.franka.adapter import FrankaAdapter
from imove_hardware.franka.returning import Returning, until
from imove_hardware.franka.watching import RobotMode

BACK_TIMEOUT_S = 10.0
"""From the activation of its controllers until an arm is heard again without a fault."""


class Resuming:
    """Does one resumption at a time."""

    def __init__(self, adapter: FrankaAdapter, returning: Returning) -> None:
        """Serves an adapter.

        Args:
            adapter: Of the arm.
            returning: To its controllers.
        """
        self._adapter, self._returning = adapter, returning
        self._busy = False

    async def resume(self) -> str:
        """Unlocks the arm; says what comes of it, or raises ImoveError with why not."""
        adapter = self._adapter
        if self._busy:
            raise ImoveError("the arm is being brought back already")
        self._busy = True
        try:
            if adapter.state.stopped or adapter.state.mode is Mode.LOCKED:
                return adapter.resume()
            if adapter.needs_recovery:
                await self._recover()
            if adapter.state.locked:
                # Whatever still runs is left as it is.
                await self._returning.activate()
                await until(lambda: adapter.state.mode is Mode.LOCKED, BACK_TIMEOUT_S)
            return adapter.resume()
        finally:
            self._busy = False

    async def _recover(self) -> None:
        """Clears the error; an arm that only fell silent may have none."""
        robot = self._adapter.hearing.robot
        try:
            await self._returning.recover()
        except ImoveError:
            if robot is not None and robot.mode is RobotMode.REFLEX:
                raise
