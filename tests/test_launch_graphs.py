"""The graphs: which nodes with which parameters, for which arguments."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import yaml

from imove_bringup import preflight
from imove_bringup.arguments import parse_values
from imove_bringup.graphs import evaluation, graph_definition, graph_names, sim_eval
from imove_bringup.layouts.rviz import rviz_config
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_eval.blinded.policies import parse_policies

NOW = datetime(2030, 1, 2, 3, 4, 5)


SIMULATED = [name for name in graph_names() if not name.startswith("real")]


def build(name, **texts):
    """The graph of a definition without the checks of this machine."""
    definition = graph_definition(name)
    return definition.build(definition.complete(parse_values(definition.arguments, texts)))


def nodes(graph):
    return {node.name: node for node in graph.nodes}


def completed(**texts):
    """Completed values; a rig is named where the suite is one that need not exist."""
    return evaluation.complete(parse_values(graph_definition("sim_eval").arguments, texts), NOW)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An installation in which imove_bringup is registered."""
    marker = tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "imove_bringup"
    marker.parent.mkdir(parents=True)
    marker.touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", graph_names())
def test_every_default_is_allowed(name):
    for argument in graph_definition(name).arguments:
        argument.parse(argument.default)


@pytest.mark.parametrize("name", graph_names())
def test_every_graph_has_a_launch_file(name):
    folder = Path(__file__).parents[1] / "src" / "imove_bringup" / "launch"
    assert f'graph_definition("{name}")' in (folder / f"{name}.launch.py").read_text()


@pytest.mark.parametrize("view", ["none", "rerun", "rviz"])
@pytest.mark.parametrize("name", SIMULATED)
def test_node_names_are_unique_and_simulated_time_is_used(name, view, installed):
    graph = build(name, view=view)
    assert len(nodes(graph)) == len(graph.nodes)
    assert all(node.parameters["use_sim_time"] is True for node in graph.nodes)


def test_unknown_graph():
    with pytest.raises(ImoveError, match="unknown graph 'other'; allowed: .*sim, sim_eval"):
        graph_definition("other")


def test_sim_eval_by_default():
    found = nodes(build("sim_eval", output="/results/a"))
    assert list(found) == ["sim_bridge", "policy_node", "evaluator"]
    assert dict(found["sim_bridge"].parameters) == {
        "use_sim_time": True,
        "rig": "piperx_dual",
        "sim": "mujoco",
        "clock": "lockstep",
        "suite": "pick_category/seen",
        "assets": "",
        "safety": "default",
        "start_episode": -1,
        "watchdog": True,
        "image_width": 224,
        "image_height": 224,
    }
    assert dict(found["policy_node"].parameters) == {
        "use_sim_time": True,
        "domain": "sim",
        "rig": "piperx_dual",
        "policy": "expert",
        "policy_url": "",
        "policy_config": "",
        "label": "",
        "scheduler": "receding",
        "execute_steps": 0,
        "latency": "0",
        "answer_timeout_s": 30.0,
        "safety": "default",
        "clock": "lockstep",
        "assets": "",
        "image_width": 224,
        "image_height": 224,
    }
    assert dict(found["evaluator"].parameters) == {
        "use_sim_time": True,
        "rig": "piperx_dual",
        "suite": "pick_category/seen",
        "policy": "expert",
        "policy_config": "",
        "policies": "",
        "domain": "sim",
        "condition": "normal",
        "clock": "lockstep",
        "scheduler": "receding",
        "execute_steps": 0,
        "latency": "0",
        "safety": "default",
        "sim": "mujoco",
        "assets": "",
        "output": "/results/a",
        "episodes": 10,
        "seed": 0,
        "record": False,
        "traces": True,
        "image_width": 224,
        "image_height": 224,
    }


