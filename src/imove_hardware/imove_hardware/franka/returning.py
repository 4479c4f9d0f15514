"""Brings a Franka back after a reflex: clears the error, activates the hardware interface, then its controllers.

With franka_ros2 over ros2_control of Jazzy and later an error ends the hardware interface and everything that runs on
it; all three have to be asked for. It happens on a person's word only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from controller_manager_msgs.srv import SetHardwareComponentState, SwitchController
from franka_msgs.action import ErrorRecovery
from lifecycle_msgs.msg import State
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future

from imove_core.errors import ImoveError
from imove_hardware.franka.names import FrankaNames

STEP_TIMEOUT_S = 8.0
BROADCASTERS = ("joint_state_broadcaster", "franka_robot_state_broadcaster")


class _Turn:
    """Gives the executor one turn."""

    def __await__(self) -> Any:
        yield


async def until(done: Callable[[], bool], timeout_s: float) -> bool:
    """Lets the executor work until something is so; whether it was in time."""
    deadline_s = time.monotonic() + timeout_s
    while not done():
        if time.monotonic() > deadline_s:
            return False
        await _Turn()
    return True


class Returning:
    """Talks to the arm's action server and to its controller manager."""

    def __init__(self, node: Node, names: FrankaNames, component: str) -> None:
        """Creates the clients.

        Args:
            node: Whose they are.
            names: Of the arm.
            component: The arm's hardware component.
        """
        self._names, self._component = names, component
        manager = f"{names.namespace}/controller_manager"
        self._recovery = ActionClient(node, ErrorRecovery, names.error_recovery)
        self._hardware = node.create_client(SetHardwareComponentState, f"{manager}/set_hardware_component_state")
        self._switch = node.create_client(SwitchController, f"{manager}/switch_controller")

    async def recover(self) -> None:
        """Clears the arm's error; raises ImoveError with why not."""
        if not self._recovery.server_is_ready():
            raise ImoveError(f"nobody serves {self._names.error_recovery}; does franka_ros2 run?")
        goal = await _answer(self._recovery.send_goal_async(ErrorRecovery.Goal()), self._names.error_recovery)
        if not goal.accepted:
            raise ImoveError(f"{self._names.error_recovery} refused to recover")
        answer = await _answer(goal.get_result_async(), self._names.error_recovery)
        if answer.status != GoalStatus.STATUS_SUCCEEDED:
            raise ImoveError("the arm does not recover from its error; look at Desk")

    async def activate(self) -> None:
        """Activates hardware interface and controllers, those that are not; raises ImoveError with why not."""
        for client in (self._hardware, self._switch):
            if not client.service_is_ready():
                raise ImoveError(f"nobody serves {client.srv_name}; does the controller manager run?")
        active = State(id=State.PRIMARY_STATE_ACTIVE, label="active")
        request = SetHardwareComponentState.Request(name=self._component, target_state=active)
        if not (await _answer(self._hardware.call_async(request), self._hardware.srv_name)).ok:
            raise ImoveError(f"the controller manager does not activate {self._component}")
        controllers = [*BROADCASTERS, self._names.controller]
        switch = SwitchController.Request(
            activate_controllers=controllers, strictness=SwitchController.Request.BEST_EFFORT, activate_asap=True
        )
        switch.timeout.sec = int(STEP_TIMEOUT_S / 2)
        if not (await _answer(self._switch.call_async(switch), self._switch.srv_name)).ok:
            raise ImoveError(f"the controller manager does not activate {', '.join(controllers)}")


async def _answer(future: Future, name: str) -> Any:
    if not await until(future.done, STEP_TIMEOUT_S):
        raise ImoveError(f"{name} has not answered for {STEP_TIMEOUT_S:g} s")
    return future.result()
