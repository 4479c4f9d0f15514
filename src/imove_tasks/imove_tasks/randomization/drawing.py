"""Seeded draws of looks and starts: each factor, and each part of one, from a random stream of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from imove_core.episode_rig import episode_rig
from imove_core.errors import unknown_name
from imove_core.meaning import Meaning
from imove_core.randomization import PLAIN, Clutter, Light, Offset, Randomization, Rgb, TableSurface, Tint
from imove_core.rig import Arm, Rig
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.assets.vocabulary import MATERIALS
from imove_tasks.randomization.clutter import clutter_rows, descriptions_in
from imove_tasks.randomization.config import RandomizationConfig
from imove_tasks.randomization.factors import BackgroundFactor, InitialJointsFactor, LightFactor, TableFactor
from imove_tasks.randomization.patterns import table_pattern
from imove_tasks.randomization.pins import LightPin, Pins, TablePin
from imove_tasks.randomization.rooms import PLACE_NAMES
from imove_tasks.seeds import generator, seed_of

# A start this far inside of a joint's limits is inside after all rounding.
_LIMIT_MARGIN_RAD = 1e-5
_STRAIGHT_UP_DEG = 90.0


class _Streams:
    """Random streams of one episode, by the name of what is drawn."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def of(self, *names: str) -> np.random.Generator:
        return generator(self._seed, "randomization", *names)

    def between(self, bounds: tuple[float, float], digits: int, *names: str) -> float:
        return round(float(self.of(*names).uniform(*bounds)), digits)

    def seed(self, *names: str) -> int:
        # Small enough to be read and typed.
        return seed_of(self._seed, "randomization", *names) % 1_000_000


def draw_randomization(
    config: RandomizationConfig,
    rig: Rig,
    assets: Mapping[str, Asset],
    library: AssetLibrary,
    seed: int,
    meanings: Iterable[Meaning] = (),
) -> Randomization:
    """Draws looks and start of one episode.

    Args:
        config: What is drawn.
        rig: The embodiment.
        assets: Of the objects on the table, by object id.
        library: Where clutter comes from; only assets of its split `seen` are taken.
        seed: Of the episode; at least 0.
        meanings: What instructions of the episode mean; no clutter fulfils a description in them, nor is any of a
            category that is on the table.

    Raises:
        ImoveError: A pin names what is not there, or leads out of a joint's limits.
    """
    streams, pin = _Streams(seed), config.pin
    draws = Randomization(
        light=_light(config.light, pin.light, streams),
        table=_table(config.table, pin.table, streams),
        background=pin.background or _background(config.background, streams),
        finishes=_finishes(config.finishes.enabled, pin.finishes, assets, streams),
        joint_offsets_rad=_joints(config.initial_joints, rig, streams) | pin.joint_offsets_rad,
        camera_offsets=_cameras(config, rig, streams) | pin.camera_offsets,
        clutter=_clutter(config, pin, assets, library, meanings, streams),
    )
    episode_rig(rig, draws)
    return draws


def _light(factor: LightFactor, pin: LightPin, streams: _Streams) -> Light:
    plain = PLAIN.light

    def number(name: str, plainly: float, digits: int) -> float:
        pinned = getattr(pin, name)
        if pinned is not None:
            return float(pinned)
        return streams.between(getattr(factor, name), digits, "light", name) if factor.enabled else plainly

    elevation = math.radians(number("elevation_deg", _STRAIGHT_UP_DEG, 2))
    azimuth = math.radians(number("azimuth_deg", 0.0, 2))
    toward = (math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation))
    return Light(
        temperature_k=number("temperature_k", plain.temperature_k, 0),
        tint=pin.tint or (_tint(factor.tint, streams) if factor.enabled else plain.tint),
        intensity=number("intensity", plain.intensity, 4),
        ambient=number("ambient", plain.ambient, 4),
        toward_light=(round(toward[0], 6), round(toward[1], 6), round(toward[2], 6)),
    )


def _tint(most: float, streams: _Streams) -> Tint:
    red, green, blue = (streams.between((1.0 - most, 1.0 + most), 4, "light", "tint", c) for c in ("r", "g", "b"))
    return red, green, blue


def _table(factor: TableFactor, pin: TablePin, streams: _Streams) -> TableSurface:
    plain = PLAIN.table
    name = pin.pattern
    if name is None:
        name = plain.pattern
        if factor.enabled:
            name = str(streams.of("table", "pattern").choice(factor.patterns))
    seed = streams.seed("table", "seed") if factor.enabled else plain.seed
    return TableSurface(
        pattern=name,
        seed=seed if pin.seed is None else pin.seed,
        rgb=pin.rgb or _table_rgb(name, factor, streams),
    )


