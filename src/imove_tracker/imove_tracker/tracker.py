"""The tracker: images and joints in, the state of every object of the episode out, at any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.rig import Camera, Intrinsics, Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_tasks.assets.library import AssetLibrary
from imove_tracker.april import Sighting, TagReader
from imove_tracker.arm_mask import ArmMask
from imove_tracker.carrying import DROP_M, floor_below, gripped_object, put_down
from imove_tracker.cloud import TableImage, table_image
from imove_tracker.hands import Hands, HandState
from imove_tracker.known import KnownObject, known_objects
from imove_tracker.looking import Looks
from imove_tracker.seeing import Wanted, find
from imove_tracker.states import StateMaker, question_about
from imove_tracker.table import TableFit, fit_table
from imove_tracker.tracks import CONFIRMED_AT_FIRST, Basis, Track
from imove_tracker.updating import Updater

LAID_OUT_SCALE_M = 0.12
"""How far from its place a person may have laid an object, before place says little of which it is."""
FIRST_LOOKS = 3
"""Images at the beginning of an episode that are searched for what no image has shown yet."""


@dataclass(frozen=True, eq=False)
class Tracked:
    """What the tracker says of one time.

    Attributes:
        stamp_ns: The time.
        objects: In spec order.
        confidence: By object, 0 to 1.
        basis: By object.
        image_age_s: From the newest image to the time; infinite before any.
        question: What a person should look at, "" when nothing is in doubt.
    """

    stamp_ns: int
    objects: tuple[ObjectState, ...]
    confidence: tuple[float, ...]
    basis: tuple[Basis, ...]
    image_age_s: float
    question: str


class Tracker:
    """Tracks the objects of one episode after another.

    Times are of one clock; images may come later than joints, by up to two seconds.
    """

    def __init__(self, rig: Rig, library: AssetLibrary, camera: Camera, tags: TagReader | None = None) -> None:
        """Prepares for a rig.

        Args:
            rig: The embodiment.
            library: Knows the shapes of the objects.
            camera: The fixed RGB-D camera that looks at the workspace.
            tags: Reads the AprilTags on objects, None where there are none.
        """
        self._tags = tags
        self._rig = rig
        self._library = library
        self._camera = camera
        self._arms = ArmMask(rig)
        self._hands = Hands(rig)
        self._known: dict[str, KnownObject] = {}
        self._tracks: dict[str, Track] = {}
        self._rivals: dict[str, str] = {}
        self._updater = Updater()
        self._states = StateMaker()
        self._spec_hash = ""
        self._laying_out = False
        self._images = 0
        self._image_ns: int | None = None
        self._table: TableFit | None = None

    def begin(self, spec: EpisodeSpec, *, laying_out: bool = False) -> None:
        """Begins an episode, or the layout of one.

        What was measured of the same spec while it was laid out is kept. Of everything else a person says that it lies
        as in the spec, until an image shows it.

        Args:
            spec: The episode.
            laying_out: Objects come and go by hand: each image is looked at as if it were the first.

        Raises:
            ImoveError: The spec is for another rig, or an asset is not in the library.
        """
        if spec.rig != self._rig.name:
            raise ImoveError(f"episode {spec.id} is for rig '{spec.rig}'; the tracker watches '{self._rig.name}'")
        if spec.content_hash != self._spec_hash:
            self._known = known_objects(spec, self._library)
            self._spec_hash = spec.content_hash
            self._tracks = {}
        self._laying_out = laying_out
        self._tracks = {
            name: track if (track := self._tracks.get(name)) and track.basis == "seen" else _as_told(known)
            for name, known in self._known.items()
        }
        self._rivals, self._images, self._image_ns = {}, 0, None
        self._states, self._updater = StateMaker(), Updater()

    def end(self) -> None:
        """Watches nothing any more."""
        self._known, self._tracks, self._rivals, self._spec_hash = {}, {}, {}, ""

    @property
    def watches(self) -> bool:
        """Whether there is an episode, or a layout, to watch."""
        return bool(self._known)

    @property
    def table(self) -> TableFit | None:
        """The table as the newest image showed it."""
        return self._table

    def joints(self, stamp_ns: int, positions: Array, targets: Array | None = None) -> None:
        """Takes joint positions (D,) of a time, rad and m, and the targets (D,) in force where they are known."""
        changed = self._hands.update(stamp_ns, positions, targets)
        if changed and self._known:
            hands = self._hands.states(stamp_ns)
            for arm in changed:
                (self._take if hands[arm].gripped else self._release)(arm, hands[arm], stamp_ns)

    def _take(self, arm: str, hand: HandState, stamp_ns: int) -> None:
        items = {name: known.item for name, known in self._known.items()}
        name = gripped_object(items, self._tracks, {arm: hand.world_from_tool}, arm)
        if name is not None:
            self._tracks[name] = self._tracks[name].taken(arm, hand.world_from_tool)
            self._updater.changed(name, stamp_ns)

    def _release(self, arm: str, hand: HandState, stamp_ns: int) -> None:
        tools = {arm: hand.world_from_tool}
        items = {name: known.item for name, known in self._known.items()}
        for name, track in self._tracks.items():
            if track.arm == arm:
                pose, item = track.pose_with(tools), items[name]
                floor_m = floor_below(item, pose, items, {other: it.pose for other, it in self._tracks.items()})
                put = track.put(put_down(item, pose, floor_m))
                # Put down it lies where it was let go; dropped, nobody knows how far it rolls until it is seen.
                dropped = pose[2, 3] - item.position[2] - floor_m > DROP_M
                self._tracks[name] = put.lost() if dropped else put
                self._updater.changed(name, stamp_ns)

    def see(
        self,
        stamp_ns: int,
        rgb: NDArray[np.uint8],
        depth_mm: NDArray[np.uint16],
        world_from_camera: Array,
        intrinsics: Intrinsics,
    ) -> None:
        """Takes an image.

        Args:
            stamp_ns: When it was exposed.
            rgb: (H, W, 3).
            depth_mm: (H, W) aligned to it, 0 without a return.
            world_from_camera: (4, 4) pose of the optical frame.
            intrinsics: Of the image.

        Raises:
            ImoveError: Colour, depth and intrinsics are not of one size, or the workspace is not in the picture.
        """
        positions = self._hands.positions(stamp_ns)
        if not self._known or positions is None:
            return
        image = table_image(rgb, depth_mm, self._camera, intrinsics, world_from_camera, self._rig.workspace)
        self._table = fit_table(image)
        if self._table is not None and not self._table.fault(self._camera.name):
            image = image.seen_from(self._table.levelled(world_from_camera))
        self._images, self._image_ns = self._images + 1, stamp_ns
        if self._laying_out:
            self._tracks = {name: _as_told(known) for name, known in self._known.items()}
        if self._tags is not None:
            self._note_tags(stamp_ns, self._tags.read(rgb, intrinsics, image.world_from_camera))
        if self._laying_out or self._images <= FIRST_LOOKS:
            self._look_first(stamp_ns, image, positions)
        if self._laying_out:
            return
        tools = self._tools(stamp_ns)
        poses = {name: track.pose_with(tools) for name, track in self._tracks.items()}
        looks = Looks(image, self._arms, positions, self._known, poses)
        self._tracks = self._updater.update(stamp_ns, looks, self._known, self._tracks)

    def _tools(self, stamp_ns: int) -> dict[str, Array]:
        return {arm: hand.world_from_tool for arm, hand in self._hands.states(stamp_ns).items()}

    def _look_first(self, stamp_ns: int, image: TableImage, positions: Array) -> None:
        """Searches for what no image has shown yet."""
        wanted = {
            name: Wanted(self._known[name], track.pose)
            for name, track in self._tracks.items()
            if not track.seen_ns and not track.arm
        }
        there = {name: track.pose for name, track in self._tracks.items() if name not in wanted}
        free = Looks(image, self._arms, positions, self._known, there).free(list(wanted))
        for name, sighting in find(image, free, wanted, LAID_OUT_SCALE_M).items():
            trust = sighting.fit.evidence.trust
            self._tracks[name] = self._tracks[name].seen(
                stamp_ns, sighting.fit.pose, sighting.fit.score, trust, sighting.color
            )
            self._rivals[name] = sighting.rival

    def _note_tags(self, stamp_ns: int, tags: Mapping[str, Sighting]) -> None:
        """Takes tags by asset; a tag cannot tell two objects of one asset apart."""
        assets = [known.item.asset for known in self._known.values()]
        for name, known in self._known.items():
            asset, track = known.item.asset, self._tracks[name]
            if asset in tags and assets.count(asset) == 1 and not track.arm:
                self._tracks[name] = track.seen(stamp_ns, tags[asset].pose(known.item), 1.0, track.clear, None)

    def confirm(self, *names: str) -> None:
        """A person says that objects are where the tracker has them; holds until an image shows otherwise.

        Raises:
            ImoveError: An object is not of the episode.
        """
        for name in names:
            if name not in self._tracks:
                raise ImoveError(f"object '{name}' is not of the episode; allowed: {', '.join(self._tracks)}")
            self._tracks[name] = replace(self._tracks[name], basis="confirmed", confidence=1.0)
            self._rivals.pop(name, None)

    def state(self, stamp_ns: int) -> Tracked:
        """All objects at a time, at or after that of the newest joints.

        Raises:
            ImoveError: No episode was begun.
        """
        if not self._known:
            raise ImoveError("the tracker watches no episode; begin one first")
        objects = self._states.objects(stamp_ns, self._known, self._tracks, self._tools(stamp_ns))
        tracks = self._tracks.values()
        age_s = float("inf") if self._image_ns is None else max(0, stamp_ns - self._image_ns) / 1e9
        fault = self._table.fault(self._camera.name) if self._table else ""
        return Tracked(
            stamp_ns,
            objects,
            tuple(track.confidence for track in tracks),
            tuple(track.basis for track in tracks),
            age_s,
            fault or question_about(self._known, self._tracks, self._rivals),
        )


def _as_told(known: KnownObject) -> Track:
    """The track of an object of which only the spec says where it is."""
    return Track(known.laid_out, "confirmed", CONFIRMED_AT_FIRST)
