"""Importing EmbodiedGen and InstructMove folders: everything that such files are known to have wrong."""

import json

import numpy as np
import pytest
import trimesh

from imove_tasks.assets import primitives as p

from .importing_helpers import COLLISION, CUP, UUID, Y_UP, embodied, obj_text, only, run, told, write_picture


def test_a_folder_as_embodiedgen_writes_it_becomes_an_asset_that_agrees_with_its_record(tmp_path):
    embodied(tmp_path / "in" / UUID)
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert outcome.status == "repaired"  # for its placeholder inertia alone
    assert told(outcome) == "its inertia is missing or a placeholder: it is computed from the contact parts"
    assert (mug.uuid, mug.category, mug.domain, mug.super_category) == (UUID, "mug", "kitchen_supplies", "ware")
    assert (mug.color, mug.material, mug.shape, mug.mass_kg, mug.friction) == ("red", "ceramic", "tapered", 0.3, 0.8)
    np.testing.assert_allclose(mug.extents, np.ptp(CUP.vertices, axis=0), atol=1e-6)
    assert len(mug.collisions) == 1
    wide = mug.visuals[0].vertices[mug.visuals[0].vertices[:, 2] > 0.04]
    assert np.hypot(wide[:, 0], wide[:, 1]).max() == pytest.approx(0.036, abs=1e-4)  # its rim is up


def test_quoted_texts_and_empty_elements_are_read(tmp_path):
    embodied(
        tmp_path / "in" / "a",
        extra={"category": '"Mug"', "real_height": "'0.09'", "color": '"red"', "tags": "", "shape": ""},
    )
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert (mug.category, mug.color) == ("mug", "red")
    assert told(outcome, "label") == ""


@pytest.mark.parametrize(
    "inertial", ["", '<inertial><mass value="0.3"/></inertial>', '<inertial><mass value="nan"/></inertial>']
)
def test_absent_inertia_is_repaired(tmp_path, inertial):
    embodied(tmp_path / "in" / "a", inertial=inertial)
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert outcome.status == "repaired"
    assert mug.mass_kg == pytest.approx(0.3)  # of the inertial, or the mean of the record's range


def test_a_placeholder_mass_is_not_believed(tmp_path):
    inertial = '<inertial><mass value="1.0"/><inertia ixx="1.0" iyy="1.0" izz="1.0"/></inertial>'
    embodied(tmp_path / "in" / "a", inertial=inertial, drop=("min_mass", "max_mass"))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "1 kg, expected 0.08 to 0.5 kg" in told(outcome, "label")
    assert 0.08 <= mug.mass_kg <= 0.5


@pytest.mark.parametrize("collision", ["", COLLISION.replace("mug_collision", "gone")])
def test_absent_collision_geometry_is_built_from_what_is_seen(tmp_path, collision):
    embodied(tmp_path / "in" / "a", collision=collision)
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "contacts are built from what is seen" in told(outcome, "repair")
    assert len(mug.collisions) == 1


def test_collision_primitives_are_taken(tmp_path):
    collision = '<collision><geometry><cylinder radius="0.034" length="0.09"/></geometry></collision>'
    embodied(tmp_path / "in" / "a", collision=collision)
    _, mug = only(tmp_path / "in", tmp_path / "out")
    assert mug.collisions[0].volume_m3 == pytest.approx(np.pi * 0.034**2 * 0.09, rel=0.02)


def test_a_mesh_in_millimetres_is_scaled_by_exactly_a_thousandth(tmp_path):
    embodied(tmp_path / "in" / "a", scale=1000.0)
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "millimetres read as metres" in told(outcome, "repair")
    np.testing.assert_allclose(mug.extents, np.ptp(CUP.vertices, axis=0), atol=1e-6)


def test_missing_optional_fields_are_measured(tmp_path):
    embodied(tmp_path / "in" / "a", drop=("uuid", "real_height", "color", "shape", "tags", "domain", "super_category"))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert (mug.color, mug.shape) == ("red", "tapered")
    assert outcome.uuid


def test_a_record_that_disagrees_with_the_mesh_is_told_and_overruled(tmp_path):
    other = "11111111-2222-4333-8444-555555555555"
    aabb = "<min>0 0 0</min><max>0.072 0.3 0.09</max>"
    extra = {"color": "green", "real_height": "0.12", "shape": "square", "aabb": aabb}
    embodied(tmp_path / "in" / other, extra=extra)
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    labels = told(outcome, "label")
    assert "its folder is named" in labels
    assert "colour green, measured is red" in labels
    assert "shape square, measured is tapered" in labels
    assert "0.12 m tall, the mesh is 0.0900 m" in labels
    assert "box of 0.072 x 0.090 x 0.300 m" in labels
    assert (mug.uuid, mug.color, mug.shape) == (UUID, "red", "tapered")


def test_where_only_the_glb_is_there_it_is_used(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder)
    colored = trimesh.Trimesh(CUP.vertices @ Y_UP.T, CUP.faces, process=False)
    colored.visual.vertex_colors = np.tile([20, 140, 40, 255], (len(CUP.vertices), 1))
    (folder / "mesh" / "mug.glb").write_bytes(colored.export(file_type="glb"))
    (folder / "mesh" / "mug.obj").unlink()
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "mug.glb is used" in told(outcome, "repair")
    assert mug.color == "green"
    np.testing.assert_allclose(mug.extents, np.ptp(CUP.vertices, axis=0), atol=1e-6)


def test_one_collision_mesh_of_convex_pieces_keeps_them(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder)
    low, high = p.cylinder(0.034, 0.02).moved(z=-0.025), p.cylinder(0.030, 0.02).moved(z=0.022)
    second = obj_text(high, turn=Y_UP, start=1 + len(low.vertices))
    (folder / "mesh" / "mug_collision.obj").write_text(obj_text(low, turn=Y_UP) + second)
    _, mug = only(tmp_path / "in", tmp_path / "out")
    assert len(mug.collisions) == 2


