"""Draws docs/images/scene.png: an episode of pick_category with the instructed object lifted, from a free camera.

Usage: ./imove shell python docs/images/render_scene.py [EPISODE]
"""

import sys
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from imove_core.rig import load_rig
from imove_core.trajectory import JointCommand
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlanner
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_sim_bridge.rendering import COLLISION_GROUP
from imove_sim_bridge.scene import compile_scene, compose_base, find_assets
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.suites import open_suite

WIDTH, HEIGHT = 1280, 720


def main(episode: int) -> None:
    """Runs one pick and draws its end."""
    rig, library = load_rig("piperx_dual"), AssetLibrary.shipped()
    spec = open_suite("pick_category/seen").specs[episode]
    backend = MujocoBackend(rig, library.get)
    backend.load(spec)
    first = backend.reset()
    target = spec.instruction("normal").target
    goal = next(item for item in spec.objects if item.id == target)
    others = [item for item in first.objects if item.id != target]
    grasps = grasp_candidates(library.get(goal.asset), goal.world_from_object)
    plan = PickPlanner(rig).plan(grasps, first.robot.positions, others)
    times_ns = first.stamp_ns + np.round(np.arange(1, len(plan.positions) + 1) * 1e9 / 30).astype(np.int64)
    last = backend.advance({plan.arm: JointCommand(first.stamp_ns, times_ns, plan.positions)}, len(times_ns))[-1]

    base = compose_base(rig, WIDTH, HEIGHT)
    base.visual.quality.offsamples = 8
    base.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.75, 0.82, 0.9],
        rgb2=[0.95, 0.96, 0.98],
        width=256,
        height=256,
    )
    scene = compile_scene(base, rig, spec, find_assets(spec, library.get))
    data = mujoco.MjData(scene.model)
    data.qpos[scene.joint_qpos] = last.robot.positions / scene.opening_scale
    for left, right in scene.finger_qpos:
        data.qpos[right] = data.qpos[left]
    for row, item in zip(scene.object_qpos, last.objects, strict=True):
        data.qpos[row] = [*item.position, *np.roll(item.quaternion_xyzw, 1)]
    mujoco.mj_forward(scene.model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = [0.2, 0.02, 0.12]
    camera.distance, camera.azimuth, camera.elevation = 1.05, 205, -30
    option = mujoco.MjvOption()
    option.geomgroup[COLLISION_GROUP] = 0
    with mujoco.Renderer(scene.model, HEIGHT, WIDTH) as renderer:
        renderer.update_scene(data, camera, option)
        Image.fromarray(renderer.render()).save(Path(__file__).with_name("scene.png"))
    print(f'scene.png: {spec.id}, "{spec.instruction("normal").text}"')


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
