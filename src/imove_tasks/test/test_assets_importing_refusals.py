"""Bad input to an import: each is refused with one plain sentence, and the rest is imported."""

import json
import re
import struct
import zlib

import numpy as np
import pytest
import trimesh

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing import ImportSettings, import_folder
from imove_tasks.assets.importing.scale import FACTORS

from .importing_helpers import CUP, Y_UP, embodied, loose, obj_text, run, told, write_mtl, write_picture

OTHER = "99999999-2222-4333-8444-555555555555"


@pytest.fixture
def refusal(tmp_path):
    """Imports what is in `in` beside a good asset; gives back why the other one was refused."""
    embodied(tmp_path / "in" / "z_good", extra={"uuid": OTHER})

    def reason(**settings) -> str:
        report, assets = run(tmp_path / "in", tmp_path / "out", **settings)
        bad, good = report.outcomes
        assert good.uuid == OTHER
        assert len(assets) == 1
        assert bad.status == "refused"
        assert "\n" not in bad.reason
        return bad.reason

    return reason


def bad(tmp_path):
    return tmp_path / "in" / "bad"


def test_missing_mesh(tmp_path, refusal):
    embodied(bad(tmp_path))
    (bad(tmp_path) / "mesh" / "mug.obj").unlink()
    assert refusal() == "its file 'mesh/mug.obj' is missing"


@pytest.mark.parametrize(
    "reference", ["../z_good/mesh/mug.obj", "/etc/passwd", "https://example.org/mug.obj", "C:\\mug.obj"]
)
def test_a_path_that_leaves_the_folder(tmp_path, refusal, reference):
    embodied(bad(tmp_path), mesh=reference)
    reason = refusal()
    assert repr(reference) in reason
    assert "own folder" in reason


def test_a_link_that_leaves_the_folder(tmp_path, refusal):
    embodied(bad(tmp_path))
    mesh = bad(tmp_path) / "mesh" / "mug.obj"
    mesh.unlink()
    mesh.symlink_to(tmp_path / "in" / "z_good" / "mesh" / "mug.obj")
    assert "leads out of its own folder" in refusal()


def test_a_picture_outside_the_folder(tmp_path, refusal):
    embodied(bad(tmp_path))
    write_picture(tmp_path / "secret.png")
    write_mtl(bad(tmp_path) / "mesh", picture="../../../secret.png")
    assert "leads out of its own folder" in refusal()


def test_a_file_that_is_too_large_is_not_read(tmp_path, refusal):
    embodied(bad(tmp_path))
    with (bad(tmp_path) / "mesh" / "mug.obj").open("wb") as stream:
        stream.truncate(200 * 2**20)  # sparse: takes no room
    assert refusal() == "its file 'mug.obj' has 200 MB, allowed are 64 MB"


def test_an_entity_bomb(tmp_path, refusal):
    urdf = embodied(bad(tmp_path))
    bomb = '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    urdf.write_text(bomb + urdf.read_text().replace("<extra_info>", "<extra_info>&b;"))
    assert "declares XML entities or a document type" in refusal()


def test_xml_that_is_broken(tmp_path, refusal):
    urdf = embodied(bad(tmp_path))
    urdf.write_text(urdf.read_text()[:-20])
    assert "no well-formed XML" in refusal()


def test_vertices_that_are_not_numbers(tmp_path, refusal):
    folder = bad(tmp_path)
    embodied(folder)
    mesh = folder / "mesh" / "mug.obj"
    mesh.write_text(re.sub(r"^v \S+", "v nan", mesh.read_text(), count=1, flags=re.MULTILINE))
    assert "not a finite number" in refusal()


@pytest.mark.parametrize("text", ["", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "this is no mesh\n"])
def test_an_empty_mesh(tmp_path, refusal, text):
    embodied(bad(tmp_path))
    (bad(tmp_path) / "mesh" / "mug.obj").write_text(text)
    assert "mug.obj" in refusal()


def test_a_mesh_without_volume(tmp_path, refusal):
    embodied(bad(tmp_path), collision="")
    square = "".join(f"v {x} {y} 0\n" for x, y in ((0, 0), (0.08, 0), (0.08, 0.08), (0, 0.08)))
    (bad(tmp_path) / "mesh" / "mug.obj").write_text(square + "f 1 2 3\nf 1 3 4\n")
    assert "flat" in refusal()


