"""Which arm touches or holds which object, and what carries it, from the contacts of one MuJoCo state."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

# A pad presses an object when the contact normal is within 60 degrees of the closing direction.
_PRESS_COSINE = 0.5
# A contact carries an object when its normal is within 60 degrees of the vertical.
_CARRY_COSINE = 0.5
TABLE = "table"


@dataclass(frozen=True)
class Owners:
    """Who owns each geom of a model; -1 where nobody of that kind does.

    Attributes:
        object_of_geom: (ngeom,) index of the object.
        arm_of_geom: (ngeom,) index of the arm, hands and fingers only.
        finger_of_geom: (ngeom,) 0 or 1.
        table_geoms: Geom ids of the table.
        tool_sites: Site id of each arm's tool centre.
        arm_names: By index.
        object_ids: By index.
    """

    object_of_geom: NDArray[np.int64]
    arm_of_geom: NDArray[np.int64]
    finger_of_geom: NDArray[np.int64]
    table_geoms: frozenset[int]
    tool_sites: tuple[int, ...]
    arm_names: tuple[str, ...]
    object_ids: tuple[str, ...]


@dataclass
class ObjectContacts:
    """Contacts of one object."""

    touched_by: set[str]
    held_by: str
    supported_by: set[str]


def object_contacts(data: mujoco.MjData, owners: Owners) -> list[ObjectContacts]:
    """Returns the contacts of every object in the order of `owners.object_ids`."""
    found = [ObjectContacts(set(), "", set()) for _ in owners.object_ids]
    pressed: set[tuple[int, int, int]] = set()
    pairs, normals, distances = data.contact.geom, data.contact.frame[:, :3], data.contact.dist
    involved = (owners.object_of_geom[pairs] >= 0).any(axis=1) & (distances <= 0)
    for index in np.flatnonzero(involved):
        for side in (0, 1):
            item = int(owners.object_of_geom[pairs[index, side]])
            if item < 0:
                continue
            other = int(pairs[index, 1 - side])
            # MuJoCo's normal points from the first geom to the second; here: from the other thing into the object.
            into_object = normals[index] if side == 1 else -normals[index]
            arm = int(owners.arm_of_geom[other])
            if arm >= 0:
                found[item].touched_by.add(owners.arm_names[arm])
                finger = int(owners.finger_of_geom[other])
                closing = data.site_xmat[owners.tool_sites[arm]].reshape(3, 3)[:, 1]
                if finger >= 0 and abs(into_object @ closing) > _PRESS_COSINE:
                    pressed.add((item, arm, finger))
            elif into_object[2] > _CARRY_COSINE:
                if other in owners.table_geoms:
                    found[item].supported_by.add(TABLE)
                elif owners.object_of_geom[other] >= 0:
                    found[item].supported_by.add(owners.object_ids[owners.object_of_geom[other]])
    for item, arm, finger in pressed:
        if finger == 0 and (item, arm, 1) in pressed:
            found[item].held_by = owners.arm_names[arm]
    return found
