"""The scene in a rerun recording: arms, objects, camera images, joint plots and stage events.

Everything lies under `world`: `world/<arm>/<link>` with the meshes of the link, `world/objects`, and each camera
under what carries it, so that its image also shows up in the 3D view.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import rerun as rr
import rerun.blueprint as rrb
from numpy.typing import NDArray

from imove_bringup.markers import scene_markers
from imove_bringup.scene_view import SceneView
from imove_core.kinematics import finger_poses, link_poses
from imove_core.rig import Arm, Camera, Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_description.meshes import link_meshes
from imove_description.shapes import MATERIAL_RGB

TIMELINE = "time"
_JPEG_QUALITY = 85


class RerunScene:
    """Logs a rig and what happens around it to one recording."""

    def __init__(self, rig: Rig, recording: rr.RecordingStream) -> None:
        """Logs what never changes: meshes, cameras, layout of the window.

        Args:
            rig: The embodiment.
            recording: Where to log; connected to a viewer or a file by the caller.
        """
        self._rig = rig
        self._recording = recording
        recording.send_blueprint(self._blueprint)
        recording.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        for arm in rig.arms:
            self._log_meshes(arm)
            self.log_arm(arm, arm.home_positions)
        for camera in rig.cameras:
            self._log_transform(self._path(camera), camera.parent_from_optical.matrix, static=True)

    def set_time(self, stamp_ns: int) -> None:
        """Everything logged from now on belongs to this time of the graph's clock."""
        self._recording.set_time(TIMELINE, duration=stamp_ns * 1e-9)

    def start_episode(self, view: SceneView) -> None:
        """Takes the objects of the last episode away and announces the new one."""
        self._recording.log("world/objects", rr.Clear(recursive=True))
        self._recording.log("events", rr.TextLog(f'{view.episode_id}: "{view.instruction}"'))

    def log_arm(self, arm: Arm, positions: Array) -> None:
        """Puts the links of an arm where its joints say.

        Args:
            arm: One of the rig's.
            positions: (size,) joint positions in rad and gripper opening in m.
        """
        model = arm.arm_model
        poses = link_poses(model, positions[:-1])
        poses |= finger_poses(model, poses[model.gripper.base_link], float(positions[-1]))
        for link, base_from_link in poses.items():
            self._log_transform(f"world/{arm.name}/{link}", arm.world_from_base.matrix @ base_from_link)

    def log_joints(self, arm: Arm, positions: Array, kind: str) -> None:
        """Adds joint positions (size,) to the plot of an arm; `kind` is "measured" or "target"."""
        self._recording.log(f"joints/{arm.name}/{kind}", rr.Scalars(positions))

    def log_objects(self, objects: Sequence[ObjectState], view: SceneView) -> None:
        """Draws every object as a box with its name."""
        boxes = [marker for marker in scene_markers(objects, view) if marker.shape == "cube"]
        self._recording.log(
            "world/objects",
            rr.Boxes3D(
                centers=[box.position for box in boxes],
                sizes=[box.size for box in boxes],
                quaternions=[rr.Quaternion(xyzw=box.quaternion_xyzw) for box in boxes],
                colors=[box.rgba for box in boxes],
                labels=[view.labels.get(item.id, item.id) for item in objects],
            ),
        )

    def log_image(self, camera: Camera, pixels: NDArray[np.uint8], intrinsics_k: Array) -> None:
        """Shows an image of a camera, compressed.

        Args:
            camera: One of the rig's.
            pixels: (H, W, 3) RGB.
            intrinsics_k: (3, 3) camera matrix.
        """
        height, width = pixels.shape[:2]
        path = f"{self._path(camera)}/image"
        pinhole = rr.Pinhole(image_from_camera=intrinsics_k, width=width, height=height, image_plane_distance=0.08)
        self._recording.log(path, pinhole)
        self._recording.log(path, rr.Image(pixels).compress(jpeg_quality=_JPEG_QUALITY))

    def log_stage(self, line: str) -> None:
        """Adds a line to the list of events."""
        self._recording.log("events", rr.TextLog(line))

    def _path(self, camera: Camera) -> str:
        place = camera.arm_and_link
        return f"world/{camera.name}" if place is None else f"world/{place[0]}/{place[1]}/{camera.name}"

    def _log_transform(self, path: str, parent_from_child: Array, *, static: bool = False) -> None:
        pose = rr.Transform3D(translation=parent_from_child[:3, 3], mat3x3=parent_from_child[:3, :3])
        self._recording.log(path, pose, static=static)

    def _log_meshes(self, arm: Arm) -> None:
        for link in arm.arm_model.links:
            for material, mesh in link_meshes(arm.arm_model, link.name).items():
                # One vertex a corner, so that each face keeps its own normals.
                vertices = mesh.vertices[mesh.faces].reshape(-1, 3)
                self._recording.log(
                    f"world/{arm.name}/{link.name}/{material}",
                    rr.Mesh3D(
                        vertex_positions=vertices,
                        triangle_indices=np.arange(len(vertices)).reshape(-1, 3),
                        vertex_normals=mesh.corner_normals.reshape(-1, 3),
                        albedo_factor=[*MATERIAL_RGB[material], 1.0],
                    ),
                    static=True,
                )

    @cached_property
    def _blueprint(self) -> rrb.Blueprint:
        cameras = [
            rrb.Spatial2DView(origin=f"{self._path(camera)}/image", name=camera.name) for camera in self._rig.cameras
        ]
        joints = [rrb.TimeSeriesView(origin=f"joints/{arm.name}", name=f"{arm.name} joints") for arm in self._rig.arms]
        return rrb.Blueprint(
            rrb.Vertical(
                rrb.Horizontal(
                    rrb.Spatial3DView(origin="world", name="scene"), rrb.Vertical(*cameras), column_shares=[3, 1]
                ),
                rrb.Horizontal(*joints, rrb.TextLogView(origin="events", name="events")),
                row_shares=[3, 1],
            ),
            collapse_panels=True,
        )
