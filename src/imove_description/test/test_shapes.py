"""Shapes are read strictly, and URDF and MJCF state the same collision geometry."""

from importlib import resources
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from imove_description.arm_model import parse_arm_model
from imove_description.meshes import mesh_files, solid_mesh
from imove_description.mjcf import arm_mjcf
from imove_description.reading import DescriptionError
from imove_description.rotation import quaternion_wxyz, roll_pitch_yaw, rotation_z_to
from imove_description.shapes import Solid, collision_from_yaml
from imove_description.urdf import arm_urdf

PIPER_X = (resources.files("imove_description") / "arms" / "piper_x.yaml").read_text(encoding="utf-8")
LATHE = [[0, 0.01], [0.02, 0.01]]
TUBE = [[0, 0, 0, 0.02], [0, 0, 0.1, 0.02], [0.1, 0, 0.2, 0.01]]
LOFT = [[0, -0.01, 0.01, -0.01, 0.01], [0.1, -0.01, 0.01, -0.01, 0.01]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"material": "white", "lathe": LATHE, "loft": LOFT}, "exactly one of lathe, loft, tube"),
        ({"material": "white"}, "exactly one of lathe, loft, tube"),
        ({"material": "gold", "lathe": LATHE}, "one of white, dark, accent, rubber, got 'gold'"),
        ({"material": "white", "lathe": LATHE, "chamfer": 0.1}, "chamfer is allowed only with loft"),
        ({"material": "white", "loft": LOFT, "sides": 8}, "sides is allowed only with lathe or tube"),
        ({"material": "white", "lathe": LATHE, "sides": 2.5}, "whole number from 3 on, got 2.5"),
        ({"material": "white", "lathe": LATHE[::-1]}, "rising z and positive radius"),
        ({"material": "white", "loft": LOFT[::-1]}, "rising x"),
        ({"material": "white", "loft": LOFT, "chamfer": 0.01}, "above two chamfers"),
        ({"material": "white", "loft": LOFT, "chamfer": -0.01}, "must not be negative"),
        ({"material": "white", "tube": TUBE, "lathe": LATHE}, "exactly one of lathe, loft, tube"),
        ({"material": "white", "tube": TUBE, "chamfer": 0.1}, "chamfer is allowed only with loft"),
        ({"material": "white", "tube": TUBE, "sides": 2}, "whole number from 3 on, got 2"),
        ({"material": "white", "tube": TUBE[:1]}, "rows of different places and positive radius"),
        ({"material": "white", "tube": [TUBE[0], TUBE[0]]}, "rows of different places and positive radius"),
        ({"material": "white", "tube": [[0, 0, 0, 0.1], [0, 0, 1, 0]]}, "rows of different places and positive radius"),
        ({"material": "white", "lathe": LATHE, "size": 1}, "unknown key 'size'"),
    ],
)
def test_broken_solids_are_refused(value: object, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        Solid.from_yaml(value, "solid")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "exactly one of box, cylinder, capsule"),
        ({"box": [1, 1, 1], "radius": 1}, "radius is allowed only with cylinder or capsule"),
        ({"box": [1, 1, 0]}, "must be above 0"),
        ({"capsule": [[0, 0, 0], [0, 0, 1]], "radius": 0}, "radius must be above 0"),
        ({"capsule": [[0, 0, 0], [0, 0, 1]], "radius": 1, "xyz": [0, 0, 0]}, "xyz is allowed only with box"),
        ({"capsule": [0, 0, 1], "radius": 1}, r"finite numbers of shape \(2, 3\)"),
        ({"capsule": [[0, 0, 1], [0, 0, 1]], "radius": 1}, "two different points"),
        ({"cylinder": [[0, 0, 0], [0, 0, 1]]}, "lacks 'radius'"),
        ("round", "must be a mapping, got str"),
    ],
)
def test_broken_collision_shapes_are_refused(value: object, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        collision_from_yaml(value, "shape")


def test_a_straight_tube_is_a_lathe() -> None:
    lathe = Solid.from_yaml({"material": "white", "lathe": [[0, 0.02], [0.1, 0.02], [0.3, 0.01]]}, "solid")
    rows = [[0, 0, 0, 0.02], [0, 0, 0.1, 0.02], [0, 0, 0.3, 0.01]]
    tube = solid_mesh(Solid.from_yaml({"material": "white", "tube": rows}, "solid"))
    expected = solid_mesh(lathe)
    np.testing.assert_array_equal(tube.faces, expected.faces)
    # The rings may begin at another angle.
    np.testing.assert_allclose(np.hypot(*tube.vertices[:, :2].T), np.hypot(*expected.vertices[:, :2].T), atol=1e-12)
    np.testing.assert_allclose(tube.vertices[:, 2], expected.vertices[:, 2], atol=1e-12)


def test_a_bent_tube_keeps_its_radius_square_to_its_way_and_is_not_twisted() -> None:
    angles = np.linspace(0, np.pi, 9)
    rows = [[0.1 * np.cos(a), 0.1 * np.sin(a), 0.02 * a, 0.03] for a in angles]
    mesh = solid_mesh(Solid.from_yaml({"material": "white", "sides": 12, "tube": rows}, "solid"))
    rings = mesh.vertices.reshape(9, 12, 3)
    np.testing.assert_allclose(rings.mean(axis=1), np.array(rows)[:, :3], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rings - rings.mean(axis=1, keepdims=True), axis=2), 0.03, atol=1e-12)
    steps = np.linalg.norm(np.diff(rings, axis=0), axis=2)
    # The skin's lengthwise edges are no longer than the outside of the bend is.
    assert steps.max() < 1.01 * np.hypot(0.13 * np.pi / 8, 0.02 * np.pi / 8)
    inside = trimesh.Trimesh(mesh.vertices, mesh.faces)
    assert inside.is_watertight and inside.volume > 0


