"""Smoothness against movements whose values follow from formulas."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from imove_analysis.smoothness import log_dimensionless_jerk, movement, sparc

LEAST_JERK_LDLJ = -np.log(720 / 1.875**2)
"""Of v = 30 t^2 (1 - t)^2 on [0, 1]: its peak is 1.875, and the integral of its second derivative squared is 720."""


def least_jerk(duration_s, length_m=0.3, rate_hz=30):
    """Speed of a reach of least jerk (Flash and Hogan 1985), sampled at the middle of each step."""
    t = (np.arange(round(duration_s * rate_hz)) + 0.5) / (duration_s * rate_hz)
    return length_m / duration_s * 30 * t**2 * (1 - t) ** 2


def least_jerk_arc():
    """The spectral arc length of a reach of least jerk, by quadrature of its continuous spectrum."""

    def amplitude(f):
        # The profile is even about its middle, so its spectrum is a cosine integral; f is in cycles per duration.
        return quad(lambda t: 30 * (t**2) * (1 - t) ** 2 * np.cos(2 * np.pi * f * (t - 0.5)), 0, 1)[0]

    end = brentq(lambda f: amplitude(f) - 0.05, 0.5, 2.0)
    f = np.linspace(0, end, 400)
    return -np.hypot(np.diff(f) / end, np.diff([amplitude(x) for x in f])).sum()


@pytest.mark.parametrize("duration_s", [0.8, 1.0, 2.0, 5.0])
def test_a_reach_of_least_jerk(duration_s):
    speed = least_jerk(duration_s)
    assert sparc(speed, 30) == pytest.approx(least_jerk_arc(), abs=0.02)
    assert log_dimensionless_jerk(least_jerk(duration_s, rate_hz=1000), 1000) == pytest.approx(
        LEAST_JERK_LDLJ, abs=0.02
    )


@pytest.mark.parametrize("scale", [1e-3, 7.0])
def test_size_speed_and_unit_change_nothing(scale):
    rough = least_jerk(1.0) + 0.02 * (1 + np.sin(np.arange(30)))
    assert sparc(scale * rough, 30) == pytest.approx(sparc(rough, 30), rel=1e-12)
    assert log_dimensionless_jerk(scale * rough, 30) == pytest.approx(log_dimensionless_jerk(rough, 30), rel=1e-12)
    # The same samples at half the rate are the same movement at half the speed.
    assert log_dimensionless_jerk(rough / 2, 15) == pytest.approx(log_dimensionless_jerk(rough, 30), rel=1e-12)


def test_forth_and_back_in_time_are_equally_smooth(rng):
    speed = rng.uniform(0, 1, 80)
    assert sparc(speed[::-1], 30) == pytest.approx(sparc(speed, 30), rel=1e-9)
    assert log_dimensionless_jerk(speed[::-1], 30) == pytest.approx(log_dimensionless_jerk(speed, 30), rel=1e-9)


def test_hesitation_and_tremor_cost_smoothness(rng):
    reach = least_jerk(1.0)
    values = [
        sparc(reach, 30),
        sparc(np.concatenate([reach, np.zeros(9), reach]), 30),
        sparc(np.concatenate([reach, np.zeros(9), reach, np.zeros(9), reach]), 30),
    ]
    assert values == sorted(values, reverse=True)
    t = np.arange(30) / 30
    trembling = reach + 0.05 * (1 + np.sin(2 * np.pi * 8 * t))
    assert sparc(trembling, 30) < values[0] - 0.2
    assert log_dimensionless_jerk(trembling, 30) < log_dimensionless_jerk(reach, 30) - 1


def test_standing_still_around_a_movement_is_no_part_of_it():
    reach = least_jerk(1.0)
    waited = np.concatenate([np.zeros(50), reach, np.zeros(70)])
    assert movement(waited).tolist() == movement(reach).tolist()
    assert len(movement(reach)) < len(reach)
    assert sparc(waited, 30) == pytest.approx(sparc(reach, 30), abs=0.01)


def test_what_does_not_move_has_no_smoothness():
    assert sparc(np.zeros(20), 30) is None
    assert sparc(np.zeros(0), 30) is None
    assert log_dimensionless_jerk(np.zeros(20), 30) is None
    assert log_dimensionless_jerk(np.ones(3), 30) is None
    assert log_dimensionless_jerk(np.ones(20), 30) is None
