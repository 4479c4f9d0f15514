"""What independent readers make of exported assets: bounds, mass, colours and pictures are those of the asset."""

import builtins
import json
import struct
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from PIL import Image

from imove_core.errors import ImoveError
from imove_core.transforms import rotation_from_quaternion
from imove_tasks.assets import Asset, AssetLibrary
from imove_tasks.assets.exporting import FORMATS, export_all, get_format
from imove_tasks.assets.exporting.batch import MARK_NAME
from imove_tasks.assets.exporting.colors import linear_rgb
from imove_tasks.assets.exporting.glb import glb_bytes
from imove_tasks.assets.exporting.usd import require_usd
from imove_tasks.assets.library import Entry
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.sources import FolderSource
from imove_tasks.assets.storage import read_asset, write_asset
from imove_tasks.assets.storage.inertia import mass_properties

from .asset_cases import ONE_OF_EACH, printed_bottle

LIBRARY = AssetLibrary.generate(instances_per_category=1)


def odd() -> Asset:
    """The bottle with one contact part of each kind."""
    return replace(printed_bottle(), collisions=ONE_OF_EACH)


def some() -> list[Asset]:
    return [printed_bottle(), odd(), *list(LIBRARY)[::6]]


def of_color(values, color) -> None:
    np.testing.assert_allclose(values, linear_rgb(color), atol=2 / 255)


# --- GLB ---


def glb_json(data: bytes) -> dict:
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data))
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    return json.loads(data[20 : 20 + size])


@pytest.mark.parametrize("asset", some(), ids=lambda asset: asset.category)
def test_trimesh_reads_a_glb_in_metres_with_y_up(tmp_path: Path, asset: Asset) -> None:
    scene = trimesh.load(FORMATS["glb"].write(asset, tmp_path, "thing"), process=False)
    low, high = scene.bounds
    np.testing.assert_allclose(low, [asset.box_min[0], asset.box_min[2], -asset.box_max[1]], atol=1e-6)
    np.testing.assert_allclose(high, [asset.box_max[0], asset.box_max[2], -asset.box_min[1]], atol=1e-6)
    assert len(scene.geometry) == len(asset.visuals)
    for mesh, visual in zip(scene.geometry.values(), asset.visuals, strict=True):
        assert len(mesh.faces) == len(visual.faces)
        # Corners that share a vertex, with all their faces, enclose what the mesh encloses.
        assert mesh.volume == pytest.approx(
            trimesh.Trimesh(visual.vertices, visual.faces, process=False).volume, rel=1e-5
        )
        outward = np.einsum("ij,ij->i", mesh.face_normals, mesh.vertex_normals[mesh.faces].mean(1))
        assert (outward > 0).mean() > 0.99
        made, material = mesh.visual.material, visual.material
        assert made.metallicFactor in (material.surface.metallic, None)
        assert made.roughnessFactor == pytest.approx(material.surface.roughness)
        if material.texture is None:
            of_color(np.array(made.baseColorFactor[:3]) / 255.0, material.rgba)
        else:
            assert np.array_equal(np.asarray(made.baseColorTexture.convert("RGB")), material.texture.pixels)
        assert made.baseColorFactor[3] / 255.0 == pytest.approx(material.rgba[3], abs=1 / 255)
        assert made.alphaMode == ("BLEND" if material.rgba[3] < 1.0 else None)


def test_texture_coordinates_of_a_glb_point_down() -> None:
    scene = trimesh.load(trimesh.util.wrap_as_stream(glb_bytes(printed_bottle())), file_type="glb", process=False)
    visual = next(visual for visual in printed_bottle().visuals if visual.uv is not None)
    mesh = next(mesh for mesh in scene.geometry.values() if mesh.visual.material.baseColorTexture is not None)
    # trimesh turns v up again.
    np.testing.assert_allclose(mesh.visual.uv[mesh.faces], visual.uv, atol=1e-5)


