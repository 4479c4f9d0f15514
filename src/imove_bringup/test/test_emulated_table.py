"""The emulated table without ROS: scenes that come and go around the arms, the operator, the hands, the devices."""

from __future__ import annotations

import multiprocessing
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import can
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_bringup.emulated_table.arms_process import ArmsProcess
from imove_bringup.emulated_table.hands import HandPlant, demonstration, wander
from imove_bringup.emulated_table.leading import LeaderHands
from imove_bringup.emulated_table.mailbox import NUMBERS, ArmReading, Mailbox
from imove_bringup.emulated_table.placing import (
    DROP_M,
    WORST_SIGMAS,
    EmulatedOperator,
    LayoutRequests,
    PlacingErrors,
)
from imove_bringup.emulated_table.plant import FALL_SPEED_RAD_S, SimulatedArm, TablePlant
from imove_bringup.emulated_table.rig_file import rig_file
from imove_bringup.emulated_table.table import EmulatedTable, TableSettings, Told
from imove_bringup.emulated_table.world import TableWorld
from imove_core.errors import ImoveError
from imove_core.hardware import CameraProfile
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_hardware.emulation.piper import frames
from imove_hardware.emulation.piper.plant import Drive
from imove_hardware.emulation.realsense.feed import FrameSubscriber
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary, open_library
from imove_tasks.suites import open_suite

SMALL = CameraProfile(width=64, height=48)
POWERED = (True,) * 6


def _wait(condition: Callable[[], Any], timeout_s: float = 60.0) -> Any:
    end_s = time.monotonic() + timeout_s
    while not (value := condition()):
        assert time.monotonic() < end_s, "never came true"
        time.sleep(0.01)
    return value


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Rig:
    """The dual PiPER X with emulated devices."""
    path = rig_file(load_rig("piperx_dual"), tmp_path_factory.mktemp("rig"), leaders="apart", profile=SMALL)
    return load_rig(str(path))


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return open_library(())


@pytest.fixture(scope="module")
def specs() -> tuple[EpisodeSpec, ...]:
    return open_suite("pick_category/seen").first(2)


@pytest.fixture
def mailboxes(rig: Rig) -> dict[str, Mailbox]:
    return {arm.name: Mailbox(multiprocessing.Array("d", NUMBERS)) for arm in rig.arms}


@pytest.fixture
def world(rig: Rig, library: AssetLibrary, mailboxes: dict[str, Mailbox]) -> Iterator[TableWorld]:
    arms = {arm.name: SimulatedArm(mailboxes[arm.name], arm.home_positions) for arm in rig.arms}
    made = TableWorld(rig, MujocoBackend(rig, library.get, (64, 48)), arms)
    yield made
    made.close()


def test_rig_file_differs_from_the_rig_by_its_devices_alone(rig: Rig) -> None:
    """What is written is the rig as it was; arms and leaders have channels of their own, cameras one feed."""
    shipped = load_rig("piperx_dual")
    assert rig.model_copy(update={"hardware": shipped.hardware}) == shipped
    buses = {bus for arm in rig.arms for bus in (rig.arm_device(arm.name).bus, rig.arm_device(arm.name).leader_bus)}
    assert len(buses) == 4
    assert len({rig.camera_device(camera.name).serial for camera in rig.cameras}) == 3
    assert len({rig.camera_device(camera.name).feed for camera in rig.cameras}) == 1


