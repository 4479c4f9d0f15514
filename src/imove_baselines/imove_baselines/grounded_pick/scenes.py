"""Scenes to train on, read from episode bags: the first picture, where everything lies in it, and questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imove_baselines.grounded_pick.questions import Question, demonstrated, relabelled
from imove_baselines.held_out import HeldOut
from imove_baselines.table_view import TableView
from imove_core.bag.errors import BagError
from imove_core.bag.facts import LABELS_ATTACHMENT, SPEC_ATTACHMENT
from imove_core.bag.messages import rgb_from
from imove_core.bag.reader import EpisodeBag, find_bags
from imove_core.canonical import sha256_of_text
from imove_core.errors import ImoveError
from imove_core.fixed_camera import fixed_camera
from imove_core.rig import Camera
from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.transforms import Array, apply
from imove_tasks.assets.library import AssetLibrary


@dataclass(frozen=True, eq=False)
class Scene:
    """One picture and what can be asked about it.

    Attributes:
        spec_id: Id of the episode spec; scenes are split by it.
        spec_hash: Its content hash.
        rig: Name of the rig.
        image: (H, W, 3) uint8 RGB of the fixed camera at the first observation.
        places: By object id, world x and y (2,) at which the camera sees the object's middle on the view's plane, m.
        axes: By object id, (2, 2) half axes of the object's outline on the table, world frame, m.
        questions: What is asked.
        labels: By object id, its word for each of `LABEL_FIELDS`; empty where only the demonstration is used.
    """

    spec_id: str
    spec_hash: str
    rig: str
    image: NDArray[np.uint8]
    places: dict[str, Array]
    axes: dict[str, Array]
    questions: tuple[Question, ...]
    labels: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SceneSet:
    """Scenes of one rig, as one camera shows them.

    Attributes:
        rig: Name of the rig.
        camera: The camera.
        view: Grid of pictures and heat maps.
        scenes: In the order of their spec ids.
        data_hash: SHA-256 over the specs' hashes: two sets with the same hash show the same scenes.
    """

    rig: str
    camera: Camera
    view: TableView
    scenes: tuple[Scene, ...]
    data_hash: str


def read_scenes(
    folders: Sequence[Path],
    library: AssetLibrary,
    relabel: bool = True,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> SceneSet:
    """Reads the demonstrations in folders.

    Args:
        folders: Datasets of `imove synth`, or folders of a task.
        library: Knows the objects' words.
        relabel: Whether the scene's other instructions are asked too, beside that of the demonstration.
        on_progress: Called with bags done and bags in all.

    Raises:
        ImoveError: There is no demonstration, one was made on a scene of a shipped suite, or the rigs differ.
    """
    bags = [bag for folder in folders for bag in find_bags(folder)]
    held_out = HeldOut()
    scenes: list[Scene] = []
    first = EpisodeBag(bags[0]).rig()
    view, camera = TableView.of(first), fixed_camera(first)
    for number, path in enumerate(bags, start=1):
        bag = EpisodeBag(path)
        rig = bag.rig()
        if rig != first:
            raise ImoveError(f"{path} was recorded with rig {rig.name}, not as the first bag with {first.name}")
        spec = _spec_of(bag)
        held_out.check(spec, path)
        scenes.append(_scene(bag, spec, camera, view, library, relabel))
        on_progress(number, len(bags))
    ordered = tuple(sorted(scenes, key=lambda scene: scene.spec_id))
    data_hash = sha256_of_text("\n".join(scene.spec_hash for scene in ordered))
    return SceneSet(first.name, camera, view, ordered, data_hash)


def _spec_of(bag: EpisodeBag) -> EpisodeSpec:
    return EpisodeSpec.from_json(json.dumps(bag.attached_json(SPEC_ATTACHMENT)))


def _scene(
    bag: EpisodeBag, spec: EpisodeSpec, camera: Camera, view: TableView, library: AssetLibrary, relabel: bool
) -> Scene:
    labels = bag.attached_json(LABELS_ATTACHMENT) if LABELS_ATTACHMENT in bag.attachments else {}
    wordings = labels.get("paraphrases", {}).get("seen", [])
    questions = demonstrated(spec, bag.custom_data["instruction"], wordings)
    if relabel:
        assets = {item.id: library.get(item.asset) for item in spec.objects}
        # The same questions for the same scene, whatever else is read.
        rng = np.random.default_rng(spec.seed)
        known = {question.text for question in questions}
        questions += tuple(item for item in relabelled(spec, assets, rng) if item.text not in known)
    return Scene(
        spec_id=spec.id,
        spec_hash=spec.content_hash,
        rig=spec.rig,
        image=first_image(bag, camera),
        places={item.id: view.seen_at(camera, _middle(item)) for item in spec.objects},
        axes={item.id: _half_axes(item) for item in spec.objects},
        questions=questions,
        labels={item.id: dict(item.labels) for item in spec.objects} if relabel else {},
    )


def first_image(bag: EpisodeBag, camera: Camera) -> NDArray[np.uint8]:
    """The first colour image (H, W, 3) of a camera in a bag, before the arms have moved; raises BagError without."""
    topic = f"/{camera.name}/color/image_raw"
    if topic not in bag.message_counts:
        raise BagError(f"bag {bag.path} has no images of {camera.name}; `imove synth` records them by itself")
    for _, message in bag.decoded([topic]):
        return np.asarray(rgb_from(message))
    raise BagError(f"bag {bag.path} has no image on {topic}")


def _middle(item: SceneObject) -> Array:
    return apply(item.world_from_object, (np.array(item.box_min) + item.box_max) / 2)


def _half_axes(item: SceneObject) -> Array:
    """The two longest projections of the box's half axes on the table (2, 2), rows; of an object at rest."""
    halves = np.subtract(item.box_max, item.box_min) / 2
    rows = (item.world_from_object[:3, :3] * halves).T[:, :2]
    longest = np.argsort(-np.linalg.norm(rows, axis=1))[:2]
    axes: Array = rows[longest]
    return axes


