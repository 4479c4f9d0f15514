"""Closed-form inverse kinematics of yaw, pitch, pitch, pitch, yaw, roll arms such as PiPER X."""

from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics.angles import angle_about, wrap, wrapped_into
from imove_core.kinematics import joint_transform, link_poses
from imove_core.transforms import Array, inverse, rotation_about_axis
from imove_description.arm_model import ArmModel


@dataclass(frozen=True)
class _Planar:
    """Lengths and zero angles of an arm whose joints 2, 3, 4 are parallel, seen in its vertical plane."""

    shoulder_height: float
    upper: float
    fore: float
    wrist: float
    tip: float
    upper_angle: float
    fore_angle: float
    wrist_angle: float
    yaw_sign: float
    pitch_sign: float
    normal_at_zero: Array
    radial_at_zero: Array


class ParallelPitchSolver:
    """All joint vectors that bring the tool to a pose, for yaw, pitch, pitch, pitch, yaw, roll arms.

    Joint 1 turns the arm's vertical plane. Joints 2, 3, 4 are parallel and act inside it; joint 5 is perpendicular to
    the last of them inside the plane, joint 6 rolls about the tool axis; neighbouring axes meet without offset out of
    the plane. The direction of the tool thus fixes joint 5, the plane's other freedoms form a three-bar linkage.
    """

    def __init__(self, model: ArmModel) -> None:
        """Measures the linkage at joint position zero.

        Raises:
            ImoveError: The arm is of another type.
        """
        self._model = model
        self._planar = self._measure()

    def _measure(self) -> _Planar:
        model = self._model
        if len(model.joints) != 6:
            raise ImoveError(f"arm model {model.name} has {len(model.joints)} joints; closed-form IK takes 6")
        zero = link_poses(model, np.zeros(6))
        frames = [zero[joint.child] for joint in model.joints]
        axes = [frame[:3, :3] @ joint.axis for frame, joint in zip(frames, model.joints, strict=True)]
        normal = axes[1]
        points = [frame[:3, 3] for frame in frames]
        bars = [points[2] - points[1], points[3] - points[2], points[4] - points[3]]
        tip = float(np.linalg.norm(points[5] - points[4]))
        deviations = [
            abs(float(axes[0][2])) - 1,
            float(np.linalg.norm(points[1][:2])),
            float(normal[2]),
            *(float(np.linalg.norm(axes[i] - normal)) for i in (2, 3)),
            *(float(bar @ normal) for bar in bars),
            float(axes[4] @ normal),
            float(axes[4] @ bars[2]),
            float(np.linalg.norm(points[5] - points[4] - tip * axes[5])),
            float(axes[5] @ axes[4]),
            float(np.linalg.norm(bars[2] - np.linalg.norm(bars[2]) * axes[5])),
        ]
        if max(abs(deviation) for deviation in deviations) > 1e-4:
            raise ImoveError(f"arm model {model.name} is not of the yaw, pitch, pitch, pitch, yaw, roll type")
        # Seen along the normal, radius to the right and height up; the plane's radial direction is normal x z.
        radial = np.cross(normal, [0, 0, 1.0])
        directions = (bars[0], bars[1], axes[5])
        upper_angle, fore_angle, wrist_angle = (float(np.arctan2(bar[2], bar @ radial)) for bar in directions)
        upper, fore, wrist = (float(np.linalg.norm(bar)) for bar in bars)
        return _Planar(
            shoulder_height=float(points[1][2]),
            upper=upper,
            fore=fore,
            wrist=wrist,
            tip=tip,
            upper_angle=upper_angle,
            fore_angle=fore_angle,
            wrist_angle=wrist_angle,
            yaw_sign=float(np.sign(axes[0][2])),
            pitch_sign=float(np.sign(np.cross(radial, [0, 0, 1.0]) @ normal)),
            normal_at_zero=normal,
            radial_at_zero=radial,
        )

    def solve(self, base_from_tcp: Array) -> list[Array]:
        """Returns every solution (6,) within the joint limits, rad; empty when the pose is out of reach.

        Args:
            base_from_tcp: (4, 4) pose of the tool frame in the arm's base frame.
        """
        model, planar = self._model, self._planar
        base_from_flange = base_from_tcp @ inverse(model.flange_from_tcp)
        tool_axis = base_from_flange[:3, :3] @ model.joint_axes[5]
        wrist_centre = base_from_flange[:3, 3] - planar.tip * tool_axis
        solutions = []
        zero_yaw = np.arctan2(planar.radial_at_zero[1], planar.radial_at_zero[0])
        for flip in (0.0, np.pi):
            yaw = wrap(np.arctan2(wrist_centre[1], wrist_centre[0]) - zero_yaw + flip)
            turn = rotation_about_axis([0, 0, 1.0], yaw)
            normal, radial = turn @ planar.normal_at_zero, turn @ planar.radial_at_zero
            in_plane = tool_axis - (tool_axis @ normal) * normal
            if np.linalg.norm(in_plane) < 1e-6:
                continue
            wrist_direction = in_plane / np.linalg.norm(in_plane)
            elbow_joint = wrist_centre - planar.wrist * wrist_direction
            reach = np.array([elbow_joint @ radial, elbow_joint[2] - planar.shoulder_height])
            distance = np.linalg.norm(reach)
            cosine = (distance**2 - planar.upper**2 - planar.fore**2) / (2 * planar.upper * planar.fore)
            if abs(cosine) > 1:
                continue
            wrist_pitch = np.arctan2(wrist_direction[2], wrist_direction @ radial)
            for bend in (np.arccos(cosine), -np.arccos(cosine)):
                fore_offset = np.arctan2(planar.fore * np.sin(bend), planar.upper + planar.fore * np.cos(bend))
                upper_pitch = np.arctan2(reach[1], reach[0]) - fore_offset
                fore_pitch = upper_pitch + bend
                q2 = planar.pitch_sign * (upper_pitch - planar.upper_angle)
                q3 = planar.pitch_sign * (fore_pitch - planar.fore_angle) - q2
                q4 = planar.pitch_sign * (wrist_pitch - planar.wrist_angle) - q2 - q3
                arm = wrapped_into(model.joint_limits, np.array([planar.yaw_sign * yaw, q2, q3, q4, 0.0, 0.0]))
                if arm is None:
                    continue
                solution = self._finish(arm, base_from_flange, tool_axis)
                if solution is not None:
                    solutions.append(solution)
        return solutions

    def _finish(self, arm: Array, base_from_flange: Array, tool_axis: Array) -> Array | None:
        """Adds joints 5 and 6: the one turns the tool axis into place, the other rolls about it."""
        model = self._model
        pose = np.eye(4)
        for index in range(4):
            pose = pose @ joint_transform(model, index, arm[index])
        yaw_frame, roll_offset = pose @ model.parent_from_joint[4], model.parent_from_joint[5]
        roll_axis = (yaw_frame @ roll_offset)[:3, :3] @ model.joint_axes[5]
        arm[4] = angle_about(yaw_frame[:3, :3] @ model.joint_axes[4], roll_axis, tool_axis)
        roll_frame = pose @ joint_transform(model, 4, arm[4]) @ roll_offset
        arm[5] = angle_about(tool_axis, roll_frame[:3, 0], base_from_flange[:3, 0])
        reached = pose @ joint_transform(model, 4, arm[4]) @ joint_transform(model, 5, arm[5])
        # So written, a pose with NaN in it has no solution.
        if not np.max(np.abs(reached - base_from_flange)) < 1e-5:
            return None
        return wrapped_into(model.joint_limits, arm)
