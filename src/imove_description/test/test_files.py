"""The files in the share folder are up to date, closed and of the size of the real arm."""

import io
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from imove_description import generate
from imove_description.arm_model import ArmModel
from imove_description.meshes import link_meshes, mesh_files

PACKAGE = Path(__file__).resolve().parents[1]

#: Extents of the links in m, along the link axes, from the vendor's meshes.
VENDOR_EXTENTS_M = {
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


def test_committed_mjcf_compiles_with_committed_meshes() -> None:
    model = mujoco.MjModel.from_xml_path(str(PACKAGE / "mjcf" / "piper_x.xml"))
    assert (model.nq, model.nu) == (8, 7)


def test_visual_meshes_are_closed_and_light(piper_x: ArmModel) -> None:
    total = 0
    for name, content in mesh_files(piper_x).items():
        mesh = trimesh.load(io.BytesIO(content), file_type="obj", process=False)
        mesh.merge_vertices(merge_norm=True)
        assert mesh.is_watertight, name
        assert mesh.volume > 0, name
        total += len(mesh.faces)
    assert total <= 2200


def test_shading_normals_point_out_of_the_faces(piper_x: ArmModel) -> None:
    for link in piper_x.links:
        for mesh in link_meshes(piper_x, link.name).values():
            corners = mesh.vertices[mesh.faces]
            face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            face /= np.linalg.norm(face, axis=1, keepdims=True)
            np.testing.assert_allclose(np.linalg.norm(mesh.corner_normals, axis=2), 1.0, atol=1e-9)
            assert np.einsum("fi,fci->fc", face, mesh.corner_normals).min() > np.cos(np.deg2rad(40))


@pytest.mark.parametrize("link", VENDOR_EXTENTS_M)
def test_links_have_the_size_of_the_real_ones(piper_x: ArmModel, link: str) -> None:
    vertices = np.concatenate([mesh.vertices for mesh in link_meshes(piper_x, link).values()])
    np.testing.assert_allclose(np.ptp(vertices, axis=0), VENDOR_EXTENTS_M[link], atol=0.012)


def test_collision_shapes_cover_the_visible_solids(piper_x: ArmModel, arm_spec: mujoco.MjSpec) -> None:
    """No visible vertex of a colliding link lies more than 15 mm outside its collision shapes."""
    model = arm_spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for link in piper_x.links:
        body = model.body(link.name)
        geoms = [g for g in range(body.geomadr[0], body.geomadr[0] + body.geomnum[0]) if model.geom_contype[g]]
        vertices = np.concatenate([mesh.vertices for mesh in link_meshes(piper_x, link.name).values()])
        if not geoms:
            assert link.name == "link6"
            continue
        world = vertices @ data.body(link.name).xmat.reshape(3, 3).T + data.body(link.name).xpos
        outside_m = np.min([_distance_m(model, data, geom, world) for geom in geoms], axis=0)
        assert outside_m.max() < 0.015, link.name


def _distance_m(model: mujoco.MjModel, data: mujoco.MjData, geom: int, points: np.ndarray) -> np.ndarray:
    local = (points - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
    size = model.geom_size[geom]
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        return np.linalg.norm(np.maximum(np.abs(local) - size, 0), axis=1)
    assert model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CYLINDER
    radial = np.maximum(np.hypot(local[:, 0], local[:, 1]) - size[0], 0)
    return np.hypot(radial, np.maximum(np.abs(local[:, 2]) - size[1], 0))