def test_policies_are_set_up_by_names_or_by_absolute_paths(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = nodes(build("sim_eval", policy="blind:expert", policy_url="ws://127.0.0.1:9000", policy_config="own.yaml"))
    assert found["policy_node"].parameters["policy"] == "blind:expert"
    assert found["policy_node"].parameters["policy_url"] == "ws://127.0.0.1:9000"
    assert found["policy_node"].parameters["policy_config"] == str(tmp_path / "own.yaml")
    assert nodes(build("sim_eval", policy_config="name"))["evaluator"].parameters["policy_config"] == "name"
    with pytest.raises(ImoveError, match="launch argument policy:=opnpi must be one of expert, .* or blind:NAME"):
        build("sim_eval", policy="opnpi")


def compared(tmp_path, texts="expert,openpi=mine.yaml@ws://127.0.0.1:9000,hold", seed=0):
    """Completed values of a comparison whose labels are drawn from a seed."""
    values = completed(policies=texts, output=str(tmp_path / "run"))
    return evaluation.with_labels(values, np.random.default_rng(seed))


def test_each_policy_of_a_comparison_has_a_node_of_its_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = compared(tmp_path)
    found = nodes(sim_eval.build(values))
    assert list(found) == ["sim_bridge", "policy_node_a", "policy_node_b", "policy_node_c", "evaluator"]
    of_policies = [found[f"policy_node_{label}"].parameters for label in "abc"]
    assert [parameters["label"] for parameters in of_policies] == ["A", "B", "C"]
    served = {parameters["policy"]: parameters for parameters in of_policies}
    assert set(served) == {"expert", "openpi", "hold"}
    assert served["openpi"]["policy_url"] == "ws://127.0.0.1:9000"
    assert served["openpi"]["policy_config"] == str(tmp_path / "mine.yaml")
    # The evaluator is told of them in the same order.
    names = [choice.name for choice in parse_policies(found["evaluator"].parameters["policies"])]
    assert names == [parameters["policy"] for parameters in of_policies]


def test_labels_of_a_comparison_are_drawn_once(tmp_path):
    orders = {compared(tmp_path, "expert,hold", seed).text("policies") for seed in range(20)}
    assert orders == {"expert,hold", "hold,expert"}
    key = {"labels": {"A": {"name": "hold", "config": "", "url": ""}, "B": {"name": "expert", "config": "", "url": ""}}}
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "key.json").write_text(json.dumps(key))
    assert {compared(tmp_path, "expert,hold", seed).text("policies") for seed in range(20)} == {"hold,expert"}
    with pytest.raises(ImoveError, match="compares other policies"):
        compared(tmp_path, "expert,random_object")


def test_comparison_is_named_without_its_policies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = tmp_path / "runs" / "pick_category-comparison-20300102-030405"
    assert completed(policies="hold,expert").text("output") == str(expected)


@pytest.mark.parametrize("text", ["expert", "expert,opnpi", "expert,", ",".join(["hold"] * 27)])
def test_what_is_no_comparison_is_refused(text):
    with pytest.raises(ImoveError, match="policies:=.* must be empty, or two to 26 policies separated by commas"):
        completed(policies=text)


def test_settings_of_the_safety_layer_reach_all_that_heed_them(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "careful.yaml").write_text("speed_scale: 0.5\n")
    found = nodes(build("sim_eval", safety="careful.yaml"))
    heeding = [found[name].parameters["safety"] for name in ("sim_bridge", "policy_node", "evaluator")]
    assert heeding == [str(tmp_path / "careful.yaml")] * 3
    (tmp_path / "careful.yaml").write_text("speed: 0.5\n")
    with pytest.raises(ImoveError, match="careful.yaml.*unknown key 'speed'"):
        build("sim_eval", safety="careful.yaml")


def test_only_the_evaluator_is_required_and_on_the_screen():
    found = nodes(build("sim_eval", view="rerun"))
    assert [name for name, node in found.items() if node.required] == ["evaluator"]
    assert [name for name, node in found.items() if node.output == "screen"] == ["evaluator"]


def test_arguments_reach_the_nodes():
    found = nodes(build("sim_eval", image_size="640x480", clock="realtime", seed="7", policy="hold", episodes="2"))
    bridge = found["sim_bridge"].parameters
    assert (bridge["image_width"], bridge["image_height"]) == (640, 480)
    assert {found[name].parameters["clock"] for name in found} == {"realtime"}
    assert found["evaluator"].parameters["seed"] == 7
    assert {found[name].parameters["policy"] for name in ("policy_node", "evaluator")} == {"hold"}
    assert found["evaluator"].parameters["episodes"] == 2


def test_output_folder_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = tmp_path / "runs" / "pick_category-hold-20300102-030405"
    assert completed(policy="hold").text("output") == str(expected)
    assert build("sim_eval", output="here").log_parent == tmp_path / "here" / "log"


