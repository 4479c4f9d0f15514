"""A rig as the generator of MoveIt configurations takes it."""

from __future__ import annotations

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_description.moveit.values import MoveItArm, MoveItRig
from imove_description.reading import DescriptionError


def moveit_rig(rig: Rig) -> MoveItRig:
    """The rig's arms for `imove_description.moveit`.

    Raises:
        ImoveError: Two planning groups would have the same name.
    """
    arms = tuple(
        MoveItArm(
            name=arm.name,
            prefix=arm.joint_prefix,
            model=arm.arm_model,
            world_from_base=arm.world_from_base.matrix,
            home=np.array(arm.home),
            home_opening_m=arm.home_opening_m,
        )
        for arm in rig.arms
    )
    try:
        return MoveItRig(rig.name, arms)
    except DescriptionError as error:
        raise ImoveError(str(error)) from error
