"""A stored asset is the asset: read back bit for bit, and what other readers make of its files agrees with it."""

import json
import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.transforms import rotation_from_quaternion, rotation_from_rpy
from imove_tasks.assets import Asset, AssetError, AssetLibrary, CollisionPart
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.record import AssetRecord, record_of
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.sources import GeneratedOrigin, GeneratedSource
from imove_tasks.assets.storage import asset_folder, read_asset, read_index, read_record, write_asset, write_index
from imove_tasks.assets.storage.inertia import mass_properties
from imove_tasks.assets.storage.obj import read_obj
from imove_tasks.assets.storage.parts import part_mesh
from imove_tasks.assets.storage.urdf import rpy_of

from .asset_cases import ONE_OF_EACH, printed_bottle

LIBRARY = AssetLibrary.generate(instances_per_category=1)


def with_every_part(asset: Asset) -> Asset:
    """The asset with one contact part of each kind, all of them turned."""
    return replace(asset, collisions=ONE_OF_EACH)


def container() -> Asset:
    return next(asset for asset in LIBRARY if asset.region is not None)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@settings(max_examples=40, deadline=None)
@given(category=st.sampled_from(sorted(BUILDERS)), seed=st.integers(0, 10**6), index=st.integers(0, 40))
def test_what_is_read_is_what_was_written(tmp_path_factory, category: str, seed: int, index: int) -> None:
    asset = GeneratedSource().load(GeneratedOrigin(category, seed, index).text)
    corpus = tmp_path_factory.mktemp("corpus")
    urdf = write_asset(asset, corpus)
    assert urdf.relative_to(corpus).parts == (
        asset.domain, asset.super_category, asset.category, asset.uuid, f"{asset.category}.urdf",
    )  # fmt: skip
    again = read_asset(urdf)
    assert again.content_hash() == asset.content_hash()
    assert record_of(again) == record_of(asset)
    for read, made in zip(again.visuals, asset.visuals, strict=True):
        assert np.array_equal(read.vertices, made.vertices) and np.array_equal(read.faces, made.faces)
    shutil.rmtree(corpus)


@pytest.mark.parametrize(
    "asset", [with_every_part(container()), with_every_part(printed_bottle())], ids=lambda a: a.category
)
def test_every_kind_of_part_comes_back(tmp_path: Path, asset: Asset) -> None:
    assert read_asset(write_asset(asset, tmp_path)) == asset


def test_files_have_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    for asset in (container(), printed_bottle()):
        first, second = (write_asset(asset, tmp_path / name).parent for name in "ab")
        assert files(first) == files(second)
        assert files(first) == files(write_asset(read_asset(first / f"{asset.category}.urdf"), tmp_path / "c").parent)


def test_writing_again_replaces_the_folder_whole(tmp_path: Path) -> None:
    asset = printed_bottle()
    folder = write_asset(asset, tmp_path).parent
    (folder / "left_over.txt").write_text("old")
    write_asset(replace(asset, mass_kg=asset.mass_kg * 2), tmp_path)
    assert not (folder / "left_over.txt").exists()
    assert read_asset(folder / f"{asset.category}.urdf").mass_kg == pytest.approx(asset.mass_kg * 2)
    assert [path.name for path in folder.parent.iterdir()] == [asset.uuid]


def test_a_failed_write_leaves_the_older_folder(tmp_path: Path) -> None:
    asset = printed_bottle()
    urdf = write_asset(asset, tmp_path)
    unwritable = replace(asset, description="a lone half of a pair \ud800")
    with pytest.raises(UnicodeEncodeError):
        write_asset(unwritable, tmp_path)
    assert read_asset(urdf) == asset
    assert [path.name for path in urdf.parent.parent.iterdir()] == [asset.uuid]


@pytest.mark.parametrize("uuid", ["../../elsewhere", "", ".hidden", "a/b"])
def test_names_that_would_leave_the_corpus_are_refused(tmp_path: Path, uuid: str) -> None:
    with pytest.raises(AssetError, match="cannot be stored"):
        write_asset(replace(printed_bottle(), uuid=uuid), tmp_path)
    assert not any(tmp_path.iterdir())


def test_mujoco_reads_the_urdf_with_the_same_mass_and_inertia(tmp_path: Path) -> None:
    for asset in (*LIBRARY, with_every_part(container())):
        model = mujoco.MjModel.from_xml_path(str(write_asset(asset, tmp_path)))
        assert model.ngeom == len(asset.visuals) + len(asset.collisions)
        made = _made_in_memory(asset)
        assert model.body_mass[1] == pytest.approx(asset.mass_kg, abs=1e-6)
        np.testing.assert_allclose(model.body_ipos[1], made.body_ipos[1], atol=2e-6)
        # Round parts are polygons where they are drawn as hulls; MuJoCo integrates an ellipsoid and a capsule exactly.
        tensor, expected = _tensor(model), _tensor(made)
        np.testing.assert_allclose(tensor, expected, rtol=1e-3, atol=1e-4 * np.trace(expected))


