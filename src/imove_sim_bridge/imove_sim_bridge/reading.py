"""What is read from MuJoCo after a control step, and the state that is made of it.

Reading takes a few copies. States are made afterwards, for all control steps of a call together: between physics
steps the same code would run three times slower, since the physics has driven it out of the processor's caches.
"""

from dataclasses import dataclass

import mujoco

from imove_core.state import ObjectState, RobotState
from imove_core.transforms import Array
from imove_sim_bridge.contacts import ContactReading, object_contacts
from imove_sim_bridge.scene_index import Scene

MOVED_M = 0.01


@dataclass(frozen=True)
class Reading:
    """Copies of one state of a scene with K objects.

    Attributes:
        qpos: Positions of the model.
        qvel: Velocities of the model.
        forces: Of the actuators.
        object_rotations: (K, 9) world_from_object, row by row.
        contacts: Contacts of the state.
    """

    qpos: Array
    qvel: Array
    forces: Array
    object_rotations: Array
    contacts: ContactReading

    @classmethod
    def of(cls, data: mujoco.MjData, scene: Scene) -> "Reading":
        """Reads a state whose kinematics and contacts are up to date."""
        return cls(
            data.qpos.copy(),
            data.qvel.copy(),
            data.actuator_force.copy(),
            data.xmat[scene.object_bodies],
            ContactReading.of(data, scene.owners),
        )


def robot_state(reading: Reading, scene: Scene) -> RobotState:
    """The joints in rig order."""
    return RobotState(
        positions=reading.qpos[scene.joint_qpos] * scene.opening_scale,
        velocities=reading.qvel[scene.joint_qvel] * scene.opening_scale,
        efforts=reading.forces[scene.actuators],
    )


def object_states(reading: Reading, scene: Scene, first_positions: Array) -> tuple[ObjectState, ...]:
    """The objects in spec order.

    Args:
        reading: Of the state.
        scene: Where things are in it.
        first_positions: (K, 3) positions at the start of the episode, m.
    """
    poses, velocities = reading.qpos[scene.object_qpos], reading.qvel[scene.object_qvel]
    positions, quaternions = poses[:, :3], poses[:, 3:]
    # MuJoCo gives a free joint's rotation in the body's own frame.
    angular = (reading.object_rotations.reshape(-1, 3, 3) @ velocities[:, 3:, None])[:, :, 0]
    moves = positions - first_positions
    moved = ((moves * moves).sum(axis=1) > MOVED_M**2).tolist()
    contacts = object_contacts(reading.contacts, scene.owners)
    return tuple(
        ObjectState(
            id=object_id,
            position=positions[index],
            quaternion_xyzw=quaternions[index],
            box_min=scene.assets[index].box_min,
            box_max=scene.assets[index].box_max,
            linear_velocity=velocities[index, :3],
            angular_velocity=angular[index],
            moved=moved[index],
            held_by=contacts[index].held_by,
            touched_by=contacts[index].touched_by,
            supported_by=contacts[index].supported_by,
        )
        for index, object_id in enumerate(scene.owners.object_ids)
    )
