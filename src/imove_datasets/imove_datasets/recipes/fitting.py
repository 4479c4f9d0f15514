"""Whether a value fits a type as a trainer's source spells it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from imove_datasets.recipes.manifest import Manifest, short
from imove_datasets.recipes.values import Made, Named

# A whole number is a float to every trainer here; a truth value is neither.
_PLAIN: dict[str, Callable[[Any], bool]] = {
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "Path": lambda value: isinstance(value, str),
    "dict": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
}
_SEQUENCES = ("Sequence", "list", "List")
_WRAPPERS = ("Suppress", "Optional", "Annotated")


def fits(value: Any, annotation: str, manifest: Manifest) -> bool:
    """Whether a recipe may set a field of this type to this value.

    What a recipe only names (`Named`), what it makes of parts that are not the trainer's (e.g. of flax), and types
    that the manifest does not describe are let through: their names are checked elsewhere.

    Args:
        value: From a recipe.
        annotation: Type as the source spells it.
        manifest: Knows the classes and aliases that it names.
    """
    return _fits(value, ast.parse(annotation, mode="eval").body, manifest)


def _fits(value: Any, kind: ast.expr, manifest: Manifest) -> bool:
    match kind:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(value, left, manifest) or _fits(value, right, manifest)
        case ast.Constant(value=None):
            return value is None
        case ast.Subscript(value=outer, slice=inner):
            return _fits_parts(value, short(ast.unparse(outer)), inner, manifest)
    name = short(ast.unparse(kind))
    member = manifest.members.get(name)
    if member is not None and member.kind == "alias":
        return fits(value, member.alias_of, manifest)
    if name in _PLAIN:
        return isinstance(value, Named) or _PLAIN[name](value)
    if member is None:
        return True
    if isinstance(value, Made):
        made = short(value.name)
        return made not in manifest.members or manifest.is_a(made, name)
    if member.kind == "enum":
        return isinstance(value, Named) and value.name.rpartition(".")[0] == name
    # In a file a class is written as a table of its fields.
    return isinstance(value, Named | dict)


def _fits_parts(value: Any, outer: str, inner: ast.expr, manifest: Manifest) -> bool:
    if outer == "Literal":
        choices = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return value in [ast.literal_eval(choice) for choice in choices]
    if outer in _WRAPPERS:
        return (outer == "Optional" and value is None) or _fits(value, inner, manifest)
    if outer in _SEQUENCES:
        if not isinstance(value, list | tuple):
            return isinstance(value, Named | Made)
        return all(_fits(item, inner, manifest) for item in value)
    if outer in ("tuple", "Tuple"):
        kinds = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return (
            isinstance(value, list | tuple)
            and len(value) == len(kinds)
            and all(_fits(item, kind, manifest) for item, kind in zip(value, kinds, strict=True))
        )
    return isinstance(value, dict) if outer in ("dict", "Dict") else True
