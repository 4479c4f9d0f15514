"""Closed-form inverse kinematics of seven-joint arms such as Franka's, the last joint being tried at fixed angles."""

from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.transforms import Array, inverse, rotation_from_rpy, transform
from imove_description.arm_model import ArmModel

LAST_JOINT_STEP_RAD = np.pi / 16
"""Distance of the angles at which the last joint is tried; they are counted from its home position."""
_ROUNDING = 1e-9
_UPRIGHT = 1e-6
"""Sine of joint 2 below which joints 1 and 3 turn about the same line."""


@dataclass(frozen=True)
class _Lengths:
    """Lengths of an arm in modified Denavit-Hartenberg form, m.

    Attributes:
        shoulder_height: Of the point in which axes 1, 2, 3 meet.
        upper: From there along axis 3 to the elbow.
        elbow: From axis 3 to axis 4.
        fore_offset: From axis 4 to axis 5, along the x axis of joint 4.
        fore: Along axis 5 to the wrist, in which axes 5 and 6 meet.
        wrist: From axis 6 to axis 7.
    """

    shoulder_height: float
    upper: float
    elbow: float
    fore_offset: float
    fore: float
    wrist: float

    def parent_from_joint(self) -> Array:
        """(7, 4, 4) frames of the joints in their parents at position 0."""
        quarters = (0, -1, 1, 1, -1, 1, 1)
        places = (
            (0.0, 0.0, self.shoulder_height),
            (0.0, 0.0, 0.0),
            (0.0, -self.upper, 0.0),
            (self.elbow, 0.0, 0.0),
            (self.fore_offset, self.fore, 0.0),
            (0.0, 0.0, 0.0),
            (self.wrist, 0.0, 0.0),
        )
        turns = [rotation_from_rpy([quarter * np.pi / 2, 0.0, 0.0]) for quarter in quarters]
        return np.array([transform(turn, place) for turn, place in zip(turns, places, strict=True)])


@dataclass(frozen=True)
class _Bent:
    """M ways to bend the elbow so that shoulder and wrist are as far apart as they must be; vectors in the base frame.

    Attributes:
        last: (M,) position of joint 7, rad.
        elbow: (M,) position of joint 4, rad.
        x6: (3, M) x axis of joint 6.
        z6: (3, M) axis of joint 6.
        to_shoulder: (3, M) from the wrist to the shoulder, m.
        distance: (M,) its length, m.
    """

    last: Array
    elbow: Array
    x6: Array
    z6: Array
    to_shoulder: Array
    distance: Array


