"""Faults of recipes that are tables of settings: YAML and JSON."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from imove_datasets.recipes.fitting import fits
from imove_datasets.recipes.manifest import Manifest

CHOICE = "type"
"""Key whose word chooses a class, e.g. of a policy."""
UNREAD = ("profiler.",)
"""Settings of Motus' own files that its code does not read; a recipe may leave them out."""
PARAMETERS = "dataset.params."
"""Settings of Motus that become arguments of its data set."""


def unknown_field(owner: str, key: str, allowed: Iterable[str]) -> str:
    """The sentence about a field that a class has not."""
    close = difflib.get_close_matches(key, list(allowed), n=1)
    return f"{owner} has no field {key!r}" + (f"; {close[0]!r} is near" if close else "")


def table_faults(
    table: Mapping[str, Any], owner: str, manifest: Manifest, chosen: Mapping[str, str], where: str = ""
) -> Iterator[str]:
    """Yields the faults of a table that becomes a class.

    Args:
        table: Values by field name.
        owner: The class.
        manifest: Knows it.
        chosen: Class by field, where the annotation does not say which.
        where: Dotted name of the table, with a dot behind it, "" at the top.
    """
    fields = manifest.fields(owner)
    for key, value in table.items():
        if key == CHOICE and manifest.members[owner].choice:
            continue
        if key not in fields:
            yield where + unknown_field(owner, key, fields)
            continue
        annotation = fields[key].annotation
        if not fits(value, annotation, manifest):
            yield f"{where}{key} is {value!r}; its type is {annotation}"
        elif isinstance(value, dict):
            inner = chosen.get(key) or _class_of(value, annotation, manifest)
            if inner:
                yield from table_faults(value, inner, manifest, {}, f"{where}{key}.")
            elif CHOICE in value:
                yield f"{where}{key}.{CHOICE} is {value[CHOICE]!r}; no class that the manifest describes has that name"


def flat_faults(values: Mapping[str, Any], types: Mapping[str, str], manifest: Manifest) -> Iterator[str]:
    """Yields the faults of settings that are read by dotted name.

    Args:
        values: Values by dotted name.
        types: Types by dotted name, from the trainer's own file.
        manifest: Knows the parameters of the data set.
    """
    parameters = {PARAMETERS + name: item.annotation for name, item in manifest.fields("LeRobotMotusDataset").items()}
    known = {**types, **parameters}
    for key, value in values.items():
        if key not in known:
            yield unknown_field(manifest.trainer, key, known)
        elif not fits(value, known[key], manifest):
            yield f"{key} is {value!r}; its type is {known[key]}"
    for key in types.keys() - values.keys():
        if not key.startswith(UNREAD):
            yield f"{key} is missing; {manifest.trainer} reads it"


def _class_of(value: Mapping[str, Any], annotation: str, manifest: Manifest) -> str | None:
    names = [name for name, member in manifest.members.items() if member.kind == "dataclass"]
    bases = [part.strip() for part in annotation.split("|")]
    if CHOICE in value:
        picked = [name for name in names if manifest.members[name].choice == value[CHOICE]]
        return next((name for name in picked if any(manifest.is_a(name, base) for base in bases)), None)
    return next((name for name in names if name in bases), None)
