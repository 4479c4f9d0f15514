"""pi0 with LoRA on the dual PiPER X: 14 values, three cameras. README.md beside this file says how to run it."""

from flax import nnx
from openpi.models.pi0_config import Pi0Config
from openpi.shared.nnx_utils import PathRegex
from openpi.training.config import DataConfig, LeRobotAlohaDataConfig, TrainConfig
from openpi.training.optimizer import AdamW, CosineDecaySchedule
from openpi.training.weight_loaders import CheckpointWeightLoader
from openpi.transforms import Group, RepackTransform

REPACK = RepackTransform(
    {
        "images": {
            "cam_high": "observation.images.cam_high",
            "cam_left_wrist": "observation.images.cam_left_wrist",
            "cam_right_wrist": "observation.images.cam_right_wrist",
        },
        "state": "observation.state",
        "actions": "action",
        "prompt": "prompt",
    }
)

CONFIG = TrainConfig(
    name="imove_pi0_piperx_dual",
    model=Pi0Config(paligemma_variant="gemma_2b_lora", action_expert_variant="gemma_300m_lora", action_horizon=50),
    data=LeRobotAlohaDataConfig(
        repo_id="imove/piperx_dual",
        base_config=DataConfig(prompt_from_task=True),
        repack_transforms=Group(inputs=[REPACK]),
        # The arms are no ViperX: joints stay as they are, in rad, and openings in m.
        adapt_to_pi=False,
        use_delta_joint_actions=True,
        action_sequence_keys=("action",),
    ),
    weight_loader=CheckpointWeightLoader("gs://openpi-assets/checkpoints/pi0_base/params"),
    freeze_filter=nnx.Not(PathRegex(".*lora.*")),
    lr_schedule=CosineDecaySchedule(warmup_steps=1_000, peak_lr=2.5e-5, decay_steps=5_000, decay_lr=2.5e-6),
    optimizer=AdamW(clip_gradient_norm=1.0),
    ema_decay=None,
    # Of all GPUs together: 32 on each of 8.
    batch_size=256,
    num_train_steps=5_000,
    save_interval=1_000,
    keep_period=1_000,
)
