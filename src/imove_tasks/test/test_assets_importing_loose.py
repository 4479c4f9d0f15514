"""Importing loose meshes and MJCF objects: units, axes, colours, and what a sheet says."""

import struct

import numpy as np
import pytest
import trimesh

from imove_tasks.assets import primitives as p
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.msh import read_msh

from .importing_helpers import CUP, Y_UP, loose, obj_text, only, run, told, write_mtl, write_picture

EXTENTS = np.ptp(CUP.vertices, axis=0)


def stl(mesh, scale=1.0):
    return trimesh.Trimesh(mesh.vertices * scale, mesh.faces, process=False).export(file_type="stl")


def test_an_stl_takes_unit_colour_and_material_from_its_sheet(tmp_path):
    said = "{category: mug, material: ceramic, mass_kg: 0.3}"
    sheet = f"defaults: {{unit: mm, color: [0.1, 0.2, 0.8]}}\nassets: {{scan.stl: {said}}}"
    loose(tmp_path / "in", sheet, scan__stl=stl(CUP, 1000.0))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert outcome.status == "imported"
    assert (mug.name, mug.mass_kg) == ("blue ceramic mug", 0.3)
    np.testing.assert_allclose(mug.extents, EXTENTS, atol=1e-6)


def test_an_stl_without_a_colour_is_gray_and_the_report_says_so(tmp_path):
    loose(tmp_path / "in", "assets: {mug.stl: {}}", mug__stl=stl(CUP))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "drawn in gray" in told(outcome)
    assert mug.color == "gray"


def test_a_glb_is_y_up_and_keeps_its_texture(tmp_path):
    from PIL import Image

    mesh = trimesh.Trimesh(CUP.vertices @ Y_UP.T, CUP.faces, process=False)
    uv = (CUP.vertices[:, :2] - CUP.vertices[:, :2].min(0)) / EXTENTS[:2]
    material = trimesh.visual.material.PBRMaterial(
        name="Ceramic_01", baseColorTexture=Image.new("RGB", (32, 32), (30, 150, 40))
    )
    mesh.visual = trimesh.visual.TextureVisuals(uv, material=material)
    loose(tmp_path / "in", "assets: {mug.glb: {}}", mug__glb=mesh.export(file_type="glb"))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert (mug.color, mug.material) == ("green", "ceramic")
    assert mug.visuals[0].material.texture is not None
    np.testing.assert_allclose(mug.extents, EXTENTS, atol=1e-6)


@pytest.mark.parametrize(("up", "turn"), [("y", Y_UP), ("x", np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))])
def test_the_axis_that_is_up_is_turned_up(tmp_path, up, turn):
    loose(tmp_path / "in", f"defaults: {{up: {up}}}", mug__obj=obj_text(CUP, turn=np.asarray(turn, float)))
    _, mug = only(tmp_path / "in", tmp_path / "out")
    np.testing.assert_allclose(mug.extents, EXTENTS, atol=1e-6)
    top = mug.visuals[0].vertices[mug.visuals[0].vertices[:, 2] > 0.04]
    assert np.hypot(top[:, 0], top[:, 1]).max() == pytest.approx(0.036, abs=1e-4)


def test_one_file_of_several_materials_becomes_one_mesh_a_material(tmp_path):
    handle = p.box(0.004, 0.012, 0.02).moved(x=0.040)
    text = obj_text(CUP, material="red_paint") + obj_text(
        handle, material="steel", start=1 + len(CUP.vertices)
    ).replace("mtllib material.mtl\n", "")
    folder = loose(tmp_path / "in", "assets: {mug.obj: {}}", mug__obj=text)
    (folder / "material.mtl").write_text("newmtl red_paint\nKd 0.8 0.1 0.1\nnewmtl steel\nKd 0.7 0.7 0.7\n")
    _, mug = only(tmp_path / "in", tmp_path / "out")
    assert sorted(mesh.material.name for mesh in mug.visuals) == ["metal", "plastic"]
    assert (mug.color, mug.material) == ("red", "plastic")


def test_vertex_colours_become_one_mesh_a_colour_word(tmp_path):
    mesh = trimesh.Trimesh(CUP.vertices, CUP.faces, process=False)
    top = CUP.vertices[:, 2] > 0.0
    mesh.visual.vertex_colors = np.where(top[:, None], [200, 20, 20, 255], [240, 240, 240, 255]).astype(np.uint8)
    loose(tmp_path / "in", "assets: {mug.ply: {up: z}}", mug__ply=mesh.export(file_type="ply"))
    _, mug = only(tmp_path / "in", tmp_path / "out")
    assert len(mug.visuals) > 1