def _made_in_memory(asset: Asset) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    volumes = np.array([part.volume_m3 for part in asset.collisions])
    for index, (part, mass) in enumerate(zip(asset.collisions, asset.mass_kg * volumes / volumes.sum(), strict=True)):
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, part.object_from_part[:3, :3].ravel())
        geom = body.add_geom(pos=part.object_from_part[:3, 3], quat=quaternion, mass=mass)
        geom.type = getattr(mujoco.mjtGeom, f"mjGEOM_{'MESH' if part.shape == 'hull' else part.shape.upper()}")
        if part.vertices is None:
            geom.size = [*part.size, 0.0, 0.0][:3]
        else:
            spec.add_mesh(name=f"hull{index}", uservert=part.vertices.ravel())
            geom.meshname = f"hull{index}"
    return spec.compile()


def _tensor(model: mujoco.MjModel) -> np.ndarray:
    w, x, y, z = model.body_iquat[1]
    rotation = rotation_from_quaternion((x, y, z, w))
    return rotation @ np.diag(model.body_inertia[1]) @ rotation.T


@pytest.mark.parametrize("part", ONE_OF_EACH, ids=lambda part: part.shape)
def test_inertia_of_each_primitive_agrees_with_its_mesh(part: CollisionPart) -> None:
    ours = mass_properties([part], 0.5)
    drawn = part_mesh(part)
    mesh = trimesh.Trimesh(drawn.vertices, drawn.faces, process=False)
    mesh.apply_transform(part.object_from_part)
    mesh.density = 0.5 / mesh.volume
    assert mesh.is_watertight and mesh.volume > 0
    np.testing.assert_allclose(ours.center, mesh.center_mass, atol=1e-5)
    np.testing.assert_allclose(ours.inertia, mesh.moment_inertia, rtol=0.03, atol=0.02 * np.trace(ours.inertia) / 3)


def test_trimesh_reads_the_meshes_in_metres(tmp_path: Path) -> None:
    asset = printed_bottle()
    folder = write_asset(asset, tmp_path).parent
    bounds = []
    for index, visual in enumerate(asset.visuals):
        mesh = trimesh.load_mesh(folder / "mesh" / f"visual_{index}.obj", process=False)
        bounds.append(mesh.bounds)
        assert len(mesh.faces) == len(visual.faces)
        if visual.material.texture is not None:
            picture = mesh.visual.material.image.convert("RGB")
            assert np.array_equal(np.asarray(picture), visual.material.texture.pixels)
    low, high = np.array(bounds)[:, 0].min(0), np.array(bounds)[:, 1].max(0)
    np.testing.assert_allclose([low, high], [asset.box_min, asset.box_max], atol=1e-7)


def test_labels_stand_where_other_readers_look_for_them(tmp_path: Path) -> None:
    asset = container()
    urdf = write_asset(asset, tmp_path)
    root = ET.parse(urdf).getroot()
    extra = root.find(".//link/extra_info")
    for key in ("uuid", "domain", "super_category", "category", "name", "description", "color", "shape", "material"):
        assert extra.findtext(key) == getattr(asset, key)
    assert set(extra.findtext("tags").split(",")) == {*asset.tags, "has_interactive_poses"}
    assert float(extra.findtext("real_height")) == pytest.approx(asset.height_m, abs=1e-7)
    assert float(root.find(".//inertial/mass").get("value")) == pytest.approx(asset.mass_kg, abs=1e-7)
    np.testing.assert_allclose([float(v) for v in extra.findtext("aabb/max").split()], asset.box_max)
    assert {float(mu.text) for mu in root.iterfind(".//collision/gazebo/*")} == {asset.friction}
    captions = json.loads((urdf.parent / extra.findtext("caption_candidates")).read_text())
    assert captions["uuid"] == asset.uuid and captions["raw"] == asset.phrase
    assert captions["seen"] == [e.text for e in asset.expressions if e.partition == "seen"]
    assert captions["unseen"] == [e.text for e in asset.expressions if e.partition == "unseen"]


