"""Time parameterisation of joint curves within velocity, acceleration and jerk limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ruckig import InputParameter, Result, Ruckig, Trajectory
from scipy.interpolate import BSpline

from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_motion.planning.curves import DEGREE, rounded
from imove_motion.planning.protocol import PlanningError

LOOKS = 200
"""Times at which speed, acceleration and jerk along a curve are compared with their limits."""
RESERVE = 1.001
"""What the limits may be exceeded by between two looks."""
SPAN_S = 0.12
"""Knots of a curve are so far apart at full speed: corners are cut from about that long before to that long after."""
NOTHING = 1e-9
"""Waypoints nearer than this, in seconds at full speed, are one."""


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """What a motion of one arm keeps within.

    Attributes:
        velocity: (size,) rad/s, of the gripper's opening m/s.
        acceleration: (size,) rad/s^2, m/s^2.
        jerk: (size,) rad/s^3, m/s^3.
    """

    velocity: Array
    acceleration: Array
    jerk: Array

    @classmethod
    def of(
        cls, arm: Arm, velocity_rad_s: float = np.inf, acceleration_rad_s2: float = np.inf, jerk_rad_s3: float = np.inf
    ) -> MotionLimits:
        """The limits of an arm, those of its joints lowered to what a task wants."""
        caps = (velocity_rad_s, acceleration_rad_s2, jerk_rad_s3)
        of_arm = (arm.velocity_limits, arm.acceleration_limits, arm.jerk_limits)
        return cls(*(np.append(np.minimum(own[:-1], cap), own[-1]) for own, cap in zip(of_arm, caps, strict=True)))

    def slower(self, factor: float) -> MotionLimits:
        """The same with speeds divided by a factor."""
        return MotionLimits(self.velocity / factor, self.acceleration, self.jerk)


def curve_along(waypoints: Array, limits: MotionLimits, span_s: float = SPAN_S) -> BSpline | None:
    """The rounded curve along waypoints (m, size), over seconds at full speed; None where nothing moves."""
    lengths_s = (np.abs(np.diff(waypoints, axis=0)) / limits.velocity).max(axis=1)
    return None if lengths_s.sum() < NOTHING else rounded(waypoints, lengths_s, span_s)


def timed(curve: BSpline, limits: MotionLimits, rate_hz: float, least_s: float = 0.0) -> Array:
    """Runs a curve from rest to rest, as fast as its tightest place allows.

    The way along the curve is a jerk-limited profile whose limits are those of the joints by the curve's first
    derivative, which is exact where it is straight. Where it bends, speed, acceleration and jerk of the joints are
    computed from its derivatives, and the whole profile is slowed down by the factor that they ask for: time by k
    divides speed by k, acceleration by its square and jerk by its cube.

    Args:
        curve: From `curve_along`.
        limits: What to keep within.
        rate_hz: Of the rows.
        least_s: Least duration.

    Returns:
        (T, size) rows one period apart, the first one period after the start, the last at the end of the curve.
    """
    profile = _profile(curve, limits)
    factor = max(1.0, RESERVE * _slowdown(curve, profile, limits))
    wanted_s = max(least_s, profile.duration * factor)
    count = max(1, int(np.ceil(wanted_s * rate_hz - NOTHING)))
    times_s = np.arange(1, count + 1) / count * profile.duration
    ways = np.array([profile.at_time(float(time_s))[0][0] for time_s in times_s])
    end = float(curve.t[-1])
    rows: Array = curve(np.clip(ways, 0.0, end))
    rows[-1] = curve.c[-1]
    return rows


def _profile(curve: BSpline, limits: MotionLimits) -> Trajectory:
    slopes = np.abs(curve.derivative()(np.linspace(0.0, curve.t[-1], LOOKS))).max(axis=0)
    asked = InputParameter(1)
    asked.current_position, asked.target_position = [0.0], [float(curve.t[-1])]
    with np.errstate(divide="ignore"):
        asked.max_velocity = [float((limits.velocity / slopes).min())]
        asked.max_acceleration = [float((limits.acceleration / slopes).min())]
        asked.max_jerk = [float((limits.jerk / slopes).min())]
    profile = Trajectory(1)
    if Ruckig(1).calculate(asked, profile) not in (Result.Working, Result.Finished):
        raise PlanningError("time", f"a way of {float(curve.t[-1]):.3g} s at full speed has no profile")
    return profile


def _slowdown(curve: BSpline, profile: Trajectory, limits: MotionLimits) -> float:
    """By what factor a profile must be slowed down for the joints to keep within their limits."""
    own = profile.profiles[0][0]
    # Bends are strongest at knots.
    knots = [profile.get_first_time_at_position(0, float(knot)) for knot in curve.t[DEGREE + 1 : -DEGREE - 1]]
    at_knots = [time_s for time_s in knots if time_s is not None]
    times_s = np.sort(np.concatenate([np.linspace(0.0, profile.duration, LOOKS), at_knots, np.cumsum(own.t)]))
    times_s = times_s.clip(max=profile.duration)
    states = [profile.at_time(float(time_s)) for time_s in times_s]
    way, speed, acceleration = (np.array([state[i][0] for state in states])[:, None] for i in range(3))
    part = np.searchsorted(np.cumsum(own.t), times_s, side="right").clip(max=len(own.j) - 1)
    jerk = np.array(own.j)[part][:, None]
    first, second, third = (curve.derivative(order)(way[:, 0].clip(0.0, curve.t[-1])) for order in (1, 2, 3))
    velocity = np.abs(first * speed) / limits.velocity
    accelerations = np.abs(first * acceleration + second * speed**2) / limits.acceleration
    jerks = np.abs(first * jerk + 3 * second * speed * acceleration + third * speed**3) / limits.jerk
    return float(max(velocity.max(), np.sqrt(accelerations.max()), np.cbrt(jerks.max())))
