"""The bag player: publishes the messages of an episode bag, or its commands alone to a simulator."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from imove_interfaces.srv import ResetEpisode
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from imove_bringup.replay.playing import CommandTrack, Pacer
from imove_core import contract
from imove_core.bag.facts import SPEC_ATTACHMENT
from imove_core.bag.reader import EpisodeBag
from imove_core.errors import ImoveError
from imove_ros.conversions import ns_from_time
from imove_ros.node_main import run_work
from imove_ros.parameters import declare
from imove_ros.qos import profile

ACKNOWLEDGED = Duration(seconds=2)
SIMULATOR_TIMEOUT_S = 10.0
POLL_S = 0.01


class BagPlayer(Node):
    """Publishes serialised messages with the types and the QoS of a bag."""

    def __init__(self) -> None:
        """Reads the parameters and opens the bag; raises ImoveError where it cannot be."""
        super().__init__("bag_player")
        self.bag = EpisodeBag(Path(declare(self, "bag", "")))
        self.rate = declare(self, "rate", 1.0)
        self.commands_only = declare(self, "commands_only", False)
        self.listeners = declare(self, "listeners", 0)
        self.stay = declare(self, "stay", False)
        self.clock_ns = -1
        commands = {contract.joint_trajectory_topic(arm.name) for arm in self.bag.rig().arms}
        wanted = [topic for topic in self.bag.topics if not self.commands_only or topic.name in commands]
        self._outlets = {
            topic.name: self.create_publisher(_message_class(topic.type), topic.name, profile(topic.qos))
            for topic in wanted
        }
        if self.commands_only:
            self.create_subscription(Clock, contract.CLOCK_TOPIC, self._on_clock, 1)

    def _on_clock(self, message: Clock) -> None:
        self.clock_ns = ns_from_time(message.clock)

    def publish(self, topic: str, cdr: bytes) -> None:
        """Sends a serialised message."""
        self._outlets[topic].publish(cdr)

    def wait_for_listeners(self) -> None:
        """Waits until as many nodes as are expected listen to the objects; not for ever, since they may not want to."""
        publisher = self._outlets[contract.OBJECTS_TOPIC]
        deadline_s = time.monotonic() + SIMULATOR_TIMEOUT_S
        while publisher.get_subscription_count() < self.listeners and time.monotonic() < deadline_s:
            time.sleep(POLL_S)

    def flush(self) -> None:
        """Waits until every reliable listener has what was published."""
        for publisher in self._outlets.values():
            publisher.wait_for_all_acked(ACKNOWLEDGED)

    def reset_simulator(self) -> int:
        """Sets up the bag's episode in the simulator; returns the stamp at which it begins, ns.

        Raises:
            ImoveError: No simulator is there, or it cannot set the episode up.
        """
        client = self.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)
        if not client.wait_for_service(SIMULATOR_TIMEOUT_S):
            raise ImoveError("no simulator is running; start one with ./imove launch sim.launch.py clock:=realtime")
        facts = self.bag.custom_data
        request = ResetEpisode.Request(
            episode_id=facts.get("episode_id", self.bag.name),
            condition=facts.get("condition", "normal"),
            spec_json=self.bag.attachments[SPEC_ATTACHMENT].decode(),
        )
        future = client.call_async(request)
        while not future.done():
            time.sleep(POLL_S)
        response = future.result()
        if not response.ok:
            raise ImoveError(f"the simulator cannot set up the bag's episode: {response.message}")
        return ns_from_time(response.stamp)

    def send_commands(self) -> int:
        """Sends the bag's commands to the simulator in its own time; returns how many.

        Raises:
            ImoveError: No simulator is there, or it takes no commands from a topic.
        """
        track = CommandTrack(self.bag)
        start_ns = self.reset_simulator()
        for command in track.commands:
            if not self._outlets[command.topic].get_subscription_count():
                raise ImoveError(
                    f"nobody takes commands from {command.topic}; start the simulator with clock:=realtime"
                )
            self._wait_until(start_ns + command.due_ns)
            self.publish(command.topic, track.stamped(command, start_ns))
        self._wait_until(start_ns + track.length_ns)
        return len(track.commands)

    def _wait_until(self, stamp_ns: int) -> None:
        while self.clock_ns < stamp_ns:
            time.sleep(POLL_S)


def play(player: BagPlayer) -> int:
    """Plays the bag and says what was played; returns the exit status."""
    if player.commands_only:
        sent = player.send_commands()
        print(f"{player.bag.name}: {sent} commands sent", flush=True)
        return 0
    player.wait_for_listeners()
    pacer = Pacer(player.rate, time.monotonic, time.sleep)
    count = pacer.play(player.bag, player.publish)
    player.flush()
    print(f"{player.bag.name}: {count} messages published", flush=True)
    if player.stay:
        print("Ctrl-C closes the view", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    return 0


def _message_class(name: str) -> Any:
    """The class of `package/msg/Type`; raises ImoveError where it is not installed."""
    package, _, kind = name.partition("/msg/")
    try:
        return getattr(import_module(f"{package}.msg"), kind)
    except (ImportError, AttributeError) as error:
        raise ImoveError(f"message type {name} of the bag is not installed here") from error


def main() -> None:
    """Runs the node; exits 0 when everything was played."""
    run_work(BagPlayer, play)
