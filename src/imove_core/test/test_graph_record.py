"""Graphs held against the contract, and against each other."""

from dataclasses import replace

import numpy as np
import pytest

from imove_core import contract
from imove_core.graph_record import GraphRecord, TopicRecord, deviations, differences
from imove_core.rig import Rig


def record_of(rig: Rig, domain: str) -> GraphRecord:
    """A graph of the domain that keeps the contract."""
    topics = {}
    for topic in contract.topics_of(rig, domain):
        rate_hz = topic.nominal_rate_hz(domain)
        topics[topic.name] = TopicRecord(
            type=topic.type,
            publishers=1,
            reliable=True,
            latched=topic.qos.latched,
            messages=10,
            interval_s=1.0 / rate_hz if rate_hz else 0.0,
            frames=frozenset({topic.frame}),
        )
    endpoints = {e.name: e.type for e in contract.endpoints(rig) if e.domain in ("both", domain)}
    return GraphRecord(domain, topics, endpoints)


def changed(graph: GraphRecord, topic: str, **changes: object) -> GraphRecord:
    """The graph with another record of a topic."""
    return replace(graph, topics={**graph.topics, topic: replace(graph.topics[topic], **changes)})  # type: ignore[arg-type]


@pytest.mark.parametrize("domain", ["sim", "real"])
def test_graph_as_the_contract_says_does_not_deviate(rig: Rig, domain: str) -> None:
    assert deviations(rig, record_of(rig, domain)) == ()


def test_both_domains_as_the_contract_says_differ_only_as_documented(rig: Rig) -> None:
    assert differences(rig, record_of(rig, "sim"), record_of(rig, "real")) == ()


IMAGE = "/static_camera/color/image_raw"
JOINTS = "/left/joint_states"


@pytest.mark.parametrize(
    ("topic", "changes", "sentence"),
    [
        (IMAGE, {"type": "sensor_msgs/msg/CompressedImage"}, "is sensor_msgs/msg/CompressedImage; the contract says"),
        (IMAGE, {"reliable": False}, "is best effort; the contract says reliable"),
        ("/imove/episode", {"latched": False}, "is volatile; the contract says transient local"),
        (
            IMAGE,
            {"frames": frozenset({"camera_link"})},
            "has frame camera_link; the contract says static_camera_color_",
        ),
        (IMAGE, {"interval_s": 1 / 15}, "has a message each 66.7 ms; the contract says 33.3 ms"),
        (JOINTS, {"interval_s": 1 / 30}, "has a message each 33.3 ms; the contract says 5.0 ms"),
        (IMAGE, {"facts": {"encoding": frozenset({"bgr8"})}}, "has encoding bgr8; the contract says rgb8"),
        (
            JOINTS,
            {"facts": {"joints": frozenset({"joint1,joint2"})}},
            "has joints joint1,joint2; the contract says left_",
        ),
    ],
)
def test_each_deviation_is_told_with_both_values(
    rig: Rig, topic: str, changes: dict[str, object], sentence: str
) -> None:
    (told,) = deviations(rig, changed(record_of(rig, "real"), topic, **changes))
    assert told.startswith(f"{topic} {sentence}")


def test_degrees_and_millimetres_are_noticed(rig: Rig) -> None:
    arm = rig.arm("left")
    home = tuple(np.abs(arm.home_positions).tolist())
    assert deviations(rig, changed(record_of(rig, "real"), JOINTS, largest=home)) == ()
    told = deviations(rig, changed(record_of(rig, "real"), JOINTS, largest=(*home[:-1], 1000 * home[-1])))
    assert len(told) == 1 and "left_gripper at" in told[0] and "the unit may be another" in told[0]


def test_clock_on_a_real_table_is_a_deviation(rig: Rig) -> None:
    real = record_of(rig, "real")
    clock = record_of(rig, "sim").topics["/clock"]
    told = deviations(rig, replace(real, topics={**real.topics, "/clock": clock}))
    assert told == ("/clock is published; it belongs to the domain sim, this is real",)


def test_service_of_another_type_is_a_deviation(rig: Rig) -> None:
    real = record_of(rig, "real")
    other = replace(real, endpoints={**real.endpoints, "/recorder/start": "std_srvs/srv/Trigger"})
    assert deviations(rig, other) == (
        "/recorder/start is served as std_srvs/srv/Trigger; the contract says imove_interfaces/srv/StartRecording",
    )


def test_differences_between_the_domains_are_told(rig: Rig) -> None:
    sim, real = record_of(rig, "sim"), record_of(rig, "real")
    without = replace(real, topics={name: seen for name, seen in real.topics.items() if name != "/imove/objects"})
    assert differences(rig, sim, without) == ("/imove/objects is published in simulation and not for real",)
    smaller = changed(changed(sim, IMAGE, facts={"size": frozenset({"64x48"})}), "/tf", reliable=False)
    other = changed(real, IMAGE, facts={"size": frozenset({"640x480"})}, interval_s=0.1)
    assert differences(rig, smaller, other) == (
        f"{IMAGE} has size 64x48 in simulation and 640x480 for real",
        f"{IMAGE} has a message each 33.3 ms in simulation and each 100.0 ms for real",
        "/tf has reliability False in simulation and True for real",
    )
