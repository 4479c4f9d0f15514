"""Mesh makers: closed, outward, of the size and volume that was asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_tasks.assets import primitives as p
from imove_tasks.assets.convex import Chords, box_part, revolved_parts, wall_parts
from imove_tasks.assets.errors import AssetError


def signed_volume(mesh: p.Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def is_closed(faces: np.ndarray) -> bool:
    """Every directed edge occurs once and so does its reverse."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    directed = {(int(a), int(b)) for a, b in edges}
    return len(directed) == len(edges) and all((b, a) in directed for a, b in directed)


ARC = p.arc(0.03, 0.02, 0.0, 2.0, 9)
MAKERS = {
    "box": (p.box(0.01, 0.02, 0.03), 8 * 0.01 * 0.02 * 0.03),
    "rounded box": (p.rounded_box(0.03, 0.02, 0.01, 0.005, bevel=0.001), 8 * 0.03 * 0.02 * 0.01),
    "cylinder": (p.cylinder(0.02, 0.03, 64), np.pi * 0.02**2 * 0.06),
    "frustum": (p.revolve([(0.02, 0.0), (0.01, 0.05)], 64), np.pi * 0.05 / 3 * (4e-4 + 2e-4 + 1e-4)),
    "cup": (
        p.revolve([(0.03, 0.0), (0.03, 0.08), (0.027, 0.08), (0.027, 0.005)], 64),
        np.pi * (0.03**2 * 0.08 - 0.027**2 * 0.075),
    ),
    "band": (p.band(0.03, 0.0, 0.01, 64, thickness=0.01), np.pi * (0.03**2 - 0.02**2) * 0.01),
    "ellipsoid": (p.ellipsoid(0.03, 0.02, 0.01, 48, 31), 4 / 3 * np.pi * 0.03 * 0.02 * 0.01),
    "slab": (p.slab([(0.0, 0.0), (0.04, 0.0), (0.0, 0.03)], 0.01), 0.5 * 0.04 * 0.03 * 0.02),
    "tube": (p.tube(ARC, 0.004, 32), np.pi * 0.004**2 * np.linalg.norm(np.diff(ARC, axis=0), axis=1).sum()),
}


@pytest.mark.parametrize("name", MAKERS)
def test_mesh_is_closed_outward_and_of_the_right_volume(name):
    mesh, volume = MAKERS[name]
    assert is_closed(mesh.faces)
    assert signed_volume(mesh) == pytest.approx(volume, rel=0.03)


@given(radius=st.floats(0.001, 0.1), half=st.floats(0.001, 0.1), sectors=st.integers(3, 40), turn=st.floats(-3.0, 3.0))
def test_triangle_count_and_volume_survive_placement(radius, half, sectors, turn):
    mesh = p.cylinder(radius, half, sectors)
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    pose[:3, 3] = [0.3, -0.2, 0.1]
    assert len(mesh.faces) == 4 * sectors
    assert signed_volume(mesh.at(pose)) == pytest.approx(signed_volume(mesh), rel=1e-6)


def test_joined_meshes_keep_their_pieces():
    pieces = [p.box(0.01, 0.01, 0.01), p.cylinder(0.01, 0.01).moved(x=0.05)]
    joined = p.join(pieces)
    assert is_closed(joined.faces)
    assert signed_volume(joined) == pytest.approx(sum(signed_volume(piece) for piece in pieces))


def test_clamping_gives_a_flat_facet_and_stays_closed():
    ball = p.ellipsoid(0.03, 0.03, 0.03).clamped_below(-0.025)
    assert is_closed(ball.faces)
    assert ball.vertices[:, 2].min() == -0.025
    assert np.isclose(ball.vertices[:, 2], -0.025).sum() > 3


def test_loft_refuses_a_single_ring():
    with pytest.raises(AssetError, match=r"rings of shape \(1, 4, 3\).*R >= 2"):
        p.loft(np.zeros((1, 4, 3)))


def test_profile_is_cut_where_it_turns_concave():
    bottle = [(0.03, 0.0), (0.03, 0.06), (0.01, 0.08), (0.01, 0.1)]
    parts = revolved_parts(bottle, 24)
    assert [part.shape for part in parts] == ["hull", "cylinder"]
    assert sum(part.volume_m3 for part in parts) == pytest.approx(signed_volume(p.revolve(bottle, 24)), rel=0.02)


def test_lying_profile_keeps_the_flat_sides_of_its_mesh():
    assert [part.shape for part in revolved_parts([(0.01, 0.0), (0.01, 0.1)], 12, np.eye(4))] == ["hull"]


def test_chords_of_a_box_and_of_a_hollow_wall():
    box = Chords([box_part((0.01, 0.02, 0.03))]).intervals([(0.0, 0.0, 0.0), (0.0, 0.03, 0.0)], (1.0, 0.0, 0.0))
    assert box[0, 0] == pytest.approx([-0.01, 0.01])
    assert box[0, 1, 0] > box[0, 1, 1]  # this line misses
    wall = Chords(wall_parts(0.03, 0.03, 0.004, 0.0, 0.05)).intervals([(0.0, 0.0, 0.02)], (0.0, 1.0, 0.0))
    hit = np.sort(wall[wall[..., 0] < wall[..., 1]].ravel())
    assert hit[[0, -1]] == pytest.approx([-0.03, 0.03], abs=5e-4)
    assert not ((hit > -0.024) & (hit < 0.024)).any()
