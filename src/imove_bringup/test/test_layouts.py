"""Layouts name topics of the contract and nothing else, and show every camera and arm of a rig."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from imove_bringup.cli import app
from imove_bringup.layouts.files import DOMAINS, layout_files
from imove_bringup.layouts.foxglove import foxglove_layout
from imove_bringup.layouts.rviz import rviz_config
from imove_bringup.markers import MARKERS_TOPIC
from imove_core import contract
from imove_core.rig import load_rig, rig_names

# Types of panels that Lichtblick and Foxglove have.
PANELS = {"3D", "DiagnosticSummary", "Image", "Plot", "Publish", "RawMessages", "StateTransitions"}


def strings(value):
    """Every text in nested data, keys included."""
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


def named_topics(data):
    """What looks like a topic, without the path into its messages."""
    return {re.match(r"[\w/]+", text)[0] for text in strings(data) if re.match(r"/\w", text)}


def leaves(layout):
    """Panels in the tree of a layout."""
    if isinstance(layout, str):
        return [layout]
    assert layout["direction"] in ("row", "column") and 0 < layout["splitPercentage"] < 100
    return leaves(layout["first"]) + leaves(layout["second"])


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", rig_names())
def test_a_foxglove_layout_names_topics_of_the_contract(name, domain):
    rig = load_rig(name)
    layout = foxglove_layout(rig, domain)
    known = {topic.name for topic in contract.topics_of(rig, domain)}
    topics = named_topics(layout)
    assert topics - known == {MARKERS_TOPIC}
    shown = contract.compressed_topic if domain == "real" else contract.color_topic
    assert {shown(camera.name) for camera in rig.cameras} <= topics
    assert {contract.joint_states_topic(arm.name) for arm in rig.arms} <= topics
    assert sorted(leaves(layout["layout"])) == sorted(layout["configById"])
    assert {panel.partition("!")[0] for panel in layout["configById"]} == PANELS


def test_a_plot_has_a_line_for_every_joint_and_its_target():
    rig = load_rig("franka_single")
    paths = [path["value"] for path in foxglove_layout(rig, "sim")["configById"]["Plot!arm"]["paths"]]
    assert paths[0] == "/arm/joint_states.position[0]" and paths[-1] == "/arm/joint_target.position[7]"
    assert len(paths) == 2 * rig.arm("arm").size


@pytest.mark.parametrize("name", rig_names())
def test_an_rviz_configuration_shows_every_camera_of_the_rig(name):
    rig = load_rig(name)
    config = rviz_config(rig)
    topics = {text for text in strings(config) if text.startswith("/")}
    assert topics - {topic.name for topic in contract.topics(rig)} == {MARKERS_TOPIC}
    assert {contract.color_topic(camera.name) for camera in rig.cameras} <= topics
    model = next(item for item in config["Visualization Manager"]["Displays"] if "Description Topic" in item)
    assert model["Description Topic"]["Durability Policy"] == "Transient Local"


def test_the_command_writes_files_that_can_be_read_back(tmp_path, capsys):
    app(
        ["layouts", "--rig", "piperx_dual", "--rig", "fr3_single", "--out", str(tmp_path), "--json"],
        standalone_mode=False,
    )
    written = json.loads(capsys.readouterr().out)["written"]
    assert len(written) == 6 == len(list(tmp_path.iterdir()))
    for name, content in layout_files(load_rig("fr3_single")).items():
        assert (tmp_path / name).read_text() == content
    assert json.loads((tmp_path / "piperx_dual.real.foxglove.json").read_text())["configById"]
    assert yaml.safe_load((tmp_path / "piperx_dual.rviz").read_text())["Panels"]
