"""Sends commands of people to the nodes that serve them."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from imove_interfaces.srv import OperatorCommand
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from imove_console.commands import ENABLE_ARM, RESUME_ARM, TELEOP, TRIAL, Command
from imove_console.controls import Answer
from imove_console.stop_switch import StopSwitch
from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import Rig


class ServiceControls:
    """Carries commands out by services, and the emergency stop by its topic."""

    def __init__(self, node: Node, rig: Rig, stop_switch: StopSwitch) -> None:
        """Creates the clients."""
        self._stop_switch = stop_switch
        self._clients: dict[tuple[str, str], Any] = {
            (TRIAL, ""): node.create_client(OperatorCommand, contract.TRIAL_COMMAND_SERVICE),
            (TELEOP, ""): node.create_client(OperatorCommand, contract.TELEOP_COMMAND_SERVICE),
        }
        for arm in rig.arms:
            resume, enable = contract.arm_resume_service(arm.name), contract.arm_enable_service(arm.name)
            self._clients[RESUME_ARM, arm.name] = node.create_client(Trigger, resume)
            self._clients[ENABLE_ARM, arm.name] = node.create_client(SetBool, enable)

    def stop(self, on: bool) -> Answer:
        """Says on the emergency stop's topic whether every arm is to hold."""
        return self._stop_switch.set(on)

    def command(self, command: Command) -> Future[Answer]:
        """Calls the service of a command; raises ImoveError where nobody serves it."""
        by_arm = command.target in (RESUME_ARM, ENABLE_ARM)
        client = self._clients[command.target, command.command if by_arm else ""]
        if not client.service_is_ready():
            raise ImoveError(f"{command.command} was not sent: nobody serves {client.srv_name}")
        answered: Future[Answer] = Future()
        client.call_async(_request(command)).add_done_callback(lambda future: _pass_on(future, answered))
        return answered


def _request(command: Command) -> Any:
    if command.target == RESUME_ARM:
        return Trigger.Request()
    if command.target == ENABLE_ARM:
        return SetBool.Request(data=True)
    return OperatorCommand.Request(command=command.command, argument_json=command.argument_json)


def _pass_on(called: Any, answered: Future[Answer]) -> None:
    if not answered.set_running_or_notify_cancel():
        return
    if (error := called.exception()) is not None:
        answered.set_result(Answer(False, f"the call failed: {error}"))
        return
    response = called.result()
    ok = response.ok if hasattr(response, "ok") else response.success
    answered.set_result(Answer(ok, response.message))
