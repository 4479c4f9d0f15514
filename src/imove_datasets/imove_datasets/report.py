"""What an export says about itself: `meta/imove.json` in the dataset, and the lines that a command prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from imove_datasets.alignment import Drop
from imove_datasets.dataset import Dataset
from imove_datasets.episode import EpisodeExport
from imove_datasets.settings import ExportSettings
from imove_datasets.statistics import Floored
from imove_tasks.stages.events import PLACE_STAGES
from imove_tasks.stages.phases import PHASES

REPORT_FILE = "meta/imove.json"
SCHEMA = 1


@dataclass(frozen=True)
class EpisodeReport:
    """What has become of an episode.

    Attributes:
        name: Task folder and episode folder of its bag.
        episode_index: Its number in the dataset, None where it is left out.
        frames: In the dataset.
        dropped: Images of the reference camera that became no frames.
        trimmed: Frames cut off at the start and at the end.
        left_out: Why it is not in the dataset, "" where it is.
        about: Custom data of the bag.
    """

    name: str
    episode_index: int | None
    frames: int
    dropped: tuple[Drop, ...]
    trimmed: tuple[int, int]
    left_out: str
    about: dict[str, str]


@dataclass(frozen=True)
class ExportReport:
    """What an export has made.

    Attributes:
        settings: It was asked for.
        rig: Name.
        fps: Frames a second.
        units: Unit by joint.
        episodes: Every bag, in order.
        floored: Dimensions whose statistics got a floor.
        tasks: Number of different texts.
    """

    settings: ExportSettings
    rig: str
    fps: int
    units: dict[str, str]
    episodes: tuple[EpisodeReport, ...]
    floored: tuple[Floored, ...]
    tasks: int

    @property
    def kept(self) -> int:
        """Episodes in the dataset."""
        return sum(episode.episode_index is not None for episode in self.episodes)

    @property
    def frames(self) -> int:
        """Frames in the dataset."""
        return sum(episode.frames for episode in self.episodes)

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Dropped frames of all episodes by topic and reason."""
        counts: Counter[tuple[str, str]] = Counter()
        for episode in self.episodes:
            for drop in episode.dropped:
                counts[drop.topic, drop.reason] += drop.frames
        return tuple(Drop(topic, reason, frames) for (topic, reason), frames in sorted(counts.items()))

    def to_record(self) -> dict[str, Any]:
        """The report as plain data, the same for the same bags whatever the machine and the hour."""
        settings = self.settings
        return {
            "schema": SCHEMA,
            "format": settings.format,
            "rig": self.rig,
            "fps": self.fps,
            "units": self.units,
            "actions": {"stored": "absolute", "statistics": settings.actions, "horizon": settings.horizon},
            "paraphrases": settings.paraphrases,
            "alignment": asdict(settings.alignment),
            "video": asdict(settings.video),
            "labels": {
                "label.phase": list(PHASES),
                "label.stages": list(PLACE_STAGES),
                "unknown": -1,
            },
            "frames": self.frames,
            "dropped": [asdict(drop) for drop in self.drops],
            "floored": [asdict(dimension) for dimension in self.floored],
            "episodes": [asdict(episode) for episode in self.episodes],
        }


def make_report(
    settings: ExportSettings,
    dataset: Dataset,
    exports: Sequence[EpisodeExport],
    floored: tuple[Floored, ...],
) -> ExportReport:
    """Says what has become of every bag."""
    episodes, number = [], 0
    for export in exports:
        index = None if export.data is None else number
        number += index is not None
        episodes.append(
            EpisodeReport(
                name=export.facts.name,
                episode_index=index,
                frames=0 if export.data is None else len(export.data),
                dropped=export.drops,
                trimmed=export.trimmed,
                left_out=export.left_out,
                about={"instruction": export.facts.instruction, **export.facts.about},
            )
        )
    return ExportReport(
        settings=settings,
        rig=dataset.signature.rig,
        fps=dataset.fps,
        units=dataset.layout.units(),
        episodes=tuple(episodes),
        floored=floored,
        tasks=len(dataset.tasks),
    )
