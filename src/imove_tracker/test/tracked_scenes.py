"""Rendered scenes for the tracker: what the fixed camera shows of a spec."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from imove_core.episode_rig import episode_rig
from imove_core.fixed_camera import fixed_camera
from imove_core.rig import load_rig
from imove_core.spec import EpisodeSpec
from imove_core.transforms import quaternion_from_rotation, rotation_about_axis
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.suites import open_suite
from imove_tracker.cloud import table_image
from imove_tracker.tracker import Tracker

RIG = load_rig("piperx_dual")
SIZE = (640, 480)
SUITE = "pick_category/seen"


@cache
def library():
    """The shipped assets."""
    return open_library()


@cache
def scene(number: int) -> EpisodeSpec:
    """A shipped scene."""
    return open_suite(SUITE).specs[number]


def changed(spec: EpisodeSpec, objects) -> EpisodeSpec:
    """The spec with other poses of its objects; without a certificate, which is for the old ones."""
    return spec.model_copy(update={"objects": tuple(objects), "certificate": None})


def shifted(item, x_m: float, y_m: float, yaw_rad: float = 0.0):
    """An object elsewhere on the table."""
    turned = rotation_about_axis([0, 0, 1.0], yaw_rad) @ item.world_from_object[:3, :3]
    position = (item.position[0] + x_m, item.position[1] + y_m, item.position[2])
    return item.model_copy(
        update={"position": position, "quaternion_xyzw": tuple(quaternion_from_rotation(turned).tolist())}
    )


@dataclass
class Table:
    """A simulated table under the eyes of a tracker."""

    backend: object
    tracker: Tracker
    stamp_ns: int = 0

    def show(self, spec: EpisodeSpec, times: int = 1):
        """Lays out a spec and lets the tracker see it; what it says then."""
        self.backend.load(spec)
        state = self.backend.reset()
        for _ in range(times):
            self.stamp_ns += 200_000_000
            self.tracker.joints(self.stamp_ns, state.robot.positions, state.robot.positions)
            frame, pose = self.frame(spec)
            self.tracker.see(self.stamp_ns, frame.rgb, frame.depth_mm, pose, frame.intrinsics)
        return self.tracker.state(self.stamp_ns)

    def frame(self, spec: EpisodeSpec):
        """What the camera shows now, and where it stands."""
        camera = fixed_camera(episode_rig(RIG, spec.randomization))
        return self.backend.observe([camera.name], [camera.name])[camera.name], camera.parent_from_optical.matrix

    def image(self, spec: EpisodeSpec):
        """The same as the tracker takes it apart."""
        frame, pose = self.frame(spec)
        camera = fixed_camera(RIG)
        return table_image(frame.rgb, frame.depth_mm, camera, frame.intrinsics, pose, RIG.workspace)


def new_table() -> Table:
    """A table; close its backend at the end."""
    backend = create_backend("mujoco", RIG, library().get, SIZE)
    return Table(backend, Tracker(RIG, library(), fixed_camera(RIG)))


def middle_error_m(item, spec: EpisodeSpec) -> float:
    """Distance seen from above between where an object is said to be and where it is."""
    return float(np.linalg.norm(item.position[:2] - np.array(spec.object(item.id).position[:2])))
