"""An exported object in MuJoCo behaves and looks like the one that scenes are composed of."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from imove_sim_bridge.object_bodies import add_object
from imove_sim_bridge.physics import set_options
from imove_sim_bridge.rendering import COLLISION_GROUP
from imove_sim_bridge.studio import FIELD_OF_VIEW_DEG
from imove_tasks.assets import Asset, AssetLibrary
from imove_tasks.assets.exporting import FORMATS

LIBRARY = AssetLibrary.generate(instances_per_category=1)
ASSETS = list(LIBRARY)[::5]
SIZE_PX = 160


def on_a_table(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """The model with a table below its one free body, and a light."""
    set_options(spec, control_rate_hz=30)
    spec.visual.global_.offwidth = spec.visual.global_.offheight = SIZE_PX
    spec.visual.global_.fovy = FIELD_OF_VIEW_DEG
    spec.visual.map.znear = 0.01
    spec.stat.extent = 1.0
    spec.worldbody.add_light(pos=[0.3, 0.4, 1.0], dir=[-0.3, -0.4, -1.0], diffuse=[0.4] * 3)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5, 0.5, 0.02], pos=[0, 0, -0.02])
    return spec.compile()


def exported_model(asset: Asset, folder: Path) -> mujoco.MjModel:
    return on_a_table(mujoco.MjSpec.from_file(str(FORMATS["mjcf"].write(asset, folder, "thing"))))


def scene_model(asset: Asset) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    add_object(spec, "thing", asset)
    spec.body("thing").pos = [0.0, 0.0, -asset.box_min[2]]
    return on_a_table(spec)


def rest_pose(model: mujoco.MjModel) -> np.ndarray:
    """Position and quaternion 1 s after a fall of 5 mm."""
    data = mujoco.MjData(model)
    data.qpos[2] += 0.005
    for _ in range(480):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


@pytest.mark.parametrize("asset", ASSETS, ids=lambda asset: asset.category)
def test_it_comes_to_rest_as_in_a_scene(tmp_path: Path, asset: Asset) -> None:
    exported, composed = rest_pose(exported_model(asset, tmp_path)), rest_pose(scene_model(asset))
    np.testing.assert_allclose(exported[:3], composed[:3], atol=5e-4)
    assert abs(float(exported[3:] @ composed[3:])) > np.cos(np.radians(0.5) / 2.0)
    assert abs(exported[2] + asset.box_min[2]) < 1e-3


def picture(model: mujoco.MjModel, asset: Asset) -> np.ndarray:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera, options = mujoco.MjvCamera(), mujoco.MjvOption()
    camera.lookat[:] = [0.0, 0.0, -asset.box_min[2]]
    camera.distance = 0.55 * float(np.linalg.norm(asset.extents)) / np.tan(np.radians(FIELD_OF_VIEW_DEG / 2.0))
    camera.azimuth, camera.elevation = 155.0, -50.0
    options.geomgroup[COLLISION_GROUP] = 0
    with mujoco.Renderer(model, SIZE_PX, SIZE_PX) as renderer:
        renderer.update_scene(data, camera, options)
        return renderer.render().astype(float)


@pytest.mark.parametrize("asset", ASSETS[:6], ids=lambda asset: asset.category)
def test_it_looks_as_in_a_scene(tmp_path: Path, asset: Asset) -> None:
    exported, composed = picture(exported_model(asset, tmp_path), asset), picture(scene_model(asset), asset)
    assert exported.std() > 5.0
    assert np.abs(exported - composed).mean() < 0.5
