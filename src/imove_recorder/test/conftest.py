"""Messages of a short episode, as a simulator and an evaluator send them, and a recorder that hears them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from imove_core import contract
from imove_core.bag import messages
from imove_core.bag.messages import TypedMessage
from imove_core.bag.types import MessageTypes, message_types
from imove_core.bag.writer import WriterSettings
from imove_core.rig import Intrinsics, Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_core.state import RobotState, StepState
from imove_recorder.arrivals import Arrival
from imove_recorder.readiness import Offer, Offers, wanted_topics
from imove_recorder.recorder import Recorder
from imove_recorder.settings import RecorderSettings
from imove_tasks.suites import open_suite

HORIZON = 4
START_NS = 5_000_000_000
PERIOD_NS = 33_333_333
KEY = "pick_category/seen/000/normal"


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def types() -> MessageTypes:
    """All message types."""
    return message_types()


@pytest.fixture(scope="session")
def spec() -> EpisodeSpec:
    """A shipped scene with a short horizon."""
    return open_suite("pick_category/seen").first(1)[0].model_copy(update={"horizon_steps": HORIZON})


@pytest.fixture
def settings(rig: Rig, tmp_path: Path) -> RecorderSettings:
    """A simulated rig in lockstep; bags in this test's folder."""
    return RecorderSettings(rig, tmp_path / "bags", writer=WriterSettings(reserve_bytes=0, replace_partial=True))


class Scene:
    """Makes the messages of episodes of one spec, as arrivals."""

    def __init__(self, rig: Rig, types: MessageTypes, spec: EpisodeSpec) -> None:
        """Serves one rig."""
        self.rig, self.types, self.spec = rig, types, spec
        self.received_ns = 10**18

    def arrival(self, topic: str, typed: TypedMessage) -> Arrival:
        """An arrival a microsecond after the last one."""
        self.received_ns += 1000
        return Arrival(topic, self.types.serialize(typed.message, typed.type), self.received_ns, b"one")

    def description(self) -> list[Arrival]:
        """What never changes."""
        frames = [("world", "left_base_link", np.eye(4))]
        return [
            self.arrival(contract.TF_STATIC_TOPIC, messages.tf(self.types, 0, frames)),
            self.arrival(contract.ROBOT_DESCRIPTION_TOPIC, messages.string(self.types, "<robot/>")),
        ]

    def announcement(self, key: str = KEY, stamp_ns: int = START_NS, text: str = "pick up the mug") -> list[Arrival]:
        """Instruction and episode."""
        fields = {"episode_id": key, "suite": "pick_category/seen", "condition": "normal", "rig": self.rig.name}
        episode = messages.episode(
            self.types, stamp_ns, **fields, spec_json=self.spec.to_json(), settled_pose_hash="f" * 64
        )
        return [
            self.arrival(contract.INSTRUCTION_TOPIC, messages.string(self.types, text)),
            self.arrival(contract.EPISODE_TOPIC, episode),
        ]

    def step(self, number: int, key: str = KEY, start_ns: int = START_NS) -> list[Arrival]:
        """Everything of one control step."""
        types, rig, stamp_ns = self.types, self.rig, start_ns + number * PERIOD_NS
        sent = [self.arrival(contract.CLOCK_TOPIC, messages.clock(types, stamp_ns))]
        values = rig.split(rig.home_positions + number / 100)
        for arm in rig.arms:
            parts = [values[arm.name]] * 3
            for topic in (contract.joint_states_topic(arm.name), contract.joint_target_topic(arm.name)):
                sent.append(self.arrival(topic, messages.joint_state(types, stamp_ns, arm.joint_names, *parts)))
        robot = RobotState(rig.home_positions, np.zeros(rig.size), np.zeros(rig.size))
        state = StepState(stamp_ns, number, robot, ())
        phase = messages.phase(types, stamp_ns, episode_id=key, step=number, phase="idle")
        sent += [
            self.arrival(contract.OBJECTS_TOPIC, messages.object_states(types, state, key, "world")),
            self.arrival(contract.TF_TOPIC, messages.tf(types, stamp_ns, [("world", "left_tcp", np.eye(4))])),
            self.arrival(contract.PHASE_TOPIC, phase),
        ]
        lens = Intrinsics(width=8, height=6, fx=8.0, fy=8.0, cx=4.0, cy=3.0)
        for camera in rig.cameras:
            name, frame = camera.name, camera.optical_frame
            rgb = np.full((6, 8, 3), number, np.uint8)
            depth = np.full((6, 8), number, np.uint16)
            info = messages.camera_info(types, stamp_ns, frame, lens)
            sent += [
                self.arrival(contract.color_topic(name), messages.image(types, stamp_ns, frame, rgb)),
                self.arrival(contract.color_info_topic(name), info),
                self.arrival(contract.depth_topic(name), messages.image(types, stamp_ns, frame, depth)),
                self.arrival(contract.depth_info_topic(name), info),
            ]
        return sent

    def result(
        self, key: str = KEY, stamp_ns: int = START_NS + HORIZON * PERIOD_NS, record_json: str = "{}"
    ) -> Arrival:
        """The end of an episode."""
        message = messages.episode_result(
            self.types, stamp_ns, episode_id=key, outcome="completed", record_json=record_json
        )
        return self.arrival(contract.RESULT_TOPIC, message)

    def episode(self, key: str = KEY, start_ns: int = START_NS) -> Iterator[Arrival]:
        """A whole episode."""
        yield from self.announcement(key, start_ns)
        for number in range(HORIZON + 1):
            yield from self.step(number, key, start_ns)
        yield self.result(key, start_ns + HORIZON * PERIOD_NS)


@pytest.fixture
def scene(rig: Rig, types: MessageTypes, spec: EpisodeSpec) -> Scene:
    """Makes messages."""
    return Scene(rig, types, spec)


@pytest.fixture
def offers(settings: RecorderSettings, types: MessageTypes) -> Offers:
    """One publisher of each topic, as the contract wants it."""
    return {
        topic.name: [Offer(topic.type, types.type_hash(topic.type), topic.qos.reliable, topic.qos.latched)]
        for topic in wanted_topics(settings)
    }


@pytest.fixture
def make_recorder(settings: RecorderSettings, types: MessageTypes, scene: Scene) -> Callable[..., Recorder]:
    """Makes a recorder that has heard what never changes."""

    def make(**changes: object) -> Recorder:
        recorder = Recorder(replace(settings, **changes), types)
        for arrival in scene.description():
            recorder.receive(arrival)
        return recorder

    return make
