"""What is to be synthesised, as a value that crosses processes and machines as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault
from imove_tasks.randomization import RandomizationConfig

Pixels = Annotated[int, Field(ge=16, le=4096)]


class SynthesisJob(FrozenValue):
    """Which demonstrations are made, and how they are recorded.

    Attributes:
        task: Name of the task family.
        split: Of the family; what is drawn where there is no suite.
        suite: Shipped suite or .jsonl file whose specs are used, "" to draw specs.
        rig: Shipped rig, or path of a .yaml file.
        sim: Name of the simulator.
        planner: Name of the planner of joint motions; MoveIt's motions differ from run to run.
        seed: Of all draws.
        looks: What of the domain randomisation is drawn; the specs of a suite have their own.
        image_size: Width and height of every camera image, pixels; None records no cameras.
        depth: Whether aligned depth is recorded beside colour.
        assets: Corpus folders beside the shipped library.
        out: Folder of the data set; on a cluster every machine must see it under this name.
    """

    task: str
    split: str
    suite: str
    rig: str
    sim: str
    planner: str
    seed: Annotated[int, Field(ge=0)]
    looks: RandomizationConfig
    image_size: tuple[Pixels, Pixels] | None
    depth: bool
    assets: tuple[str, ...]
    out: str

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.image_size is None and self.depth:
            raise ValueError("depth is recorded without images; switch depth off, or images on")
        return self

    @classmethod
    def from_json(cls, text: str) -> SynthesisJob:
        """Reads a job; raises ImoveError naming the field that breaks the schema."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ImoveError(f"synthesis job: {first_fault(error, 'the job')}") from error

    def to_json(self) -> str:
        """The job as one line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))

    @property
    def folder(self) -> Path:
        """Of the data set."""
        return Path(self.out)

    @property
    def asset_folders(self) -> tuple[Path, ...]:
        """Corpus folders beside the shipped library."""
        return tuple(Path(folder) for folder in self.assets)
