"""Poses of all links of an arm at many joint vectors at once."""

from __future__ import annotations

import numpy as np

from imove_core.transforms import Array
from imove_description.arm_model import ArmModel


class Chain:
    """Forward kinematics of one arm, vectorised over joint vectors."""

    def __init__(self, model: ArmModel) -> None:
        """Prepares the turns of the joints."""
        self._model = model
        axes = model.joint_axes
        cross = np.zeros((len(axes), 3, 3))
        cross[:, [2, 0, 1], [1, 2, 0]] = axes
        cross[:, [1, 2, 0], [2, 0, 1]] = -axes
        self._cross, self._square = cross, cross @ cross
        self.links = tuple(link.name for link in model.links)
        """Names of the links, in the order of the poses."""

    def poses(self, joints: Array, opening_m: float) -> Array:
        """Returns `base_from_link` (S, links, 4, 4) at joint vectors (S, n), rad, and one gripper opening."""
        model, count = self._model, len(joints)
        # Rodrigues' formula: R = 1 + sin K + (1 - cos) K^2.
        turns = np.zeros((count, joints.shape[1], 4, 4))
        turns[..., :3, :3] = (
            np.eye(3)
            + np.sin(joints)[..., None, None] * self._cross
            + (1.0 - np.cos(joints))[..., None, None] * self._square
        )
        turns[..., 3, 3] = 1.0
        steps = model.parent_from_joint @ turns
        found = {model.base_link: np.broadcast_to(np.eye(4), (count, 4, 4))}
        for index, joint in enumerate(model.joints):
            found[joint.child] = found[joint.parent] @ steps[:, index]
        for mount in model.mounts:
            found[mount.child] = found[mount.parent] @ mount.parent_from_child
        for finger, position in zip(model.gripper.fingers, model.gripper.finger_positions(opening_m), strict=True):
            shift = np.eye(4)
            shift[:3, 3] = finger.axis * position
            found[finger.child] = found[finger.parent] @ (finger.parent_from_joint @ shift)
        return np.stack([found[link] for link in self.links], axis=1)