def test_rig_file_refuses_arms_that_are_not_emulated(tmp_path: Path) -> None:
    """A Franka does not speak the PiPER's protocol."""
    with pytest.raises(ImoveError, match="'arm' of rig franka_single is a panda"):
        rig_file(load_rig("franka_single"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_arms_stay_where_they_are_while_scenes_come_and_go(
    world: TableWorld, mailboxes: dict[str, Mailbox], specs: tuple[EpisodeSpec, ...], rig: Rig
) -> None:
    """A new scene moves no arm; its objects are away until somebody puts them down, and then rest there."""
    world.begin(specs[0])
    turned = [*rig.arm("left").home]
    turned[0] += 0.4
    mailboxes["left"].put_drive(Drive(tuple(turned), POWERED, 0.03, 1.0))
    for step in range(60):
        world.step(float(step), step + 1.0)
    before = world.state.robot.positions
    assert before[0] == pytest.approx(turned[0], abs=0.02)
    world.begin(specs[1])
    np.testing.assert_allclose(world.state.robot.positions, before, atol=0.01)
    world.step(0.0, 1.0)
    assert world.laid_out == frozenset()
    assert all(item.position[0] < -2.0 for item in world.state.objects)
    target = specs[1].objects[0]
    world.place(target.id, target.world_from_object)
    for step in range(30):
        world.step(float(step), step + 1.0)
    assert world.laid_out == {target.id}
    placed = next(item for item in world.state.objects if item.id == target.id)
    np.testing.assert_allclose(placed.position, target.position, atol=0.005)
    assert not placed.moved


def test_encoders_read_smoothly_between_control_steps(rig: Rig) -> None:
    """Feedback lies between two states in proportion to time, and joints sink only after power was lost."""
    now = [10.0]
    home = rig.arm("left").home_positions
    mailbox = Mailbox(multiprocessing.Array("d", NUMBERS))
    simulated, plant = SimulatedArm(mailbox, home, lambda: now[0]), TablePlant(mailbox, lambda: now[0])
    np.testing.assert_array_equal(simulated.target(1 / 30), home)
    plant.step(Drive(tuple(home[:-1]), (False,) * 6, None, 0.0), 0.005)
    np.testing.assert_array_equal(simulated.target(1 / 30), home)
    simulated.show(10.0, 10.1, ArmReading(home, np.zeros(7), 0.0), ArmReading(home + 0.2, np.ones(7), 10.0))
    now[0] = 10.025
    assert plant.state.joints_rad == pytest.approx(home[:-1] + 0.05)
    assert plant.state.effort_nm == pytest.approx(0.5)
    np.testing.assert_allclose(simulated.positions, home + 0.05)
    now[0] = 11.0
    assert plant.state.joints_rad == pytest.approx(home[:-1] + 0.2)
    plant.step(Drive(tuple(home[:-1]), POWERED, 0.05, 1.0), 0.005)
    assert simulated.target(1 / 30)[-1] == 0.05
    plant.step(Drive(tuple(home[:-1]), (False,) * 6, None, 0.0), 0.005)
    assert simulated.target(0.1)[1] == pytest.approx(home[1] - 0.1 * FALL_SPEED_RAD_S)
    with pytest.raises(ImoveError, match="guide its leader"):
        plant.guide((0.0,) * 6, 0.0)


def test_operator_puts_objects_down_one_by_one_and_never_far_off(specs: tuple[EpisodeSpec, ...]) -> None:
    """Each object comes once, in its time, within the error that a person makes; the seed decides on it."""
    errors = PlacingErrors(position_m=0.01, yaw_rad=0.1, pause_s=1.0)
    placed = []
    for _ in range(2):
        operator = EmulatedOperator(errors, np.random.default_rng(7))
        assert operator.idle
        operator.lay_out(specs[0], 100.0)
        assert not operator.due(100.5) and len(operator.due(102.0)) == 2
        operator.lay_out(specs[0], 200.0)
        placed.append(operator.due(300.0))
        assert operator.idle
    first, second = placed
    assert [item.object_id for item in first] == [item.id for item in specs[0].objects]
    for item, same, wanted in zip(first, second, specs[0].objects, strict=True):
        np.testing.assert_array_equal(item.world_from_object, same.world_from_object)
        off = item.world_from_object[:3, 3] - wanted.position
        assert np.abs(off[:2]).max() <= WORST_SIGMAS * 0.01 + 1e-9 and off[2] == pytest.approx(DROP_M)
        assert np.abs(off[:2]).max() > 0.0


def test_layouts_are_asked_for_once_a_trial(specs: tuple[EpisodeSpec, ...]) -> None:
    """The same state again asks for nothing; another trial, or the same one done again, does."""
    requests, text = LayoutRequests(), specs[0].to_json()
    assert requests.see("idle", "", 0, "") is None
    assert requests.see("laying_out", "a", 1, text) == specs[0]
    assert requests.see("laying_out", "a", 1, text) is None
    assert requests.see("checking", "a", 1, text) is None
    assert requests.see("laying_out", "a", 1, text) == specs[0]
    assert requests.see("laying_out", "b", 2, text) == specs[0]
    requests.see("ready", "b", 2, text)
    with pytest.raises(ImoveError):
        requests.see("laying_out", "b", 3, "{}")


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), shares=st.lists(st.floats(0, 1), min_size=7, max_size=7))
def test_wandering_stays_within_limits_and_comes_back(seed: int, shares: list[float]) -> None:
    """Wherever a hand begins, its way lies within the limits, below their speeds, and ends where it began."""
    arm = load_rig("piperx_dual").arm("left")
    low, high = arm.limits.T
    start = low + np.array(shares) * (high - low)
    rows = wander(arm, start, np.random.default_rng(seed), 3, 30.0)
    assert (rows >= low - 1e-9).all() and (rows <= high + 1e-9).all()
    speeds = np.abs(np.diff(np.vstack([start, rows]), axis=0)) * 30.0
    assert (speeds <= arm.velocity_limits).all()
    np.testing.assert_allclose(rows[-1], start)