def test_urdf_and_mjcf_collide_alike() -> None:
    """Every primitive has the same size and pose in both; a capsule is a cylinder and two spheres in URDF."""
    text = PIPER_X.replace("collision: []", "collision: [{capsule: [[0, 0, 0], [0.01, 0.02, 0.03]], radius: 0.01}]")
    arm = parse_arm_model(text, "arm")
    model = mujoco.MjSpec.from_string(arm_mjcf(arm), assets=mesh_files(arm)).compile()
    urdf = ElementTree.fromstring(arm_urdf(arm))
    compared = 0
    for link in urdf.findall("link"):
        if link.find("collision") is None:
            continue
        body = model.body(link.get("name"))
        geoms = [g for g in range(body.geomadr[0], body.geomadr[0] + body.geomnum[0]) if model.geom_contype[g]]
        solids = [c for c in link.findall("collision") if c.find("geometry/sphere") is None]
        for geom, collision in zip(geoms, solids, strict=True):
            origin = collision.find("origin")
            np.testing.assert_allclose(_vector(origin, "xyz"), model.geom_pos[geom], atol=1e-9)
            turn = Rotation.from_euler("xyz", _vector(origin, "rpy")).as_matrix()
            mj_turn = Rotation.from_quat(model.geom_quat[geom], scalar_first=True).as_matrix()
            size = model.geom_size[geom]
            if (box := collision.find("geometry/box")) is not None:
                np.testing.assert_allclose(_vector(box, "size"), 2 * size, atol=1e-9)
                np.testing.assert_allclose(turn, mj_turn, atol=1e-9)
            else:
                cylinder = collision.find("geometry/cylinder")
                measures = [float(cylinder.get("radius")), float(cylinder.get("length"))]
                np.testing.assert_allclose(measures, [size[0], 2 * size[1]], atol=1e-9)
                assert abs(turn[:, 2] @ mj_turn[:, 2]) == pytest.approx(1)
            compared += 1
    capsule = urdf.find("link[@name='link6']")
    centres = [_vector(c.find("origin"), "xyz") for c in capsule.findall("collision")[1:]]
    np.testing.assert_allclose(centres, [[0, 0, 0], [0.01, 0.02, 0.03]], atol=1e-12)
    assert compared == sum(len(link.collision) for link in arm.links) + 2


def _vector(element: ElementTree.Element, attribute: str) -> np.ndarray:
    return np.array(element.get(attribute).split(), dtype=float)


def test_rotations_round_trip() -> None:
    rotations = Rotation.random(200, rng=np.random.default_rng(2)).as_matrix()
    upright = Rotation.from_euler("xyz", [[0, s * np.pi / 2, a] for s in (-1, 1) for a in (0, 1, -2)]).as_matrix()
    turned = Rotation.from_euler("xyz", [[np.pi, 0, 0], [0, np.pi, 0], [0, 0, np.pi]]).as_matrix()
    for rotation in (*rotations, *upright, *turned):
        again = Rotation.from_quat(quaternion_wxyz(rotation), scalar_first=True).as_matrix()
        np.testing.assert_allclose(again, rotation, atol=1e-9)
        again = Rotation.from_euler("xyz", roll_pitch_yaw(rotation)).as_matrix()
        np.testing.assert_allclose(again, rotation, atol=1e-9)
        frame = rotation_z_to(3 * rotation[:, 0])
        np.testing.assert_allclose(frame[:, 2], rotation[:, 0], atol=1e-12)
        np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-12)
        assert np.linalg.det(frame) == pytest.approx(1)
