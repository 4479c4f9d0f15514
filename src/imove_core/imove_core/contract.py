"""The topic contract: every topic, service and action of a rig, the same in simulation and on the real table."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from imove_core.rig import WORLD_FRAME, Camera, Rig

Domain = Literal["both", "sim", "real"]
SIM, REAL = "sim", "real"
DOMAINS = (SIM, REAL)
"""Where a graph runs: with a simulator, whose clock stamps everything, or at a real table."""


@dataclass(frozen=True)
class Qos:
    """Quality of service of a topic.

    Attributes:
        depth: Messages kept for a slow reader.
        latched: A late reader gets the last message (transient local).
        reliable: Lost samples are sent again.
    """

    depth: int
    latched: bool = False
    reliable: bool = True


IMAGES = Qos(depth=5)
# One message a control step: a whole episode fits, so that a reader that falls behind in lockstep misses nothing.
STEPS = Qos(depth=512)
EVENTS = Qos(depth=100)
LATCHED = Qos(depth=1, latched=True)


@dataclass(frozen=True)
class Topic:
    """One topic.

    Attributes:
        name: Absolute name.
        type: Interface name, `package/msg/Type`.
        qos: Quality of service.
        frame: `header.frame_id`, "" where it has none.
        rate_hz: Nominal rate, 0 for events and latched topics.
        domain: Whether only the simulator, or only the real table, has it.
        purpose: One line for people.
        real_rate_hz: Nominal rate on the real table where it is another one.
    """

    name: str
    type: str
    qos: Qos
    frame: str
    rate_hz: float
    domain: Domain
    purpose: str
    real_rate_hz: float | None = None

    def nominal_rate_hz(self, domain: str) -> float:
        """Nominal rate in a domain, `sim` or `real`; 0 for events and latched topics."""
        return self.rate_hz if domain == "sim" or self.real_rate_hz is None else self.real_rate_hz


@dataclass(frozen=True)
class Endpoint:
    """A service or an action."""

    name: str
    type: str
    domain: Domain
    purpose: str


EPISODE_TOPIC = "/imove/episode"
INSTRUCTION_TOPIC = "/imove/instruction"
OBJECTS_TOPIC = "/imove/objects"
STAGE_EVENTS_TOPIC = "/imove/stage_events"
POLICY_STATUS_TOPIC = "/imove/policy_status"
PHASE_TOPIC = "/imove/phase"
SAFETY_EVENTS_TOPIC = "/imove/safety_events"
EMERGENCY_STOP_TOPIC = "/imove/emergency_stop"
RESULT_TOPIC = "/imove/result"
DIAGNOSTICS_TOPIC = "/diagnostics"
RECORDER_STATUS_TOPIC = "/recorder/status"
TF_TOPIC = "/tf"
TF_STATIC_TOPIC = "/tf_static"
ROBOT_DESCRIPTION_TOPIC = "/robot_description"
CLOCK_TOPIC = "/clock"
TRACKER_TOPIC = "/imove/tracking"
TRIAL_TOPIC = "/imove/trial"
TRIAL_VERDICT_TOPIC = "/imove/trial/verdict"
LAYOUT_VIEW_TOPIC = "/imove/layout_view/compressed"
TELEOP_TOPIC = "/imove/teleop"
RESET_EPISODE_SERVICE = "/imove/reset_episode"
ADVANCE_SERVICE = "/imove/advance"
RUN_EPISODE_ACTION = "/imove/run_episode"
START_RECORDING_SERVICE = "/recorder/start"
STOP_RECORDING_SERVICE = "/recorder/stop"
TRIAL_COMMAND_SERVICE = "/imove/trial/command"
TELEOP_COMMAND_SERVICE = "/imove/teleop/command"


def color_topic(camera: str) -> str:
    """Colour image of a camera."""
    return f"/{camera}/color/image_raw"


def color_info_topic(camera: str) -> str:
    """Intrinsics of the colour image."""
    return f"/{camera}/color/camera_info"


def depth_topic(camera: str) -> str:
    """Depth image aligned to colour."""
    return f"/{camera}/aligned_depth_to_color/image_raw"


def depth_info_topic(camera: str) -> str:
    """Intrinsics of the aligned depth image."""
    return f"/{camera}/aligned_depth_to_color/camera_info"


def joint_states_topic(arm: str) -> str:
    """Measured joint state of an arm."""
    return f"/{arm}/joint_states"


def joint_target_topic(arm: str) -> str:
    """Target in force at policy rate."""
    return f"/{arm}/joint_target"


def joint_trajectory_topic(arm: str) -> str:
    """Commands for an arm."""
    return f"/{arm}/joint_trajectory"


def leader_states_topic(arm: str) -> str:
    """Measured joint state of the leader that a person guides, in the joint names of the arm that follows."""
    return f"/{arm}_leader/joint_states"


def compressed_topic(camera: str) -> str:
    """Colour image of a real camera as its driver's JPEG."""
    return f"{color_topic(camera)}/compressed"


