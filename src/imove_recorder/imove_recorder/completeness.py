"""Whether everything of an episode's last control step has come in."""

from __future__ import annotations

from collections.abc import Collection

from imove_core import contract
from imove_core.bag.messages import EPISODE_RESULT, NS, OBJECT_STATES, TRACKER_STATUS
from imove_core.bag.types import MessageTypes
from imove_core.recording import last_step_in
from imove_core.rig import Rig
from imove_recorder.arrivals import Arrival

# A topic has what belongs to a control step when its newest stamp is less than this share of its period before it.
SAME_STEP = 0.9
# States that name their episode: between two episodes a tracker tells of none, and may hear of the next one late.
STATES = {contract.OBJECTS_TOPIC: OBJECT_STATES, contract.TRACKER_TOPIC: TRACKER_STATUS}


class Completeness:
    """Follows the stamps of an episode's topics."""

    def __init__(self, rig: Rig, awaited: Collection[str], types: MessageTypes) -> None:
        """Has seen nothing yet.

        Args:
            rig: Whose topics.
            awaited: Names of topics that somebody publishes.
            types: Message types.
        """
        rates = {topic.name: topic.rate_hz for topic in contract.topics(rig)}
        for camera in rig.cameras:
            rates[contract.compressed_topic(camera.name)] = rates[contract.color_topic(camera.name)]
        self._periods_ns = {name: NS / rates[name] for name in awaited if rates[name]}
        self._types = types
        self.begin("", None)

    def begin(self, episode_id: str, last_step: int | None) -> None:
        """Forgets what has come, and follows an episode.

        Args:
            episode_id: Of the episode.
            last_step: Control steps from its first observation to its end, None where nobody knows; a result that names
                an earlier one ends it there.
        """
        self._episode_id, self._last_step = episode_id, last_step
        self._newest_ns: dict[str, int] = {}
        self._step_stamps_ns: dict[int, int] = {}
        self._end_ns: int | None = None
        self._has_result = False

    def is_periodic(self, topic: str) -> bool:
        """Whether a topic has a message each period."""
        return topic in self._periods_ns

    def newest_ns(self, topic: str) -> int:
        """The newest stamp of a topic, -1 before the first."""
        return self._newest_ns.get(topic, -1)

    @property
    def now_ns(self) -> int:
        """The newest stamp of all, -1 before the first."""
        return max(self._newest_ns.values(), default=-1)

    def note(self, arrival: Arrival, stamp_ns: int) -> bool:
        """Takes a message; returns whether it belongs in the bag.

        What comes after the last control step does not, nor do states that name another episode, or none.
        """
        if arrival.topic in STATES and self._end_ns is None and self._last_step is not None:
            states = self._types.deserialize(arrival.cdr, STATES[arrival.topic])
            if states.episode_id != self._episode_id:
                return False
            if arrival.topic == contract.OBJECTS_TOPIC:
                self._step_stamps_ns.setdefault(states.step, stamp_ns)
                self._note_end()
        self._newest_ns[arrival.topic] = max(stamp_ns, self.newest_ns(arrival.topic))
        if arrival.topic == contract.RESULT_TOPIC:
            result = self._types.deserialize(arrival.cdr, EPISODE_RESULT)
            if result.episode_id == self._episode_id:
                self._has_result = True
                named = last_step_in(result.record_json)
                self._last_step = self._last_step if named is None else named
                self._note_end()
        # In real time the simulator, or the table, goes on after the last step.
        return self._end_ns is None or stamp_ns <= self._end_ns or not self.is_periodic(arrival.topic)

    def _note_end(self) -> None:
        if self._end_ns is None and self._last_step is not None:
            # A result may come after later steps, and a step may never have come.
            ends = [step for step in self._step_stamps_ns if step >= self._last_step]
            if ends:
                self._end_ns = self._step_stamps_ns[min(ends)]

    def missing(self) -> tuple[str, ...]:
        """What has not come yet of an episode that ran to its last control step."""
        missing = () if self._has_result else (contract.RESULT_TOPIC,)
        end_ns = self._end_ns
        if end_ns is None:
            return (*missing, f"{contract.OBJECTS_TOPIC} of control step {self._last_step}")
        late = [
            name
            for name, period_ns in self._periods_ns.items()
            if self.newest_ns(name) <= end_ns - SAME_STEP * period_ns
        ]
        return (*missing, *late)
