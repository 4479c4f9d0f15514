"""The least MuJoCo calls that give the physics and pixels of a scene: what the simulator is compared with."""

import mujoco
import numpy as np

from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array
from imove_sim_bridge.gl import open_context
from imove_sim_bridge.physics import SUBSTEPS
from imove_sim_bridge.rendering import COLLISION_GROUP, MAX_GEOMS, SWITCHED_OFF
from imove_sim_bridge.scene_index import Scene


class BareMujoco:
    """The least calls that give the same physics and pixels."""

    def __init__(self, scene: Scene, spec: EpisodeSpec, size: tuple[int, int]) -> None:
        """Uploads the scene; `size` is width and height of the images."""
        self._scene, self._spec, self._home = scene, spec, scene.rig.home_positions
        self._data = mujoco.MjData(scene.model)
        self._gl = open_context(*size)
        self._context = mujoco.MjrContext(scene.model, mujoco.mjtFontScale.mjFONTSCALE_50)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._picture = mujoco.MjvScene(scene.model, MAX_GEOMS)
        for flag in SWITCHED_OFF:
            self._picture.flags[flag] = 0
        self._option, self._camera = mujoco.MjvOption(), mujoco.MjvCamera()
        self._option.geomgroup[COLLISION_GROUP] = 0
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._rect = mujoco.MjrRect(0, 0, *size)
        self._rgb = np.empty((size[1], size[0], 3), np.uint8)

    def reset(self) -> None:
        """Arms at home, objects in place."""
        scene, data = self._scene, self._data
        mujoco.mj_resetData(scene.model, data)
        data.qpos[scene.joint_qpos] = self._home / scene.opening_scale
        for first, second in scene.finger_qpos:
            data.qpos[second] = data.qpos[first]
        for row, item in zip(scene.object_qpos, self._spec.objects, strict=True):
            data.qpos[row] = [*item.position, *item.quaternion_xyzw]
        mujoco.mj_forward(scene.model, data)

    def step(self, targets: Array) -> None:
        """One control step towards targets (D,)."""
        self._data.ctrl[:] = targets
        mujoco.mj_step(self._scene.model, self._data, nstep=SUBSTEPS)

    def render(self) -> None:
        """All cameras."""
        self._gl.make_current()
        for view in self._scene.cameras.values():
            self._camera.fixedcamid = view.camera_id
            mujoco.mjv_updateScene(
                self._scene.model,
                self._data,
                self._option,
                None,
                self._camera,
                mujoco.mjtCatBit.mjCAT_ALL,
                self._picture,
            )
            mujoco.mjr_render(self._rect, self._picture, self._context)
            mujoco.mjr_readPixels(self._rgb, None, self._rect, self._context)

    def close(self) -> None:
        """Frees the context."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()
