"""The hand's actions of franka_ros2: one goal at a time, told when it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from franka_msgs.action import Grasp, Homing, Move
from franka_msgs.msg import GraspEpsilon
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future

from imove_hardware.franka.gripping import CANCELLED, HandOrder, OrderKind
from imove_hardware.franka.names import FrankaNames

ANY_WIDTH_M = 0.1
"""Tolerance of a grasp: wider than any hand, for it is to press on whatever is there."""
_ACTIONS: dict[OrderKind, tuple[str, Any]] = {
    OrderKind.MOVE: ("move", Move),
    OrderKind.GRASP: ("grasp", Grasp),
    OrderKind.HOME: ("homing", Homing),
}


class HandClient:
    """Carries out the orders of a hand."""

    def __init__(self, node: Node, names: FrankaNames, on_finished: Callable[[str], None]) -> None:
        """Creates the clients.

        Args:
            node: Whose they are.
            names: Of the actions.
            on_finished: Told why an order failed, "" where it did not.
        """
        self._clients = {
            kind: ActionClient(node, action, names.hand(name)) for kind, (name, action) in _ACTIONS.items()
        }
        self._names, self._on_finished = names, on_finished
        self._goal: Any = None
        self._cancelled = False

    def start(self, order: HandOrder) -> None:
        """Begins to."""
        client = self._clients[order.kind]
        name = self._names.hand(_ACTIONS[order.kind][0])
        if not client.server_is_ready():
            self._on_finished(f"nobody serves {name}; does the hand's node run?")
            return
        self._goal, self._cancelled = None, False
        client.send_goal_async(_goal(order)).add_done_callback(lambda future: self._accepted(future, name))

    def cancel(self) -> None:
        """Stops what the hand does, as soon as it has begun."""
        self._cancelled = True
        if self._goal is not None:
            self._goal.cancel_goal_async()

    def _accepted(self, future: Future, name: str) -> None:
        goal = future.result()
        if not goal.accepted:
            self._on_finished(f"{name} refused the goal")
            return
        self._goal = goal
        goal.get_result_async().add_done_callback(lambda done: self._done(done, name))
        if self._cancelled:
            goal.cancel_goal_async()

    def _done(self, future: Future, name: str) -> None:
        answer, self._goal = future.result(), None
        if answer.status == GoalStatus.STATUS_SUCCEEDED and answer.result.success:
            self._on_finished("")
        elif answer.status == GoalStatus.STATUS_CANCELED:
            self._on_finished(CANCELLED)
        else:
            self._on_finished(f"{name} failed{f': {answer.result.error}' if answer.result.error else ''}")


def _goal(order: HandOrder) -> Any:
    if order.kind is OrderKind.MOVE:
        return Move.Goal(width=order.opening_m, speed=order.speed_m_s)
    if order.kind is OrderKind.GRASP:
        epsilon = GraspEpsilon(inner=ANY_WIDTH_M, outer=ANY_WIDTH_M)
        return Grasp.Goal(width=order.opening_m, speed=order.speed_m_s, force=order.force_n, epsilon=epsilon)
    return Homing.Goal()
