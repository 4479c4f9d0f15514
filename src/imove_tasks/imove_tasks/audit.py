"""The language-blind audit: how often rules that never read the instruction choose what it asks for."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from imove_core.spec import EpisodeSpec
from imove_tasks.seeds import generator

LEVEL = 0.95
"""Central probability of the interval around chance."""
Choose = Callable[[EpisodeSpec, np.random.Generator], tuple[str, str | None]]
"""A rule: the object and the destination that it chooses, among those that could be asked for."""


@dataclass(frozen=True)
class Finding:
    """What came of one rule on one suite.

    Attributes:
        rule: Its name.
        hits: Episodes in which it chose target and destination.
        episodes: Of the suite.
        chance: Mean probability that a random choice hits.
        low: Fewest hits that chance explains.
        high: Most hits that chance explains.
    """

    rule: str
    hits: int
    episodes: int
    chance: float
    low: int
    high: int

    @property
    def sound(self) -> bool:
        """Whether chance explains the hits."""
        return self.low <= self.hits <= self.high

    def to_record(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {**asdict(self), "sound": self.sound}


def contenders(spec: EpisodeSpec) -> tuple[str, ...]:
    """Ids of the objects between which only the language decides: target and distractors."""
    return tuple(item.id for item in spec.objects if item.role in ("target", "distractor"))


def destinations(spec: EpisodeSpec) -> tuple[str, ...]:
    """Ids of the containers or reference objects between which only the language decides."""
    return tuple(item.id for item in spec.objects if item.role in ("destination", "other_destination"))


def chance(spec: EpisodeSpec) -> float:
    """Probability that a random contender at a random destination is what is asked for."""
    return 1.0 / (len(contenders(spec)) * max(1, len(destinations(spec))))


def audit(specs: Sequence[EpisodeSpec], rules: Mapping[str, Choose]) -> list[Finding]:
    """Runs every rule on every episode of a suite.

    Chance differs little between the episodes of a suite; the interval is that of the binomial distribution with the
    mean chance, which is no narrower than that of the sum over different chances.
    """
    mean = float(np.mean([chance(spec) for spec in specs]))
    low, high = (int(bound) for bound in binom.interval(LEVEL, len(specs), mean))
    findings = []
    for name, choose in rules.items():
        hits = 0
        for spec in specs:
            normal = spec.instruction("normal")
            chosen = choose(spec, generator("audit", name, spec.seed))
            hits += chosen == (normal.target, normal.destination)
        findings.append(Finding(name, hits, len(specs), mean, low, high))
    return findings


@dataclass(frozen=True)
class Balance:
    """How evenly a suite uses what it is made of; counts by name.

    Attributes:
        assets: How often each asset is the target.
        categories: How often each category is the target's.
        arms: How often each arm lifted the target in the proof.
        places: Targets by third of the workspace's depth and half of its width.
        relations: Relations that the instructions speak of.
        attributes: Attributes that the instructions speak of beside the category.
    """

    assets: Counter[str]
    categories: Counter[str]
    arms: Counter[str]
    places: Counter[str]
    relations: Counter[str]
    attributes: Counter[str]

    def to_record(self) -> dict[str, dict[str, int]]:
        """The counts as plain data."""
        return {name: dict(sorted(counts.items())) for name, counts in vars(self).items()}


def balance(specs: Sequence[EpisodeSpec]) -> Balance:
    """Counts what the episodes of a suite ask for."""
    counts = Balance(*(Counter() for _ in range(6)))
    depths = np.array([spec.object(spec.instruction("normal").target or "").position[0] for spec in specs])
    edges = np.quantile(depths, [0.0, 1.0])
    for spec in specs:
        normal = spec.instruction("normal")
        target = spec.object(normal.target or "")
        counts.assets[target.asset] += 1
        counts.categories[target.labels["category"]] += 1
        if spec.certificate is not None:
            counts.arms[next(c.arm for c in spec.certificate.candidates if c.object_id == target.id)] += 1
        share = (target.position[0] - edges[0]) / max(1e-9, edges[1] - edges[0])
        depth = ("near", "middle", "far")[min(2, int(3 * share))]
        counts.places[f"{depth} {'left' if target.position[1] > 0 else 'right'}"] += 1
        if normal.meaning is not None:
            _count_words(normal.meaning.pick.model_dump(exclude_none=True), counts)
            if normal.meaning.place is not None:
                counts.relations[normal.meaning.place.relation] += 1
    return counts


def _count_words(pick: Mapping[str, object], counts: Balance) -> None:
    fields = pick.get("fields", {})
    assert isinstance(fields, dict)
    counts.attributes.update(name for name in fields if name != "category")
    if "size" in pick:
        counts.attributes["size"] += 1
    relation = pick.get("relation")
    if isinstance(relation, dict):
        counts.relations[str(relation["relation"])] += 1
