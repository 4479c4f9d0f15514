"""Which arm touches or holds which object, and what carries it, from the contacts of one MuJoCo state."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array

# A pad presses an object when the contact normal is within 60 degrees of the closing direction.
_PRESS_COSINE = 0.5
# A contact carries an object when its normal is within 60 degrees of the vertical.
_CARRY_COSINE = 0.5
TABLE = "table"


@dataclass(frozen=True)
class Owners:
    """Who owns each geom of a model; -1 where nobody of that kind does.

    Tuples of plain numbers: contacts are few, and a Python loop over them is faster than array operations.

    Attributes:
        object_of_geom: ngeom indices of objects.
        arm_of_geom: ngeom indices of arms, hands and fingers only.
        finger_of_geom: ngeom numbers of fingers, 0 or 1.
        carrier_of_geom: ngeom names of what can carry an object: `table` or the id of an object, else "".
        tool_sites: Site id of each arm's tool centre.
        arm_names: By index.
        object_ids: By index.
    """

    object_of_geom: tuple[int, ...]
    arm_of_geom: tuple[int, ...]
    finger_of_geom: tuple[int, ...]
    carrier_of_geom: tuple[str, ...]
    tool_sites: tuple[int, ...]
    arm_names: tuple[str, ...]
    object_ids: tuple[str, ...]


@dataclass(frozen=True)
class ObjectContacts:
    """Contacts of one object.

    Attributes:
        touched_by: Names of arms whose hand or fingers touch it, sorted.
        held_by: First arm in rig order whose two fingers press it along the closing direction, "" for none.
        supported_by: `table` or ids of the objects that carry it, sorted.
    """

    touched_by: tuple[str, ...]
    held_by: str
    supported_by: tuple[str, ...]


@dataclass(frozen=True)
class ContactReading:
    """Copies of the contacts of one state.

    Attributes:
        geoms: (C, 2) geom ids.
        normals: (C, 3) unit normals from the first geom to the second, world frame.
        distances: (C,) negative where geoms overlap, m.
        closing_axes: (arms, 3) direction in which the fingers of each arm close, world frame.
    """

    geoms: NDArray[np.int32]
    normals: Array
    distances: Array
    closing_axes: Array

    @classmethod
    def of(cls, data: mujoco.MjData, owners: Owners) -> "ContactReading":
        """Reads a state whose contacts have been computed (`mj_step1` or `mj_forward`)."""
        contact = data.contact
        # The closing direction is the tool's y axis: the second column of a row-major rotation.
        axes = data.site_xmat[owners.tool_sites, 1::3]
        return cls(contact.geom.copy(), contact.frame[:, :3].copy(), contact.dist.copy(), axes)


def object_contacts(reading: ContactReading, owners: Owners) -> list[ObjectContacts]:
    """Returns the contacts of every object in the order of `owners.object_ids`."""
    count = len(owners.object_ids)
    touching: list[set[int]] = [set() for _ in range(count)]
    pressing: list[set[tuple[int, int]]] = [set() for _ in range(count)]
    carriers: list[set[str]] = [set() for _ in range(count)]
    object_of_geom, arm_of_geom = owners.object_of_geom, owners.arm_of_geom
    distances, heights = reading.distances.tolist(), reading.normals[:, 2].tolist()
    for index, (first, second) in enumerate(reading.geoms.tolist()):
        if distances[index] > 0:
            continue
        # The normal points into the second geom.
        for geom, other, upward in ((second, first, heights[index]), (first, second, -heights[index])):
            item = object_of_geom[geom]
            if item < 0:
                continue
            arm = arm_of_geom[other]
            if arm >= 0:
                touching[item].add(arm)
                finger = owners.finger_of_geom[other]
                if finger >= 0 and abs(reading.normals[index] @ reading.closing_axes[arm]) > _PRESS_COSINE:
                    pressing[item].add((arm, finger))
            elif upward > _CARRY_COSINE and owners.carrier_of_geom[other]:
                carriers[item].add(owners.carrier_of_geom[other])
    names = owners.arm_names
    return [
        ObjectContacts(
            touched_by=tuple(sorted(names[arm] for arm in touching[item])),
            held_by=next((name for arm, name in enumerate(names) if {(arm, 0), (arm, 1)} <= pressing[item]), ""),
            supported_by=tuple(sorted(carriers[item])),
        )
        for item in range(count)
    ]
