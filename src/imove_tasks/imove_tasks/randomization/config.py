"""The declaration of a domain randomisation, from presets and YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from imove_core.errors import ImoveError, unknown_name
from imove_core.values import FrozenValue, first_fault
from imove_tasks.randomization.factors import (
    BackgroundFactor,
    CameraPoseFactor,
    ClutterFactor,
    Factor,
    FinishFactor,
    InitialJointsFactor,
    LightFactor,
    TableFactor,
)
from imove_tasks.randomization.pins import Pins


class RandomizationConfig(FrozenValue):
    """What of looks and start is drawn for an episode; nothing by default.

    Every factor has a random stream of its own, and so has each of its parts: switching one on or off, changing its
    range or pinning it changes no other.

    Attributes:
        light: Illumination.
        finishes: Material finishes of the objects.
        table: Surface of the table.
        background: Room.
        initial_joints: Where the arms start.
        camera_pose: Where the cameras stand.
        clutter: Objects off the table.
        pin: Values that are not drawn.
    """

    light: LightFactor = LightFactor(enabled=False)
    finishes: FinishFactor = FinishFactor(enabled=False)
    table: TableFactor = TableFactor(enabled=False)
    background: BackgroundFactor = BackgroundFactor(enabled=False)
    initial_joints: InitialJointsFactor = InitialJointsFactor(enabled=False)
    camera_pose: CameraPoseFactor = CameraPoseFactor(enabled=False)
    clutter: ClutterFactor = ClutterFactor(enabled=False)
    pin: Pins = Pins()

    @property
    def enabled(self) -> tuple[str, ...]:
        """Names of the factors that are drawn."""
        return tuple(name for name in FACTORS if getattr(self, name).enabled)

    def to_yaml(self) -> str:
        """The whole configuration as a file that `parse_randomization` reads."""
        text: str = yaml.safe_dump(self.model_dump(mode="json", exclude_none=True), sort_keys=False)
        return text


FACTORS = tuple(name for name, field in RandomizationConfig.model_fields.items() if isinstance(field.default, Factor))
"""Names of all factors."""

PRESETS = {
    "off": RandomizationConfig(),
    "default": RandomizationConfig(
        light=LightFactor(),
        finishes=FinishFactor(),
        table=TableFactor(),
        background=BackgroundFactor(),
        initial_joints=InitialJointsFactor(),
    ),
    "full": RandomizationConfig(
        light=LightFactor(
            temperature_k=(3500.0, 7500.0),
            intensity=(0.35, 0.75),
            ambient=(0.22, 0.45),
            elevation_deg=(30.0, 90.0),
        ),
        finishes=FinishFactor(),
        table=TableFactor(shade=0.15),
        background=BackgroundFactor(),
        initial_joints=InitialJointsFactor(std_rad=0.03),
        camera_pose=CameraPoseFactor(),
        clutter=ClutterFactor(),
    ),
}
"""`off` draws nothing, `default` what leaves cameras and the room's inventory alone, `full` everything and wider."""


def load_randomization(name_or_path: str) -> RandomizationConfig:
    """A preset by name, or a file by a path that ends in .yaml.

    Raises:
        ImoveError: No such preset or file, or the file breaks the schema.
    """
    if not name_or_path.endswith((".yaml", ".yml")):
        return _preset(name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        raise ImoveError(f"randomisation file {name_or_path} does not exist")
    return parse_randomization(path.read_bytes(), where=name_or_path)


def parse_randomization(content: str | bytes, where: str) -> RandomizationConfig:
    """Reads a configuration from YAML.

    A key `preset` says what to begin with (`off` when there is none). Each other key is a factor, whose entry changes
    parts of the preset's and switches it on unless it says `enabled: false`, or `pin`.

    Args:
        content: The file's content.
        where: How to call the file in error messages.

    Raises:
        ImoveError: The content is not YAML or breaks the schema; the message names the place.
    """
    try:
        changes = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ImoveError(f"randomisation {where} is not YAML: {' '.join(str(error).split())}") from error
    if changes is None:
        changes = {}
    if not isinstance(changes, dict):
        raise ImoveError(f"randomisation {where} is a {type(changes).__name__}; a mapping of factors is needed")
    # YAML reads the bare word off as false.
    name = changes.pop("preset", "off") or "off"
    fields = _preset(str(name)).model_dump()
    try:
        return RandomizationConfig.model_validate(
            fields | {key: _merged(fields.get(key), entry) for key, entry in changes.items()}
        )
    except ValidationError as error:
        raise ImoveError(f"randomisation {where}: {first_fault(error, 'the file')}") from error


def _merged(preset: Any, entry: Any) -> Any:
    """An entry of a file over the preset's; an entry that is no mapping stands alone, but a switch keeps the ranges."""
    if not isinstance(preset, dict) or "enabled" not in preset:
        return entry
    if isinstance(entry, bool):
        return preset | {"enabled": entry}
    return preset | {"enabled": True} | entry if isinstance(entry, dict) else entry


def _preset(name: str) -> RandomizationConfig:
    if name not in PRESETS:
        raise unknown_name("randomisation preset", name, PRESETS)
    return PRESETS[name]
