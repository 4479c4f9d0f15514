"""`imove launch` and its neighbours from the shell's side."""

import json
import os
import subprocess
import sys

import pytest

from imove_analysis.conditions import CONDITION_RULE
from imove_bringup.commands.launch import split_words
from imove_bringup.graphs import graph_names
from imove_core.errors import ImoveError
from imove_tasks.registry import family_names
from imove_tasks.suites import suite_names

FILES = [f"{name}.launch.py" for name in graph_names()]
TAKES = f"launch takes one of {', '.join(FILES)} and name:=value arguments"
ALLOWED = ", ".join(sorted(FILES))


def imove(*words, **environ):
    return subprocess.run(
        [sys.executable, "-m", "imove_bringup.cli", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        timeout=60,
    )


@pytest.mark.parametrize("words", [["sim.launch.py"], ["imove_bringup", "sim.launch.py"]])
def test_package_may_be_named(words):
    assert split_words([*words, "seed:=1"]) == ("sim", ["seed:=1"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], f"{TAKES}, got none"),
        (
            ["sim.launch.py", "seed"],
            f"{TAKES}, got sim.launch.py seed",
        ),
        (["other.launch.py"], f"unknown launch file 'other.launch.py'; allowed: {ALLOWED}"),
        (["sim"], f"unknown launch file 'sim'; allowed: {ALLOWED}"),
    ],
)
def test_wrong_words(words, message):
    with pytest.raises(ImoveError) as caught:
        split_words(words)
    assert str(caught.value) == message


def test_mistake_is_one_line_and_status_2():
    result = imove("launch", "sim_eval.launch.py", "policy:=opnpi")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("imove: launch argument policy:=opnpi must be one of expert, ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["eval", "--episodes", "0"], "--episodes 0 must be a whole number of at least 1"),
        (["eval", "--episodes", "abc"], "--episodes abc must be a whole number of at least 1"),
        (["eval", "--episodes", "101"], "episodes is 101; suite pick_category/seen has 1 to 100"),
        (["eval", "--image-size", "3"], "--image-size 3 must be WIDTHxHEIGHT in pixels, each 16 to 4096, e.g. 224x224"),
        (
            ["eval", "--scheduler", "nope"],
            "--scheduler nope must be one of receding, sync_hold, async_stamped, ensemble",
        ),
        (["eval", "--suite", "nope"], f"unknown suite 'nope'; allowed: {', '.join(suite_names())}"),
        (
            ["eval", "--suite", "pick_category/seen", "--rig", "franka_single"],
            "suite pick_category/seen is for rig piperx_dual; rig franka_single was given",
        ),
        (["eval", "--condition", "loud"], f"--condition loud must be {CONDITION_RULE}"),
        (["eval", "--task", "juggle"], f"unknown task 'juggle'; allowed: {', '.join(sorted(family_names()))}"),
        (["eval", "--nope"], "no such option: --nope; see imove eval --help"),
        (["nope"], "no such command 'nope'; see imove --help"),
        (["suite", "freeze"], "missing option '--task'; see imove suite freeze --help"),
        (["launch"], f"{TAKES}, got none"),
    ],
)
def test_wrong_words_are_one_line_and_status_2(words, line):
    result = imove(*words)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"imove: {line}\n")


def test_no_words_show_the_help():
    result = imove()
    assert (result.returncode, result.stderr) == (2, "")
    assert "launch" in result.stdout


def test_show_args_starts_nothing(tmp_path):
    result = imove("launch", "sim_eval.launch.py", "--show-args")
    assert result.returncode == 0
    names = "task suite suites policy policies episodes condition conditions rig seed repeats clock output view"
    for name in names.split():
        assert f"\n    {name}\n" in result.stdout


def test_contract_as_json_and_as_table():
    listing = json.loads(imove("contract", "--rig", "piperx_dual", "--json").stdout)
    assert listing["joints"]["left"][-1] == "left_gripper"
    table = imove("contract").stdout
    for topic in listing["topics"]:
        assert f" {topic['name']} " in table


def test_contract_of_an_unknown_rig():
    result = imove("contract", "--rig", "nobody")
    assert (result.returncode, result.stderr.startswith("imove: unknown rig 'nobody'; allowed: ")) == (2, True)


def test_doctor_tells_what_fails():
    findings = {item["name"]: item for item in json.loads(imove("doctor", "--json").stdout)}
    assert findings["python"]["detail"].startswith(sys.version.split()[0])
    assert findings["libraries"]["status"] == "ok"
    result = imove("doctor", MUJOCO_GL="nonsense")
    assert result.returncode == 1
    assert "failed  renderer" in result.stdout