def test_hand_moves_its_leader_along_a_path_in_time() -> None:
    """Positions and speeds follow from the clock alone."""
    now = [5.0]
    hand = HandPlant(np.zeros(7), 10.0, lambda: now[0])
    hand.follow(np.outer([0.0, 1.0, 3.0], np.full(7, 0.1)), 5.0)
    now[0] = 5.15
    assert hand.state.joints_rad == pytest.approx([0.2] * 6) and hand.state.opening_m == pytest.approx(0.2)
    assert hand.state.speeds_rad_s == pytest.approx([2.0] * 6)
    now[0] = 9.0
    assert hand.state.joints_rad == pytest.approx([0.3] * 6) and hand.state.speeds_rad_s == (0.0,) * 6


def test_leaders_come_to_followers_and_rest_when_teleoperation_holds(rig: Rig) -> None:
    """Aligning brings the leader to the follower; holding stops it wherever it is."""
    now = [0.0]
    arm = rig.arm("left")
    away = arm.home_positions.copy()
    away[0] += 0.3
    mailbox = Mailbox(multiprocessing.Array("d", NUMBERS))
    hand, follower = HandPlant(away, 30.0, lambda: now[0]), SimulatedArm(mailbox, arm.home_positions, lambda: now[0])
    hands = LeaderHands(
        rig,
        {"left": hand},
        {"left": follower},
        lambda name, rows: hand.follow(rows, now[0]),
        "wander",
        np.random.default_rng(3),
        lambda start: start[None],
        print,
    )
    hands.see("aligning")
    now[0] = 30.0
    np.testing.assert_allclose(hand.positions, arm.home_positions)
    hands.see("running")
    now[0] = 31.0
    assert np.abs(hand.positions - arm.home_positions).max() > 1e-3
    hands.see("holding")
    at = hand.positions
    now[0] = 40.0
    np.testing.assert_array_equal(hand.positions, at)


def test_demonstration_lifts_the_target(
    world: TableWorld, mailboxes: dict[str, Mailbox], specs: tuple[EpisodeSpec, ...], rig: Rig, library: AssetLibrary
) -> None:
    """An expert's motion from where objects really lie, played by hands, picks what the instruction names."""
    spec = specs[0]
    world.begin(spec)
    operator = EmulatedOperator(PlacingErrors(), np.random.default_rng(2))
    operator.lay_out(spec, 0.0)
    for placement in operator.due(1000.0):
        world.place(placement.object_id, placement.world_from_object)
    for _ in range(30):
        world.step(0.0, 1.0)
    state = world.state
    rows = demonstration(rig, library, spec, state.objects, state.robot.positions)
    for row in rows:
        for name, target in rig.split(row).items():
            mailboxes[name].put_drive(Drive(tuple(target[:-1]), POWERED, float(target[-1]), 1.0))
        world.step(0.0, 1.0)
    target_id = spec.instruction("normal").target
    lifted = next(item for item in world.state.objects if item.id == target_id)
    settled = next(item for item in state.objects if item.id == target_id)
    assert lifted.held_by and lifted.position[2] - settled.position[2] > 0.03


