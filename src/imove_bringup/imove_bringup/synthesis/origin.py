"""Where a data set comes from: what was asked for, and what made it. Stands beside the data set and in every bag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from imove_bringup.synthesis.job import SynthesisJob
from imove_core import provenance
from imove_core.canonical import canonical_json, write_text_atomically
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.values import FrozenValue, first_fault
from imove_sim_bridge.gl import check_gl
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library

FILE = "provenance.json"


class Origin(FrozenValue):
    """Where demonstrations come from.

    Attributes:
        job: What was asked for, without the folder.
        asset_snapshot: Hash of the asset library.
        simulator: Engine, time step, image size and the driver that renders, None where nothing is rendered.
        versions: Of interpreter and packages.
        platform: Of the machine.
        revision: Of the source.
    """

    job: dict[str, Any]
    asset_snapshot: str
    simulator: dict[str, Any]
    versions: dict[str, str]
    platform: dict[str, str]
    revision: str

    @classmethod
    def of(cls, job: SynthesisJob) -> Self:
        """What this machine would make of a job.

        Raises:
            ImoveError: Rig, simulator or library are not there, or images are asked for and cannot be rendered.
        """
        library = open_library(job.asset_folders)
        backend = create_backend(job.sim, load_rig(job.rig), library.get, job.image_size or (16, 16))
        driver = None if job.image_size is None else check_gl()
        simulator = {**backend.provenance(), "renderer": driver}
        backend.close()
        return cls(
            job=job.model_dump(mode="json", exclude={"out"}),
            asset_snapshot=library.snapshot_hash(),
            simulator=simulator,
            **provenance.collect(),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads an origin; raises ImoveError naming the field that breaks the schema."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ImoveError(f"{FILE}: {first_fault(error, 'the file')}") from error

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return self.model_dump(mode="json")

    def to_json(self) -> str:
        """As one line of canonical JSON."""
        return canonical_json(self.to_record())

    def check_same(self, other: Origin, what: str) -> None:
        """Raises ImoveError unless another origin gives the same demonstrations.

        Args:
            other: To be compared.
            what: How the message calls that, e.g. "output runs/data".
        """
        ours, theirs = self._deciding(), other._deciding()
        for key, wanted in ours.items():
            if theirs.get(key) != wanted:
                raise ImoveError(f"{what} has {key} {theirs.get(key)!r}; this run has {wanted!r}; give another folder")

    def _deciding(self) -> dict[str, Any]:
        return {**self.job, "asset snapshot": self.asset_snapshot, "engine": self.simulator["engine"]}


def claim_folder(folder: Path, origin: Origin) -> None:
    """Marks a folder as that of a data set, or checks that it is the same one's.

    Raises:
        ImoveError: It holds something else.
    """
    path = folder / FILE
    if path.exists():
        origin.check_same(Origin.from_json(path.read_text(encoding="utf-8")), f"output {folder}")
        return
    others = [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")] if folder.is_dir() else []
    if others:
        raise ImoveError(f"output {folder} holds {sorted(others)[0]} and no {FILE}; give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, json.dumps(origin.to_record(), indent=2, sort_keys=True) + "\n")
