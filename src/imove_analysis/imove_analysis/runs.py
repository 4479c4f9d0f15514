"""Reads the folder of a run: what was set, what came of each episode, and what is wrong with the files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from imove_analysis.episodes import Episode, episode_from
from imove_analysis.spec_file import SpecFile
from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_tasks.suites import Suite, open_suite, suite_names

EPISODES = "episodes.jsonl"
PROVENANCE = "provenance.json"
SUMMARY = "summary.json"
SUITE = "suite.jsonl"
"""Copy of the suite in the folder of a run: results mean something without the place where it was run."""
DETAILS = "details"
"""Key of the provenance under which stands what settings mean, see docs/contracts.md."""


@dataclass(frozen=True)
class Run:
    """The results of one policy on one suite, as they are on disk.

    Attributes:
        folder: Of the run.
        settings: What decided its results, see `imove_eval.settings.RunSettings`.
        provenance: Where it comes from.
        episodes: Those that were finished, each once, in the order of the file.
        aborted: Those that were not.
        problems: What is wrong with the files, one sentence each; what they touch is left out of `episodes`.
    """

    folder: Path
    settings: Mapping[str, Any]
    provenance: Mapping[str, Any]
    episodes: tuple[Episode, ...]
    aborted: tuple[Episode, ...] = ()
    problems: tuple[str, ...] = field(default=())

    @property
    def policy(self) -> str:
        """Name of the policy as users write it."""
        return str(self.settings["policy"])

    @property
    def suite_name(self) -> str:
        """Name of the suite."""
        return str(self.settings["suite"])

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions of the finished episodes, in the order in which they come first."""
        return tuple(dict.fromkeys(episode.condition for episode in self.episodes))

    @cached_property
    def suite(self) -> Suite:
        """The suite, from its copy in the folder or the shipped one of that name; raises ImoveError without either."""
        wanted = self.settings["suite_hash"]
        copy = self.folder / SUITE
        if not copy.is_file() and self.suite_name not in suite_names():
            raise ImoveError(f"{self.folder} has no {SUITE}, and no suite {self.suite_name} is shipped")
        suite = open_suite(str(copy) if copy.is_file() else self.suite_name)
        if suite.content_hash != wanted:
            raise ImoveError(
                f"{self.folder} was run on suite {self.suite_name} {wanted[:12]}; the one at hand is "
                f"{suite.content_hash[:12]}"
            )
        return suite

    @cached_property
    def specs(self) -> Mapping[str, EpisodeSpec]:
        """The scenes by id; raises ImoveError where the suite is not at hand."""
        copy = self.folder / SUITE
        if copy.is_file():
            return SpecFile(copy, str(self.settings["suite_hash"]))
        return {spec.id: spec for spec in self.suite.specs}

    def open_rig(self, name_or_path: str = "") -> Rig:
        """The rig of the run; by its name, where settings tell it: a large suite takes long to read as a whole.

        Args:
            name_or_path: Of that rig where it is not shipped, "" for the shipped one.

        Raises:
            ImoveError: It is not shipped or cannot be read, is another one, or the suite is not at hand.
        """
        wanted = self.settings.get("rig")
        if wanted is None:
            return self.suite.open_rig(name_or_path)
        rig = load_rig(name_or_path or str(wanted))
        if rig.name != wanted:
            raise ImoveError(f"{self.folder} was run on rig {wanted}; {name_or_path} is rig {rig.name}")
        return rig


def open_run(folder: Path) -> Run:
    """Reads a run.

    A line that a kill left half written, a line that is no record, and a second record of an episode become problems;
    the rest is read.

    Raises:
        ImoveError: The folder is not that of a run.
    """
    try:
        provenance = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        settings = provenance["settings"]
        for key in ("policy", "suite", "suite_hash"):
            str(settings[key])
    except OSError as error:
        raise ImoveError(f"{folder} is no run: {PROVENANCE}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ImoveError(f"{folder / PROVENANCE} is damaged") from error
    finished: dict[str, Episode] = {}
    aborted: list[Episode] = []
    problems: list[str] = []
    repeated: Counter[str] = Counter()
    path = folder / EPISODES
    if path.is_file():
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    episode = episode_from(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    cut = "is cut off" if not line.endswith(b"\n") else f"is no record of an episode ({error!r})"
                    problems.append(f"{path} line {number} {cut}")
                    continue
                if not episode.finished:
                    aborted.append(episode)
                elif episode.key in finished:
                    repeated[episode.key] += 1
                else:
                    finished[episode.key] = episode
    if repeated:
        first = next(iter(repeated))
        problems.append(f"{path} has {repeated.total()} episodes more than once, the first of them {first}; one counts")
    return Run(folder, settings, provenance, tuple(finished.values()), tuple(aborted), tuple(problems))


def find_runs(root: Path) -> list[Path]:
    """Folders of runs at or below a folder, sorted; those within a run's own folder are part of it."""
    if (root / PROVENANCE).is_file() and (root / EPISODES).is_file():
        return [root]
    if not root.is_dir():
        raise ImoveError(f"{root} is no folder")
    found: list[Path] = []
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and not folder.is_symlink() and not folder.name.startswith("."):
            found += find_runs(folder)
    return found
