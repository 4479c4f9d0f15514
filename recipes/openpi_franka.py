"""What openpi needs to train on a Franka with three cameras; its own DROID inputs take two.

Keys are those of `imove export --to openpi` for a rig with one arm.
"""

import dataclasses
import pathlib

import numpy as np
from openpi.models.model import BaseModelConfig
from openpi.training.config import DataConfig, DataConfigFactory, ModelTransformFactory
from openpi.transforms import AbsoluteActions, DataTransformFn, DeltaActions, Group, RepackTransform, make_bool_mask

SIZE = 8
"""Seven joints in rad, then the gripper from 0, open, to 1, closed."""
SLOTS = {
    "base_0_rgb": "observation/exterior_image_1_left",
    "left_wrist_0_rgb": "observation/exterior_image_2_left",
    "right_wrist_0_rgb": "observation/wrist_image_left",
}
"""The model's image by name, and the camera that fills it: ext1_camera, ext2_camera, wrist_camera."""


def _pixels(image: np.ndarray) -> np.ndarray:
    # The data loader hands over (3, height, width) from 0 to 1; a client sends (height, width, 3) uint8.
    image = np.asarray(image)
    if np.issubdtype(image.dtype, np.floating):
        image = (255 * image).astype(np.uint8)
    return np.moveaxis(image, 0, -1) if image.shape[0] == 3 else image


@dataclasses.dataclass(frozen=True)
class FrankaInputs(DataTransformFn):
    """Keys of the data set, and of a client, to those of the model."""

    def __call__(self, data: dict) -> dict:
        """Returns the state (8,), three images and, when there are any, actions (horizon, 8) and the prompt."""
        gripper = np.atleast_1d(np.asarray(data["observation/gripper_position"]))
        inputs = {
            "state": np.concatenate([np.asarray(data["observation/joint_position"]), gripper]),
            "image": {slot: _pixels(data[key]) for slot, key in SLOTS.items()},
            "image_mask": dict.fromkeys(SLOTS, np.True_),
        }
        return inputs | {key: data[key] for key in ("actions", "prompt") if key in data}


@dataclasses.dataclass(frozen=True)
class FrankaOutputs(DataTransformFn):
    """The model's padded actions to those of the robot."""

    def __call__(self, data: dict) -> dict:
        """Returns actions (horizon, 8)."""
        return {"actions": np.asarray(data["actions"][..., :SIZE])}


@dataclasses.dataclass(frozen=True)
class FrankaDataConfig(DataConfigFactory):
    """Reads an export; arm joints are learnt relative to the state at the start of a chunk, the gripper absolutely."""

    def create(self, assets_dirs: pathlib.Path, model_config: BaseModelConfig) -> DataConfig:
        """Returns the pipeline from the data set to the model."""
        repack = RepackTransform(
            {
                "observation/exterior_image_1_left": "exterior_image_1_left",
                "observation/exterior_image_2_left": "exterior_image_2_left",
                "observation/wrist_image_left": "wrist_image_left",
                "observation/joint_position": "joint_position",
                "observation/gripper_position": "gripper_position",
                "actions": "actions",
                "prompt": "prompt",
            }
        )
        relative = make_bool_mask(7, -1)
        return dataclasses.replace(
            self.create_base_config(assets_dirs, model_config),
            repack_transforms=Group(inputs=[repack]),
            data_transforms=Group(
                inputs=[FrankaInputs(), DeltaActions(relative)],
                outputs=[AbsoluteActions(relative), FrankaOutputs()],
            ),
            model_transforms=ModelTransformFactory()(model_config),
            action_sequence_keys=("actions",),
        )
