"""The light of an episode in MuJoCo's terms, and the colour of light of a temperature."""

from __future__ import annotations

import mujoco
import numpy as np

from imove_core.randomization import Light
from imove_core.transforms import Array

KEY_LIGHT = "key"
WHITE_K = 6500.0
"""Light of this temperature is white: the cameras are balanced for it, as sRGB is."""
# Beside the diffuse level of the key light: the fill light at the camera, and the highlights of both. Highlights are
# what tells finishes apart.
_FILL_SHARE, _SPECULAR_SHARE, _FILL_SPECULAR_SHARE = 0.25 / 0.55, 0.35 / 0.55, 0.1 / 0.55
# Light goes this far towards the key light: beyond every object, though only its direction counts.
_KEY_DISTANCE_M = 2.0
# Linear sRGB from XYZ (IEC 61966-2-1), and the luminance of its primaries.
_RGB_FROM_XYZ = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
_DISPLAY_GAMMA = 2.2


def planckian_xy(temperature_k: float) -> tuple[float, float]:
    """CIE 1931 chromaticity of a black body of 1,667 to 25,000 K.

    Cubic approximation of B. Kang et al., "Design of advanced color temperature control system for HDTV applications",
    Journal of the Korean Physical Society 41 (2002), 865-871.
    """
    t = 1e3 / temperature_k
    if temperature_k <= 4000.0:
        x = np.polyval([-0.2661239, -0.2343589, 0.8776956, 0.179910], t)
    else:
        x = np.polyval([-3.0258469, 2.1070379, 0.2226347, 0.240390], t)
    if temperature_k <= 2222.0:
        y = np.polyval([-1.1063814, -1.34811020, 2.18555832, -0.20219683], x)
    elif temperature_k <= 4000.0:
        y = np.polyval([-0.9549476, -1.37418593, 2.09137015, -0.16748867], x)
    else:
        y = np.polyval([3.0817580, -5.87338670, 3.75112997, -0.37001483], x)
    return float(x), float(y)


def _linear_rgb(temperature_k: float) -> Array:
    x, y = planckian_xy(temperature_k)
    linear: Array = _RGB_FROM_XYZ @ [x / y, 1.0, (1.0 - x - y) / y]
    return linear.clip(0.0)


def light_rgb(temperature_k: float) -> Array:
    """Factors on red, green and blue (3,) of light of a temperature, white at `WHITE_K`, always equally bright.

    They are for colours as displayed (sRGB), since MuJoCo multiplies those with light.
    """
    linear = _linear_rgb(temperature_k) / _linear_rgb(WHITE_K)
    factors: Array = (linear / (_LUMINANCE @ linear)) ** (1.0 / _DISPLAY_GAMMA)
    return factors


def set_light(spec: mujoco.MjSpec, light: Light) -> None:
    """Lights a scene: every light in it gets the same colour, the fill light follows the key light's intensity."""
    color = light_rgb(light.temperature_k) * light.tint
    key, headlight = spec.light(KEY_LIGHT), spec.visual.headlight
    toward = np.asarray(light.toward_light)
    key.pos, key.dir = _KEY_DISTANCE_M * toward, -toward
    key.diffuse = light.intensity * color
    key.specular = light.intensity * _SPECULAR_SHARE * color
    headlight.diffuse = light.intensity * _FILL_SHARE * color
    headlight.specular = light.intensity * _FILL_SPECULAR_SHARE * color
    headlight.ambient = light.ambient * color
