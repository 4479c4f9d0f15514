"""Parameters of the teleoperation node, checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from rclpy.node import Node

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_ros.parameters import declare, declare_choice, declare_count
from imove_tasks.assets.library import folders_from
from imove_tasks.suites import Suite, open_suite
from imove_teleop_aloha.deadman import DEADMANS, NONE, PEDAL
from imove_teleop_aloha.rates import LEAST_SHARE
from imove_teleop_aloha.settings import LEADER_DRIVES, SIM, WIRINGS, FollowingSettings

ARMS, JOG = "arms", "jog"
LEADERS = (ARMS, JOG)
MOST_EPISODES = 100_000
MOST_SECONDS = 600
MOST_SET_UP_S = 86_400
SIMULATOR_STALE_S = 5.0
"""The arms of a simulator that is slow for a moment stand still with it."""


@dataclass(frozen=True)
class NodeSettings:
    """What the node is told.

    Attributes:
        rig: The embodiment.
        suite: Where scenes are from.
        condition: Which of their instructions is given.
        wiring: See `settings.WIRINGS`.
        jogged: Whether leaders are jogged; else they are arms, or whoever publishes their states.
        deadman: See `deadman.DEADMANS`.
        pedal: Input device of a pedal, "" for none.
        episodes: That are wanted.
        horizon_steps: Control steps that a person has for an episode.
        operator: Who drives.
        seed: Of the order of scenes, 0 for that of the suite.
        output: Folder of the run, absolute.
        record: Whether episodes are recorded.
        asset_folders: Of objects beside the shipped ones.
        following: Limits of following.
        camera_hz: Nominal rate of the cameras.
        least_share: Of a nominal rate that is enough; 0 lets everything pass.
        set_up_timeout_s: Longest that a scene takes to be set up.
    """

    rig: Rig
    suite: Suite
    condition: str
    wiring: str
    jogged: bool
    deadman: str
    pedal: str
    episodes: int
    horizon_steps: int
    operator: str
    seed: int
    output: Path
    record: bool
    asset_folders: tuple[Path, ...]
    following: FollowingSettings
    camera_hz: float
    least_share: float
    set_up_timeout_s: float

    @classmethod
    def declared(cls, node: Node) -> NodeSettings:
        """Declares the parameters of a node and returns their values.

        Raises:
            ImoveError: One is wrong, or two do not go together.
        """
        suite = open_suite(declare(node, "suite", "pick_category/seen"))
        rig = suite.open_rig(declare(node, "rig", ""))
        wiring = declare_choice(node, "wiring", WIRINGS)
        deadman, pedal = declare_choice(node, "deadman", DEADMANS), declare(node, "pedal", "")
        jogged = declare_choice(node, "leader", LEADERS) == JOG
        if deadman == PEDAL and not pedal:
            raise ImoveError("deadman pedal needs parameter pedal, the input device of the pedal")
        if wiring == LEADER_DRIVES and deadman != NONE:
            raise ImoveError(
                f"wiring {LEADER_DRIVES} has the leader drive the bus, so that no deadman can hold it; only {NONE} is "
                "allowed"
            )
        if jogged and wiring != SIM:
            raise ImoveError(f"leaders are jogged in simulation alone; wiring is {wiring}, allowed: {SIM}")
        seconds = declare_count(node, "episode_s", 60, MOST_SECONDS)
        return cls(
            rig=rig,
            suite=suite,
            condition=declare(node, "condition", "normal"),
            wiring=wiring,
            jogged=jogged,
            deadman=deadman,
            pedal=pedal,
            episodes=declare_count(node, "episodes", 50, MOST_EPISODES),
            horizon_steps=seconds * rig.control_rate_hz,
            operator=_named(declare(node, "operator", "")),
            seed=max(0, declare(node, "seed", 0)),
            output=Path(declare(node, "output", "runs/teleop")).expanduser().absolute(),
            record=declare(node, "record", True),
            asset_folders=tuple(folders_from(declare(node, "assets", ""))),
            following=_following(node, wiring == SIM),
            camera_hz=_at_least_0("camera_hz", declare(node, "camera_hz", 30.0)),
            least_share=_at_least_0("least_rate", declare(node, "least_rate", LEAST_SHARE)),
            set_up_timeout_s=float(
                declare_count(node, "set_up_timeout_s", 60 if wiring == SIM else 3600, MOST_SET_UP_S)
            ),
        )


def _following(node: Node, simulated: bool) -> FollowingSettings:
    usual = FollowingSettings()
    tolerance = _positive("tolerance", declare(node, "tolerance", usual.tolerance_rad))
    speed = _positive("align_speed", declare(node, "align_speed", usual.align_speed_rad_s))
    scale = _positive("speed_scale", declare(node, "speed_scale", usual.speed_scale))
    if scale > 1:
        raise ImoveError(f"parameter speed_scale is {scale:g}; more than 0 and at most 1 is allowed")
    stale_s = _positive("stale_s", declare(node, "stale_s", usual.stale_s))
    return replace(
        usual,
        tolerance_rad=tolerance,
        align_speed_rad_s=speed,
        speed_scale=scale,
        stale_s=stale_s,
        follower_stale_s=SIMULATOR_STALE_S if simulated else usual.follower_stale_s,
    )


def _named(operator: str) -> str:
    if len(operator) > 100 or not operator.isprintable():
        raise ImoveError(f"parameter operator is {operator[:40]!r}; a name of at most 100 characters is allowed")
    return operator


def _positive(name: str, value: float) -> float:
    if not 0 < value < 100:
        raise ImoveError(f"parameter {name} is {value:g}; more than 0 and less than 100 is allowed")
    return value


def _at_least_0(name: str, value: float) -> float:
    if not 0 <= value < 1000:
        raise ImoveError(f"parameter {name} is {value:g}; 0 or more and less than 1000 is allowed")
    return value
