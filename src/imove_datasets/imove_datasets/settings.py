"""What an export is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from imove_core.errors import ImoveError, unknown_name

FormatName = Literal["lerobot-v3", "lerobot-v2.1", "gr00t", "openpi", "motus"]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
Representation = Literal["absolute", "relative"]
REPRESENTATIONS: tuple[Representation, ...] = get_args(Representation)
ParaphraseMode = Literal["per-epoch", "all", "canonical"]
PARAPHRASE_MODES: tuple[ParaphraseMode, ...] = get_args(ParaphraseMode)

_Name = TypeVar("_Name", bound=str)

DEFAULT_REPRESENTATION: dict[FormatName, Representation] = {
    "lerobot-v3": "absolute",
    "lerobot-v2.1": "absolute",
    "gr00t": "relative",
    "openpi": "relative",
    "motus": "absolute",
}
"""What each trainer's own configurations normalise: GR00T N1.7 and openpi subtract the state at a chunk's start."""
DEFAULT_HORIZON: dict[FormatName, int] = {"lerobot-v3": 50, "lerobot-v2.1": 50, "gr00t": 30, "openpi": 50, "motus": 48}
"""Actions a chunk: pi0 and pi0.5 take 50, GR00T N1.7 predicts 40 of which the paper uses 30, Motus 8 frames times 6."""


@dataclass(frozen=True)
class AlignmentSettings:
    """How messages that come at their own times become frames.

    Attributes:
        reference_camera: Each of its images makes a frame; "" is the rig's first camera that stands still.
        max_age_s: The oldest that anything else may be at a frame, and the longest that an action may lie ahead.
        max_gap_s: An episode with a longer hole between two frames is left out: it would jump.
    """

    reference_camera: str = ""
    max_age_s: float = 0.05
    max_gap_s: float = 0.5

    def __post_init__(self) -> None:
        """Raises ImoveError for a time that is not positive."""
        for name, value in (("max age", self.max_age_s), ("max gap", self.max_gap_s)):
            if not value > 0:
                raise ImoveError(f"{name} is {value:g} s; a positive time is needed")


@dataclass(frozen=True)
class VideoSettings:
    """How images are stored.

    Attributes:
        size: Side of the square that an image is scaled into, with black borders; None leaves images as they are.
        crf: Constant rate factor of H.264, 0 (lossless luma) to 51; 18 keeps rendered scenes above 35 dB.
    """

    size: int | None = 224
    crf: int = 18

    def __post_init__(self) -> None:
        """Raises ImoveError for a size or factor that the encoder has not."""
        if self.size is not None and (self.size < 16 or self.size % 2):
            raise ImoveError(f"image size is {self.size}; an even number of at least 16 pixels is needed")
        if not 0 <= self.crf <= 51:
            raise ImoveError(f"crf is {self.crf}; 0 to 51 is allowed")


@dataclass(frozen=True)
class ExportSettings:
    """One export.

    Attributes:
        format: Which trainer it is for.
        actions: What the statistics of actions describe: targets, or, for arm joints, targets minus the state at the
            start of the chunk. Stored targets are absolute in both cases, as all these trainers subtract themselves.
        horizon: Actions a chunk, for relative statistics.
        paraphrases: `canonical`: the instruction that was sent. `all`: the frames of an episode go through all its
            seen wordings. `per-epoch`: the canonical one, and a table from which a sampler takes one each epoch.
        alignment: How frames are made.
        video: How images are stored.
        trim_idle: Whether frames at both ends in which nothing moves are cut off.
    """

    format: FormatName
    actions: Representation
    horizon: int
    paraphrases: ParaphraseMode = "per-epoch"
    alignment: AlignmentSettings = AlignmentSettings()
    video: VideoSettings = VideoSettings()
    trim_idle: bool = False


def export_settings(
    format_name: str,
    *,
    actions: str | None = None,
    horizon: int | None = None,
    paraphrases: str = "per-epoch",
    alignment: AlignmentSettings | None = None,
    video: VideoSettings | None = None,
    trim_idle: bool = False,
) -> ExportSettings:
    """Settings with the format's own defaults where None is given.

    Raises:
        ImoveError: An unknown name, or what the format cannot carry.
    """
    known = _one_of("format", format_name, FORMATS)
    representation = _one_of("actions", actions or DEFAULT_REPRESENTATION[known], REPRESENTATIONS)
    mode = _one_of("paraphrases", paraphrases, PARAPHRASE_MODES)
    chunk = DEFAULT_HORIZON[known] if horizon is None else horizon
    if chunk < 1:
        raise ImoveError(f"horizon is {chunk}; at least 1 is needed")
    if known == "motus" and representation == "relative":
        raise ImoveError("actions are relative; Motus normalises absolute targets, so motus takes absolute alone")
    if known == "motus" and mode == "all":
        raise ImoveError(
            "paraphrases are all; Motus has one text embedding an episode, so motus takes canonical or per-epoch"
        )
    return ExportSettings(
        format=known,
        actions=representation,
        horizon=chunk,
        paraphrases=mode,
        alignment=alignment or AlignmentSettings(),
        video=video or VideoSettings(),
        trim_idle=trim_idle,
    )


def _one_of(kind: str, got: str, allowed: tuple[_Name, ...]) -> _Name:
    for name in allowed:
        if got == name:
            return name
    raise unknown_name(kind, got, allowed)
