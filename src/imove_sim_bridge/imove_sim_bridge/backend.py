"""What the bridge asks of a simulator."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Intrinsics
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array


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
    """A simulator that runs one episode after another, in control steps of the rig's rate.

    The same spec and the same commands (by time since the episode's first stamp) give the same states bit for bit,
    whatever ran before and whatever is rendered in between. A refused call changes nothing.
    """

    def load(self, spec: EpisodeSpec) -> None:
        """Makes the scene of `spec` ready; cheap when it is among the last ones used.

        Raises:
            ImoveError: The spec is for another rig, or needs an asset that this backend does not have or has in
                another version.
        """
        ...

    def reset(self) -> StepState:
        """Puts arms at home and objects into their settled poses; returns the first observation (step 0).

        Its stamp is a whole second, at least one second after the last stamp of the episode before.

        Raises:
            ImoveError: No episode is loaded.
        """
        ...

    def advance(self, commands: Mapping[str, JointCommand], steps: int) -> list[StepState]:
        """Takes over commands by arm name, runs control steps and returns the state after each of them.

        Args:
            commands: The newest command of an arm wins from its stamp on; arms without one go on as before.
            steps: Control steps to run; 0 only takes over the commands.

        Raises:
            ImoveError: No episode has been reset since `load`, or a state is shown; a command is for no arm of the
                rig, or is stamped before the episode began; or the simulation broke down, after which a reset is
                needed.
        """
        ...

    def hold(self, arm_name: str) -> None:
        """Drops the commands of one arm; it holds the target in force. Does nothing where no episode is running.

        Raises:
            ImoveError: The rig has no such arm.
        """
        ...

    def joint_targets(self) -> Array:
        """The targets in force after the last step (D,), rig order."""
        ...

    def observe(self, cameras: Collection[str], depth: Collection[str] = ()) -> dict[str, CameraFrame]:
        """Renders the current state.

        Args:
            cameras: Names of the cameras to render.
            depth: Those of them for which aligned depth is wanted too.

        Raises:
            ImoveError: No episode is running, the rig has no such camera, depth is asked for without colour, or
                nothing can be rendered on this machine.
        """
        ...

    def show(self, state: StepState) -> None:
        """Puts arms and objects where they are in a state of the loaded spec, for `observe` alone.

        The physics does not go on from it: commands are refused until the next reset.

        Args:
            state: With the objects of the spec, in its order.

        Raises:
            ImoveError: No episode has been reset since `load`, or the state has other objects or joints.
        """
        ...

    def visible_shares(self) -> dict[str, float]:
        """By object id, the share of its outline that the fixed camera sees that sees most of it, arms included.

        Raises:
            ImoveError: No episode is running.
        """
        ...

    def provenance(self) -> dict[str, Any]:
        """Engine, time step and image size as plain data; the driver that renders, None before the first image."""
        ...

    def close(self) -> None:
        """Frees graphics and memory; a scene must be loaded before the backend is used again."""
        ...
