"""Closed-form inverse kinematics of yaw, pitch, pitch arms with a spherical wrist, such as PiPER and ViperX 300 s."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import acos, atan2, cos, hypot, pi, sin

import numpy as np

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics.angles import angle_about, cross, wrap, wrapped_into
from imove_core.kinematics import link_poses
from imove_core.transforms import Array, inverse, rotation_about_axis
from imove_description.arm_model import ArmModel

_UP = np.array([0.0, 0.0, 1.0])
_STRAIGHT_SINE = 1e-7
"""Below this sine of the wrist's bend, joints 4 and 6 turn about the same line."""


@dataclass(frozen=True)
class _Linkage:
    """The arm at joint position zero, seen from its base; planar values are in its vertical plane, radius and height.

    Attributes:
        yaw_sign: 1 where joint 1 turns counter-clockwise seen from above, else -1.
        normal: (3,) axis of joints 2 and 3.
        azimuth: Direction in which the plane leaves the base axis, rad.
        shoulder: Radius and height of joint 2.
        upper: Length from joint 2 to joint 3.
        fore: Length from joint 3 to the wrist centre.
        upper_angle: Elevation of the line from joint 2 to joint 3, rad.
        fore_angle: Elevation of the line from joint 3 to the wrist centre, rad.
        roll, pitch, tool: (3,) axes of joints 4, 5 and 6.
        bend: Angle about joint 5 from the axis of joint 4 to that of joint 6, rad.
        wrist_in_flange: (3,) the wrist centre in the flange frame.
        base_from_flange: (3, 3) orientation of the flange.
    """

    yaw_sign: float
    normal: Array
    azimuth: float
    shoulder: tuple[float, float]
    upper: float
    fore: float
    upper_angle: float
    fore_angle: float
    roll: Array
    pitch: Array
    tool: Array
    bend: float
    wrist_in_flange: Array
    base_from_flange: Array


class SphericalWristSolver:
    """All joint vectors that bring the tool to a pose, for yaw, pitch, pitch, roll, pitch, roll arms.

    Joint 1 turns the arm's vertical plane; joints 2 and 3 are parallel and perpendicular to it, and shoulder, elbow and
    forearm may be offset inside it. The axes of joints 4, 5 and 6 meet in the wrist centre, each perpendicular to the
    next one's. The wrist centre thus fixes joints 1 to 3 in up to four ways; the orientation that is left fixes
    joints 4 to 6 in two ways each.
    """

    def __init__(self, model: ArmModel) -> None:
        """Measures the linkage at joint position zero.

        Raises:
            ImoveError: The arm is of another type.
        """
        self._limits = model.joint_limits
        self._tcp_from_flange = inverse(model.flange_from_tcp)
        self._linkage = _measured(model)

    def solve(self, base_from_tcp: Array) -> list[Array]:
        """Returns every solution (6,) within the joint limits, rad; empty when the pose is out of reach.

        Where the wrist is straight only the sum of joints 4 and 6 is fixed: joint 6 then takes as much as it can.

        Args:
            base_from_tcp: (4, 4) pose of the tool frame in the arm's base frame.
        """
        base_from_flange = base_from_tcp @ self._tcp_from_flange
        rotation = base_from_flange[:3, :3]
        wrist = rotation @ self._linkage.wrist_in_flange + base_from_flange[:3, 3]
        turn = rotation @ self._linkage.base_from_flange.T
        solutions = []
        for arm in self._arm_angles(*wrist.tolist()):
            for hand in self._wrist_angles(*arm, turn):
                solution = wrapped_into(self._limits, np.array([*arm, *hand]))
                if solution is not None:
                    solutions.append(solution)
        return solutions

    def _arm_angles(self, x: float, y: float, z: float) -> Iterator[tuple[float, float, float]]:
        """Joints 1 to 3 that bring the wrist centre to a place in the base frame, first with the arm to the front."""
        linkage = self._linkage
        yaw = atan2(y, x) - linkage.azimuth
        upper, fore = linkage.upper, linkage.fore
        for flip, side in ((0.0, 1.0), (pi, -1.0)):
            radius, height = side * hypot(x, y) - linkage.shoulder[0], z - linkage.shoulder[1]
            cosine = (radius**2 + height**2 - upper**2 - fore**2) / (2 * upper * fore)
            # So written, a place with NaN in it is out of reach.
            if not abs(cosine) <= 1.0:
                continue
            elbow = acos(cosine)
            for bend in (elbow, -elbow) if elbow else (0.0,):
                elevation = atan2(height, radius) - atan2(fore * sin(bend), upper + fore * cos(bend))
                # A positive pitch lowers.
                q2 = linkage.upper_angle - elevation
                q3 = linkage.fore_angle - (elevation + bend) - q2
                yield linkage.yaw_sign * (yaw + flip), q2, q3

    def _wrist_angles(self, q1: float, q2: float, q3: float, turn: Array) -> Iterator[tuple[float, float, float]]:
        """Joints 4 to 6 that finish the rotation `turn` (3, 3) of the flange since joint position zero."""
        linkage = self._linkage
        forearm = rotation_about_axis(_UP, linkage.yaw_sign * q1) @ rotation_about_axis(linkage.normal, q2 + q3)
        roll, pitch, tool = forearm @ linkage.roll, forearm @ linkage.pitch, turn @ linkage.tool
        across = cross(roll, tool)
        sine, cosine = float(np.sqrt(across @ across)), float(roll @ tool)
        if sine < _STRAIGHT_SINE:
            side = 1.0 if cosine > 0 else -1.0
            total = angle_about(roll, pitch, turn @ linkage.pitch)
            low, high = self._limits[5].tolist()
            q6 = min(max(wrap(side * total), low), high)
            yield total - side * q6, atan2(0.0, cosine) - linkage.bend, q6
            return
        raised, raised_by_tool = cross(pitch, roll), cross(linkage.pitch, linkage.tool)
        back = turn.T @ roll
        for side in (1.0, -1.0):
            q4 = angle_about(roll, side * raised, tool)
            q6 = -angle_about(linkage.tool, -side * raised_by_tool, back)
            yield q4, side * atan2(sine, cosine) - linkage.bend, q6


