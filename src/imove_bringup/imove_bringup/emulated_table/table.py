"""The whole emulated table without ROS: CAN lines, cameras, simulation, operator and hands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from imove_bringup.emulated_table import faults
from imove_bringup.emulated_table.arms import led_arms
from imove_bringup.emulated_table.arms_process import ArmsProcess
from imove_bringup.emulated_table.cameras import TableCameras, feed_address, feed_cameras
from imove_bringup.emulated_table.hands import HandPlant, demonstration
from imove_bringup.emulated_table.leading import HOLD, LeaderHands
from imove_bringup.emulated_table.placing import EmulatedOperator, LayoutRequests, PlacingErrors
from imove_bringup.emulated_table.plant import SimulatedArm
from imove_bringup.emulated_table.running import TableLoop
from imove_bringup.emulated_table.world import TableWorld
from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_hardware.emulation.realsense.feed import FramePublisher
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.suites import open_suite

#: Before anything is laid out the table looks as in an episode of this suite without its draws.
FIRST_SUITE = "pick_category/seen"


@dataclass(frozen=True)
class TableSettings:
    """How the table behaves.

    Attributes:
        seed: Of everything that is drawn.
        camera_rate_hz: Images a second of each camera.
        errors: How exact the operator is.
        script: What the hands at the leaders do, one of `leading.SCRIPTS`.
    """

    seed: int = 0
    camera_rate_hz: float = 10.0
    errors: PlacingErrors = field(default_factory=PlacingErrors)
    script: str = HOLD


@dataclass(frozen=True)
class Told:
    """Whom the table tells: `on_state` and `on_error` as TableLoop has them."""

    on_state: Callable[[int, StepState, frozenset[str]], None]
    on_error: Callable[[str], None]


class EmulatedTable:
    """Everything behind the devices of a rig file that `rig_file` wrote."""

    def __init__(self, rig: Rig, library: AssetLibrary, settings: TableSettings, told: Told) -> None:
        """Opens the simulator and the feed of the cameras; `start` lets everything run.

        Raises:
            ImoveError: The rig's devices are not those of an emulated table, or the port of the feed is taken.
        """
        self._rig, self._library = rig, library
        operator, leaders = np.random.default_rng(settings.seed).spawn(2)
        self._arms = ArmsProcess(rig, settings.seed)
        simulated = {arm.name: SimulatedArm(self._arms.mailboxes[arm.name], arm.home_positions) for arm in rig.arms}
        # The hands themselves are in the other process; these say where they are by now.
        self._hands = {arm.name: HandPlant(arm.home_positions, rig.control_rate_hz) for arm in led_arms(rig)}
        self._world = TableWorld(rig, MujocoBackend(rig, library.get, _image_size(rig)), simulated)
        publisher = FramePublisher(feed_address(rig), list(feed_cameras(rig).values()))
        self._cameras = TableCameras(rig, publisher, settings.camera_rate_hz)
        self._loop = TableLoop(
            self._world,
            self._cameras,
            EmulatedOperator(settings.errors, operator),
            open_suite(FIRST_SUITE).first(1)[0].model_copy(update={"rig": rig.name, "randomization": PLAIN}),
            rig.control_rate_hz,
            told.on_state,
            told.on_error,
        )
        self._requests = LayoutRequests()
        self._leading = LeaderHands(
            rig, self._hands, simulated, self._move, settings.script, leaders, self._demonstrate, told.on_error
        )

    def start(self) -> None:
        """Lets the table run.

        Raises:
            ImoveError: The first scene cannot be made, or the port of the CAN lines is taken.
        """
        self._arms.start()
        try:
            self._loop.start()
        except ImoveError:
            self._arms.stop()
            raise

    def stop(self) -> None:
        """Ends everything."""
        self._arms.stop()
        self._loop.stop()

    def see_trial(self, phase: str, episode_id: str, trial: int, spec_json: str) -> None:
        """Has objects laid out where a trial asks for it; arguments as in TrialState.

        Raises:
            ImoveError: The spec is none, or is for another rig.
        """
        spec = self._requests.see(phase, episode_id, trial, spec_json)
        if spec is not None:
            if spec.rig != self._rig.name:
                raise ImoveError(f"episode {spec.id} is for rig '{spec.rig}'; the emulated table is '{self._rig.name}'")
            self._loop.lay_out(spec)

    def see_teleoperation(self, phase: str) -> None:
        """Lets the hands at the leaders do what belongs to a phase of TeleopState."""
        self._leading.see(phase)

    def fault(self, command: str, argument: Mapping[str, Any]) -> str:
        """Breaks or mends something and returns a sentence about it; see `faults`.

        Raises:
            ImoveError: The command, or what it names, is unknown.
        """
        if command not in faults.CAMERA_COMMANDS:
            return self._arms.fault(command, argument)
        camera, plugged = faults.named(argument, "camera", feed_cameras(self._rig)), command == faults.CAMERA_REPLUG
        self._loop.ask(lambda: self._cameras.set_plugged(camera, plugged))
        return f"camera {camera} is {'plugged in' if plugged else 'unplugged'}"

    def report(self) -> str:
        """What every arm was told and how it is, as JSON."""
        return json.dumps(self._arms.report())

    def _move(self, arm: str, rows: Array) -> None:
        start_s = time.monotonic()
        self._hands[arm].follow(rows, start_s)
        self._arms.follow(arm, start_s, rows)

    def _demonstrate(self, start: Array) -> Array:
        spec = self._world.spec
        assert spec is not None
        return demonstration(self._rig, self._library, spec, self._world.state.objects, start)


def _image_size(rig: Rig) -> tuple[int, int]:
    profiles = [rig.camera_device(camera.name).profile for camera in rig.cameras]
    sizes = {(profile.width, profile.height) for profile in profiles}
    if len(sizes) != 1:
        raise ImoveError(f"emulated cameras of rig {rig.name} have sizes {sorted(sizes)}; one for all is needed")
    return sizes.pop()
