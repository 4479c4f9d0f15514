"""The colour of light of a temperature, against tabulated chromaticities of black bodies."""

import numpy as np
import pytest

from imove_sim_bridge.lighting import WHITE_K, light_rgb, planckian_xy

# CIE 1931 x, y of the Planckian locus; 2856 K is CIE illuminant A (CIE 15).
LOCUS = {
    2000: (0.5267, 0.4133),
    2856: (0.4476, 0.4074),
    4000: (0.3805, 0.3768),
    5000: (0.3451, 0.3516),
    10000: (0.2807, 0.2884),
}


@pytest.mark.parametrize("temperature_k", LOCUS)
def test_chromaticity_is_that_of_a_black_body(temperature_k: int) -> None:
    np.testing.assert_allclose(planckian_xy(temperature_k), LOCUS[temperature_k], atol=0.0015)


def test_white_is_white_and_warm_light_is_warm() -> None:
    np.testing.assert_allclose(light_rgb(WHITE_K), 1.0, atol=1e-12)
    colors = np.array([light_rgb(kelvin) for kelvin in range(1700, 25000, 100)])
    assert (np.diff(colors[:, 0]) < 0).all() and (np.diff(colors[:, 2]) >= 0).all()
    warm, cold = light_rgb(3000.0), light_rgb(9000.0)
    assert warm[0] > warm[1] > warm[2] and cold[2] > cold[1] > cold[0]


@pytest.mark.parametrize("temperature_k", LOCUS)
def test_all_temperatures_are_equally_bright(temperature_k: int) -> None:
    assert [0.2126, 0.7152, 0.0722] @ light_rgb(temperature_k) ** 2.2 == pytest.approx(1.0)
