"""What the bridge asks of a simulator."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from imove_core.rig import Intrinsics
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array
from numpy.typing import NDArray


@dataclass(frozen=True)
class CameraFrame:
    """One rendered image.

    Attributes:
        rgb: (H, W, 3) uint8.
        depth_mm: (H, W) uint16 aligned to colour, 0 where nothing is in range; None unless asked for.
        intrinsics: Of both.
    """

    rgb: NDArray[np.uint8]
    depth_mm: NDArray[np.uint16] | None
    intrinsics: Intrinsics


class SimBackend(Protocol):
    """A simulator that runs one episode after another, in control steps of the rig's rate."""

    def load(self, spec: EpisodeSpec) -> None:
        """Makes the scene of `spec` ready; cheap when it is the one already loaded.

        Raises:
            ImoveError: The spec needs an asset or a rig that this backend does not have.
        """
        ...

    def reset(self) -> StepState:
        """Puts arms at home and objects into their settled poses; returns the first observation (step 0)."""
        ...

    def advance(self, commands: Mapping[str, JointCommand], steps: int) -> list[StepState]:
        """Takes over commands by arm name, runs control steps and returns the state after each of them."""
        ...

    def joint_targets(self) -> Array:
        """The targets in force after the last step (D,), rig order."""
        ...

    def observe(self, cameras: Collection[str], depth: Collection[str] = ()) -> dict[str, CameraFrame]:
        """Renders the current state for the named cameras, with aligned depth for those named in `depth`."""
        ...

    def provenance(self) -> dict[str, Any]:
        """Engine, version, renderer and time step as plain data."""
        ...

    def close(self) -> None:
        """Frees graphics and memory."""
        ...
