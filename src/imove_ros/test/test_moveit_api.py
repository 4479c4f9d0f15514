"""The planner's source names only what MoveItPy has: members, names of arguments and properties, read by `ast`.

The types of expressions are followed from imports, annotations and the manifest's returns.
"""

import ast
import importlib.util
import inspect
import json
from pathlib import Path

import pytest

from imove_ros import moveit_messages, moveit_planner

MANIFEST = json.loads((Path(__file__).parent / "moveit_api.json").read_text(encoding="utf-8"))
CLASSES, RETURNS, MESSAGES = MANIFEST["classes"], MANIFEST["returns"], MANIFEST["messages"]


class Reader(ast.NodeVisitor):
    """Collects what is used of MoveIt's classes, and what of it they do not have."""

    def __init__(self, source: str) -> None:
        self.used: set[str] = set()
        self.faults: list[str] = []
        self._types: dict[str, str] = {}
        tree = ast.parse(source)
        self._functions = {n.name: self._annotated(n.returns) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        for _ in range(2):  # Attributes are used above the method that assigns them, too.
            self.used, self.faults = set(), []
            self.visit(tree)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module.startswith("moveit."):
            for alias in node.names:
                self._note(alias.name in CLASSES and CLASSES[alias.name]["module"] == node.module, alias.name)
        elif node.module == "moveit_msgs.msg":
            for alias in node.names:
                self._note(alias.name in MESSAGES, alias.name)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for argument in node.args.args:
            self._bind(argument.arg, self._annotated(argument.annotation))
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self._bind(ast.unparse(target), self._type(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.generic_visit(node)
        self._bind(ast.unparse(node.target), self._annotated(node.annotation))

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(ast.unparse(item.optional_vars), RETURNS.get(f"{self._type(item.context_expr)}.__enter__"))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        owner, name = None, "__init__"
        if isinstance(node.func, ast.Attribute):
            owner, name = self._type(node.func.value), node.func.attr
        elif isinstance(node.func, ast.Name) and node.func.id in CLASSES:
            owner = node.func.id
        elif isinstance(node.func, ast.Name) and node.func.id in MESSAGES:
            wrong = {word.arg for word in node.keywords} - set(MESSAGES[node.func.id]["fields"])
            self._note(not wrong and not node.args, ast.unparse(node))
        if owner in CLASSES:
            overloads = CLASSES[owner]["methods"].get(name, [])
            self._note(any(_fits(node, overload) for overload in overloads), f"{owner}.{name}", ast.unparse(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        owner = self._type(node.value)
        if owner in CLASSES:
            properties = CLASSES[owner]["properties"]
            is_set = isinstance(node.ctx, ast.Store)
            known = properties.get(node.attr, False) if is_set else node.attr in properties
            self._note(known or (not is_set and node.attr in CLASSES[owner]["methods"]), f"{owner}.{node.attr}")

    def _note(self, is_known: bool, what: str, where: str = "") -> None:
        (self.used.add(what) if is_known else self.faults.append(where or what))

    def _bind(self, name: str, kind: str | None) -> None:
        if kind is not None:
            self._types[name] = kind

    @staticmethod
    def _annotated(annotation: ast.expr | None) -> str | None:
        return annotation.id if isinstance(annotation, ast.Name) and annotation.id in CLASSES else None

    def _type(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.DictComp):
            return self._type(node.value)
        if isinstance(node, ast.Subscript):
            return self._type(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "deepcopy":
                return self._type(node.args[0])
            return node.func.id if node.func.id in CLASSES else None
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("self._"):
            called = self._functions.get(node.func.attr)
            return called or RETURNS.get(f"{self._type(node.func.value)}.{node.func.attr}")
        if isinstance(node, ast.Call):
            return self._type(node.func)
        if isinstance(node, ast.Attribute) and self._type(node.value):
            return RETURNS.get(f"{self._type(node.value)}.{node.attr}")
        return self._types.get(ast.unparse(node))


def _fits(call: ast.Call, names: list[str] | None) -> bool:
    """Whether a call's arguments fit an overload; without names they must be given by position."""
    words = {word.arg for word in call.keywords}
    if names is None:
        return not words
    plain = [name.rstrip("=") for name in names]
    given = [*plain[: len(call.args)], *words]
    required = [name for name in names if not name.endswith("=")]
    return len(call.args) <= len(plain) and set(given) <= set(plain) and set(required) <= set(given)


def test_the_planner_calls_only_what_moveit_has() -> None:
    read = Reader(inspect.getsource(moveit_planner))
    assert not read.faults
    assert read.used >= {
        "MoveItPy.__init__",
        "MoveItPy.get_planning_component",
        "MoveItPy.get_planning_scene_monitor",
        "MoveItPy.shutdown",
        "PlanRequestParameters.__init__",
        "PlanningSceneMonitor.read_only",
        "PlanningScene.apply_collision_object",
        "PlanningScene.process_attached_collision_object",
        "PlanningScene.remove_all_collision_objects",
        "PlanningScene.is_state_colliding",
        "PlanningScene.current_state",
        "PlanningScene.allowed_collision_matrix",
        "AllowedCollisionMatrix.set_entry",
        "RobotState.joint_positions",
        "RobotState.update",
        "PlanningComponent.set_start_state",
        "PlanningComponent.set_goal_state",
        "PlanningComponent.plan",
        "MotionPlanResponse.trajectory",
        "MotionPlanResponse.error_code",
        "RobotTrajectory.get_robot_trajectory_msg",
    }


def test_messages_have_only_fields_that_they_have() -> None:
    read = Reader(inspect.getsource(moveit_messages))
    assert not read.faults
    assert any("AttachedCollisionObject(" in used for used in read.used)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("set_goal_state(robot_state=end)", "set_goal_state(state=end)"),
        ("set_goal_state(robot_state=end)", "set_goal(robot_state=end)"),
        ("name1=first", "first=first"),
        ("state.joint_positions =", "state.dirty ="),
        ("response.error_code", "response.code"),
        ('PlanRequestParameters(self._moveit, "")', 'PlanRequestParameters(self._moveit, ns="")'),
        ("from moveit.planning import MoveItPy", "from moveit.core import MoveItPy"),
    ],
)
def test_a_wrong_name_would_be_found(right: str, wrong: str) -> None:
    source = inspect.getsource(moveit_planner)
    assert right in source
    assert Reader(source.replace(right, wrong)).faults


def test_error_codes_are_those_of_the_message() -> None:
    named = {*moveit_planner.CONSTRAINT_OF, *moveit_planner._OTHER_CODES}
    assert named == set(MESSAGES["MoveItErrorCodes"]["constants"]) - {"SUCCESS"}


@pytest.mark.skipif(importlib.util.find_spec("moveit") is None, reason="MoveItPy is not installed here")
@pytest.mark.parametrize("name", CLASSES)
def test_the_installed_moveit_has_what_the_manifest_says(name: str) -> None:
    described = CLASSES[name]
    module = importlib.import_module(described["module"].rpartition(".")[0] or "moveit")
    found = getattr(getattr(module, described["module"].rpartition(".")[2]), name)
    for member in (*described["methods"], *described["properties"]):
        assert hasattr(found, member), f"{name}.{member}"