class SevenJointSolver:
    """Joint vectors that bring the tool to a pose, for arms with a spherical shoulder and an offset elbow and wrist.

    Axes 1, 2, 3 meet in the shoulder, axes 5 and 6 in the wrist; axis 4 passes both bars of the elbow at a distance,
    and axis 7 the wrist. Once joint 7 is given, shoulder and wrist are points at a known distance, which gives joint 4.
    What is left is a turn of the bent elbow about the line through them: axis 5 lies in the elbow's plane and must be
    square to axis 6, which holds for two turns. Each leaves two ways to take the shoulder.

    That the last joint makes the arm solvable is shown by He and Liu, "Analytical Inverse Kinematics for Franka Emika
    Panda" (2021).
    """

    def __init__(self, model: ArmModel) -> None:
        """Measures the arm.

        Raises:
            ImoveError: The arm is of another type.
        """
        if len(model.joints) != 7:
            raise ImoveError(f"arm model {model.name} has {len(model.joints)} joints; redundant closed-form IK takes 7")
        at = model.parent_from_joint[:, :3, 3]
        lengths = _Lengths(
            shoulder_height=float(at[0, 2]),
            upper=-float(at[2, 1]),
            elbow=float(at[3, 0]),
            fore_offset=float(at[4, 0]),
            fore=float(at[4, 1]),
            wrist=float(at[6, 0]),
        )
        deviation = max(
            float(np.abs(model.parent_from_joint - lengths.parent_from_joint()).max()),
            float(np.abs(model.joint_axes - [0.0, 0.0, 1.0]).max()),
        )
        if deviation > 1e-6 or min(lengths.upper, lengths.fore, lengths.wrist) <= 0:
            raise ImoveError(
                f"arm model {model.name} is not of the type with a spherical shoulder and an offset elbow and wrist"
            )
        self._lengths = lengths
        self._tcp_from_flange = inverse(model.flange_from_tcp)
        self._low, self._high = model.joint_limits.T
        self._middle = (self._low + self._high) / 2
        below, above = (float(limit - model.home[6]) / LAST_JOINT_STEP_RAD for limit in model.joint_limits[6])
        self._last = float(model.home[6]) + np.arange(np.ceil(below), np.floor(above) + 1) * LAST_JOINT_STEP_RAD

    @property
    def last_joint_rad(self) -> Array:
        """(K,) angles at which the last joint is tried, rad, rising."""
        return self._last.copy()

    def solve(self, base_from_tcp: Array) -> list[Array]:
        """Returns the solutions (7,) within the joint limits for each of `last_joint_rad`, rad, in their order.

        Args:
            base_from_tcp: (4, 4) pose of the tool frame in the arm's base frame.
        """
        base_from_flange = base_from_tcp @ self._tcp_from_flange
        # A pose with NaN makes NaN on the way, which is within no limits.
        with np.errstate(invalid="ignore", divide="ignore"):
            bent = self._bent(base_from_flange)
            joints = _wrapped(self._solved(bent, -base_from_flange[:3, 2]), self._middle)
        within = (joints >= self._low - _ROUNDING) & (joints <= self._high + _ROUNDING)
        return list(np.clip(joints[within.all(axis=1)], self._low, self._high))

    def _bent(self, base_from_flange: Array) -> _Bent:
        """The bends of the elbow, two at most for each angle of the last joint."""
        lengths, last = self._lengths, self._last
        x7, y7 = base_from_flange[:3, 0, None], base_from_flange[:3, 1, None]
        x6, z6 = np.cos(last) * x7 - np.sin(last) * y7, np.sin(last) * x7 + np.cos(last) * y7
        wrist = base_from_flange[:3, 3, None] - lengths.wrist * x6
        to_shoulder = np.array([[0.0], [0.0], [lengths.shoulder_height]]) - wrist
        distance = np.sqrt((to_shoulder**2).sum(axis=0))
        upper, fore = np.hypot(lengths.elbow, lengths.upper), np.hypot(lengths.fore_offset, lengths.fore)
        inner = _arccos((upper**2 + fore**2 - distance**2) / (2 * upper * fore))
        straight = np.arctan2(-lengths.upper, -lengths.elbow) - np.arctan2(lengths.fore, lengths.fore_offset)
        bends = _wrapped(straight + inner[:, None] * [1.0, -1.0], self._middle[3])
        index, sign = np.nonzero((bends >= self._low[3] - _ROUNDING) & (bends <= self._high[3] + _ROUNDING))
        return _Bent(
            last[index], bends[index, sign], x6[:, index], z6[:, index], to_shoulder[:, index], distance[index]
        )

    def _solved(self, bent: _Bent, y6: Array) -> Array:
        """(4 M, 7) joint vectors, up to whole turns: two turns of each elbow, two ways to take the shoulder."""
        lengths, c4, s4 = self._lengths, np.cos(bent.elbow), np.sin(bent.elbow)
        # Unit vector u from wrist to shoulder in frame 4, whose x and y axes span the elbow's plane; axis 5 is its y.
        u_x = (-lengths.elbow * c4 - lengths.upper * s4 - lengths.fore_offset) / bent.distance
        u_y = (lengths.elbow * s4 - lengths.upper * c4 - lengths.fore) / bent.distance
        # u in the base frame, and two vectors square to it, the first towards axis 6.
        u = bent.to_shoulder / bent.distance
        along = (u * bent.z6).sum(axis=0)
        across = np.sqrt(1.0 - along**2)
        first = (bent.z6 - along * u) / across
        second = _cross(u, first)
        angle = _arccos(-u_y * along / (u_x * across))
        angles = np.stack([angle, -angle], axis=1)
        # The rest has the shape (3, M, 2).
        u, first, second, x6, z6 = (vector[:, :, None] for vector in (u, first, second, bent.x6, bent.z6))
        c4, s4, u_x, u_y = (value[:, None] for value in (c4, s4, u_x, u_y))
        side = np.cos(angles) * first + np.sin(angles) * second
        x4, y4 = u_x * u - u_y * side, u_y * u + u_x * side
        z4 = np.cos(angles) * second - np.sin(angles) * first
        q5 = np.arctan2((z6 * x4).sum(axis=0), (z6 * z4).sum(axis=0))
        q6 = np.arctan2((x6 * y4).sum(axis=0), (y6[:, None, None] * y4).sum(axis=0))
        x3, z3 = c4 * x4 - s4 * y4, s4 * x4 + c4 * y4
        sine = np.hypot(z3[0], z3[1])
        upright = sine < _UPRIGHT
        half = np.arctan2(x3[1], x3[0]) / 2  # upright, only the sum of joints 1 and 3 counts
        q1 = np.where(upright, half, np.arctan2(z3[1], z3[0]))
        q3 = np.where(upright, half, np.arctan2(-z4[2], -x3[2]))
        q2 = np.arctan2(sine, z3[2])
        found = np.empty((*q1.shape, 2, 7))
        found[..., 0, 0], found[..., 0, 1], found[..., 0, 2] = q1, q2, q3
        found[..., 1, 0], found[..., 1, 1], found[..., 1, 2] = q1 + np.pi, np.where(upright, np.nan, -q2), q3 + np.pi
        found[..., 3] = bent.elbow[:, None, None]
        found[..., 4], found[..., 5] = q5[..., None], q6[..., None]
        found[..., 6] = bent.last[:, None, None]
        return found.reshape(-1, 7)


def _arccos(cosine: Array) -> Array:
    """Arc cosine that forgives rounding beyond 1; NaN further out."""
    return np.arccos(np.where(np.abs(cosine) < 1.0 + _ROUNDING, np.clip(cosine, -1.0, 1.0), np.nan))


def _cross(a: Array, b: Array) -> Array:
    """Cross products of (3, M) vectors; numpy's is many times slower."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _wrapped(angles: Array, middle: Array) -> Array:
    """The same angles within half a turn of the middle."""
    return middle + (angles - middle + np.pi) % (2 * np.pi) - np.pi
