"""From a heat map to a point in the world, in rendered scenes with known poses."""

import numpy as np
import pytest

from imove_baselines.grounded_pick.choosing import heat_of_things, lifted
from imove_baselines.grounded_pick.heat import cell_points, refined_peak, soft_label
from imove_baselines.grounded_pick.robot_points import RobotPoints
from imove_baselines.grounded_pick.things import things_on
from imove_baselines.table_view import TableView
from imove_core.clouds import Cloud
from imove_core.fixed_camera import fixed_camera
from imove_core.transforms import apply, inverse
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.suites import open_suite

MARGIN_M = 0.006
"""A pixel, and what a mesh is wider than its box at."""


@pytest.fixture(scope="module", params=["pick_category/seen", "place_a2b/seen"])
def rendered(request):
    suite = open_suite(request.param)
    rig, spec = suite.open_rig(), suite.specs[1]
    camera = fixed_camera(rig)
    backend = create_backend("mujoco", rig, open_library(()).get, (224, 224))
    backend.load(spec)
    state = backend.reset()
    frame = backend.observe([camera.name], [camera.name])[camera.name]
    cloud = RobotPoints(rig).without(Cloud.of(frame.depth_mm, camera), state.robot.positions)
    yield rig, spec, camera, cloud
    backend.close()


def in_box(item, point) -> bool:
    local = apply(inverse(item.world_from_object), point)
    return bool(
        np.all(local >= np.array(item.box_min) - MARGIN_M) and np.all(local <= np.array(item.box_max) + MARGIN_M)
    )


def test_every_object_is_one_thing_and_the_robot_is_none(rendered) -> None:
    rig, spec, _, cloud = rendered
    things = things_on(cloud, rig.workspace)
    assert len(things) == len(spec.objects)
    for thing in things:
        owners = [item for item in spec.objects if np.mean([in_box(item, point) for point in thing.points]) > 0.95]
        assert len(owners) == 1


def test_the_heat_of_an_object_leads_to_a_point_on_it(rendered) -> None:
    rig, spec, camera, cloud = rendered
    view, things = TableView.of(rig), things_on(cloud, rig.workspace)
    for item in spec.objects:
        middle = apply(item.world_from_object, (np.array(item.box_min) + item.box_max) / 2)
        heat = soft_label(cell_points(view), view.seen_at(camera, middle), np.zeros((2, 2)))
        shares = heat_of_things(heat, view, camera, things)
        chosen = things[int(shares.argmax())]
        assert np.mean([in_box(item, point) for point in chosen.points]) > 0.95
        assert in_box(item, lifted(refined_peak(heat, view), view, camera, chosen.points))
