"""Puts messages of one stamp together: joint states and targets of every arm, object states, images."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from imove_interfaces.msg import ObjectStates
from sensor_msgs.msg import JointState

from imove_core.contract import OBJECTS_TOPIC, joint_states_topic, joint_target_topic
from imove_core.rig import Rig
from imove_core.state import RobotState, StepState
from imove_core.transforms import Array
from imove_ros.by_hand import Batches
from imove_ros.conversions import efforts_of, ns_from_time, objects_from, positions_of, velocities_of
from imove_ros.nearby import TickAssembler
from imove_ros.qos import ContractTopics

# Images are large, and only the newest observation is asked for.
KEPT_OBSERVATIONS = 32
# States are small, and every one counts: a topic may lag behind by a whole episode.
KEPT_STATES = 600


class StampBuffer:
    """Messages by stamp and key, handed over when all keys of a stamp are there. Safe between threads."""

    def __init__(self, kept: int = KEPT_OBSERVATIONS) -> None:
        """Starts empty; keeps the messages of the `kept` stamps that came last."""
        self._kept = kept
        self._messages: dict[int, dict[str, Any]] = {}
        self._last_ns: dict[str, int] = {}
        self._changed = threading.Condition()

    def put(self, key: str, stamp_ns: int, message: Any) -> None:
        """Stores a message.

        Time that goes back is that of another simulator, so what the key had before is forgotten.
        """
        with self._changed:
            if stamp_ns < self._last_ns.get(key, stamp_ns):
                for parts in self._messages.values():
                    parts.pop(key, None)
            self._last_ns[key] = stamp_ns
            self._messages.setdefault(stamp_ns, {})[key] = message
            while len(self._messages) > self._kept:
                del self._messages[next(iter(self._messages))]
            self._changed.notify_all()

    def wait(self, stamp_ns: int, keys: Sequence[str], timeout_s: float) -> dict[str, Any] | None:
        """The messages of a stamp once all `keys` are there, None when they do not come in time."""
        with self._changed:
            there = self._changed.wait_for(lambda: self._complete(stamp_ns, keys), timeout_s)
            return dict(self._messages[stamp_ns]) if there else None

    def newest(self, keys: Sequence[str], timeout_s: float, after_ns: int = -1) -> tuple[int, dict[str, Any]] | None:
        """The newest stamp later than `after_ns` for which all `keys` are there, with its messages.

        None when there is none in time.
        """

        def find() -> int | None:
            stamps = (stamp_ns for stamp_ns in self._messages if stamp_ns > after_ns)
            return max((stamp_ns for stamp_ns in stamps if self._complete(stamp_ns, keys)), default=None)

        with self._changed:
            self._changed.wait_for(lambda: find() is not None, timeout_s)
            found = find()
            return None if found is None else (found, dict(self._messages[found]))

    def _complete(self, stamp_ns: int, keys: Sequence[str]) -> bool:
        return stamp_ns in self._messages and all(key in self._messages[stamp_ns] for key in keys)


class StateAssembler:
    """Subscribes to joints, targets and objects and hands over each control step once, whole, in order of arrival."""

    def __init__(
        self,
        topics: ContractTopics,
        rig: Rig,
        on_state: Callable[[str, StepState, Array], None],
        batches: Batches | None = None,
    ) -> None:
        """Calls `on_state(episode_id, state, targets)` from the executor's thread; `targets` are (D,), in rig order.

        Args:
            topics: Of the node that subscribes.
            rig: The embodiment.
            on_state: Receives each complete control step.
            batches: Reads joints on the real table, where they come fast and with stamps of their own: what is
                nearest to the stamp of the objects is taken. In simulation (None) what belongs together has one stamp.
        """
        self._rig = rig
        self._on_state = on_state
        keys = [f(arm.name) for arm in rig.arms for f in (joint_states_topic, joint_target_topic)]
        gather = _SameStamp(len(keys) + 1, self._hand_over) if batches is None else _Nearest(keys, self._hand_over)
        for key in keys:
            if batches is None:
                topics.subscribe(JointState, key, _receiver(gather, key))
            else:
                batches.subscribe(topics, JointState, key, _receiver(gather, key))
        topics.subscribe(ObjectStates, OBJECTS_TOPIC, _receiver(gather, OBJECTS_TOPIC))

    def _hand_over(self, stamp_ns: int, parts: dict[str, Any]) -> None:
        arms = [(arm, parts[joint_states_topic(arm.name)]) for arm in self._rig.arms]
        robot = RobotState(
            positions=np.concatenate([positions_of(message, arm) for arm, message in arms]),
            velocities=np.concatenate([velocities_of(message, arm) for arm, message in arms]),
            efforts=np.concatenate([efforts_of(message, arm) for arm, message in arms]),
        )
        objects = parts[OBJECTS_TOPIC]
        state = StepState(stamp_ns, objects.step, robot, objects_from(objects))
        targets = [positions_of(parts[joint_target_topic(arm.name)], arm) for arm in self._rig.arms]
        self._on_state(objects.episode_id, state, np.concatenate(targets))


HandOver = Callable[[int, dict[str, Any]], None]


class _SameStamp:
    """Gathers messages whose stamps are equal."""

    def __init__(self, parts: int, hand_over: HandOver) -> None:
        self._parts, self._hand_over = parts, hand_over
        self._pending: dict[int, dict[str, Any]] = {}

    def put(self, key: str, stamp_ns: int, message: Any) -> None:
        parts = self._pending.setdefault(stamp_ns, {})
        parts[key] = message
        if len(parts) == self._parts:
            del self._pending[stamp_ns]
            self._hand_over(stamp_ns, parts)
        if len(self._pending) > KEPT_STATES:
            del self._pending[min(self._pending)]


class _Nearest:
    """Gathers for each message of the objects what is nearest to it."""

    def __init__(self, keys: Sequence[str], hand_over: HandOver) -> None:
        self._ticks = TickAssembler(
            keys, lambda stamp_ns, objects, joints: hand_over(stamp_ns, {**joints, OBJECTS_TOPIC: objects})
        )

    def put(self, key: str, stamp_ns: int, message: Any) -> None:
        if key == OBJECTS_TOPIC:
            self._ticks.put_objects(stamp_ns, message)
        else:
            self._ticks.put_joints(key, stamp_ns, message)


def _receiver(gather: _SameStamp | _Nearest, key: str) -> Callable[[Any], None]:
    return lambda message: gather.put(key, ns_from_time(message.header.stamp), message)
