"""Every registered family keeps the contract of a family; pick_category draws what it says."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.instructions import find_referents
from imove_tasks.registry import Family, family_names, get_family

SEED = 11


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate(instances_per_category=2)


@pytest.fixture(scope="module", params=family_names())
def family(request: pytest.FixtureRequest) -> Family:
    return get_family(request.param)


def draw(family: Family, library: AssetLibrary, rig: Rig, index: int, seed: int = SEED) -> EpisodeSpec:
    split = family.splits[0]
    return family.draw(library, library.split(split), rig, split, index, seed, lambda layout: "")


@pytest.fixture(scope="module")
def specs(family: Family, library: AssetLibrary, rig: Rig) -> list[EpisodeSpec]:
    return [draw(family, library, rig, index) for index in range(60)]


def test_the_same_seed_and_index_give_the_same_spec(
    family: Family, library: AssetLibrary, rig: Rig, specs: list[EpisodeSpec]
) -> None:
    fresh = AssetLibrary.generate(instances_per_category=2)
    for index in (7, 0):
        assert draw(family, fresh, rig, index).to_json() == specs[index].to_json()


def test_another_index_and_another_seed_give_another_spec(
    family: Family, library: AssetLibrary, rig: Rig, specs: list[EpisodeSpec]
) -> None:
    assert len({spec.content_hash for spec in specs}) == len(specs)
    scenes = {tuple((item.asset, item.position) for item in spec.objects) for spec in specs}
    assert len(scenes) == len(specs)
    other = draw(family, library, rig, 0, SEED + 1)
    assert [item.position for item in other.objects] != [item.position for item in specs[0].objects]


def test_ids_say_family_split_and_index(family: Family, specs: list[EpisodeSpec], rig: Rig) -> None:
    for index, spec in enumerate(specs):
        assert spec.id == f"{family.name}/{family.splits[0]}/{index:03d}"
        assert (spec.family, spec.split, spec.rig, spec.seed) == (family.name, family.splits[0], rig.name, SEED)


def test_specs_survive_json(specs: list[EpisodeSpec]) -> None:
    for spec in specs[:10]:
        assert EpisodeSpec.from_json(spec.to_json()) == spec


def test_objects_are_of_the_split_with_their_hashes_and_can_be_grasped(
    family: Family, library: AssetLibrary, specs: list[EpisodeSpec]
) -> None:
    allowed = set(library.split(family.splits[0]))
    for item in (item for spec in specs for item in spec.objects):
        asset = library.get(item.asset)
        assert item.asset in allowed
        assert item.asset_hash == asset.content_hash()
        assert asset.grips


def test_every_instruction_names_what_it_says(library: AssetLibrary, specs: list[EpisodeSpec]) -> None:
    for spec in specs:
        assets = {item.id: library.get(item.asset) for item in spec.objects}
        for instruction in spec.instructions.values():
            expected = [] if instruction.target is None else [instruction.target]
            assert find_referents(assets, instruction.referent) == expected
        roles = {item.id: item.role for item in spec.objects}
        assert roles.pop(spec.instructions["normal"].target) == "target"
        assert "target" not in roles.values()


def test_neither_place_in_the_list_nor_on_the_table_tells_the_target(specs: list[EpisodeSpec]) -> None:
    targets = [[item.role for item in spec.objects].index("target") for spec in specs]
    counts = np.bincount(targets, minlength=len(specs[0].objects))
    # Of 60 draws 10 for each of 6 places; fewer than 3 or more than 20 happen in one of a thousand suites.
    assert counts.min() >= 3 and counts.max() <= 20
    sides = [spec.objects[index].position[1] > 0 for spec, index in zip(specs, targets, strict=True)]
    assert 0.25 < np.mean(sides) < 0.75


def test_scenes_look_different_but_not_extreme(specs: list[EpisodeSpec]) -> None:
    assert len({spec.appearance for spec in specs}) == len(specs)
    for spec in specs:
        look = spec.appearance
        for channel in (*look.table_rgb, *look.floor_rgb, *look.light_rgb, look.ambient):
            assert 0.2 < channel < 0.9
        assert np.linalg.norm(look.light_position) == pytest.approx(2.0)
        assert look.light_position[2] > 1.4


def test_feasibility_is_asked_and_obeyed(family: Family, library: AssetLibrary, rig: Rig) -> None:
    sizes: list[int] = []

    def refuse_once(layout: object) -> str:
        sizes.append(len(layout))
        return "" if len(sizes) > 1 else "grasp"

    split = family.splits[0]
    spec = family.draw(library, library.split(split), rig, split, 0, SEED, refuse_once)
    assert sizes == [len(spec.objects)] * 2


def test_pick_category_shows_six_objects_of_six_categories_and_one_more_is_absent(
    library: AssetLibrary, rig: Rig
) -> None:
    family = get_family("pick_category")
    seen = set()
    for index in range(30):
        spec = draw(family, library, rig, index)
        categories = [library.get(item.asset).category for item in spec.objects]
        assert len(set(categories)) == len(categories) == 6
        assert spec.instructions["absent"].referent["category"] not in categories
        assert spec.primitive == "pick"
        seen |= set(categories)
    assert len(seen) > 35, "all categories of the split come up"


def test_pick_category_needs_a_category_to_spare(library: AssetLibrary, rig: Rig) -> None:
    family = get_family("pick_category")
    few = [library.in_category(name)[0].uuid for name in ("mug", "bowl", "apple", "egg", "pear", "lemon")]
    with pytest.raises(ImoveError, match="pick_category/seen needs more than 6 categories, one of them absent; the sp"):
        family.draw(library, tuple(few), rig, "seen", 0, 0, lambda layout: "")


def test_an_unknown_family_is_named_beside_the_known_ones() -> None:
    with pytest.raises(ImoveError, match="unknown task 'pick_evrything'; allowed: .*pick_category"):
        get_family("pick_evrything")


def test_families_are_listed_under_their_names() -> None:
    assert all(get_family(name).name == name and get_family(name).splits for name in family_names())
