"""Names by which an operator tells the objects of a scene apart."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from imove_core.spec import EpisodeSpec

_FIELDS = ("shape", "material")
"""Fields that are added to the colour where that is not enough, in the order in which they are spoken."""


def display_names(spec: EpisodeSpec) -> dict[str, str]:
    """A short name for each object, by id: colour and category, more words only where two would be called the same.

    Args:
        spec: Scene.
    """
    names = {item.id: _name(item.labels, item.phrase, ()) for item in spec.objects}
    for count in range(1, len(_FIELDS) + 1):
        for fields in combinations(_FIELDS, count):
            repeated = {name for name, times in Counter(names.values()).items() if times > 1}
            longer = {item.id: _name(item.labels, item.phrase, fields) for item in spec.objects}
            for name in repeated:
                ids = [key for key, given in names.items() if given == name]
                if len({longer[key] for key in ids}) == len(ids):
                    names.update({key: longer[key] for key in ids})
    taken = Counter(names.values())
    for number, item in enumerate(spec.objects, start=1):
        if taken[names[item.id]] > 1:
            names[item.id] = f"{names[item.id]} ({number})"
    return names


def _name(labels: dict[str, str], phrase: str, fields: tuple[str, ...]) -> str:
    words = [labels[name] for name in _FIELDS if name in fields]
    words.append(labels["color"])
    return " ".join([*(word for word in words if word not in phrase.split()), phrase])
