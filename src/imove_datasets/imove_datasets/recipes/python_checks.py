"""Faults of recipes that are Python files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from imove_datasets.recipes.fitting import fits
from imove_datasets.recipes.manifest import Manifest, Member, short
from imove_datasets.recipes.table_checks import unknown_field
from imove_datasets.recipes.values import Made, PythonRecipe

_PACKAGES = {"openpi": "openpi", "gr00t": "gr00t"}


def python_faults(recipe: PythonRecipe, helpers: Sequence[PythonRecipe], manifest: Manifest) -> list[str]:
    """Faults of a recipe and of the files of ours that it imports.

    Args:
        recipe: The recipe.
        helpers: Files of ours that it imports; classes that they define count as the trainer's.
        manifest: What the trainer has.
    """
    own = {name: Member(name, "dataclass", bases) for helper in helpers for name, bases in helper.classes.items()}
    known = replace(manifest, members={**manifest.members, **own})
    return [fault for file in (recipe, *helpers) for fault in _file_faults(file, known)]


def _file_faults(file: PythonRecipe, manifest: Manifest) -> Iterator[str]:
    package = _PACKAGES[manifest.trainer]
    for name, module in file.imports.items():
        if module.partition(".")[0] != package:
            continue
        if module not in manifest.modules:
            yield f"imports {name} from {module}, which the manifest of {manifest.trainer} does not describe"
        elif name not in manifest.modules[module]:
            yield f"imports {name} from {module}, which has no such name at {manifest.commit[:8]}"
    for call in file.calls:
        if short(call.name) in manifest.members:
            yield from _call_faults(call, manifest)
    for text in file.attributes:
        owner, _, value = text.rpartition(".")
        member = manifest.members.get(owner)
        if member is not None and member.kind == "enum" and value not in member.values:
            yield f"{owner} has no member {value}; allowed: {', '.join(member.values)}"


def _call_faults(call: Made, manifest: Manifest) -> Iterator[str]:
    name = short(call.name)
    fields = manifest.fields(name)
    where = f"line {call.line}: "
    many = [item for item in fields.values() if item.name.startswith("*")]
    given = dict(zip(fields, call.positional, strict=False)) if not many else {}
    if len(call.positional) > len(fields) and not many:
        yield f"{where}{name} takes {len(fields)} values, {len(call.positional)} are given"
    for key, value in (given | dict(call.named)).items():
        if key not in fields:
            yield where + unknown_field(name, key, fields)
        elif not fits(value, fields[key].annotation, manifest):
            yield f"{where}{name}.{key} is {value!r}; its type is {fields[key].annotation}"
    for item in fields.values():
        if item.required and item.name not in given and item.name not in call.named:
            yield f"{where}{name} needs {item.name}"