def arm_resume_service(arm: str) -> str:
    """Unlocks an arm that was stopped, on a person's word (`std_srvs/srv/Trigger`); real arms only."""
    return f"/{arm}/resume"


def arm_enable_service(arm: str) -> str:
    """Powers the motors of an arm, or lets go of it (`std_srvs/srv/SetBool`); real arms only."""
    return f"/{arm}/enable"


def policy_action(label: str) -> str:
    """Runs the policy of a label in a blinded comparison; `RUN_EPISODE_ACTION` where there is one policy, without."""
    return f"/imove/policies/{label.lower()}/run_episode" if label else RUN_EPISODE_ACTION


def topics(rig: Rig) -> tuple[Topic, ...]:
    """Every topic of a rig."""
    listed: list[Topic] = []
    for camera in rig.cameras:
        listed += _camera_topics(camera)
    rate = float(rig.control_rate_hz)
    for arm in rig.arms:
        state = "sensor_msgs/msg/JointState"
        trajectory = "trajectory_msgs/msg/JointTrajectory"
        name = arm.name
        listed += [
            Topic(joint_states_topic(name), state, STEPS, "", rate, "both", "measured joints, full set", 200.0),
            Topic(joint_target_topic(name), state, STEPS, "", rate, "both", "target in force, recorded as the action"),
            Topic(joint_trajectory_topic(name), trajectory, STEPS, "", 0, "both", "commands, full set, newest wins"),
            Topic(leader_states_topic(name), state, STEPS, "", 0, "both", "the leader's joints, in teleoperation"),
        ]
    tf = "tf2_msgs/msg/TFMessage"
    package = "imove_interfaces/msg"
    return (
        *listed,
        Topic(TF_TOPIC, tf, EVENTS, WORLD_FRAME, rate, "both", "arms, hand cameras, tools, objects"),
        Topic(TF_STATIC_TOPIC, tf, LATCHED, WORLD_FRAME, 0, "both", "arm bases and fixed cameras"),
        Topic(ROBOT_DESCRIPTION_TOPIC, "std_msgs/msg/String", LATCHED, "", 0, "both", "URDF of the rig"),
        Topic(EPISODE_TOPIC, f"{package}/Episode", LATCHED, "", 0, "both", "the episode that is set up"),
        Topic(INSTRUCTION_TOPIC, "std_msgs/msg/String", LATCHED, "", 0, "both", "canonical text only"),
        Topic(OBJECTS_TOPIC, f"{package}/ObjectStates", STEPS, WORLD_FRAME, rate, "both", "poses, boxes, contacts"),
        Topic(STAGE_EVENTS_TOPIC, f"{package}/StageEvent", EVENTS, "", 0, "both", "stages as objects reach them"),
        Topic(PHASE_TOPIC, f"{package}/Phase", STEPS, "", rate, "both", "phase of the motion at this control step"),
        Topic(POLICY_STATUS_TOPIC, f"{package}/PolicyStatus", EVENTS, "", 0, "both", "prompt received, latency"),
        Topic(SAFETY_EVENTS_TOPIC, f"{package}/SafetyEvent", EVENTS, "", 0, "both", "commands changed, arms stopped"),
        Topic(EMERGENCY_STOP_TOPIC, "std_msgs/msg/Bool", LATCHED, "", 0, "both", "true: every arm holds"),
        Topic(RESULT_TOPIC, f"{package}/EpisodeResult", EVENTS, "", 0, "both", "the end of an episode"),
        Topic(DIAGNOSTICS_TOPIC, "diagnostic_msgs/msg/DiagnosticArray", EVENTS, "", 1.0, "both", "health of the nodes"),
        Topic(RECORDER_STATUS_TOPIC, f"{package}/RecorderStatus", EVENTS, "", 2.0, "both", "what the recorder does"),
        Topic(TELEOP_TOPIC, f"{package}/TeleopState", EVENTS, "", 10.0, "both", "what teleoperation does"),
        *_table_topics(rig),
        Topic(CLOCK_TOPIC, "rosgraph_msgs/msg/Clock", Qos(depth=1), "", rate, "sim", "simulated time"),
    )


