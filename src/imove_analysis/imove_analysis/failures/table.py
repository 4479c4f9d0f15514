"""The failures of a run as a value: a class for each episode, confusions, and the cues that misled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from imove_analysis.failures.classes import CLASSES, SUCCESS
from imove_analysis.failures.confusion import Confusion
from imove_analysis.failures.overlap import CueOverlap
from imove_analysis.intervals import proportion


@dataclass(frozen=True)
class ClassedEpisode:
    """An episode and its class.

    Attributes:
        spec_id: Scene.
        condition: Which of its instructions was given.
        name: One of `CLASSES`.
        certain: False where control steps could have told a finer class and there are none.
        detail: Half a sentence that says what was seen.
        text: What the policy was told.
        target: The named object.
        called: Its phrase and category.
        acted_on: The object that was lifted first, or else reached, or else touched; None for none.
        acted_on_called: Its phrase and category; empty for none.
        cues: Where another candidate was wrongly acted on, the cues that speak for it, in the order of `CUES`.
        step: Control step of the event that decided, None where none did.
    """

    spec_id: str
    condition: str
    name: str
    certain: bool
    detail: str
    text: str
    target: str
    called: tuple[str, ...]
    acted_on: str | None
    acted_on_called: tuple[str, ...]
    cues: tuple[str, ...]
    step: int | None

    @property
    def key(self) -> str:
        """Its name in the run."""
        return f"{self.spec_id}/{self.condition}"

    def to_record(self) -> dict[str, Any]:
        """Plain data."""
        record = asdict(self)
        return {**record, **{name: list(record[name]) for name in ("called", "acted_on_called", "cues")}}


@dataclass(frozen=True)
class FailureTable:
    """Where a policy fails.

    Attributes:
        policy: Name of the policy.
        suite: Name of the suite.
        episodes: All that are of a class, in the order of scenes and conditions.
        confusions: By what objects are called, see `KINDS`.
        cues: Overlap of each cue with wrong choices; empty where there is none.
        left_out: Episodes that are of no class, by reason.
        problems: What was wrong with traces, one sentence each.
    """

    policy: str
    suite: str
    episodes: tuple[ClassedEpisode, ...]
    confusions: Mapping[str, tuple[Confusion, ...]]
    cues: tuple[CueOverlap, ...]
    left_out: Mapping[str, int]
    problems: tuple[str, ...]

    @property
    def failed(self) -> tuple[ClassedEpisode, ...]:
        """All but the successes."""
        return tuple(episode for episode in self.episodes if episode.name != SUCCESS)

    def counts(self, condition: str = "") -> dict[str, dict[str, Any]]:
        """By class: `k`, `n`, `rate`, `ci95` (Wilson) and `certain`, how many of the k are.

        Args:
            condition: Count its episodes alone; "" for all.
        """
        chosen = [episode for episode in self.episodes if condition in ("", episode.condition)]
        found = Counter(episode.name for episode in chosen)
        certain = Counter(episode.name for episode in chosen if episode.certain)
        return {name: {**proportion(found[name], len(chosen)), "certain": certain[name]} for name in CLASSES}

    def to_record(self) -> dict[str, Any]:
        """Plain data: `classes`, `by_condition`, `confusions`, `cues`, `episodes`, `left_out`, `problems`."""
        conditions = dict.fromkeys(episode.condition for episode in self.episodes)
        return {
            "policy": self.policy,
            "suite": self.suite,
            "n": len(self.episodes),
            "classes": self.counts(),
            "by_condition": {condition: self.counts(condition) for condition in conditions},
            "confusions": {kind: [cell.to_record() for cell in cells] for kind, cells in self.confusions.items()},
            "cues": [cue.to_record() for cue in self.cues],
            "episodes": [episode.to_record() for episode in self.episodes],
            "left_out": dict(self.left_out),
            "problems": list(self.problems),
        }
