"""The emergency stop: says it on the topic, and keeps it said for nodes that come later."""

from __future__ import annotations

from rclpy.node import Node
from std_msgs.msg import Bool

from imove_console.board import Board
from imove_console.controls import Answer
from imove_console.state import Stop
from imove_core import contract
from imove_ros.qos import ContractTopics


class StopSwitch:
    """Publishes only what a person asks for; before that, nothing.

    The topic is latched by each publisher for itself. A stop that another program has said, and that is gone since,
    would not reach a driver that starts later; so a stop that is heard is said here too. A release is never repeated:
    it could undo a stop that somebody presses at the same moment.
    """

    def __init__(self, node: Node, topics: ContractTopics, board: Board) -> None:
        """Subscribes and publishes.

        Args:
            node: Whose view of the graph counts.
            topics: Of the node.
            board: Told of every change.
        """
        self._node, self._board = node, board
        self._held_here = False
        self._publisher = topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)
        topics.subscribe(Bool, contract.EMERGENCY_STOP_TOPIC, self._on_heard)

    def set(self, on: bool) -> Answer:
        """Says that every arm is to hold, or that it need not any more; from any thread."""
        self._held_here = on
        self._publisher.publish(Bool(data=on))
        self._board.take_stop(Stop(on, held_here=on))
        # This node's own subscription is one of them.
        listeners = max(0, self._node.count_subscribers(contract.EMERGENCY_STOP_TOPIC) - 1)
        if not on:
            return Answer(True, "emergency stop released; arms stay locked until they are resumed")
        if not listeners:
            return Answer(False, "emergency stop was sent, but nobody listens: press the button at the robot")
        return Answer(True, f"emergency stop sent to {listeners} node{'s' if listeners > 1 else ''}")

    def _on_heard(self, message: Bool) -> None:
        if message.data and not self._held_here:
            self._held_here = True
            self._publisher.publish(message)
        self._board.take_stop(Stop(message.data, self._held_here))