def test_a_texture_that_is_no_picture(tmp_path, refusal):
    embodied(bad(tmp_path))
    write_mtl(bad(tmp_path) / "mesh", picture="skin.png")
    (bad(tmp_path) / "mesh" / "skin.png").write_bytes(b"MZ this is a program")
    assert "'skin.png' is no readable picture" in refusal()


def png_of(width, height):
    """A PNG whose header promises a size that its data does not have."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [9_000, 60_000])
def test_a_picture_that_would_fill_the_memory(tmp_path, refusal, side):
    embodied(bad(tmp_path))
    write_mtl(bad(tmp_path) / "mesh", picture="skin.png")
    (bad(tmp_path) / "mesh" / "skin.png").write_bytes(png_of(side, side))
    assert "pixels, allowed are" in refusal()


def test_a_picture_inside_a_glb_is_checked_too(tmp_path, refusal):
    from PIL import Image

    mesh = trimesh.Trimesh(CUP.vertices @ Y_UP.T, CUP.faces, process=False)
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.new("RGB", (8, 8), (9, 9, 9)))
    mesh.visual = trimesh.visual.TextureVisuals(np.zeros((len(CUP.vertices), 2)), material=material)
    glb = mesh.export(file_type="glb")
    start = glb.index(b"\x89PNG")
    loose(bad(tmp_path), "assets: {mug.glb: {}}", mug__glb=glb[:start] + b"nothing!" + glb[start + 8 :])
    assert "is no readable picture" in refusal()


def test_a_gltf_never_asks_the_network(tmp_path, refusal):
    tree = {"asset": {"version": "2.0"}, "buffers": [{"uri": "http://127.0.0.1:9/mug.bin", "byteLength": 12}]}
    loose(bad(tmp_path), "assets: {mug.gltf: {}}", mug__gltf=json.dumps(tree))
    assert "mug.gltf" in refusal() or "own folder" in refusal()


def test_a_format_that_is_not_opened(tmp_path, refusal):
    embodied(bad(tmp_path), mesh="mesh/mug.pkl")
    (bad(tmp_path) / "mesh" / "mug.pkl").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    assert "has a format that is not opened" in refusal()


def test_a_category_outside_of_the_taxonomy_lists_near_ones(tmp_path, refusal):
    embodied(bad(tmp_path), extra={"category": "coffee pot"})
    reason = refusal()
    assert "'coffee pot' is none of the taxonomy's" in reason
    assert "coffee_cup" in reason


def test_a_mapped_category_is_taken(tmp_path):
    embodied(tmp_path / "in" / "a", extra={"category": "Tasse"})
    report, assets = run(tmp_path / "in", tmp_path / "out", categories={"tasse": "mug"})
    assert [asset.category for asset in assets.values()] == ["mug"]


@pytest.mark.parametrize(("name", "factor"), FACTORS.items())
def test_every_factor_repairs_its_mistake(tmp_path, name, factor):
    embodied(tmp_path / "in" / "a", scale=1.0 / factor)
    report, assets = run(tmp_path / "in", tmp_path / "out")
    assert name in told(report.outcomes[0], "repair")
    (mug,) = assets.values()
    assert mug.extents[2] == pytest.approx(0.09, rel=0.001)


def test_a_size_that_no_factor_explains(tmp_path, refusal):
    embodied(bad(tmp_path), scale=5.0)
    assert "longest side is 0.45 m, expected 0.06 to 0.15 m for a mug, and no usual mistake" in refusal()


def test_a_size_that_two_factors_explain_is_not_guessed(tmp_path, refusal):
    embodied(bad(tmp_path), scale=1.0 / 0.01, extra={"category": "vase"}, drop=("real_height",))
    assert "it could be centimetres read as metres or inches read as metres" in refusal()


def test_a_corpus_in_its_own_source_is_an_error(tmp_path):
    embodied(tmp_path / "in" / "a")
    with pytest.raises(AssetError, match="lie in each other"):
        import_folder(tmp_path / "in", tmp_path / "in" / "out", ImportSettings())


def test_a_source_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(AssetError, match="is no folder"):
        import_folder(tmp_path / "in", tmp_path / "out", ImportSettings())


def test_without_a_colour_the_mesh_has_one_nonetheless(tmp_path):
    embodied(tmp_path / "in" / "a")
    (tmp_path / "in" / "a" / "mesh" / "mug.obj").write_text(obj_text(CUP, turn=Y_UP))
    report, _ = run(tmp_path / "in", tmp_path / "out")
    assert "drawn in gray" in told(report.outcomes[0])
