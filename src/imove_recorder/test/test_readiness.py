"""What a recording needs before it may begin."""

from dataclasses import replace

import pytest

from imove_core import contract
from imove_core.errors import ImoveError
from imove_recorder.readiness import LATCHED_NEEDED, check_ready, wanted_topics

ALL_LATCHED = frozenset(LATCHED_NEEDED)


def test_everything_is_there(settings, offers, types):
    topics = wanted_topics(settings)
    assert check_ready(topics, offers, ALL_LATCHED, types) == topics


def test_each_required_topic_is_named_when_nobody_publishes_it(settings, offers, types):
    topics = wanted_topics(settings)
    required = [topic.name for topic in topics if topic.required]
    assert {"/left/joint_target", "/static_camera/color/camera_info", "/tf_static"} <= set(required)
    for name in required:
        with pytest.raises(ImoveError, match=f"required topic {name} has no publisher"):
            check_ready(topics, {**offers, name: []}, ALL_LATCHED, types)


def test_topics_that_are_not_required_may_be_missing(settings, offers, types):
    topics = wanted_topics(settings)
    there = {topic.name: offers[topic.name] for topic in topics if topic.required}
    assert check_ready(topics, there, ALL_LATCHED, types) == topics


@pytest.mark.parametrize("name", LATCHED_NEEDED)
def test_latched_sample_must_have_come(settings, offers, types, name):
    with pytest.raises(ImoveError, match=f"no latched sample of {name} has come"):
        check_ready(wanted_topics(settings), offers, ALL_LATCHED - {name}, types)


def test_another_type_or_another_definition_is_refused(settings, offers, types):
    name = contract.OBJECTS_TOPIC
    (good,) = offers[name]
    for bad, said in (
        (replace(good, type="std_msgs/msg/String"), "published as std_msgs/msg/String; allowed: imove_interfaces"),
        (replace(good, type_hash="RIHS01_" + "0" * 64), "has another definition of imove_interfaces/msg/ObjectStates"),
    ):
        with pytest.raises(ImoveError, match=f"{name}.*{said}" if "defin" not in said else f"of {name} {said}"):
            check_ready(wanted_topics(settings), {**offers, name: [good, bad]}, ALL_LATCHED, types)
    check_ready(wanted_topics(settings), {**offers, name: [replace(good, type_hash="")]}, ALL_LATCHED, types)


def test_bag_has_the_qos_that_every_publisher_offers(settings, offers, types):
    name = contract.TF_TOPIC
    (good,) = offers[name]
    there = {**offers, name: [good, replace(good, reliable=False)]}
    (topic,) = [t for t in check_ready(wanted_topics(settings), there, ALL_LATCHED, types) if t.name == name]
    assert (topic.qos.reliable, topic.qos.latched, topic.qos.depth) == (False, False, contract.EVENTS.depth)


def test_real_table_has_no_clock_and_may_have_jpeg(settings):
    names = {topic.name: topic for topic in wanted_topics(replace(settings, domain="real", colour="jpeg", depth=False))}
    assert contract.CLOCK_TOPIC not in names
    assert names["/static_camera/color/image_raw/compressed"].required
    assert not [name for name in names if "aligned_depth" in name or name == "/static_camera/color/image_raw"]
