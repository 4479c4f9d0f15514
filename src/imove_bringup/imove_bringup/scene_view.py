"""What a viewer tells about an episode beside the picture: names of objects, the instruction, stages reached."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

BANNER_RUBRIC = "strict"


@dataclass(frozen=True)
class SceneView:
    """What is known of the episode that is shown; each event makes a new view.

    Attributes:
        episode_id: The episode, "" before the first.
        labels: What people call each object, by object id.
        assets: What each object looks like, by object id.
        target: Id of the instructed object if it may be shown, else None.
        instruction: Text sent to the policy.
        stages: Stages reached under the strict rubric, in order, with the object's label.
    """

    episode_id: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    assets: Mapping[str, Asset] = field(default_factory=lambda: MappingProxyType({}))
    target: str | None = None
    instruction: str = ""
    stages: tuple[str, ...] = ()

    @property
    def banner(self) -> str:
        """The instruction, and one line for each stage reached."""
        if not self.episode_id:
            return ""
        return "\n".join([f'"{self.instruction}"', *self.stages])

    def with_stage(self, rubric: str, stage: str, object_id: str, elapsed_s: float) -> "SceneView":
        """The view after a stage event; events of another rubric than the strict one change nothing.

        Args:
            rubric: Rubric of the event.
            stage: Stage that was reached.
            object_id: The object that reached it.
            elapsed_s: Time since the first observation.
        """
        if rubric != BANNER_RUBRIC:
            return self
        mark = " (target)" if object_id == self.target else ""
        line = f"{elapsed_s:5.1f} s  {stage}: {self.labels.get(object_id, object_id)}{mark}"
        return replace(self, stages=(*self.stages, line))


def view_of_episode(
    episode_id: str, spec: EpisodeSpec, condition: str, library: AssetLibrary, *, show_target: bool
) -> SceneView:
    """The view at the start of an episode.

    Args:
        episode_id: The episode.
        spec: Its spec.
        condition: Its instruction condition.
        library: Where the objects' names are looked up.
        show_target: Whether the instructed object may be given away.
    """
    instruction = spec.instruction(condition)
    assets = {item.id: library.get(item.asset) for item in spec.objects}
    return SceneView(
        episode_id=episode_id,
        labels=MappingProxyType(_labels(assets)),
        assets=MappingProxyType(assets),
        target=instruction.target if show_target else None,
        instruction=instruction.text,
    )


def _labels(assets: Mapping[str, Asset]) -> dict[str, str]:
    """The plain category of each object; colour and material too where two are of one category."""
    captions = {key: asset.phrase for key, asset in assets.items()}
    count = Counter(captions.values())
    return {key: assets[key].name if count[caption] > 1 else caption for key, caption in captions.items()}