def save_scenes(scenes: SceneSet, path: Path) -> None:
    """Writes a set to one .npz file, whole or not at all."""
    texts = [
        {
            "spec_id": scene.spec_id,
            "spec_hash": scene.spec_hash,
            "places": {name: place.tolist() for name, place in scene.places.items()},
            "axes": {name: axes.tolist() for name, axes in scene.axes.items()},
            "labels": scene.labels,
            "questions": [asdict(question) for question in scene.questions],
        }
        for scene in scenes.scenes
    ]
    about = {
        "rig": scenes.rig,
        "camera": scenes.camera.model_dump(mode="json"),
        "view": asdict(scenes.view),
        "data_hash": scenes.data_hash,
        "scenes": texts,
    }
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("wb") as file:
        np.savez_compressed(file, images=np.stack([scene.image for scene in scenes.scenes]), about=json.dumps(about))
    partial.replace(path)


def load_scenes(path: Path) -> SceneSet:
    """Reads what `save_scenes` wrote; raises ImoveError where it did not."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            images, about = stored["images"], json.loads(str(stored["about"]))
        return SceneSet(
            about["rig"],
            Camera.model_validate(about["camera"]),
            TableView(**{**about["view"], "center": tuple(about["view"]["center"])}),
            tuple(_stored_scenes(images, about)),
            about["data_hash"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ImoveError(f"{path} holds no scenes of `imove train`: {error}; delete it to make it again") from error


def _stored_scenes(images: NDArray[np.uint8], about: dict[str, object]) -> Iterator[Scene]:
    for image, text in zip(images, about["scenes"], strict=True):  # type: ignore[call-overload]
        yield Scene(
            text["spec_id"],
            text["spec_hash"],
            str(about["rig"]),
            image,
            {name: np.array(place) for name, place in text["places"].items()},
            {name: np.array(axes) for name, axes in text["axes"].items()},
            tuple(Question(**question) for question in text["questions"]),
            text["labels"],
        )
