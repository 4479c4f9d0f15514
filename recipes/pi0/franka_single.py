"""pi0 with LoRA on the Franka: 8 values, three cameras. README.md beside this file says how to run it."""

from flax import nnx
from openpi.models.pi0_config import Pi0Config
from openpi.shared.nnx_utils import PathRegex
from openpi.training.config import DataConfig, TrainConfig
from openpi.training.optimizer import AdamW, CosineDecaySchedule
from openpi.training.weight_loaders import CheckpointWeightLoader
from openpi_franka import FrankaDataConfig

CONFIG = TrainConfig(
    name="imove_pi0_franka_single",
    model=Pi0Config(paligemma_variant="gemma_2b_lora", action_expert_variant="gemma_300m_lora", action_horizon=50),
    data=FrankaDataConfig(repo_id="imove/franka_single", base_config=DataConfig(prompt_from_task=True)),
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
