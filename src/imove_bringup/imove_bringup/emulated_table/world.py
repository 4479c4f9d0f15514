"""The simulated table: arms that emulated controllers drive, and objects that come and go by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from imove_bringup.emulated_table.mailbox import ArmReading
from imove_bringup.emulated_table.plant import SimulatedArm
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array, transform
from imove_sim_bridge.backend import CameraFrame
from imove_sim_bridge.mujoco_backend import MujocoBackend

#: Objects that nobody has laid out yet wait here, m: out of sight of every camera, off the table.
SHELF_M = (-3.0, -3.0, 0.0)
SHELF_STEP_M = 0.4


class TableWorld:
    """One scene after another around arms that stay; for one thread."""

    def __init__(self, rig: Rig, backend: MujocoBackend, arms: Mapping[str, SimulatedArm]) -> None:
        """Takes over a simulator.

        Args:
            rig: The embodiment.
            backend: Owned from now on.
            arms: By name.
        """
        self._rig = rig
        self._backend = backend
        self._arms = arms
        self._spec: EpisodeSpec | None = None
        self._state: StepState | None = None
        self._waiting: dict[str, Array] = {}

    @property
    def spec(self) -> EpisodeSpec | None:
        """What the objects are of, None before the first scene."""
        return self._spec

    @property
    def state(self) -> StepState:
        """The present state; objects that are not laid out yet are on the shelf."""
        assert self._state is not None, "no scene was begun"
        return self._state

    @property
    def laid_out(self) -> frozenset[str]:
        """Ids of the objects that lie on the table."""
        spec = self._spec
        return frozenset() if spec is None else frozenset(item.id for item in spec.objects) - self._waiting.keys()

    def begin(self, spec: EpisodeSpec) -> None:
        """Clears the table and brings the objects of `spec`, which wait on the shelf; the arms stay where they are.

        Raises:
            ImoveError: The spec is for another rig, or needs an asset that is not there.
        """
        positions = self._rig.home_positions if self._state is None else self._state.robot.positions
        self._backend.load(_as_calibrated(spec))
        self._state = self._backend.reset()
        self._spec = spec
        self._waiting = {item.id: _shelf(index) for index, item in enumerate(spec.objects)}
        self._backend.put(positions, self._waiting)
        # The state that `reset` returned has the arms at home and the objects laid out.
        self._advance(self._rig.split(positions))

    def place(self, object_id: str, world_from_object: Array) -> None:
        """Puts an object onto the table, or elsewhere on it."""
        self._backend.put(objects={object_id: world_from_object})
        self._waiting.pop(object_id, None)

    def step(self, start_s: float, end_s: float) -> StepState:
        """Moves on by one control period.

        Args:
            start_s: When the present state is true, on the clock of the arms.
            end_s: When the next one is.
        """
        if self._waiting:
            self._backend.put(objects=self._waiting)
        period_s = 1.0 / self._rig.control_rate_hz
        before = self._readings(self.state)
        self._advance({name: arm.target(period_s) for name, arm in self._arms.items()})
        after = self._readings(self.state)
        for name, arm in self._arms.items():
            arm.show(start_s, end_s, before[name], after[name])
        return self.state

    def observe(self, camera: str) -> CameraFrame:
        """Renders colour and depth of the present state."""
        return self._backend.observe([camera], [camera])[camera]

    def close(self) -> None:
        """Frees graphics and memory."""
        self._backend.close()

    def _advance(self, targets: Mapping[str, Array]) -> None:
        stamp_ns = self.state.stamp_ns
        due_ns = np.array([stamp_ns + round(1e9 / self._rig.control_rate_hz)])
        commands = {name: JointCommand(stamp_ns, due_ns, target[None]) for name, target in targets.items()}
        (self._state,) = self._backend.advance(commands, 1)

    def _readings(self, state: StepState) -> dict[str, ArmReading]:
        robot = state.robot
        positions, velocities = self._rig.split(robot.positions), self._rig.split(robot.velocities)
        efforts = self._rig.split(robot.efforts)
        return {name: ArmReading(positions[name], velocities[name], float(efforts[name][-1])) for name in positions}


def _as_calibrated(spec: EpisodeSpec) -> EpisodeSpec:
    """The scene with cameras and arms where the rig file says: on a real table somebody has calibrated them."""
    draws = spec.randomization.model_copy(update={"camera_offsets": {}, "joint_offsets_rad": {}})
    return spec.model_copy(update={"randomization": draws})


def _shelf(index: int) -> Array:
    x, y, z = SHELF_M
    return transform(translation=(x - index * SHELF_STEP_M, y, z))