def test_a_glb_has_a_variant_for_each_finish() -> None:
    asset = next(asset for asset in LIBRARY if len(asset.finishes) == 3)
    tree = glb_json(glb_bytes(asset))
    variants = tree["extensions"]["KHR_materials_variants"]["variants"]
    assert [variant["name"] for variant in variants] == list(asset.finishes)
    for primitive, visual in zip(tree["meshes"][0]["primitives"], asset.visuals, strict=True):
        mappings = primitive.get("extensions", {}).get("KHR_materials_variants", {}).get("mappings", [])
        if visual.material.name != asset.material:
            assert not mappings
            continue
        for number, finish in enumerate(asset.finishes):
            material = next(tree["materials"][m["material"]] for m in mappings if m["variants"] == [number])
            roughness = replace(visual.material, finish=finish).surface.roughness
            assert material["pbrMetallicRoughness"]["roughnessFactor"] == roughness
    assert tree["nodes"][0]["extras"]["uuid"] == asset.uuid
    assert tree["nodes"][0]["extras"]["mass_kg"] == pytest.approx(asset.mass_kg)


# --- MJCF ---


@pytest.mark.parametrize("asset", some(), ids=lambda asset: asset.category)
def test_mujoco_reads_an_mjcf_with_exact_parts(tmp_path: Path, asset: Asset) -> None:
    model = mujoco.MjModel.from_xml_path(str(FORMATS["mjcf"].write(asset, tmp_path, "thing")))
    assert model.body_mass[1] == pytest.approx(asset.mass_kg, rel=1e-6)
    properties = mass_properties(asset.collisions, asset.mass_kg)
    np.testing.assert_allclose(model.body_ipos[1], properties.center, atol=1e-5)
    np.testing.assert_allclose(
        np.sort(model.body_inertia[1]), np.linalg.eigvalsh(properties.inertia), rtol=1e-3, atol=1e-11
    )
    for index, part in enumerate(asset.collisions):
        geom = model.geom(f"part_{index}")
        assert geom.friction[0] == pytest.approx(asset.friction)
        assert geom.condim[0] == (6 if asset.rolling_friction > 0 else 4)
        if part.vertices is None:
            assert geom.type[0] == getattr(mujoco.mjtGeom, f"mjGEOM_{part.shape.upper()}")
            np.testing.assert_allclose(geom.size[: len(part.size)], part.size, atol=1e-7)
            np.testing.assert_allclose(geom.pos, part.object_from_part[:3, 3], atol=1e-7)
    for index, visual in enumerate(asset.visuals):
        geom, material = model.geom(f"visual_{index}"), model.material(f"visual_{index}")
        assert geom.contype[0] == geom.conaffinity[0] == 0
        assert material.specular[0] == pytest.approx(visual.material.surface.specular)
        assert material.shininess[0] == pytest.approx(visual.material.surface.corner_shininess)
        if visual.material.texture is None:
            np.testing.assert_allclose(material.rgba, visual.material.rgba, atol=1e-6)
        else:
            texture = model.texture(f"visual_{index}")
            pixels = texture.data.reshape(visual.material.texture.pixels.shape)
            assert np.array_equal(pixels, visual.material.texture.pixels)
        mesh = model.mesh(f"visual_{index}")
        first, count = int(mesh.vertadr[0]), int(mesh.vertnum[0])
        w, x, y, z = geom.quat
        corners = model.mesh_vert[first : first + count] @ rotation_from_quaternion((x, y, z, w)).T + geom.pos
        np.testing.assert_allclose(corners.min(0), visual.vertices.min(0), atol=1e-6)
        np.testing.assert_allclose(corners.max(0), visual.vertices.max(0), atol=1e-6)


# --- USD ---


def usd_stage(asset: Asset, folder: Path):
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    return usd.Stage.Open(str(FORMATS["usd"].write(asset, folder, "thing")))


