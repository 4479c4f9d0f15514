"""The graph of teleoperation: who leads, who follows, and what does not go together."""

import pytest
import yaml

from imove_bringup.arguments import parse_values
from imove_bringup.graphs import graph_definition
from imove_core.errors import ImoveError
from imove_core.rig import load_rig


def build(tmp_path, **texts):
    """The nodes by name, without the checks of this machine."""
    definition = graph_definition("teleop")
    given = {"output": str(tmp_path / "run"), **texts}
    return {
        node.name: node
        for node in definition.build(definition.complete(parse_values(definition.arguments, given))).nodes
    }


def test_simulated_arms_by_default(tmp_path):
    found = build(tmp_path, operator="Ada", episodes="7", seed="3")
    assert list(found) == ["sim_bridge", "teleop", "recorder", "console"]
    assert (found["sim_bridge"].parameters["clock"], found["sim_bridge"].parameters["start_episode"]) == ("realtime", 0)
    teleop = found["teleop"].parameters
    assert (teleop["wiring"], teleop["leader"], teleop["operator"]) == ("sim", "jog", "Ada")
    assert (teleop["episodes"], teleop["seed"], teleop["camera_hz"]) == (7, 3, 30.0)
    assert [name for name, node in found.items() if node.required] == ["teleop"]
    assert found["recorder"].parameters["dataset"] == str(tmp_path / "run" / "bags")


def test_scripted_leader_is_a_node_of_its_own(tmp_path):
    found = build(tmp_path, leader="scripted", record="false", console="false")
    assert list(found) == ["sim_bridge", "scripted_leader", "teleop"]
    assert found["teleop"].parameters["leader"] == "arms"


@pytest.mark.parametrize(("wiring", "drivers"), [("B", 4), ("A", 2)])
def test_emulated_table_has_drivers_of_arms_and_leaders(tmp_path, wiring, drivers):
    found = build(tmp_path, sim="false", hardware="emulated", leader="scripted", wiring=wiring, confirm="auto")
    assert found["emulated_table"].parameters["leader_script"] == "wander"
    assert sum(node.executable == "piper_driver" for node in found.values()) == drivers
    assert found["teleop"].parameters["wiring"] == wiring
    rates = found["teleop"].parameters["camera_hz"], found["emulated_table"].parameters["camera_rate_hz"]
    assert rates == (5.0, 5.0)
    assert found["trial_conductor"].parameters["confirm"] == "auto"
    assert not any(node.parameters.get("use_sim_time") for node in found.values())
    rigs = {node.parameters["rig"] for node in found.values()}
    assert rigs == {str(tmp_path / "run" / "rig" / "piperx_dual.emulated.yaml")}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"sim": "false"}, "leader:=jog does not go with sim:=false; allowed: arms"),
        ({"sim": "false", "leader": "scripted"}, "leader:=scripted does not go with sim:=false; allowed: arms"),
        ({"sim": "false", "hardware": "emulated"}, "allowed: arms, scripted"),
        ({"deadman": "pedal"}, "needs pedal:=DEVICE"),
        ({"sim": "false", "leader": "arms"}, "does not say where arm 'left' is connected"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, texts, said):
    with pytest.raises(ImoveError, match=said):
        build(tmp_path, **texts)


@pytest.mark.parametrize(
    ("leader_bus", "said"), [("socketcan:can_left", "which is A"), ("", "which is no leader"), ("virtual:a", "")]
)
def test_wiring_is_that_of_the_rig_file(tmp_path, leader_bus, said):
    rig = load_rig("piperx_dual")
    arms = {
        name: {"bus": f"socketcan:can_{name}", "leader_bus": leader_bus.replace("left", name)}
        for name in ("left", "right")
    }
    lab = tmp_path / "piperx_dual.yaml"
    lab.write_text(yaml.safe_dump({**rig.model_dump(mode="json"), "hardware": {"arms": arms}}))
    definition = graph_definition("teleop")
    texts = {"rig": str(lab), "sim": "false", "leader": "arms", "record": "false"}
    values = definition.complete(parse_values(definition.arguments, texts))
    if said:
        with pytest.raises(ImoveError, match=said):
            definition.preflight(values)
    else:
        definition.preflight(values)
