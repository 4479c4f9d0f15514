"""The files in the share folder are up to date, closed and of the size of the real arm."""

import io
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from imove_description import generate
from imove_description.arm_model import ArmModel, load_arm_model
from imove_description.meshes import link_meshes, mesh_files

PACKAGE = Path(__file__).resolve().parents[1]

#: Most triangles of the visual meshes of an arm.
MOST_TRIANGLES = 3600

#: Extents of the links in m, along the link axes, from the vendors' meshes.
PIPER_X_EXTENTS_M = {
    "base_link": (0.099, 0.080, 0.086),
    "link1": (0.072, 0.078, 0.073),
    "link2": (0.348, 0.097, 0.097),
    "link3": (0.301, 0.066, 0.081),  # without the ring hidden in the elbow
    "link4": (0.132, 0.111, 0.066),
    "link5": (0.057, 0.063, 0.065),
    "gripper_base": (0.075, 0.164, 0.067),
    "finger1": (0.056, 0.0265, 0.0765),
    "finger2": (0.056, 0.0265, 0.0765),
}
PANDA_EXTENTS_M = {
    "base_link": (0.226, 0.189, 0.140),
    "link1": (0.110, 0.184, 0.247),
    "link2": (0.110, 0.249, 0.184),
    "link3": (0.193, 0.166, 0.176),
    "link4": (0.193, 0.179, 0.166),
    "link5": (0.110, 0.185, 0.311),
    "link6": (0.180, 0.133, 0.100),
    "link7": (0.125, 0.125, 0.055),
    "gripper_base": (0.063, 0.204, 0.092),  # with the cable
    "finger1": (0.021, 0.026, 0.054),
    "finger2": (0.021, 0.026, 0.054),
}
PIPER_EXTENTS_M = {
    **{link: PIPER_X_EXTENTS_M[link] for link in ("base_link", "link1", "link2", "gripper_base", "finger1", "finger2")},
    "link3": (0.086, 0.203, 0.081),  # without the ring hidden in the elbow
    "link4": (0.063, 0.061, 0.064),
    "link5": (0.060, 0.114, 0.061),
}
VX300S_EXTENTS_M = {
    "base_link": (0.299, 0.204, 0.079),
    "link1": (0.123, 0.123, 0.065),
    "link2": (0.089, 0.104, 0.325),
    "link3": (0.204, 0.101, 0.039),
    "link4": (0.119, 0.075, 0.046),
    "link5": (0.075, 0.055, 0.055),
    "link6": (0.043, 0.040, 0.055),
    "gripper_base": (0.070, 0.150, 0.059),
    "finger1": (0.061, 0.0244, 0.090),
    "finger2": (0.061, 0.0244, 0.090),
}
EXTENTS_M = {
    "piper_x": PIPER_X_EXTENTS_M, "piper": PIPER_EXTENTS_M, "vx300s": VX300S_EXTENTS_M, "panda": PANDA_EXTENTS_M,
}  # fmt: skip


def test_committed_files_are_up_to_date() -> None:
    assert generate.main(["--check", "--folder", str(PACKAGE)]) == 0


def test_generate_repairs_what_check_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ["--folder", str(tmp_path)]
    assert generate.main(["--check", *folder]) == 1
    assert generate.main(folder) == 0
    assert generate.main(["--check", *folder]) == 0
    (tmp_path / "urdf" / "piper_x.urdf").write_text("<robot/>", encoding="utf-8")
    (tmp_path / "meshes" / "left_over.obj").touch()
    capsys.readouterr()
    assert generate.main(["--check", *folder]) == 1
    assert capsys.readouterr().out.split("\n")[:2] == [
        "stale meshes/left_over.obj",
        "stale urdf/piper_x.urdf",
    ]
    assert generate.main(folder) == 0
    assert generate.main(["--check", *folder]) == 0


def test_committed_mjcf_compiles_with_committed_meshes(arm: ArmModel) -> None:
    model = mujoco.MjModel.from_xml_path(str(PACKAGE / "mjcf" / f"{arm.name}.xml"))
    assert (model.nq, model.nu) == (len(arm.joints) + 2, len(arm.joints) + 1)


def test_visual_meshes_are_closed_and_light(arm: ArmModel) -> None:
    total = 0
    for name, content in mesh_files(arm).items():
        mesh = trimesh.load(io.BytesIO(content), file_type="obj", process=False)
        mesh.merge_vertices(merge_norm=True)
        assert mesh.is_watertight, name
        assert mesh.volume > 0, name
        total += len(mesh.faces)
    assert total <= MOST_TRIANGLES


def test_shading_normals_point_out_of_the_faces(arm: ArmModel) -> None:
    for link in arm.links:
        for mesh in link_meshes(arm, link.name).values():
            corners = mesh.vertices[mesh.faces]
            face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            face /= np.linalg.norm(face, axis=1, keepdims=True)
            np.testing.assert_allclose(np.linalg.norm(mesh.corner_normals, axis=2), 1.0, atol=1e-9)
            assert np.einsum("fi,fci->fc", face, mesh.corner_normals).min() > np.cos(np.deg2rad(40))


@pytest.mark.parametrize(("name", "link"), [(name, link) for name, extents in EXTENTS_M.items() for link in extents])
def test_links_have_the_size_of_the_real_ones(name: str, link: str) -> None:
    vertices = np.concatenate([mesh.vertices for mesh in link_meshes(load_arm_model(name), link).values()])
    np.testing.assert_allclose(np.ptp(vertices, axis=0), EXTENTS_M[name][link], atol=0.012)


def test_collision_shapes_cover_the_visible_solids(arm: ArmModel, arm_spec: mujoco.MjSpec) -> None:
    """No visible vertex of a colliding link lies more than 15 mm outside its collision shapes."""
    model = arm_spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for link in arm.links:
        body = model.body(link.name)
        geoms = [g for g in range(body.geomadr[0], body.geomadr[0] + body.geomnum[0]) if model.geom_contype[g]]
        vertices = np.concatenate([mesh.vertices for mesh in link_meshes(arm, link.name).values()])
        if not geoms:
            assert np.ptp(vertices, axis=0).min() < 0.01, link.name  # a flange plate
            continue
        world = vertices @ data.body(link.name).xmat.reshape(3, 3).T + data.body(link.name).xpos
        outside_m = np.min([_distance_m(model, data, geom, world) for geom in geoms], axis=0)
        assert outside_m.max() < 0.015, link.name


def _distance_m(model: mujoco.MjModel, data: mujoco.MjData, geom: int, points: np.ndarray) -> np.ndarray:
    local = (points - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
    size = model.geom_size[geom]
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        return np.linalg.norm(np.maximum(np.abs(local) - size, 0), axis=1)
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CAPSULE:
        beyond = np.maximum(np.abs(local[:, 2]) - size[1], 0)
        return np.maximum(np.linalg.norm([local[:, 0], local[:, 1], beyond], axis=0) - size[0], 0)
    assert model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CYLINDER
    radial = np.maximum(np.hypot(local[:, 0], local[:, 1]) - size[0], 0)
    return np.hypot(radial, np.maximum(np.abs(local[:, 2]) - size[1], 0))
