"""Which packages may import what: the libraries need no ROS, and packages depend on each other in one direction."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[1] / "src"
LIBRARIES = ("imove_description", "imove_core", "imove_tasks", "imove_motion")
ROS_FREE = (*LIBRARIES, "imove_analysis", "imove_datasets", "imove_baselines")
NODES = (
    "imove_console",
    "imove_eval",
    "imove_hardware",
    "imove_policy_node",
    "imove_recorder",
    "imove_sim_bridge",
    "imove_teleop_aloha",
    "imove_tracker",
    "imove_trials",
)
MESSAGES = "imove_interfaces"
# What each package may import of the others; a node package may import all below it, but no other node package.
ALLOWED = {
    "imove_description": frozenset(),
    "imove_core": frozenset({"imove_description"}),
    "imove_tasks": frozenset({"imove_description", "imove_core"}),
    "imove_motion": frozenset({"imove_description", "imove_core", "imove_tasks"}),
    "imove_datasets": frozenset({"imove_description", "imove_core", "imove_tasks"}),
    "imove_analysis": frozenset({"imove_description", "imove_core", "imove_tasks"}),
    "imove_baselines": frozenset({*LIBRARIES, "imove_datasets"}),
    # The libraries besides the core are for the planner over MoveIt alone, see below.
    "imove_ros": frozenset({*LIBRARIES, MESSAGES}),
    # Of the simulator's package it uses the part without ROS.
    "imove_gym": frozenset({*LIBRARIES, "imove_sim_bridge"}),
    **{name: frozenset({*LIBRARIES, "imove_ros", MESSAGES}) for name in NODES},
    "imove_eval": frozenset({*LIBRARIES, "imove_analysis", "imove_ros", MESSAGES}),
    # Policies that run in the node's own process.
    "imove_policy_node": frozenset({*LIBRARIES, "imove_baselines", "imove_ros", MESSAGES}),
    "imove_bringup": frozenset(
        {*LIBRARIES, *NODES, "imove_analysis", "imove_datasets", "imove_baselines", "imove_ros", MESSAGES}
    ),
}
PACKAGES = sorted(folder.name for folder in SOURCES.iterdir() if (folder / folder.name / "__init__.py").is_file())
# Draws assets on a contact sheet for people; nothing imports it.
NEEDS_MUJOCO = ("imove_tasks.assets.sheet",)
# Train networks, in an environment of their own; what runs beside a robot imports none of them.
NEEDS_TORCH = (
    "imove_baselines.act_film.export",
    "imove_baselines.act_film.learning",
    "imove_baselines.act_film.network",
    "imove_baselines.act_film.training",
    "imove_baselines.grounded_pick.export",
    "imove_baselines.grounded_pick.learning",
    "imove_baselines.grounded_pick.network",
    "imove_baselines.grounded_pick.training",
    "imove_baselines.training.checkpoints",
    "imove_baselines.training.fitting",
    "imove_baselines.training.layers",
    "imove_baselines.training.onnx_file",
)

BLOCK_ROS = """
import importlib
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ("rclpy", "mujoco", "imove_interfaces", "imove_ros") or top.startswith(("rosidl", "ament_")) or (
            top.endswith(("_msgs", "_interfaces"))
        ):
            raise ModuleNotFoundError(f"{name} is blocked", name=name)
        return None

sys.meta_path.insert(0, Refuse())
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def modules_of(package: str) -> list[tuple[str, Path]]:
    """Name and file of every module of a package."""
    root = SOURCES / package
    found = []
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return found


def imports_of(path: Path) -> Iterator[str]:
    """Every module that a file imports, also inside of functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where a name comes from"
            yield node.module


def run_python(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", ROS_FREE)
def test_every_module_of_the_libraries_imports_without_ros_and_mujoco(package: str) -> None:
    names = [name for name, _ in modules_of(package) if name not in (*NEEDS_MUJOCO, *NEEDS_TORCH)]
    assert len(names) > 4
    run_python(BLOCK_ROS, *names)


@pytest.mark.parametrize("package", ROS_FREE)
def test_the_libraries_name_no_ros_module_anywhere(package: str) -> None:
    for _, path in modules_of(package):
        for name in imports_of(path):
            top = name.partition(".")[0]
            assert top not in ("rclpy", MESSAGES, "imove_ros"), f"{path} imports {name}"
            assert not top.endswith(("_msgs", "_interfaces")), f"{path} imports {name}"


def test_gymnasium_environments_import_without_ros_and_mujoco() -> None:
    run_python(BLOCK_ROS, *(name for name, _ in modules_of("imove_gym")))


def test_exports_import_without_ros_and_mujoco() -> None:
    run_python(BLOCK_ROS, *(name for name, _ in modules_of("imove_datasets")))


def test_only_training_names_torch() -> None:
    naming = {
        name
        for name, path in modules_of("imove_baselines")
        if any(found.partition(".")[0] == "torch" for found in imports_of(path))
    }
    assert naming <= set(NEEDS_TORCH)
    for name, path in modules_of("imove_baselines"):
        if name not in NEEDS_TORCH:
            assert not set(imports_of(path)) & set(NEEDS_TORCH), name


def test_the_block_blocks() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCK_ROS, "rclpy"], capture_output=True, text=True, check=False)
    assert "rclpy is blocked" in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(
    "module",
    [
        "imove_baselines.grounded_pick.making",
        "imove_policy_node.pickers",
        "imove_policy_node.salient",
        "imove_core.provenance",
        "imove_recorder.recorder",
    ],
)
def test_what_runs_beside_a_robot_loads_nothing_heavy(module: str) -> None:
    code = "import importlib, sys; importlib.import_module(sys.argv[1]); print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in run_python(code, module).split()}
    assert module.partition(".")[0] in loaded
    assert loaded.isdisjoint({"mujoco", "torch", "jax", "isaaclab", "rclpy", "ray"})


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_depend_on_each_other_in_one_direction(package: str) -> None:
    assert package in ALLOWED, f"{package} has no place in the order of dependence"
    for _, path in modules_of(package):
        for name in imports_of(path):
            top = name.partition(".")[0]
            if top.startswith("imove_") and top != package:
                assert top in ALLOWED[package], f"{path.relative_to(SOURCES)} imports {name}"


@pytest.mark.parametrize("package", ["imove_ros"])
def test_shared_ros_code_knows_messages_and_the_core_alone(package: str) -> None:
    """Neither simulator nor learning: every node loads it."""
    for _, path in modules_of(package):
        tops = {name.partition(".")[0] for name in imports_of(path)}
        assert tops.isdisjoint({"mujoco", "torch", "scipy", "trimesh", "shapely"}), path
        if not path.name.startswith("moveit_"):
            assert tops.isdisjoint({"imove_description", "imove_tasks", "imove_motion", "moveit"}), path
            assert not any(name.startswith("imove_ros.moveit_") for name in imports_of(path)), path
