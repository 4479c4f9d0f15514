"""Whether an asset stays in the resting poses that it claims to have."""

from __future__ import annotations

import mujoco
import numpy as np

from imove_core.transforms import Array
from imove_sim_bridge.object_bodies import quaternion_wxyz
from imove_sim_bridge.trials.bench import OBJECT, table_with
from imove_sim_bridge.trials.report import PoseTrial, StabilityReport
from imove_sim_bridge.trials.settings import STABILITY_SETTINGS, StabilitySettings
from imove_tasks.assets.model import Asset

_RATE_HZ = 30  # control rate of every rig: fixes the physics step
_LOOK_STEPS = 16
_STILL = 1e-3  # m/s and rad/s


def stability_trials(
    asset: Asset, rng: np.random.Generator, settings: StabilitySettings = STABILITY_SETTINGS
) -> StabilityReport:
    """Puts an object down in each of its resting poses, nudges it, and watches.

    Args:
        asset: What to put down.
        rng: Draws the direction of the nudge.
        settings: Motion and limits.
    """
    model = table_with(asset, _RATE_HZ).compile()
    data = mujoco.MjData(model)
    trials = []
    for number, pose in enumerate(asset.stable_poses):
        angle = rng.uniform(-np.pi, np.pi)
        mujoco.mj_resetData(model, data)
        data.qpos[:3] = [0.0, 0.0, pose.height_m + settings.drop_m]
        data.qpos[3:7] = quaternion_wxyz(pose.rotation)
        data.qvel[:2] = settings.nudge_m_s * np.array([np.cos(angle), np.sin(angle)])
        tilt_rad = _largest_tilt(model, data, pose.rotation, settings)
        trials.append(PoseTrial(number, tilt_rad <= settings.tilt_rad, tilt_rad, float(np.linalg.norm(data.qpos[:2]))))
    return StabilityReport(tuple(trials))


def _largest_tilt(model: mujoco.MjModel, data: mujoco.MjData, rotation: Array, settings: StabilitySettings) -> float:
    body = model.body(OBJECT).id
    upright = rotation[2]  # the table's normal in the object frame
    largest = 0.0
    for _ in range(round(settings.watch_s / model.opt.timestep / _LOOK_STEPS)):
        mujoco.mj_step(model, data, _LOOK_STEPS)
        now = data.xmat[body].reshape(3, 3)[2]
        largest = max(largest, float(np.arccos(np.clip(now @ upright, -1.0, 1.0))))
        if largest > settings.tilt_rad or np.abs(data.qvel).max() < _STILL:
            break
    return largest