def test_task_follows_the_suite():
    values = completed(suite="pick_spatial/unseen@fr3_single", rig="fr3_single")
    assert (values.text("suite"), values.text("task")) == ("pick_spatial/unseen@fr3_single", "pick_spatial")


def test_rig_follows_the_suite():
    assert completed().text("rig") == "piperx_dual"
    assert completed(suite="pick_category/seen").text("rig") == "piperx_dual"


def test_suite_for_another_rig_is_refused_with_both_names(tmp_path):
    texts = {"suite": "pick_category/seen", "rig": "franka_single", "output": str(tmp_path / "run")}
    for name, given in (("sim_eval", texts), ("sim", {"view": "none", **texts})):
        known = {argument.name for argument in graph_definition(name).arguments}
        with pytest.raises(ImoveError, match="suite pick_category/seen is for rig piperx_dual; rig franka_single was"):
            graph_definition(name).graph({key: text for key, text in given.items() if key in known})


def test_task_without_a_suite_for_the_rig_says_how_to_make_one():
    with pytest.raises(ImoveError, match="no suite pick_category/seen for rig aloha_dual is shipped .* suite freeze"):
        completed(task="pick_category", rig="aloha_dual")


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("counterfactual", "normal,alternative,generic,empty,absent"),
        ("empty,normal", "normal,empty"),
        ("paraphrase", "paraphrase"),
    ],
)
def test_conditions_reach_the_evaluator(text, conditions):
    assert nodes(build("sim_eval", condition=text))["evaluator"].parameters["condition"] == conditions


def test_unknown_condition_is_refused_with_what_is_allowed():
    with pytest.raises(ImoveError, match="condition:=loud must be one of normal, .*, or all or counterfactual"):
        build("sim_eval", condition="loud")


def test_suite_file_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = completed(suite="mine/kitchen.jsonl", rig="piperx_dual")
    assert (values.text("suite"), values.text("task")) == (str(tmp_path / "mine" / "kitchen.jsonl"), "kitchen")


