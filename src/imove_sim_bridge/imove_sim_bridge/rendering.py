"""Colour and aligned depth of a MuJoCo scene in one render pass."""

from collections.abc import Mapping

import mujoco
import numpy as np
from imove_core.rig import Camera, Intrinsics

from imove_sim_bridge.backend import CameraFrame

COLLISION_GROUP = 3
MAX_GEOMS = 1000
_OFF = ("mjRND_SHADOW", "mjRND_REFLECTION", "mjRND_SKYBOX", "mjRND_HAZE", "mjRND_FOG")


class Renderer:
    """Owns the GL context of one image size; models come and go."""

    def __init__(self, width: int, height: int) -> None:
        """Opens an off-screen context of `width` by `height` pixels."""
        self._size = (width, height)
        self._gl = mujoco.GLContext(width, height)
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
        """Sends the meshes and textures of `model` to the renderer."""
        self._gl.make_current()
        if self._context is not None:
            self._context.free()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mujoco.MjvScene(model, MAX_GEOMS)
        for flag in _OFF:
            self._scene.flags[getattr(mujoco.mjtRndFlag, flag)] = 0
        self._model = model

    def render(
        self, data: mujoco.MjData, cameras: Mapping[Camera, int], depth: frozenset[str]
    ) -> dict[str, CameraFrame]:
        """Renders cameras (with their ids in the model) at the state in `data`; depth only for names in `depth`."""
        model, scene, context = self._model, self._scene, self._context
        assert model is not None and scene is not None and context is not None
        self._gl.make_current()
        near, far = model.vis.map.znear * model.stat.extent, model.vis.map.zfar * model.stat.extent
        frames = {}
        for camera, camera_id in cameras.items():
            self._camera.fixedcamid = camera_id
            every = mujoco.mjtCatBit.mjCAT_ALL
            mujoco.mjv_updateScene(model, data, self._option, None, self._camera, every, scene)
            mujoco.mjr_render(self._rect, scene, context)
            wants_depth = camera.name in depth
            mujoco.mjr_readPixels(self._rgb, self._depth if wants_depth else None, self._rect, context)
            depth_mm = None
            if wants_depth:
                # Reversed depth buffer: 1 at the near plane, 0 at the far one.
                metres = near * far / (near + self._depth[::-1].astype(np.float64) * (far - near))
                low, high = camera.depth_range_m
                depth_mm = np.where((metres >= low) & (metres <= high), np.rint(metres * 1e3), 0).astype(np.uint16)
            frames[camera.name] = CameraFrame(self._rgb[::-1].copy(), depth_mm, scaled_intrinsics(camera, *self._size))
        return frames

    def close(self) -> None:
        """Frees the context."""
        if self._context is not None:
            self._gl.make_current()
            self._context.free()
            self._context = None
        self._gl.free()


def scaled_intrinsics(camera: Camera, width: int, height: int) -> Intrinsics:
    """Intrinsics of a camera at the rendered size."""
    return camera.intrinsics.resized(width, height)