@pytest.mark.parametrize("asset", some(), ids=lambda asset: asset.category)
def test_usd_opens_again_with_the_same_bounds_mass_and_colours(tmp_path: Path, asset: Asset) -> None:
    stage = usd_stage(asset, tmp_path)
    from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    root = stage.GetDefaultPrim()
    box = UsdGeom.BBoxCache(Usd.TimeCode.Default(), ["default"]).ComputeWorldBound(root).ComputeAlignedRange()
    np.testing.assert_allclose([box.GetMin(), box.GetMax()], [asset.box_min, asset.box_max], atol=1e-6)
    mass, properties = UsdPhysics.MassAPI(root), mass_properties(asset.collisions, asset.mass_kg)
    assert root.HasAPI(UsdPhysics.RigidBodyAPI)
    assert mass.GetMassAttr().Get() == pytest.approx(asset.mass_kg)
    np.testing.assert_allclose(mass.GetCenterOfMassAttr().Get(), properties.center, atol=1e-7)
    quaternion = mass.GetPrincipalAxesAttr().Get()
    axes = rotation_from_quaternion((*quaternion.GetImaginary(), quaternion.GetReal()))
    tensor = axes @ np.diag(mass.GetDiagonalInertiaAttr().Get()) @ axes.T
    np.testing.assert_allclose(tensor, properties.inertia, atol=1e-5 * np.trace(properties.inertia))
    for index, visual in enumerate(asset.visuals):
        prim = stage.GetPrimAtPath(f"{root.GetPath()}/Visuals/visual_{index}")
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        surface = material.ComputeSurfaceSource()[0]
        assert surface.GetInput("roughness").Get() == pytest.approx(visual.material.surface.roughness)
        assert surface.GetInput("metallic").Get() == visual.material.surface.metallic
        assert len(UsdGeom.Mesh(prim).GetNormalsAttr().Get()) == visual.faces.size
        if visual.material.texture is None:
            of_color(surface.GetInput("diffuseColor").Get(), visual.material.rgba)
        else:
            source = surface.GetInput("diffuseColor").GetConnectedSources()[0][0].source
            file = Path(UsdShade.Shader(source.GetPrim()).GetInput("file").Get().resolvedPath)
            assert np.array_equal(Image.open(file), visual.material.texture.pixels)
            st = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st").Get()
            np.testing.assert_allclose(np.array(st).reshape(-1, 3, 2), visual.uv, atol=1e-6)


def test_usd_has_contact_parts_of_every_kind_where_they_belong(tmp_path: Path) -> None:
    asset = odd()
    stage = usd_stage(asset, tmp_path)
    from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

    kinds = {"box": "Cube", "cylinder": "Cylinder", "sphere": "Sphere", "capsule": "Capsule"}
    guides = UsdGeom.BBoxCache(Usd.TimeCode.Default(), ["guide"], useExtentsHint=False)
    for index, part in enumerate(asset.collisions):
        prim = stage.GetPrimAtPath(f"{stage.GetDefaultPrim().GetPath()}/Collisions/part_{index}")
        assert prim.GetTypeName() == kinds.get(part.shape, "Mesh")
        assert prim.HasAPI(UsdPhysics.CollisionAPI)
        if part.shape not in kinds:
            assert UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get() == "convexHull"
        bound = guides.ComputeLocalBound(prim)
        pose = np.array(bound.GetMatrix()).T
        if part.shape == "box":
            pose[:3, :3] /= part.size
        np.testing.assert_allclose(pose, part.object_from_part, atol=1e-6)
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        assert UsdPhysics.MaterialAPI(material.GetPrim()).GetDynamicFrictionAttr().Get() == pytest.approx(
            asset.friction
        )


def test_usd_variants_change_the_finish_of_the_dominant_material_alone(tmp_path: Path) -> None:
    asset = next(asset for asset in LIBRARY if len(asset.finishes) > 1 and len(asset.visuals) > 1)
    stage = usd_stage(asset, tmp_path)
    from pxr import UsdShade

    variants = stage.GetDefaultPrim().GetVariantSets().GetVariantSet("finish")
    assert variants.GetVariantNames() == sorted(asset.finishes)
    for finish in asset.finishes:
        variants.SetVariantSelection(finish)
        for index, visual in enumerate(asset.finished(finish)):
            shader = UsdShade.Shader.Get(stage, f"{stage.GetDefaultPrim().GetPath()}/Looks/visual_{index}/Surface")
            assert shader.GetInput("roughness").Get() == pytest.approx(visual.material.surface.roughness)


