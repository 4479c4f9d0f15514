"""Values in a recipe written in Python, read without importing the trainer or running the recipe."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from imove_core.errors import ImoveError


@dataclass(frozen=True)
class Made:
    """What a call makes.

    Attributes:
        name: Class or function, as the recipe names it, e.g. "TrainConfig" or "nnx.Not".
        positional: Values without a name.
        named: Values by name.
        line: Where it stands.
    """

    name: str
    positional: tuple[Any, ...]
    named: Mapping[str, Any]
    line: int


@dataclass(frozen=True)
class Named:
    """Something that the recipe refers to and does not make, e.g. a member of an enum.

    Attributes:
        name: As the recipe spells it.
    """

    name: str


@dataclass(frozen=True)
class PythonRecipe:
    """A recipe's text taken apart.

    Attributes:
        imports: Module by imported name; modules imported whole are under their own name with "".
        assigned: Value of each name at the top.
        calls: Every call in the file, also in functions.
        attributes: Every dotted name in the file.
        classes: Bases of each class in the file, by its name.
    """

    imports: Mapping[str, str]
    assigned: Mapping[str, Any]
    calls: tuple[Made, ...] = ()
    attributes: tuple[str, ...] = ()
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_python(text: str, name: str) -> PythonRecipe:
    """Takes a recipe apart.

    Args:
        text: Source.
        name: What to call it in errors.

    Raises:
        ImoveError: when it is not Python.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ImoveError(f"{name}, line {error.lineno} is not Python: {error.msg}") from error
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imports |= {alias.asname or alias.name: node.module or "" for alias in node.names}
        elif isinstance(node, ast.Import):
            imports |= {alias.asname or alias.name: "" for alias in node.names}
    assigned: dict[str, Any] = {}
    for item in tree.body:
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            assigned[item.targets[0].id] = _value(item.value, assigned)
    calls = [_value(node, assigned) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    attributes = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    classes = {
        node.name: tuple(ast.unparse(base) for base in node.bases)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    made = tuple(call for call in calls if isinstance(call, Made))
    return PythonRecipe(imports, assigned, made, tuple(attributes), classes)


def _value(node: ast.expr, assigned: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name) if name in assigned:
            return assigned[name]
        case ast.List(elts=items):
            return [_value(item, assigned) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item, assigned) for item in items)
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {
                _value(key, assigned): _value(value, assigned) for key, value in zip(keys, values, strict=True) if key
            }
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call(func=ast.Name(id="range"), args=limits)]):
            return list(range(*(ast.literal_eval(limit) for limit in limits)))
        case ast.Call():
            named = {word.arg: _value(word.value, assigned) for word in node.keywords if word.arg}
            positional = tuple(_value(item, assigned) for item in node.args)
            return Made(ast.unparse(node.func), positional, named, node.lineno)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return Named(ast.unparse(node))