def test_table_serves_arms_and_cameras_and_breaks_on_demand(
    rig: Rig, library: AssetLibrary, specs: tuple[EpisodeSpec, ...]
) -> None:
    """Behind the devices of the rig file there are arms at home and cameras that see what was laid out."""
    states: list[frozenset[str]] = []
    errors: list[str] = []
    told = Told(lambda stamp_ns, state, laid_out: states.append(laid_out), errors.append)
    table = EmulatedTable(rig, library, TableSettings(errors=PlacingErrors(pause_s=0.05)), told)
    table.start()
    device = rig.camera_device("static_camera")
    try:
        port, channel = rig.arm_device("left").bus.removeprefix("socketcand:127.0.0.1:").split("/")
        with can.Bus(interface="socketcand", host="127.0.0.1", port=int(port), channel=channel) as bus:
            first = next(message for message in bus if message.arbitration_id == frames.JOINT_FEEDBACK_ID)
            wanted = [frames.millidegrees(angle) for angle in rig.arm("left").home[:2]]
            assert frames.pair(bytes(first.data)) == pytest.approx(wanted, abs=100)
        camera = FrameSubscriber(device.feed, device.serial)
        bare = _wait(lambda: camera.newest(1.0))
        table.see_trial("laying_out", "episode", 1, specs[0].to_json())
        _wait(lambda: len(states[-1]) == len(specs[0].objects))
        _wait(lambda: (frame := camera.newest(1.0)) is not None and (frame.depth_mm != bare.depth_mm).any())
        table.fault("camera_unplug", {"camera": "static_camera"})
        _wait(lambda: camera.newest(0.1) is None and not camera.plugged)
        table.fault("camera_replug", {"camera": "static_camera"})
        _wait(lambda: camera.newest(1.0))
        camera.close()
        for command, argument, sentence in (
            ("bus_melt", {}, "unknown fault 'bus_melt'"),
            ("bus_cut", {"arm": "middle"}, "unknown arm 'middle'"),
            ("bus_cut", {}, '{"arm": name} is needed'),
            ("arm_fault", {"arm": "left", "kind": "tired"}, "unknown kind of arm fault 'tired'"),
        ):
            with pytest.raises(ImoveError, match=sentence.replace("{", r"\{")):
                table.fault(command, argument)
        table.fault("arm_fault", {"arm": "left_leader", "kind": "hot_motor"})
        assert '"hot_joints": [2]' in table.report()
        with pytest.raises(ImoveError, match="emulated table is 'piperx_dual'"):
            table.see_trial("laying_out", "b", 2, specs[0].model_copy(update={"rig": "piper_dual"}).to_json())
    finally:
        table.stop()
    assert not errors


def test_arms_refuse_a_port_that_is_taken_and_tell_when_they_are_gone(rig: Rig) -> None:
    """One sentence for each; nothing is left of the process."""
    port = int(rig.arm_device("left").bus.split(":")[2].partition("/")[0])
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", port))
        holder.listen()
        with pytest.raises(ImoveError, match=f"port {port} on 127.0.0.1 cannot be listened on"):
            _arms(rig).start()
    arms = _arms(rig)
    arms.start()
    assert [arm["name"] for arm in arms.report()["arms"]] == ["left_leader", "left", "right_leader", "right"]
    arms.stop()
    with pytest.raises(ImoveError, match="has ended"):
        arms.report()


def _arms(rig: Rig) -> ArmsProcess:
    arms = ArmsProcess(rig, seed=1)
    for arm in rig.arms:
        SimulatedArm(arms.mailboxes[arm.name], arm.home_positions)
    return arms