def test_interactions_hold_across_the_closing_axis(tmp_path: Path) -> None:
    asset = replace(printed_bottle(), region=container().region, tags=printed_bottle().tags | container().tags)
    folder = write_asset(asset, tmp_path).parent
    interaction = json.loads((folder / "interaction.json").read_text())["interaction"]
    narrow = [grip for grip in asset.grips if grip.opening_m <= 0.09]
    picks = interaction["passive"]["pick"]["body"]
    assert len(picks) == len(narrow) > 0
    for pick, grip in zip(picks, narrow, strict=True):
        assert pick["direction"] == grip.approach.tolist()
        np.testing.assert_allclose(
            np.abs(np.cross(pick["direction"], pick["ref_frame"])), np.abs(grip.closing_axis), atol=1e-6
        )
    assert interaction["passive"]["place"]["body"][0]["xyz"] == asset.region.center.tolist()
    assert interaction["active"]["place"]["body"][0]["direction"] == [0.0, 0.0, -1.0]


def _tampered(tmp_path: Path, name: str, change) -> Path:
    urdf = write_asset(printed_bottle(), tmp_path)
    path = urdf.parent / name if name else urdf
    path.write_text(change(path.read_text()))
    return urdf


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("mesh/visual_0.obj", lambda text: text.replace("v 0.", "v 0.1", 1), "changed after it was written"),
        ("mesh/visual_0.obj", lambda text: text + "f 1 2 999999\n", "does not hold"),
        ("mesh/visual_0.obj", lambda text: text + "f 1 2 3 4\n", "expected 3"),
        ("mesh/visual_0.obj", lambda text: "", "expected at least one triangle"),
        ("", lambda text: text.replace('"mass_kg":', '"weight_kg":'), "unknown key 'weight_kg'"),
        ("", lambda text: text.replace('"schema_version":1', '"schema_version":2'), "schema_version"),
        ("", lambda text: text.replace('"mesh/visual_0.obj"', '"../visual_0.obj"'), "visuals.0.mesh"),
        ("", lambda text: text.replace("imove_record", "other_record"), "has no imove_record"),
        ("", lambda text: text[: len(text) // 2], "cannot be read as a URDF"),
        ("", lambda text: text.replace("<robot", '<!DOCTYPE r [<!ENTITY a "b">]><robot'), "cannot be read as a URDF"),
    ],
)
def test_what_was_changed_is_refused(tmp_path: Path, name: str, change, message: str) -> None:
    urdf = _tampered(tmp_path, name, change)
    with pytest.raises(AssetError, match=message):
        read_asset(urdf)


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    urdf = write_asset(printed_bottle(), tmp_path)
    (urdf.parent / "mesh" / "material_0.png").unlink()
    with pytest.raises(AssetError, match="material_0.png"):
        read_asset(urdf)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    urdf = write_asset(printed_bottle(), tmp_path / "corpus")
    mesh = urdf.parent / "mesh" / "visual_0.obj"
    outside = tmp_path / "secret.obj"
    mesh.rename(outside)
    mesh.symlink_to(outside)
    with pytest.raises(AssetError, match="outside"):
        read_asset(urdf)


def test_the_record_alone_says_everything_but_the_meshes(tmp_path: Path) -> None:
    asset = printed_bottle()
    record = read_record(write_asset(asset, tmp_path))
    assert record == AssetRecord.from_json(record.to_json(), "itself") == record_of(asset)
    assert tuple(finish.name for finish in record.finishes) == asset.finishes
    assert record.content_hash == asset.content_hash()


def test_an_index_comes_back_and_notices_a_lost_row(tmp_path: Path) -> None:
    rows = []
    for asset in list(LIBRARY)[:5]:
        urdf = write_asset(asset, tmp_path)
        rows.append(row_of(asset, "seen", urdf.relative_to(tmp_path).as_posix()))
    path = write_index(tmp_path, reversed(rows))
    assert sorted(read_index(tmp_path), key=lambda r: r.uuid) == sorted(rows, key=lambda r: r.uuid)
    assert all(asset_folder(a, tmp_path).is_dir() for a in list(LIBRARY)[:5])
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(AssetError, match="header"):
        read_index(tmp_path)
    path.write_text("{}\n")
    with pytest.raises(AssetError, match="assets: Field required"):
        read_index(tmp_path)
    path.unlink()
    with pytest.raises(AssetError, match="cannot be read as the index"):
        read_index(tmp_path)


@given(st.tuples(*[st.floats(-3.1, 3.1)] * 3))
def test_roll_pitch_yaw_give_the_rotation_back(rpy: tuple[float, float, float]) -> None:
    rotation = rotation_from_rpy(rpy)
    np.testing.assert_allclose(rotation_from_rpy(rpy_of(rotation)), rotation, atol=1e-6)


def test_obj_files_of_other_tools_are_read(tmp_path: Path) -> None:
    path = tmp_path / "other.obj"
    path.write_text("# comment\no thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\ns off\nf 1//1 2//1 3//1\n")
    mesh = read_obj(path)
    assert mesh.faces.tolist() == [[0, 1, 2]] and mesh.uv is None