def topics_of(rig: Rig, domain: str) -> tuple[Topic, ...]:
    """Every topic of a rig in one domain, `sim` or `real`."""
    return tuple(topic for topic in topics(rig) if topic.domain in ("both", domain))


def _table_topics(rig: Rig) -> list[Topic]:
    """Topics that only the real table has."""
    compressed, package = "sensor_msgs/msg/CompressedImage", "imove_interfaces/msg"
    return [
        *(
            Topic(compressed_topic(c.name), compressed, IMAGES, c.optical_frame, 30.0, "real", "colour, JPEG")
            for c in rig.cameras
        ),
        Topic(TRACKER_TOPIC, f"{package}/TrackerStatus", STEPS, "", float(rig.control_rate_hz), "real", "confidence"),
        Topic(TRIAL_TOPIC, f"{package}/TrialState", LATCHED, "", 0, "real", "where a real trial stands"),
        Topic(TRIAL_VERDICT_TOPIC, f"{package}/EpisodeResult", LATCHED, "", 0, "real", "what the operator says of one"),
        Topic(LAYOUT_VIEW_TOPIC, compressed, IMAGES, "", 5.0, "real", "where objects go, over the static camera"),
    ]


def _camera_topics(camera: Camera) -> list[Topic]:
    image, info = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"
    frame, name = camera.optical_frame, camera.name
    return [
        Topic(color_topic(name), image, IMAGES, frame, 30.0, "both", "colour, rgb8"),
        Topic(color_info_topic(name), info, IMAGES, frame, 30.0, "both", "colour intrinsics"),
        Topic(depth_topic(name), image, IMAGES, frame, 30.0, "both", "depth, 16UC1 mm, 0 = none"),
        Topic(depth_info_topic(name), info, IMAGES, frame, 30.0, "both", "depth intrinsics"),
    ]


def endpoints(rig: Rig) -> tuple[Endpoint, ...]:
    """Every service and action of a rig."""
    package = "imove_interfaces"
    switches = (
        (arm_resume_service, "std_srvs/srv/Trigger", "unlocks an arm that was stopped, on a person's word"),
        (arm_enable_service, "std_srvs/srv/SetBool", "powers an arm's motors, or lets go of it"),
    )
    return (
        *(Endpoint(name(arm.name), kind, "real", purpose) for arm in rig.arms for name, kind, purpose in switches),
        Endpoint(RESET_EPISODE_SERVICE, f"{package}/srv/ResetEpisode", "both", "sets up an episode"),
        Endpoint(ADVANCE_SERVICE, f"{package}/srv/Advance", "sim", "lockstep: runs control steps"),
        Endpoint(RUN_EPISODE_ACTION, f"{package}/action/RunEpisode", "both", "runs the policy on the episode"),
        Endpoint(START_RECORDING_SERVICE, f"{package}/srv/StartRecording", "both", "starts to record an episode"),
        Endpoint(STOP_RECORDING_SERVICE, f"{package}/srv/StopRecording", "both", "finishes its bag, or discards it"),
        Endpoint(TRIAL_COMMAND_SERVICE, f"{package}/srv/OperatorCommand", "real", "what the operator of a trial asks"),
        Endpoint(TELEOP_COMMAND_SERVICE, f"{package}/srv/OperatorCommand", "both", "what a teleoperator asks for"),
    )


def qos_of(rig: Rig, topic_name: str) -> Qos:
    """Quality of service of a topic of the rig.

    Raises:
        KeyError: The contract has no such topic.
    """
    return {topic.name: topic.qos for topic in topics(rig)}[topic_name]


def topic_contract(rig: Rig) -> dict[str, Any]:
    """The whole contract as plain data, for printing."""
    return {
        "rig": rig.name,
        "topics": [asdict(topic) for topic in topics(rig)],
        "endpoints": [asdict(endpoint) for endpoint in endpoints(rig)],
        "joints": {arm.name: list(arm.joint_names) for arm in rig.arms},
    }