def test_a_heavy_mesh_becomes_light_and_keeps_its_size_and_texture(tmp_path):
    ball = p.ellipsoid(0.035, 0.035, 0.033, 120, 61)
    folder = loose(tmp_path / "in", "assets: {apple.obj: {}}", apple__obj=obj_text(ball, material="material_0"))
    write_mtl(folder, rgb=(1, 1, 1), picture="skin.png")
    write_picture(folder / "skin.png", rgb=(190, 20, 25))
    assert len(ball.faces) > 10_000
    outcome, apple = only(tmp_path / "in", tmp_path / "out")
    assert "its bottom is round: flattened by" in told(outcome, "repair")
    assert sum(len(mesh.faces) for mesh in apple.visuals) <= 1000
    assert apple.visuals[0].material.texture is not None
    np.testing.assert_allclose(apple.extents, np.ptp(ball.vertices, axis=0), atol=2.5e-3)
    assert len(apple.collisions[0].vertices) <= 64
    assert apple.stable_poses[0].tip_angle_rad >= np.radians(8.0)
    assert apple.color == "red"


def test_a_mesh_with_a_hole_is_closed(tmp_path):
    open_cup = p.Mesh(CUP.vertices, CUP.faces[:-20])
    loose(tmp_path / "in", "assets: {mug.obj: {}}", mug__obj=obj_text(open_cup))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "had holes: closed" in told(outcome, "repair")
    faces = mug.visuals[0].faces
    edges = {(int(a), int(b)) for a, b in np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])}
    assert all((b, a) in edges for a, b in edges)


@pytest.mark.parametrize("lean_deg", [1.0, 7.0])
def test_a_scan_that_leans_is_stood_up(tmp_path, lean_deg):
    lean = np.radians(lean_deg)
    turn = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
    loose(tmp_path / "in", "assets: {mug.obj: {}}", mug__obj=obj_text(CUP, turn=turn))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert f"turned by {lean_deg:.1f} degrees" in told(outcome, "repair")
    np.testing.assert_allclose(mug.extents[2], EXTENTS[2], atol=1e-5)
    assert mug.stable_poses[0].tip_angle_rad > 0.3


def test_a_finely_meshed_flat_bottom_stands_as_it_is(tmp_path):
    can = p.cylinder(0.033, 0.06, 200)
    loose(tmp_path / "in", "assets: {canned_coke.obj: {}}", canned_coke__obj=obj_text(can))
    outcome, asset = only(tmp_path / "in", tmp_path / "out")
    assert outcome.status == "imported"
    assert len(asset.collisions[0].vertices) <= 64
    assert asset.stable_poses[0].tip_angle_rad == pytest.approx(np.arctan2(0.033, 0.06), abs=0.02)


def test_a_box_that_leans_a_little_is_not_turned_upside_down(tmp_path):
    lean = np.radians(1.0)
    turn = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
    box = obj_text(p.box(0.03, 0.02, 0.015), turn=turn)
    loose(tmp_path / "in", "assets: {eraser.obj: {}}", eraser__obj=box)
    outcome, _ = only(tmp_path / "in", tmp_path / "out")
    assert "turned by 1.0 degrees" in told(outcome, "repair")


def test_a_bowl_gets_the_floor_that_its_contacts_leave_open(tmp_path):
    wall = [p.box(0.05, 0.003, 0.0169).moved(y=side * 0.047, z=0.0231) for side in (-1, 1)]
    ends = [p.box(0.003, 0.0439, 0.0169).moved(x=side * 0.047, z=0.0231) for side in (-1, 1)]
    pieces = [p.box(0.05, 0.05, 0.003).moved(z=0.003), *wall, *ends]
    box = p.join(pieces)
    loose(tmp_path / "in", "assets: {storage_box.obj: {}}", storage_box__obj=obj_text(box))
    _, asset = only(tmp_path / "in", tmp_path / "out")
    assert asset.region is not None
    assert asset.region.center[2] - asset.box_min[2] == pytest.approx(0.006, abs=1e-4)
    assert min(asset.region.half_extents) == pytest.approx(0.044, abs=0.003)
    assert "is_container" in asset.tags


