"""What identifies a run: two runs with equal settings may share an output folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from imove_core.rig import load_rig
from imove_tasks.suites import Suite, open_suite


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the results of a run, beside how many of its episodes are wanted.

    Attributes:
        suite: Name of the suite.
        suite_hash: Its content hash.
        policy: Name of the policy.
        condition: Instruction condition.
        rig: Name of the rig.
        seed: Base of the policy's random draws.
        clock: `lockstep` or `realtime`.
        scheduler: When the policy is asked again.
        sim: Name of the simulator.
        image_size: Width and height of camera images, pixels.
    """

    suite: str
    suite_hash: str
    policy: str
    condition: str
    rig: str
    seed: int
    clock: str
    scheduler: str
    sim: str
    image_size: tuple[int, int]

    def to_record(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {**asdict(self), "image_size": list(self.image_size)}


def settings_from(parameters: Mapping[str, Any]) -> tuple[RunSettings, Suite]:
    """Settings and opened suite of a run from the parameters of the evaluator.

    Args:
        parameters: `suite` and `rig` (names or paths) and the fields of RunSettings but `suite_hash` and `image_size`,
            which comes as `image_width` and `image_height`; other keys are not looked at.

    Raises:
        ImoveError: The suite or the rig cannot be opened.
    """
    suite = open_suite(str(parameters["suite"]))
    texts = ("policy", "condition", "clock", "scheduler", "sim")
    settings = RunSettings(
        suite=suite.name,
        suite_hash=suite.content_hash,
        rig=load_rig(str(parameters["rig"])).name,
        seed=int(parameters["seed"]),
        image_size=(int(parameters["image_width"]), int(parameters["image_height"])),
        **{name: str(parameters[name]) for name in texts},
    )
    return settings, suite
