"""Colour and aligned depth of a MuJoCo scene in one render pass."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Intrinsics
from imove_sim_bridge.backend import CameraFrame
from imove_sim_bridge.gl import driver_facts, open_context

COLLISION_GROUP = 3
MAX_GEOMS = 1000
# Each costs time on a software renderer and shows nothing that a policy needs.
SWITCHED_OFF = tuple(
    getattr(mujoco.mjtRndFlag, f"mjRND_{name}") for name in ("SHADOW", "REFLECTION", "SKYBOX", "HAZE", "FOG")
)


@dataclass(frozen=True)
class View:
    """A camera of a model.

    Attributes:
        camera_id: In the model.
        intrinsics: At the rendered size.
        depth_range_m: Nearest and farthest distance that its depth image reports.
    """

    camera_id: int
    intrinsics: Intrinsics
    depth_range_m: tuple[float, float]


class Renderer:
    """Owns the GL context of one image size; models come and go."""

    def __init__(self, width: int, height: int) -> None:
        """Opens an off-screen context.

        Args:
            width: Of every image in pixels.
            height: Of every image in pixels.

        Raises:
            ImoveError: There is no off-screen renderer.
        """
        self._gl = open_context(width, height)
        self.driver = driver_facts()
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._option = mujoco.MjvOption()
        self._option.geomgroup[COLLISION_GROUP] = 0
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._rgb = np.empty((height, width, 3), np.uint8)
        self._depth = np.empty((height, width), np.float32)
        self._model: mujoco.MjModel | None = None
        self._context: mujoco.MjrContext | None = None
        self._scene: mujoco.MjvScene | None = None

    def load(self, model: mujoco.MjModel) -> None:
        """Sends the meshes and textures of `model` to the renderer; does nothing when they are there."""
        if model is self._model:
            return
        self._gl.make_current()
        self._forget()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mujoco.MjvScene(model, MAX_GEOMS)
        for flag in SWITCHED_OFF:
            self._scene.flags[flag] = 0
        self._model = model

    def render(
        self, data: mujoco.MjData, views: Mapping[str, View], depth: Collection[str] = ()
    ) -> dict[str, CameraFrame]:
        """Renders a state of the loaded model.

        Args:
            data: The state; its kinematics must be up to date.
            views: What to render, by camera name.
            depth: Names of those whose depth is wanted.

        Returns:
            Frames by camera name.
        """
        model, scene, context = self._model, self._scene, self._context
        assert model is not None and scene is not None and context is not None
        self._gl.make_current()
        frames = {}
        for name, view in views.items():
            self._camera.fixedcamid = view.camera_id
            every = mujoco.mjtCatBit.mjCAT_ALL
            mujoco.mjv_updateScene(model, data, self._option, None, self._camera, every, scene)
            mujoco.mjr_render(self._rect, scene, context)
            wanted = name in depth
            mujoco.mjr_readPixels(self._rgb, self._depth if wanted else None, self._rect, context)
            frames[name] = CameraFrame(
                # Rows arrive bottom up.
                rgb=self._rgb[::-1].copy(),
                depth_mm=self._depth_mm(model, view.depth_range_m) if wanted else None,
                intrinsics=view.intrinsics,
            )
        return frames

    def _depth_mm(self, model: mujoco.MjModel, range_m: tuple[float, float]) -> NDArray[np.uint16]:
        """Distances along the optical axis from the reversed depth buffer: 1 at the near plane, 0 at the far one."""
        near, far = (1e3 * plane * model.stat.extent for plane in (model.vis.map.znear, model.vis.map.zfar))
        depth_mm = self._depth[::-1] * np.float32(far - near)
        depth_mm += np.float32(near)
        np.divide(np.float32(near * far), depth_mm, out=depth_mm)
        np.rint(depth_mm, out=depth_mm)
        low, high = (np.float32(1e3 * value) for value in range_m)
        depth_mm *= (depth_mm >= low) & (depth_mm <= high)
        return depth_mm.astype(np.uint16)

    def close(self) -> None:
        """Frees the context."""
        self._gl.make_current()
        self._forget()
        self._gl.free()

    def _forget(self) -> None:
        if self._context is not None:
            self._context.free()
        self._context, self._scene, self._model = None, None, None