def test_files_without_a_sheet_and_archives_are_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mug.obj").write_text(obj_text(CUP))
    (tmp_path / "in" / "more.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "in" / "mug.pkl").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    report, _ = run(tmp_path / "in", tmp_path / "out")
    reasons = {outcome.source: outcome.reason for outcome in report.outcomes}
    assert "no import.yaml" in reasons["mug.obj"]
    assert "archives and pickles are not opened" in reasons["more.zip"]
    assert "archives and pickles are not opened" in reasons["mug.pkl"]


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("assets: {mug.obj: {unit: furlong}}", "assets.mug.obj.unit"),
        ("assets: {mug.obj: {weight: 3}}", "unknown key 'weight'"),
        ("assets: [", "is no YAML"),
    ],
)
def test_a_broken_sheet_is_one_error_for_all(tmp_path, sheet, message):
    loose(tmp_path / "in", sheet, mug__obj=obj_text(CUP))
    with pytest.raises(AssetError, match=message):
        run(tmp_path / "in", tmp_path / "out")


def test_a_sheet_that_lists_a_mesh_that_is_not_there_is_told(tmp_path):
    loose(tmp_path / "in", "assets: {gone.obj: {}}")
    outcome, _ = only(tmp_path / "in", tmp_path / "out")
    assert "import.yaml lists it, but there is no such mesh" in outcome.reason


def msh(mesh, uv):
    head = struct.pack("<4i", len(mesh.vertices), 0, len(uv), len(mesh.faces))
    return (
        head + mesh.vertices.astype("<f4").tobytes() + uv.astype("<f4").tobytes() + mesh.faces.astype("<i4").tobytes()
    )


MJCF = """<mujoco model="textured"><asset>
  <texture file="{texture}" name="skin" type="2d"/><material name="skin" texture="skin"/>
  <mesh file="visual/mug.msh" name="mug" scale="{scale} {scale} {scale}"/></asset>
  <worldbody><body><body name="object" pos="0.1 0 0" euler="90 0 0">
    <geom type="mesh" mesh="mug" contype="0" conaffinity="0" group="1" material="skin" friction="0.9 0.3 0.1"/>
    {contacts}
  </body></body></worldbody></mujoco>"""
BOX = '<geom type="box" pos="0 0 0" size="0.034 0.045 0.034"/>'


def mjcf(folder, *, scale=0.01, size=100.0, contacts=BOX, texture="skin.png"):
    (folder / "visual").mkdir(parents=True)
    y_up = p.Mesh(CUP.vertices @ Y_UP.T * size, CUP.faces)
    uv = np.zeros((len(CUP.vertices), 2))
    (folder / "visual" / "mug.msh").write_bytes(msh(y_up, uv))
    write_picture(folder / "skin.png", rgb=(200, 30, 30))
    (folder / "red_mug.xml").write_text(MJCF.format(scale=scale, contacts=contacts, texture=texture))


def test_an_mjcf_object_takes_scale_pose_texture_and_contact_boxes(tmp_path):
    mjcf(tmp_path / "in" / "red_mug")
    outcome, mug = only(tmp_path / "in", tmp_path / "out", categories={"*_mug": "mug"})
    assert outcome.status == "imported"
    assert (mug.color, mug.friction, len(mug.collisions)) == ("red", 0.9, 1)
    np.testing.assert_allclose(mug.extents, EXTENTS, atol=1e-6)
    assert len(mug.collisions[0].vertices) == 8


def test_the_scale_gate_catches_mixed_units(tmp_path):
    mjcf(tmp_path / "in" / "centimetres", scale=1.0)
    mjcf(tmp_path / "in" / "nonsense", scale=0.05)
    report, assets = run(tmp_path / "in", tmp_path / "out", categories={"*mug": "mug"})
    good, bad = report.outcomes
    assert "centimetres read as metres" in told(good, "repair")
    np.testing.assert_allclose(assets[good.source].extents, EXTENTS, atol=1e-6)
    assert bad.status == "refused"
    assert "expected 0.06 to 0.15 m for a mug" in bad.reason


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contacts": '<joint type="hinge"/>'}, "has 1 joints, expected none"),
        ({"contacts": '<geom type="plane" size="1 1 1"/>'}, "geom of type 'plane'"),
        ({"contacts": '<geom type="mesh" mesh="other"/>'}, "mesh 'other', defined are mug"),
        ({"texture": "/etc/passwd"}, "expected a path relative to its own folder"),
    ],
)
def test_mjcf_that_is_no_single_rigid_object_is_refused(tmp_path, changes, message):
    mjcf(tmp_path / "in" / "a", **changes)
    outcome, _ = only(tmp_path / "in", tmp_path / "out", categories={"*mug": "mug"})
    assert message in outcome.reason


def test_a_cut_off_msh_is_refused():
    with pytest.raises(AssetError, match="its header says"):
        read_msh(struct.pack("<4i", 10, 0, 0, 4) + b"\0" * 40, "mug.msh")
