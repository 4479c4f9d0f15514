"""What the domain randomisation draws: within ranges, each factor by itself, pinned where it is pinned."""

import math

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Meaning
from imove_core.randomization import PLAIN, Randomization
from imove_core.rig import Rig, load_rig, rig_names
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.randomization import (
    FACTORS,
    LOOKS_MARK,
    PRESETS,
    RandomizationConfig,
    draw_randomization,
    load_randomization,
    parse_randomization,
    vary,
)
from imove_tasks.randomization.clutter import clutter_rows, descriptions_in
from imove_tasks.randomization.pins import Pins
from imove_tasks.suites import open_suite

SEEDS = range(25)
FIELDS_OF_FACTOR = {
    "light": "light",
    "finishes": "finishes",
    "table": "table",
    "background": "background",
    "initial_joints": "joint_offsets_rad",
    "camera_pose": "camera_offsets",
    "clutter": "clutter",
}


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.shipped()


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


@pytest.fixture(scope="module")
def spec() -> EpisodeSpec:
    """A shipped episode with several plastic objects."""
    specs = open_suite("pick_category/seen").specs
    return next(spec for spec in specs if [o.labels["material"] for o in spec.objects].count("plastic") >= 3)


@pytest.fixture(scope="module")
def draw(library: AssetLibrary, rig: Rig, spec: EpisodeSpec):
    assets = {item.id: library.get(item.asset) for item in spec.objects}

    def draw_one(config: RandomizationConfig, seed: int = 0, on: Rig = rig, **more: object) -> Randomization:
        return draw_randomization(config, on, assets, library, seed, **more)

    return draw_one


def config(text: str) -> RandomizationConfig:
    return parse_randomization(text, "test.yaml")


def test_off_draws_the_plain_scene(draw) -> None:
    assert draw(PRESETS["off"], 7) == PLAIN
    assert config("") == config("preset: off") == PRESETS["off"] == RandomizationConfig()


def test_same_seed_same_draws_and_every_factor_varies_with_the_seed(draw) -> None:
    drawn = [draw(PRESETS["full"], seed) for seed in SEEDS]
    assert drawn == [draw(PRESETS["full"], seed) for seed in SEEDS]
    assert set(FIELDS_OF_FACTOR) == set(FACTORS)
    for field in FIELDS_OF_FACTOR.values():
        assert len({repr(getattr(one, field)) for one in drawn}) > 3, field
    assert {one.background for one in drawn} == {"kitchen", "office", "living_room", "workshop", "laboratory"}


@pytest.mark.parametrize("factor", FACTORS)
def test_switching_one_factor_changes_that_factor_only(draw, factor: str) -> None:
    """On alone it draws what it draws among all others; off it leaves all others as they were."""
    full, field = PRESETS["full"], FIELDS_OF_FACTOR[factor]
    alone = RandomizationConfig().model_copy(update={factor: getattr(full, factor)})
    without = full.model_copy(update={factor: getattr(RandomizationConfig(), factor)})
    for seed in SEEDS:
        everything, only, rest = draw(full, seed), draw(alone, seed), draw(without, seed)
        assert getattr(only, field) == getattr(everything, field)
        assert getattr(rest, field) == getattr(PLAIN, field)
        for other in set(FIELDS_OF_FACTOR.values()) - {field}:
            assert getattr(only, other) == getattr(PLAIN, other)
            assert getattr(rest, other) == getattr(everything, other)


PINS = {
    "light": ("pin: {light: {temperature_k: 3000}}", {"light"}),
    "table": ("pin: {table: {pattern: marble}}", {"table"}),
    "background": ("pin: {background: office}", {"background"}),
    "finishes": ("pin: {finishes: {plastic: matte}}", {"finishes"}),
    "joints": ("pin: {joint_offsets_rad: {left: [0, 0, 0, 0, 0, 0.01]}}", {"joint_offsets_rad"}),
    "camera": ("pin: {camera_offsets: {static_camera: {translation_m: [0, 0, 0.01]}}}", {"camera_offsets"}),
    "clutter": ("pin: {clutter: {}}", {"clutter"}),
}


