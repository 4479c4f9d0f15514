"""GR00T N1.7 on the Franka with three cameras. Importing this file registers it as NEW_EMBODIMENT.

Keys are those of meta/modality.json, which `imove export --to gr00t` writes.
"""

from gr00t.configs.data.embodiment_configs import register_modality_config
from gr00t.data.embodiment_tags import EmbodimentTag
from gr00t.data.types import ActionConfig, ActionFormat, ActionRepresentation, ActionType, ModalityConfig

# Joint targets less the state at the start of the chunk; openings of the gripper as they are, in m.
ARM = ActionConfig(rep=ActionRepresentation.RELATIVE, type=ActionType.NON_EEF, format=ActionFormat.DEFAULT)
GRIPPER = ActionConfig(rep=ActionRepresentation.ABSOLUTE, type=ActionType.NON_EEF, format=ActionFormat.DEFAULT)

MODALITIES = {
    "video": ModalityConfig(
        delta_indices=[0],
        modality_keys=[
            "ext1_camera",
            "ext2_camera",
            "wrist_camera",
        ],
    ),
    "state": ModalityConfig(
        delta_indices=[0],
        modality_keys=[
            "arm",
            "gripper",
        ],
    ),
    "action": ModalityConfig(
        # One second at 30 Hz; the model's horizon is 40, the ten steps left are masked.
        delta_indices=list(range(30)),
        modality_keys=[
            "arm",
            "gripper",
        ],
        # In the order of the keys: the trainer goes by place, not by name.
        action_configs=[
            ARM,
            GRIPPER,
        ],
    ),
    "language": ModalityConfig(delta_indices=[0], modality_keys=["annotation.human.task_description"]),
}

register_modality_config(MODALITIES, embodiment_tag=EmbodimentTag.NEW_EMBODIMENT)