@pytest.mark.parametrize(("name", "views"), [("sim_eval", "rerun"), ("sim", "rerun"), ("sim", "rviz")])
def test_every_node_opens_the_same_corpus_folders(name, views, installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = nodes(build(name, view=views, assets="mine,yours"))
    expected = f"{tmp_path / 'mine'},{tmp_path / 'yours'}"
    assert {node.parameters["assets"] for node in found.values() if node.package != "rviz2"} == {expected}


def test_folder_that_is_no_corpus_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(ImoveError, match=f"{tmp_path}/index.jsonl cannot be read as the index of a corpus"):
        graph_definition("sim_eval").graph({"assets": str(tmp_path), "output": str(tmp_path / "run")})


def test_rviz_shows_markers(installed):
    found = nodes(build("sim", view="rviz", show_target="true"))
    assert list(found) == ["sim_bridge", "markers", "rviz"]
    assert found["markers"].parameters["show_target"] is True


@pytest.mark.parametrize(
    ("name", "texts"), [("sim", {"suite": "pick_spatial/seen@franka_single"}), ("real", {"hardware": "emulated"})]
)
def test_rviz_opens_the_layout_of_the_rig(name, texts, installed, tmp_path):
    found = nodes(build(name, view="rviz", output=str(tmp_path / "run"), **texts))
    option, path = found["rviz"].arguments
    rig = load_rig(found["markers"].parameters["rig"])
    assert option == "-d" and yaml.safe_load(Path(path).read_text()) == rviz_config(rig)


def test_the_layout_of_rviz_goes_with_the_process_that_launches():
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            "from imove_bringup.layouts.files import temporary_rviz_file as make; from imove_core.rig import load_rig; "
            "path = make(load_rig('piperx_dual')); assert path.is_file(); print(path)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    path = Path(made.stdout.strip())
    assert path.name == "piperx_dual.rviz" and not path.parent.exists()


def test_rerun_is_its_own_process():
    found = nodes(build("sim", view="rerun"))
    assert list(found) == ["sim_bridge", "rerun_viewer"]


@pytest.mark.parametrize("name", ["sim", "sim_eval"])
def test_a_simulation_has_a_console_on_demand(name, tmp_path):
    assert "console" not in nodes(build(name, view="none"))
    console = nodes(build(name, view="none", console="true", console_port="0", output=str(tmp_path)))["console"]
    assert dict(console.parameters) == {
        "use_sim_time": True,
        "rig": "piperx_dual",
        "host": "127.0.0.1",
        "port": 0,
        "dataset": str(tmp_path / "bags"),
    }


def test_recorded_evaluation_has_a_recorder_that_waits_to_be_told():
    found = nodes(build("sim_eval", record="true", output="/results/a", clock="realtime"))
    assert found["evaluator"].parameters["record"] is True
    assert dict(found["recorder"].parameters) == {
        "use_sim_time": True,
        "rig": "piperx_dual",
        "clock": "realtime",
        "dataset": "/results/a/bags",
        "autostart": False,
    }
    assert not found["recorder"].required


def test_recorder_of_sim_starts_by_itself_and_is_required(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = nodes(build("sim", view="none", record="true"))
    assert list(found) == ["sim_bridge", "recorder"]
    assert found["recorder"].required
    assert found["recorder"].parameters["autostart"] is True
    dataset = Path(found["recorder"].parameters["dataset"])
    assert (dataset.name, dataset.parent.parent) == ("bags", tmp_path / "runs")


def test_full_disk_is_refused_before_anything_is_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(preflight, "RECORDING_BYTES", 1 << 62)
    preflight.check_recording(False, str(tmp_path / "run"))
    with pytest.raises(ImoveError, match=f"output {tmp_path}/run: its disk has .* MB free; a run needs"):
        preflight.check_recording(True, str(tmp_path / "run"))


def test_sim_sets_up_an_episode_in_real_time():
    bridge = nodes(build("sim", view="none", episode="4"))["sim_bridge"].parameters
    assert (bridge["clock"], bridge["suite"], bridge["start_episode"]) == ("realtime", "pick_category/seen", 4)


def test_parameters_cannot_be_changed():
    with pytest.raises(TypeError):
        build("sim", view="none").nodes[0].parameters["rig"] = "other"


def test_unknown_rig_starts_nothing():
    with pytest.raises(ImoveError, match="unknown rig 'panda'; allowed: .*piperx_dual"):
        graph_definition("sim").graph({"rig": "panda", "view": "none"})


def test_missing_rviz_is_a_sentence(installed):
    with pytest.raises(ImoveError, match="view:=rviz needs rviz2, .* use view:=rerun or view:=none"):
        graph_definition("sim").graph({})


def real_eval(tmp_path, **texts):
    """The graph of trials on an emulated table."""
    return build("real_eval", hardware="emulated", output=str(tmp_path / "run"), **texts)


def test_trials_on_an_emulated_table(tmp_path):
    found = nodes(real_eval(tmp_path, policies="hold,expert", episodes="3", condition="normal,empty", view="rerun"))
    assert list(found) == [
        "emulated_table", "left_driver", "right_driver", "static_camera_driver", "left_hand_camera_driver",
        "right_hand_camera_driver", "rig_frames", "object_tracker", "trial_conductor", "policy_node_a", "policy_node_b",
        "evaluator", "recorder", "console", "rerun_viewer",
    ]  # fmt: skip
    # Time on the table is that of the world.
    assert not any(node.parameters.get("use_sim_time", False) for node in found.values())
    assert found["trial_conductor"].parameters["trials"] == 12
    assert found["trial_conductor"].parameters["confirm"] == "operator"
    evaluator = found["evaluator"].parameters
    assert (evaluator["domain"], evaluator["clock"], evaluator["sim"]) == ("real", "realtime", "real table")
    assert found["recorder"].parameters["domain"] == "real"
    (rig,) = {node.parameters["rig"] for node in found.values()}
    assert load_rig(rig).arm_device("left").bus.startswith("socketcand:127.0.0.1:")
    assert [name for name, node in found.items() if node.required] == ["evaluator"]


def test_real_trials_need_a_labs_own_rig_file(tmp_path):
    with pytest.raises(ImoveError, match="does not say where arm 'left' is connected; `imove rig setup` writes"):
        graph_definition("real_eval").graph({"output": str(tmp_path / "run")})
    assert not (tmp_path / "run").exists()