@pytest.mark.parametrize("case", PINS)
def test_a_pin_changes_its_own_value_only(draw, case: str) -> None:
    text, touched = PINS[case]
    for preset in ("off", "full"):
        for seed in SEEDS:
            free, pinned = draw(PRESETS[preset], seed), draw(config(f"preset: {preset}\n{text}"), seed)
            for field in set(FIELDS_OF_FACTOR.values()) - touched:
                assert getattr(pinned, field) == getattr(free, field)
            if case == "light":
                assert pinned.light == free.light.model_copy(update={"temperature_k": 3000.0})
            if case == "table":
                assert (pinned.table.pattern, pinned.table.seed) == ("marble", free.table.seed)
            if case == "background":
                assert pinned.background == "office"
            if case == "joints":
                right = {"right": free.joint_offsets_rad["right"]} if free.joint_offsets_rad else {}
                assert pinned.joint_offsets_rad == right | {"left": (0.0, 0.0, 0.0, 0.0, 0.0, 0.01)}


def test_finishes_are_pinned_by_material_and_by_object(draw, library: AssetLibrary, spec: EpisodeSpec) -> None:
    assets = {item.id: library.get(item.asset) for item in spec.objects}
    plastic = [object_id for object_id, asset in assets.items() if asset.material == "plastic"]
    assert len(plastic) >= 2
    drawn = draw(config(f"finishes: true\npin: {{finishes: {{plastic: matte, {plastic[0]}: glossy}}}}"), 3).finishes
    free = draw(config("finishes: true"), 3).finishes
    assert drawn[plastic[0]] == "glossy" and all(drawn[other] == "matte" for other in plastic[1:])
    assert {key: drawn[key] for key in drawn if key not in plastic} == {
        key: free[key] for key in free if key not in plastic
    }
    for object_id, finish in free.items():
        assert finish in assets[object_id].finishes


def test_draws_keep_to_their_ranges(draw, rig: Rig) -> None:
    full = PRESETS["full"]
    for seed in SEEDS:
        drawn = draw(full, seed)
        light, factor = drawn.light, full.light
        elevation_deg = math.degrees(math.asin(light.toward_light[2]))
        for name, value in (
            ("temperature_k", light.temperature_k),
            ("intensity", light.intensity),
            ("ambient", light.ambient),
            ("elevation_deg", elevation_deg),
        ):
            low, high = getattr(factor, name)
            assert low - 0.01 <= value <= high + 0.01, name
        assert all(abs(channel - 1) <= factor.tint for channel in light.tint)
        assert len(drawn.clutter) <= 3
        assert len({item.place for item in drawn.clutter}) == len(drawn.clutter)
        for arm in rig.arms:
            offsets = np.array(drawn.joint_offsets_rad[arm.name])
            assert np.abs(offsets).max() <= full.initial_joints.limit_rad
        for offset in drawn.camera_offsets.values():
            assert np.abs(offset.translation_m).max() <= 0.005
            assert np.abs(offset.rotation_rad).max() <= math.radians(1.0)


@pytest.mark.parametrize("name", rig_names())
def test_starts_stay_within_joint_limits_on_every_rig(draw, name: str) -> None:
    """Also where home is at a limit."""
    rig = load_rig(name)
    wide = config("initial_joints: {std_rad: 0.1, limit_rad: 0.1}")
    for seed in SEEDS:
        for arm_name, offsets in draw(wide, seed, on=rig).joint_offsets_rad.items():
            arm = rig.arm(arm_name)
            start = np.add(arm.home, offsets)
            assert (start >= arm.limits[:-1, 0]).all() and (start <= arm.limits[:-1, 1]).all()


def test_clutter_is_of_no_category_or_description_of_the_scene(draw, library: AssetLibrary, spec: EpisodeSpec) -> None:
    red = Meaning(pick=Description(fields={"color": "red"}))
    on_table = {item.labels["category"] for item in spec.objects}
    chosen = [
        library.row(item.asset)
        for seed in range(60)
        for item in draw(config("clutter: {count: [4, 4]}"), seed, meanings=[red]).clutter
    ]
    assert len(chosen) == 240
    assert all(row.category not in on_table and row.color != "red" and row.split == "seen" for row in chosen)
    assert all(row.extents_m[2] >= 0.08 and max(row.extents_m) <= 0.35 for row in chosen)
    rows = library.rows("seen")
    assert any(row.color == "red" for row in clutter_rows(rows, on_table, []))
    assert not clutter_rows([row for row in rows if row.color == "red"], [], list(descriptions_in([red])))


def test_a_file_changes_parts_of_its_preset() -> None:
    read = config("preset: full\nlight: {tint: 0}\ntable: false\nbackground: {rooms: [office]}")
    full = PRESETS["full"]
    assert read.light == full.light.model_copy(update={"tint": 0.0})
    assert read.table == full.table.model_copy(update={"enabled": False})
    assert read.background.rooms == ("office",)
    assert (read.clutter, read.camera_pose) == (full.clutter, full.camera_pose)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_written_configuration_reads_back(tmp_path, preset: str) -> None:
    path = tmp_path / "looks.yaml"
    path.write_text(PRESETS[preset].to_yaml(), encoding="utf-8")
    assert load_randomization(str(path)) == load_randomization(preset) == PRESETS[preset]


