"""What the policy node hears: joints, images, objects, and the episode that is set up."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from imove_interfaces.msg import Episode, ObjectStates
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.policy import Observation, PolicyNeeds
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_ros.assembly import StampBuffer
from imove_ros.by_hand import Batches
from imove_ros.conversions import depth_mm_from, ns_from_time, objects_from, positions_of, rgb_from
from imove_ros.nearby import NearbyBuffer, ObservationBuffer
from imove_ros.qos import ContractTopics


class Inbox:
    """Subscribes to what a policy needs, and no more: nobody renders images for a policy that looks at none."""

    def __init__(
        self, topics: ContractTopics, rig: Rig, needs: PolicyNeeds, group: Any, batches: Batches | None = None
    ) -> None:
        """Subscribes in a callback group, so that messages arrive while an episode runs.

        Args:
            topics: Of the node that subscribes.
            rig: The embodiment.
            needs: Of the policy.
            group: The callback group.
            batches: Reads joints on the real table, where they come fast and with stamps of their own: what is
                nearest in time is taken. In simulation (None) what belongs together has one stamp.
        """
        self._rig, self._needs = rig, needs
        self._buffer: ObservationBuffer = StampBuffer() if batches is None else NearbyBuffer()
        self._changed = threading.Condition()
        self._episode: Episode | None = None
        self._instruction: str | None = None
        self._now_ns = 0

        def listen(message_type: type, topic: str) -> None:
            tells_time = message_type is JointState

            def receive(message: Any) -> None:
                stamp_ns = ns_from_time(message.header.stamp)
                self._buffer.put(topic, stamp_ns, message)
                if tells_time:
                    self._tick(stamp_ns)

            if tells_time and batches is not None:
                batches.subscribe(topics, message_type, topic, receive)
            else:
                topics.subscribe(message_type, topic, receive, callback_group=group)

        self._keys = [contract.joint_states_topic(arm.name) for arm in rig.arms]
        self._image_keys = [
            *(contract.color_topic(name) for name in needs.cameras),
            *(contract.depth_topic(name) for name in needs.depth),
        ]
        for topic in self._keys:
            listen(JointState, topic)
        for topic in self._image_keys:
            listen(Image, topic)
        if needs.objects:
            listen(ObjectStates, contract.OBJECTS_TOPIC)
            self._keys.append(contract.OBJECTS_TOPIC)
        topics.subscribe(Episode, contract.EPISODE_TOPIC, self._on_episode, callback_group=group)
        topics.subscribe(String, contract.INSTRUCTION_TOPIC, self._on_instruction, callback_group=group)

    def _tick(self, stamp_ns: int) -> None:
        with self._changed:
            self._now_ns = max(stamp_ns, self._now_ns)
            self._changed.notify_all()

    def begin(self, stamp_ns: int) -> None:
        """Sets the present to the first stamp of an episode: another simulator may have begun anew."""
        with self._changed:
            self._now_ns = stamp_ns

    @property
    def now_ns(self) -> int:
        """Stamp of the joint state that came last: the present, as far as this node knows."""
        return self._now_ns

    @property
    def instruction(self) -> str:
        """The text that came last on the instruction topic, "" before the first."""
        return self._instruction or ""

    def wake(self) -> None:
        """Lets `wait_for` look again."""
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, done: Callable[[], bool], timeout_s: float) -> bool:
        """Waits until something is so; looks again at every joint state, episode and instruction, and when woken.

        Returns:
            Whether it is so.
        """
        with self._changed:
            return self._changed.wait_for(done, timeout_s)

    def _on_episode(self, message: Episode) -> None:
        with self._changed:
            self._episode = message
            self._changed.notify_all()

    def _on_instruction(self, message: String) -> None:
        with self._changed:
            self._instruction = message.data
            self._changed.notify_all()

    def take_episode(self, episode_id: str, timeout_s: float) -> tuple[Episode, str]:
        """Waits for the announcement of an episode and for its instruction.

        Every announcement is taken once: an episode that is run again has been set up, and announced, again.

        Args:
            episode_id: Which episode.
            timeout_s: Longest wait for each of them.

        Returns:
            The announcement, and the text that came on the instruction topic.

        Raises:
            ImoveError: The episode is not announced in time, or another text is on the instruction topic.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._announced == episode_id, timeout_s):
                raise ImoveError(
                    f"episode {episode_id} was not announced on {contract.EPISODE_TOPIC}; announced is "
                    f"'{self._announced or 'none'}'"
                )
            episode, self._episode = self._episode, None
            assert episode is not None
            # The last episode's text may still be there, since the two topics do not wait for each other.
            text = EpisodeSpec.from_json(episode.spec_json).instruction(episode.condition).text
            if not self._changed.wait_for(lambda: self._instruction == text, timeout_s):
                raise ImoveError(
                    f"{contract.INSTRUCTION_TOPIC} has {self._instruction!r}; episode {episode_id} needs {text!r}"
                )
            return episode, text

    @property
    def _announced(self) -> str:
        return self._episode.episode_id if self._episode is not None else ""

    def at(self, stamp_ns: int, timeout_s: float) -> dict[str, Any] | None:
        """All messages of a stamp, None when they do not come in time."""
        return self._buffer.wait(stamp_ns, [*self._keys, *self._image_keys], timeout_s)

    def newest(self, after_ns: int, timeout_s: float) -> tuple[int, dict[str, Any]] | None:
        """The newest stamp after `after_ns` with all its messages, None when none comes in time."""
        return self._buffer.newest([*self._keys, *self._image_keys], timeout_s, after_ns)

    def observation(
        self, stamp_ns: int, messages: Mapping[str, Any], episode_id: str, instruction: str, request_id: int
    ) -> Observation:
        """The observation that the messages of one stamp make; raises ImoveError when a joint is missing."""
        parts = [positions_of(messages[contract.joint_states_topic(arm.name)], arm) for arm in self._rig.arms]
        objects = messages.get(contract.OBJECTS_TOPIC)
        return Observation(
            stamp_ns=stamp_ns,
            images={name: rgb_from(messages[contract.color_topic(name)]) for name in self._needs.cameras},
            state=np.concatenate(parts).astype(np.float32),
            instruction=instruction,
            episode_id=episode_id,
            request_id=request_id,
            objects=objects_from(objects) if objects is not None else (),
            depth={name: depth_mm_from(messages[contract.depth_topic(name)]) for name in self._needs.depth},
        )
