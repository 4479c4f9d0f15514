"""One picture of a video: the cameras side by side between the instruction and the stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from imove_bringup.episode_video.banner import StageSign
from imove_bringup.episode_video.frames import Frame, Pixels
from imove_bringup.episode_video.outline import box_edges, world_from_camera
from imove_core.rig import Rig

STRIP_PX = 24
"""Height of the strips above and below the images."""
TARGET, DESTINATION = (64, 230, 118), (90, 170, 255)
"""Colours of outlines: what is named, and where it is to be put."""
_DARK, _LIGHT, _GREY = (16, 20, 24), (240, 240, 240), (150, 156, 162)
_SIGNS = {"open": (_DARK, _GREY), "reached": ((24, 110, 60), _LIGHT), "wrong": ((176, 84, 16), _LIGHT)}
_FONT_PX = 13
_PAD_PX = 6
_LINE_PX = 2


@dataclass(frozen=True)
class Caption:
    """What stays the same over an episode.

    Attributes:
        instruction: What the policy was told; "" is shown as "no text".
        note: At the right, e.g. scene and condition.
        outlined: Colour of the outline by object id.
    """

    instruction: str
    note: str
    outlined: Mapping[str, tuple[int, int, int]]


def picture_size(cameras: int, width: int, height: int) -> tuple[int, int]:
    """Width and height of a picture with so many images of a size."""
    return cameras * width, height + 2 * STRIP_PX


def draw_picture(frame: Frame, rig: Rig, caption: Caption, signs: Sequence[StageSign], clock: str) -> Pixels:
    """Draws a picture.

    Args:
        frame: What is seen.
        rig: As it is in the episode.
        caption: Of the episode.
        signs: Of the stages at this control step.
        clock: Time as it is shown.

    Returns:
        (H, W, 3) RGB, see `picture_size`.
    """
    names = list(frame.images)
    height, width = frame.images[names[0]].shape[:2]
    canvas = Image.new("RGB", picture_size(len(names), width, height), _DARK)
    font = ImageFont.load_default(_FONT_PX)
    for place, name in enumerate(names):
        image = Image.fromarray(frame.images[name])
        _outline(image, frame, rig, name, caption.outlined)
        _label(image, name.removesuffix("_camera").replace("_", " "), font)
        canvas.paste(image, (place * width, STRIP_PX))
    draw = ImageDraw.Draw(canvas)
    right = f"{caption.note}   {clock}"
    room = canvas.width - draw.textlength(right, font) - 3 * _PAD_PX
    text = f"“{caption.instruction}”" if caption.instruction else "no text"
    middle = STRIP_PX / 2
    draw.text((_PAD_PX, middle), _shortened(draw, text, font, room), _LIGHT, font, anchor="lm")
    draw.text((canvas.width - _PAD_PX, middle), right, _GREY, font, anchor="rm")
    _signs(draw, signs, font, STRIP_PX + height, canvas.width)
    return np.asarray(canvas)


def _outline(
    image: Image.Image, frame: Frame, rig: Rig, camera_name: str, outlined: Mapping[str, tuple[int, int, int]]
) -> None:
    camera, draw = rig.camera(camera_name), ImageDraw.Draw(image)
    pose = world_from_camera(rig, camera, frame.state)
    for item in frame.state.objects:
        if item.id in outlined:
            for line in box_edges(item, camera, pose, image.width, image.height):
                draw.line([tuple(end) for end in line.tolist()], outlined[item.id], width=_LINE_PX)


def _label(image: Image.Image, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> None:
    draw = ImageDraw.Draw(image)
    box = draw.textbbox((_PAD_PX, image.height - _PAD_PX), text, font, anchor="ls")
    draw.rectangle((box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2), _DARK)
    draw.text((_PAD_PX, image.height - _PAD_PX), text, _LIGHT, font, anchor="ls")


def _signs(
    draw: ImageDraw.ImageDraw,
    signs: Sequence[StageSign],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    top: int,
    width: int,
) -> None:
    each = width / len(signs)
    for place, sign in enumerate(signs):
        ground, ink = _SIGNS[sign.standing]
        left = place * each
        draw.rectangle((left + 1, top + 2, left + each - 2, top + STRIP_PX - 3), ground)
        text = _shortened(draw, sign.text, font, each - 2 * _PAD_PX)
        draw.text((left + _PAD_PX, top + STRIP_PX / 2), text, ink, font, anchor="lm")


def _shortened(
    draw: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, room_px: float
) -> str:
    line = " ".join(text.split())
    if draw.textlength(line, font) <= room_px:
        return line
    while line and draw.textlength(line + "…", font) > room_px:
        line = line[:-1]
    return line + "…"
