"""What a run is: the settings that decide its results, and the scenes and conditions that are wanted of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from imove_analysis.conditions import describe_conditions, parse_conditions
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_tasks.suites import Suite, open_suite


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the results of a run: two runs with equal settings may share an output folder.

    How many scenes are wanted, and under which conditions, is no part of it. Each record names its scene and condition,
    and the policy's seed follows from the scene alone, so a folder can be asked for more of either later.

    Attributes:
        suite: Name of the suite.
        suite_hash: Its content hash.
        policy: Name of the policy.
        rig: Name of the rig.
        seed: Base of the policy's random draws.
        clock: `lockstep` or `realtime`.
        scheduler: When the policy is asked again.
        sim: Name of the simulator.
        image_size: Width and height of camera images, pixels.
        policy_config: What the policy was set up by, "" for its own defaults. Where its server is decides nothing.
        execute_steps: Control steps from one answer to the next question, 0 for the scheduler's own number.
        latency: How long answers take in simulated time.
        safety: What the safety layer holds commands to, a name or a path.
    """

    suite: str
    suite_hash: str
    policy: str
    rig: str
    seed: int
    clock: str
    scheduler: str
    sim: str
    image_size: tuple[int, int]
    policy_config: str = ""
    execute_steps: int = 0
    latency: str = "0"
    safety: str = "default"

    def to_record(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {**asdict(self), "image_size": list(self.image_size)}


@dataclass(frozen=True)
class Run:
    """What is to be run.

    Attributes:
        settings: What decides the results.
        suite: Where the scenes are from.
        rig: The embodiment that the suite is for.
        specs: The scenes that are wanted, in suite order.
        conditions: What the policy is told, one after another, on each of them.
    """

    settings: RunSettings
    suite: Suite
    rig: Rig
    specs: tuple[EpisodeSpec, ...]
    conditions: tuple[str, ...]

    @property
    def title(self) -> str:
        """One line for people."""
        return f"{self.suite.name}, {describe_conditions(self.conditions)}, policy {self.settings.policy}"


def run_from(parameters: Mapping[str, Any]) -> Run:
    """What the parameters of the evaluator ask for.

    Args:
        parameters: `suite` (name or path); `rig` (name or path, "" for the suite's); `condition` (see
            `parse_conditions`); `episodes`; `image_width` and `image_height`; and the other fields of RunSettings.
            Other keys are not looked at.

    Raises:
        ImoveError: The suite or the rig cannot be opened, the suite is for another rig or has fewer episodes, or there
            is no such condition.
    """
    suite = open_suite(str(parameters["suite"]))
    rig = suite.open_rig(str(parameters["rig"]))
    texts = ("policy", "policy_config", "clock", "scheduler", "latency", "safety", "sim")
    settings = RunSettings(
        suite=suite.name,
        suite_hash=suite.content_hash,
        rig=rig.name,
        seed=int(parameters["seed"]),
        execute_steps=int(parameters["execute_steps"]),
        image_size=(int(parameters["image_width"]), int(parameters["image_height"])),
        **{name: str(parameters[name]) for name in texts},
    )
    return Run(
        settings=settings,
        suite=suite,
        rig=rig,
        specs=tuple(suite.first(int(parameters["episodes"]))),
        conditions=parse_conditions(str(parameters["condition"])),
    )
