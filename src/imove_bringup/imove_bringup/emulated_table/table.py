"""The whole emulated table without ROS: CAN lines, cameras, simulation, operator and hands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from imove_bringup.emulated_table.cameras import TableCameras, feed_address, feed_cameras
from imove_bringup.emulated_table.faults import TableFaults
from imove_bringup.emulated_table.hands import HandPlant, demonstration
from imove_bringup.emulated_table.leading import HOLD, LeaderHands
from imove_bringup.emulated_table.placing import EmulatedOperator, LayoutRequests, PlacingErrors
from imove_bringup.emulated_table.plant import TablePlant
from imove_bringup.emulated_table.rig_file import LEADER_SUFFIX
from imove_bringup.emulated_table.running import TableLoop
from imove_bringup.emulated_table.world import TableWorld
from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN
from imove_core.rig import Arm, Rig
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.feedback import FeedbackRates
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.registers import Registers
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_hardware.emulation.realsense.feed import FramePublisher
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.suites import open_suite

_LOCAL_BUS = re.compile(r"socketcand:127\.0\.0\.1:(\d+)/([\w.-]+)", re.ASCII)
#: Looks of the table before anything is laid out are those of an episode of this suite without its draws.
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
class Heard:
    """What the table tells: `on_state` and `on_error` as TableLoop has them."""

    on_state: Callable[[int, StepState, frozenset[str]], None]
    on_error: Callable[[str], None]


class EmulatedTable:
    """Everything behind the devices of a rig file that `rig_file` wrote."""

    def __init__(self, rig: Rig, library: AssetLibrary, settings: TableSettings, told: Heard) -> None:
        """Opens ports and the simulator; `start` lets everything run.

        Raises:
            ImoveError: The rig's devices are not those of an emulated table, or a port is taken.
        """
        self._rig, self._library = rig, library
        plants = {arm.name: TablePlant(arm.home_positions) for arm in rig.arms}
        hands = {
            arm.name: HandPlant(arm.home_positions, rig.control_rate_hz)
            for arm in rig.arms
            if rig.arm_device(arm.name).leader_bus
        }
        self._world = TableWorld(rig, MujocoBackend(rig, library.get, _image_size(rig)), plants)
        arms = _arms(rig, plants, hands)
        operator, leaders, *losses = np.random.default_rng(settings.seed).spawn(2 + len(arms))
        self._lines = [Line(channel, wired, rng) for (channel, wired), rng in zip(arms.items(), losses, strict=True)]
        self._server = LineServer(SocketcandServer(list(arms), _can_port(rig)), self._lines)
        cameras = TableCameras(
            rig, FramePublisher(feed_address(rig), list(feed_cameras(rig).values())), settings.camera_rate_hz
        )
        first = open_suite(FIRST_SUITE).first(1)[0].model_copy(update={"rig": rig.name, "randomization": PLAIN})
        self._loop = TableLoop(
            self._world,
            cameras,
            EmulatedOperator(settings.errors, operator),
            first,
            rig.control_rate_hz,
            told.on_state,
            told.on_error,
        )
        self._requests = LayoutRequests()
        self._hands = LeaderHands(rig, hands, plants, settings.script, leaders, self._demonstrate, told.on_error)
        self._cameras = cameras
        self._faults = TableFaults(self._lines, self._set_plugged, feed_cameras(rig))

    def start(self) -> None:
        """Lets the table run.

        Raises:
            ImoveError: The first scene cannot be made.
        """
        self._loop.start()
        self._server.start()

    def stop(self) -> None:
        """Ends everything."""
        self._server.stop()
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
        self._hands.see(phase)

    def fault(self, command: str, argument: Mapping[str, Any]) -> str:
        """Does what a person with a screwdriver would; see `TableFaults`.

        Raises:
            ImoveError: The command, or what it names, is unknown.
        """
        return self._faults.obey(command, argument)

    def report(self) -> str:
        """What every arm was told and how it is, as JSON."""
        return json.dumps({"arms": [arm.report() for line in self._lines for arm in line.arms]})

    def _set_plugged(self, camera: str, plugged: bool) -> None:
        self._loop.ask(lambda: self._cameras.set_plugged(camera, plugged))

    def _demonstrate(self, start: Array) -> Array:
        spec = self._world.spec
        assert spec is not None
        return demonstration(self._rig, self._library, spec, self._world.state.objects, start)


def _arms(rig: Rig, plants: Mapping[str, TablePlant], hands: Mapping[str, HandPlant]) -> dict[str, list[EmulatedPiper]]:
    """Arms by the channel that they are wired to; a leader before its follower."""
    wired: dict[str, list[EmulatedPiper]] = {}
    for arm in rig.arms:
        device = rig.arm_device(arm.name)
        for bus, name, plant in (
            (device.leader_bus, arm.name + LEADER_SUFFIX, hands.get(arm.name)),
            (device.bus, arm.name, plants[arm.name]),
        ):
            if plant is not None:
                emulated = EmulatedPiper(
                    name,
                    plant=plant,
                    registers=_registers(arm, device.firmware),
                    rates=FeedbackRates.light(),
                    leading=plant is not plants[arm.name],
                    model=arm.arm_model.name,
                )
                wired.setdefault(_local(bus)[1], []).append(emulated)
    return wired


def _registers(arm: Arm, firmware: str) -> Registers:
    registers = Registers(limits_rad=[(float(low), float(high)) for low, high in arm.arm_model.joint_limits])
    registers.firmware = firmware or registers.firmware
    registers.stroke_m = arm.arm_model.gripper.max_opening_m
    return registers


def _local(bus: str) -> tuple[int, str]:
    found = _LOCAL_BUS.fullmatch(bus)
    if found is None:
        raise ImoveError(f"bus of an emulated arm is '{bus}'; socketcand:127.0.0.1:PORT/CHANNEL is needed")
    return int(found[1]), found[2]


def _can_port(rig: Rig) -> int:
    devices = [rig.arm_device(arm.name) for arm in rig.arms]
    ports = {_local(bus)[0] for device in devices for bus in (device.bus, device.leader_bus) if bus}
    if len(ports) != 1:
        raise ImoveError(f"emulated arms of rig {rig.name} are at ports {sorted(ports)}; one port for all is needed")
    return ports.pop()


def _image_size(rig: Rig) -> tuple[int, int]:
    profiles = [rig.camera_device(camera.name).profile for camera in rig.cameras]
    sizes = {(profile.width, profile.height) for profile in profiles}
    if len(sizes) != 1:
        raise ImoveError(f"emulated cameras of rig {rig.name} have sizes {sorted(sizes)}; one for all is needed")
    return sizes.pop()