def test_a_single_collision_mesh_that_is_not_convex_is_cut_or_hulled(tmp_path):
    bowl = p.revolve([(0.0, -0.045), (0.036, -0.045), (0.036, 0.045), (0.030, 0.045), (0.030, -0.035), (0.0, -0.035)])
    embodied(tmp_path / "in" / "a", body=bowl)
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "one convex hull, since no decomposer (coacd) is installed" in told(outcome)
    assert len(mug.collisions) == 1
    halves = [CUP.vertices * [1, 1, 0.4] - [0, 0, 0.027], CUP.vertices * [1, 1, 0.4] + [0, 0, 0.027]]
    outcome, mug = only(tmp_path / "in", tmp_path / "cut", decompose=lambda vertices, faces: halves)
    assert "2 convex pieces" in told(outcome)
    assert len(mug.collisions) == 2


def test_textures_are_kept_and_decide_the_colour(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder, extra={"color": "blue"})
    (folder / "mesh" / "material.mtl").write_text("newmtl material_0\nKd 1 1 1\nmap_Kd material_0.png\n")
    write_picture(folder / "mesh" / "material_0.png", size=(2048, 1024))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert mug.visuals[0].material.texture.pixels.shape == (128, 256, 3)
    assert (mug.color, told(outcome, "label")) == ("blue", "")


def interaction(*picks):
    return json.dumps({"interaction": {"active": {"place": {"body": []}}, "passive": {"pick": {"body": list(picks)}}}})


def pick(xyz, direction, ref):
    return {"xyz": xyz, "direction": direction, "ref_frame": ref, "dir_axis": "-z", "ref_axis": "+x"}


def test_grasps_of_the_release_become_grips_that_close_along_the_third_axis(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder, body=p.box(0.030, 0.025, 0.040), extra={"real_height": "0.08", "shape": ""})
    picks = [pick([0, 0, 0.012], [0, 0, -1], [1, 0, 0]), pick([0, 0, 0], [-1, 0, 0], [0, 1, 0])]
    (folder / "interaction.json").write_text(interaction(*picks))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    first = mug.grips[0]
    np.testing.assert_allclose(np.abs(first.closing_axis), [0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(first.center, [0, 0, 0.012], atol=1e-6)
    assert first.width_m == pytest.approx(0.05, abs=1e-4)
    assert "1 of its 2 grasps do not suit a jaw from above" in told(outcome)


def test_an_object_wider_than_the_jaw_is_not_graspable_whatever_its_record_says(tmp_path):
    embodied(tmp_path / "in" / "a", body=p.box(0.05, 0.05, 0.045), extra={"shape": ""})
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert mug.grips == ()
    assert "nothing of it fits the jaw" in told(outcome, "label")


def captions(folder, **content):
    (folder / "caption_candidates.json").write_text(json.dumps(content))


def test_phrases_mean_their_words_and_false_ones_are_left_out(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder)
    captions(
        folder, uuid=UUID, raw="A red mug.", seen=["the red ceramic mug", "blue mug", "that thing"],
        unseen=["ceramic drinking mug", "mug by the plate"],
    )  # fmt: skip
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    phrases = {expression.text: expression for expression in mug.expressions}
    assert mug.phrase == "mug"
    assert dict(phrases["red mug"].meaning) == {"category": "mug", "color": "red"}
    assert dict(phrases["ceramic drinking mug"].meaning) == {"category": "mug", "material": "ceramic"}
    assert phrases["ceramic drinking mug"].partition == "unseen"
    assert not {"blue mug", "that thing", "mug by the plate"} & set(phrases)
    assert "3 of its phrases are not true of it" in told(outcome, "label")


def test_legacy_candidates_are_seen_phrases(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder)
    captions(folder, candidates=["drinking mug with red paint"])
    _, mug = only(tmp_path / "in", tmp_path / "out")
    (phrase,) = [expression for expression in mug.expressions if expression.text == "drinking mug with red paint"]
    assert phrase.partition == "seen"
    assert dict(phrase.meaning) == {"category": "mug", "color": "red"}


def test_phrases_of_another_asset_are_left_out(tmp_path):
    folder = tmp_path / "in" / "a"
    embodied(folder)
    captions(folder, uuid="someone-else", seen=["red mug with a smile"])
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "is of the asset 'someone-else'" in told(outcome, "repair")
    assert "red mug with a smile" not in {expression.text for expression in mug.expressions}


def test_nothing_is_said_of_an_unknown_material(tmp_path):
    embodied(tmp_path / "in" / "a", drop=("material",))
    outcome, mug = only(tmp_path / "in", tmp_path / "out")
    assert "nothing says what it is made of" in told(outcome)
    assert not any("material" in dict(expression.meaning) for expression in mug.expressions)


def test_a_duplicate_id_is_refused_and_the_rest_goes_on(tmp_path):
    for name in ("a", "b"):
        embodied(tmp_path / "in" / name)
    report, assets = run(tmp_path / "in", tmp_path / "out")
    assert [outcome.status for outcome in report.outcomes] == ["repaired", "refused"]
    assert f"its id {UUID} is that of" in report.outcomes[1].reason
    assert len(assets) == 1


def test_a_urdf_with_moving_parts_is_refused(tmp_path):
    urdf = embodied(tmp_path / "in" / "a")
    text = urdf.read_text()
    link = text[text.index("<link") : text.index("</link>") + 7]
    urdf.write_text(text.replace(link, link + link))
    outcome, _ = only(tmp_path / "in", tmp_path / "out")
    assert "2 links to see, expected 1" in outcome.reason