def _measured(model: ArmModel) -> _Linkage:
    if len(model.joints) != 6:
        raise ImoveError(f"arm model {model.name} has {len(model.joints)} joints; closed-form IK takes 6")
    zero = link_poses(model, np.zeros(6))
    frames = [zero[joint.child] for joint in model.joints]
    waist, normal, elbow_axis, roll, pitch, tool = (
        frame[:3, :3] @ joint.axis for frame, joint in zip(frames, model.joints, strict=True)
    )
    _, shoulder, elbow, on_roll, on_pitch, on_tool = (frame[:3, 3] for frame in frames)
    # Axes 4 and 6 are perpendicular to axis 5: where they meet it is the point of axis 5 nearest to either.
    wrist = on_pitch + ((on_roll - on_pitch) @ pitch) * pitch
    radial = np.cross(normal, _UP)
    bars = elbow - shoulder, wrist - elbow
    deviations = [
        abs(float(waist[2])) - 1.0,
        float(np.hypot(*frames[0][:2, 3])),
        float(normal[2]),
        float(np.linalg.norm(elbow_axis - normal)),
        float(roll @ pitch),
        float(pitch @ tool),
        float(np.linalg.norm(np.cross(wrist - on_roll, roll))),
        float(np.linalg.norm(np.cross(wrist - on_tool, tool))),
        *(float(normal @ offset) for offset in (shoulder, *bars)),
    ]
    if max(abs(deviation) for deviation in deviations) > 1e-4:
        raise ImoveError(f"arm model {model.name} is not of the yaw, pitch, pitch, roll, pitch, roll type")
    return _Linkage(
        yaw_sign=float(np.sign(waist[2])),
        normal=normal,
        azimuth=atan2(radial[1], radial[0]),
        shoulder=(float(shoulder @ radial), float(shoulder[2])),
        upper=float(np.linalg.norm(bars[0])),
        fore=float(np.linalg.norm(bars[1])),
        upper_angle=atan2(bars[0][2], bars[0] @ radial),
        fore_angle=atan2(bars[1][2], bars[1] @ radial),
        roll=roll,
        pitch=pitch,
        tool=tool,
        bend=angle_about(pitch, roll, tool),
        wrist_in_flange=frames[5][:3, :3].T @ (wrist - on_tool),
        base_from_flange=frames[5][:3, :3],
    )