REFUSALS = {
    "fog: true": "unknown key 'fog'; allowed: light",
    "light: {fog: 1}": "light: unknown key 'fog'; allowed: enabled, temperature_k",
    "light: {temperature_k: [5000, 4000]}": "light.temperature_k: range is .*5000.*4000",
    "light: {temperature_k: [500, 4000]}": "temperature_k.*1667.*500",
    "table: {patterns: [lava]}": "unknown table pattern 'lava'; allowed: concrete",
    "table: {patterns: [wood, wood]}": "each is allowed once",
    "background: {rooms: []}": "background.rooms",
    "background: {rooms: [garden]}": "unknown background 'garden'; allowed: kitchen",
    "pin: {background: garden}": "unknown background 'garden'",
    "pin: {clutter: {attic: x}}": "unknown place 'attic'; allowed: ahead_left",
    "clutter: {count: [2, 9]}": "count.*6.*9",
    "preset: wild": "unknown randomisation preset 'wild'; allowed: default, full, off",
    "[light]": "is a list; a mapping of factors is needed",
    "light: [": "is not YAML",
}


@pytest.mark.parametrize("text", REFUSALS)
def test_files_that_break_the_schema_are_refused(text: str) -> None:
    with pytest.raises(ImoveError, match=REFUSALS[text]) as caught:
        config(text)
    assert "\n" not in str(caught.value)


PIN_REFUSALS = {
    "pin: {finishes: {object_9: matte}}": "unknown object or material .* 'object_9'",
    "pin: {finishes: {plastic: glazed}}": "unknown finish of plastic 'glazed'; allowed: glossy, matte, satin",
    "pin: {joint_offsets_rad: {third: [0, 0, 0, 0, 0, 0]}}": "'third'.*left, right",
    "pin: {joint_offsets_rad: {left: [0, 5, 0, 0, 0, 0]}}": "left_joint2",
    "pin: {camera_offsets: {front: {}}}": "'front'.*static_camera",
    "pin: {clutter: {left: nowhere}}": "nowhere",
}


@pytest.mark.parametrize("text", PIN_REFUSALS)
def test_pins_that_do_not_fit_the_episode_are_refused(draw, text: str) -> None:
    with pytest.raises(ImoveError, match=PIN_REFUSALS[text]):
        draw(config(text))


def test_a_preset_that_does_not_exist_and_a_file_that_does_not() -> None:
    with pytest.raises(ImoveError, match="unknown randomisation preset 'wild'"):
        load_randomization("wild")
    with pytest.raises(ImoveError, match="wild.yaml does not exist"):
        load_randomization("wild.yaml")


def test_varied_episodes_differ_in_looks_and_id_alone(rig: Rig, library: AssetLibrary, spec: EpisodeSpec) -> None:
    start = Pins(joint_offsets_rad=spec.randomization.joint_offsets_rad)
    looks = config("preset: default\ninitial_joints: false").model_copy(update={"pin": start})
    variants = [vary(spec, looks, seed, rig=rig, library=library) for seed in SEEDS]
    assert len({item.id for item in variants}) == len(SEEDS)
    for item in variants:
        assert item.id.startswith(f"{spec.id}{LOOKS_MARK}")
        assert item.model_copy(update={"id": spec.id, "randomization": spec.randomization}) == spec
    again = vary(variants[0], looks, 1, rig=rig, library=library)
    assert again == variants[1]


def test_clutter_of_a_varied_episode_is_nothing_that_it_speaks_of(
    rig: Rig, library: AssetLibrary, spec: EpisodeSpec
) -> None:
    absent = spec.instruction("absent").meaning.pick.fields["category"]
    for seed in range(40):
        varied = vary(spec, config("clutter: {count: [4, 4]}"), seed, rig=rig, library=library)
        categories = {library.row(item.asset).category for item in varied.randomization.clutter}
        assert not categories & {absent, *(item.labels["category"] for item in spec.objects)}


def test_an_episode_is_varied_on_its_own_rig(library: AssetLibrary, spec: EpisodeSpec) -> None:
    with pytest.raises(ImoveError, match="is for rig 'piperx_dual'; it cannot be varied on 'franka_single'"):
        vary(spec, PRESETS["full"], 0, rig=load_rig("franka_single"), library=library)