@pytest.mark.parametrize("asset", [printed_bottle(), odd(), next(iter(LIBRARY))], ids=["bottle", "odd", "first"])
def test_usd_passes_every_validator(tmp_path: Path, asset: Asset) -> None:
    stage = usd_stage(asset, tmp_path)
    from pxr import UsdValidation

    registry = UsdValidation.ValidationRegistry()
    validators = registry.GetOrLoadAllValidators()
    assert len(validators) > 20
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert [error.GetMessage() for error in errors] == []


def test_without_usd_core_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args, **kwargs):
        if name.partition(".")[0] == "pxr":
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImoveError, match="pip install usd-core"):
        require_usd()


def test_roboorchard_finds_urdf_and_usd_by_the_name_of_their_folder(tmp_path: Path) -> None:
    pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    (exported,) = export_all(LIBRARY.entries[:1], "roboorchard", tmp_path, 1)
    domain, group, name, file = exported.path.relative_to(tmp_path).parts
    asset = LIBRARY.get(exported.uuid)
    assert (domain, group) == (asset.domain, asset.super_category)
    assert file == f"{name}.urdf" and exported.path.with_suffix(".usd").is_file()
    assert (exported.path.parent / "interaction.json").is_file()
    assert read_asset(exported.path) == asset


# --- many at once ---


def entries_of(assets: list[Asset], corpus: Path) -> list[Entry]:
    rows = [row_of(a, "seen", write_asset(a, corpus).relative_to(corpus).as_posix()) for a in assets]
    return [Entry.of_row(row, FolderSource(corpus)) for row in rows]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_workers_write_what_one_writes_and_a_second_run_keeps_it(tmp_path: Path) -> None:
    entries = entries_of(list(LIBRARY)[:6], tmp_path / "corpus")
    first = list(export_all(entries, "glb", tmp_path / "one", 1))
    second = list(export_all(entries, "glb", tmp_path / "two", 2))
    assert {done.uuid for done in first} == {done.uuid for done in second} == {entry.uuid for entry in entries}
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert not any(done.kept for done in (*first, *second))
    first[0].path.unlink()
    again = list(export_all(entries, "glb", tmp_path / "one", 1))
    assert [done.kept for done in again] == [False, True, True, True, True, True]
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_an_asset_that_changed_is_exported_again(tmp_path: Path) -> None:
    (before,) = export_all(entries_of([printed_bottle()], tmp_path / "old"), "mjcf", tmp_path / "out", 1)
    heavier = replace(printed_bottle(), mass_kg=0.4)
    (after,) = export_all(entries_of([heavier], tmp_path / "new"), "mjcf", tmp_path / "out", 1)
    assert before.path == after.path and not after.kept
    assert mujoco.MjModel.from_xml_path(str(after.path)).body_mass[1] == pytest.approx(0.4)


def test_what_is_no_export_of_the_format_is_not_overwritten(tmp_path: Path) -> None:
    entries = entries_of([printed_bottle()], tmp_path / "corpus")
    (done,) = export_all(entries, "glb", tmp_path / "out", 1)
    before = files(tmp_path / "out")
    with pytest.raises(ImoveError, match="other than an export as mjcf"):
        list(export_all(entries, "mjcf", tmp_path / "out", 1))
    (done.path.parent / MARK_NAME).write_text("{")
    with pytest.raises(ImoveError, match="other than an export as glb"):
        list(export_all(entries, "glb", tmp_path / "out", 1))
    assert files(tmp_path / "out").keys() == before.keys()


def test_an_asset_that_cannot_be_read_stops_the_export_with_its_name(tmp_path: Path) -> None:
    entries = entries_of([printed_bottle()], tmp_path / "corpus")
    (tmp_path / "corpus" / entries[0].origin).unlink()
    with pytest.raises(ImoveError, match="lotion.urdf"):
        list(export_all(entries, "glb", tmp_path / "out", 1))
    assert files(tmp_path / "out") == {}


def test_unknown_formats_are_named_with_those_there_are() -> None:
    with pytest.raises(ImoveError, match="unknown format 'fbx'; allowed: glb, mjcf, roboorchard, usd"):
        get_format("fbx")