def _table_rgb(pattern: str, factor: TableFactor, streams: _Streams) -> Rgb:
    colors = table_pattern(pattern).colors
    if not factor.enabled:
        return PLAIN.table.rgb if pattern == PLAIN.table.pattern else colors[0]
    # One draw for any number of colours: another pattern leaves it as it is.
    base = colors[int(streams.of("table", "color").random() * len(colors))]
    shade = streams.between((1.0 - factor.shade, 1.0 + factor.shade), 4, "table", "shade")
    red, green, blue = (round(min(channel * shade, 1.0), 4) for channel in base)
    return red, green, blue


def _background(factor: BackgroundFactor, streams: _Streams) -> str:
    return str(streams.of("background").choice(factor.rooms)) if factor.enabled else PLAIN.background


def _finishes(
    enabled: bool, pinned: Mapping[str, str], assets: Mapping[str, Asset], streams: _Streams
) -> dict[str, str]:
    for name, finish in pinned.items():
        if name not in assets and name not in MATERIALS:
            raise unknown_name("object or material with a pinned finish", name, [*assets, *MATERIALS])
        finishes = assets[name].finishes if name in assets else tuple(MATERIALS[name].finishes)
        if finish not in finishes:
            raise unknown_name(f"finish of {name}", finish, finishes)
    found = {}
    for object_id, asset in assets.items():
        if object_id in pinned or asset.material in pinned:
            found[object_id] = pinned[object_id if object_id in pinned else asset.material]
        elif enabled and len(asset.finishes) > 1:
            found[object_id] = str(streams.of("finishes", object_id).choice(asset.finishes))
    return found


def _joints(factor: InitialJointsFactor, rig: Rig, streams: _Streams) -> dict[str, tuple[float, ...]]:
    if not factor.enabled:
        return {}
    return {arm.name: _arm_offsets(arm, factor, streams.of("initial_joints", arm.name)) for arm in rig.arms}


def _arm_offsets(arm: Arm, factor: InitialJointsFactor, rng: np.random.Generator) -> tuple[float, ...]:
    wanted = rng.normal(0.0, 1.0, len(arm.home)) * factor.std_rad
    low, high = arm.limits[:-1].T
    start = np.array(arm.home) + wanted.clip(-factor.limit_rad, factor.limit_rad)
    offsets = start.clip(low + _LIMIT_MARGIN_RAD, high - _LIMIT_MARGIN_RAD) - arm.home
    return tuple(round(float(value), 6) for value in offsets)


def _cameras(config: RandomizationConfig, rig: Rig, streams: _Streams) -> dict[str, Offset]:
    factor = config.camera_pose
    if not factor.enabled:
        return {}
    most = np.repeat([factor.translation_mm / 1e3, math.radians(factor.rotation_deg)], 3)
    found = {}
    for camera in rig.cameras:
        drawn = streams.of("camera_pose", camera.name).uniform(-most, most)
        x, y, z, turn_x, turn_y, turn_z = (round(float(value), 6) for value in drawn)
        found[camera.name] = Offset(translation_m=(x, y, z), rotation_rad=(turn_x, turn_y, turn_z))
    return found


def _clutter(
    config: RandomizationConfig,
    pin: Pins,
    assets: Mapping[str, Asset],
    library: AssetLibrary,
    meanings: Iterable[Meaning],
    streams: _Streams,
) -> tuple[Clutter, ...]:
    chosen = dict(pin.clutter or {})
    if pin.clutter is None and config.clutter.enabled:
        low, high = config.clutter.count
        count = int(streams.of("clutter", "count").integers(low, high + 1))
        places = streams.of("clutter", "places").permutation(PLACE_NAMES)[:count].tolist()
        on_table = {asset.category for asset in assets.values()}
        rows = clutter_rows(library.rows("seen"), on_table, list(descriptions_in(meanings)))
        if rows:
            chosen = {place: rows[int(streams.of("clutter", place).random() * len(rows))].uuid for place in places}
    return tuple(
        Clutter(
            asset=chosen[place],
            asset_hash=library.row(chosen[place]).content_hash,
            place=place,
            yaw_rad=streams.between((-math.pi, math.pi), 4, "clutter", place, "yaw"),
        )
        for place in PLACE_NAMES
        if place in chosen
    )
