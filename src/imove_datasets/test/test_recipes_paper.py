"""The recipes have the paper's numbers (arXiv 2608.22990, appendix C.2) and the rigs' and exports' names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from imove_core.rig import load_rig
from imove_datasets.gr00t import modality_of
from imove_datasets.layout import layout_of
from imove_datasets.recipes.checking import read_recipe, settings_of
from imove_datasets.recipes.manifest import load_manifest
from imove_datasets.recipes.values import Made, PythonRecipe

RECIPES = Path(__file__).resolve().parents[3] / "recipes"
RIGS = ("piperx_dual", "franka_single")
GPUS = 8

OPENPI = {
    "model.paligemma_variant": "gemma_2b_lora",
    "model.action_expert_variant": "gemma_300m_lora",
    "model.action_horizon": 50,
    "lr_schedule.warmup_steps": 1000,
    "lr_schedule.peak_lr": 2.5e-5,
    "optimizer.clip_gradient_norm": 1.0,
    "ema_decay": None,
    "batch_size": 32 * GPUS,
    "num_train_steps": 5000,
    "save_interval": 1000,
}
LEROBOT = {
    "policy.chunk_size": 50,
    "policy.optimizer_lr": 2.5e-5,
    "policy.optimizer_grad_clip_norm": 1.0,
    "policy.scheduler_warmup_steps": 1000,
    "policy.scheduler_decay_steps": 5000,
    "peft.method_type": "LORA",
    # Of one process, and there is one a GPU.
    "batch_size": 32,
    "steps": 5000,
    "save_freq": 1000,
}
GR00T = {
    "model.model_name": "nvidia/Cosmos-Reason2-2B",
    "model.tune_llm": False,
    "model.tune_visual": False,
    "model.tune_projector": True,
    "model.tune_diffusion_model": True,
    "model.tune_vlln": True,
    "model.action_horizon": 40,
    "model.use_relative_action": True,
    "training.start_from_checkpoint": "nvidia/GR00T-N1.7-3B",
    "training.max_steps": 5000,
    "training.global_batch_size": 24 * GPUS,
    "training.num_gpus": GPUS,
    "training.lr_scheduler_type": "cosine",
    "training.warmup_ratio": 0.05,
    "training.bf16": True,
    "training.max_grad_norm": 1.0,
    "training.deepspeed_stage": 3,
    "training.gradient_checkpointing": True,
    "training.eval_strategy": "no",
}
MOTUS = {
    "common.num_video_frames": 8,
    "common.video_action_freq_ratio": 6,
    "common.video_height": 384,
    "common.video_width": 320,
    "dataset.params.t5_text_len": 512,
    "model.vlm.frozen": True,
    "model.wan.precision": "bfloat16",
    "training.batch_size": 8,
    "training.max_steps": 5000,
    "training.cycle_length": 5000,
    "training.learning_rate": 1e-5,
    "training.weight_decay": 0.01,
    "training.grad_clip_norm": 0.5,
    "training.warmup_steps": 200,
    "training.scheduler_type": "linear",
}
PAPER = {
    "pi0/{}.py": OPENPI,
    "pi05/{}.py": OPENPI | {"model.pi05": True},
    "pi0_lerobot/{}.json": LEROBOT | {"policy.type": "pi0", "policy.pretrained_path": "lerobot/pi0_base"},
    "pi05_lerobot/{}.json": LEROBOT | {"policy.type": "pi05", "policy.pretrained_path": "lerobot/pi05_base"},
    "gr00t_n17/{}.yaml": GR00T,
    "motus/{}.yaml": MOTUS,
}


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize("recipe", PAPER)
def test_the_numbers_are_the_papers(recipe: str, rig: str) -> None:
    found = settings_of(RECIPES / recipe.format(rig))
    assert {name: found[name] for name in PAPER[recipe]} == PAPER[recipe]


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize("policy", ["pi0", "pi05"])
def test_openpi_starts_from_the_base_and_trains_lora_alone(policy: str, rig: str) -> None:
    found = settings_of(RECIPES / policy / f"{rig}.py")
    assert found["weight_loader"].positional == (f"gs://openpi-assets/checkpoints/{policy}_base/params",)
    freeze = found["freeze_filter"]
    assert (freeze.name, freeze.positional[0].positional) == ("nnx.Not", (".*lora.*",))
    assert found["data.base_config.prompt_from_task"] is True


def test_motus_has_the_papers_betas_in_its_code() -> None:
    assert load_manifest("motus").calls["train/train.py"]["torch.optim.AdamW"]["betas"] == [0.9, 0.95]


def strings(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {text for item in value.values() for text in strings(item)}
    return {value} if isinstance(value, str) else set()


def repacked(path: Path) -> set[str]:
    """Keys of the data set that a recipe for openpi reads, without the prompt."""
    files = [path, RECIPES / "openpi_franka.py"] if path.stem == "franka_single" else [path]
    contents = [read_recipe(file) for file in files]
    calls = [call for content in contents if isinstance(content, PythonRecipe) for call in content.calls]
    structures = [call.positional[0] for call in calls if call.name == "RepackTransform"]
    assert len(structures) == 1
    return strings(structures[0]) - {"prompt"}


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize("policy", ["pi0", "pi05"])
def test_openpi_reads_what_the_export_writes(policy: str, rig: str) -> None:
    layout = layout_of("openpi", load_rig(rig))
    written = {*layout.images.values(), *(vector.key for vector in layout.vectors)}
    assert repacked(RECIPES / policy / f"{rig}.py") == written


@pytest.mark.parametrize(("rig", "size"), [("piperx_dual", 14), ("franka_single", 8)])
def test_gr00t_reads_what_the_export_writes(rig: str, size: int) -> None:
    modality = modality_of(load_rig(rig))
    found = settings_of(RECIPES / "gr00t_n17" / f"{rig}.py")
    assert found["MODALITIES.video.modality_keys"] == list(modality["video"])
    assert found["MODALITIES.state.modality_keys"] == list(modality["state"])
    assert found["MODALITIES.action.modality_keys"] == list(modality["action"])
    assert sum(part["end"] - part["start"] for part in modality["action"].values()) == size
    (language,) = found["MODALITIES.language.modality_keys"]
    assert language.removeprefix("annotation.") in modality["annotation"]


@pytest.mark.parametrize("rig", RIGS)
def test_gr00t_has_thirty_steps_with_relative_arms_and_absolute_grippers(rig: str) -> None:
    found = settings_of(RECIPES / "gr00t_n17" / f"{rig}.py")
    assert found["MODALITIES.action.delta_indices"] == list(range(30))
    keys, configs = found["MODALITIES.action.modality_keys"], found["MODALITIES.action.action_configs"]
    assert all(isinstance(config, Made) for config in configs)
    assert {key: config.named["rep"].name.rpartition(".")[2] for key, config in zip(keys, configs, strict=True)} == {
        key: "ABSOLUTE" if key.endswith("gripper") else "RELATIVE" for key in keys
    }


@pytest.mark.parametrize("rig", RIGS)
def test_motus_has_the_rigs_size_and_statistics(rig: str) -> None:
    found = settings_of(RECIPES / "motus" / f"{rig}.yaml")
    assert found["common.action_dim"] == found["common.state_dim"] == len(load_rig(rig).joint_names)
    assert found["dataset.params.embodiment_type"] == rig
    assert layout_of("motus", load_rig(rig)).stitched == "observation.images.cam_concatenated"


def test_ranges_are_added_to_those_of_motus(tmp_path: Path) -> None:
    for name, low, high in (("sim", [0.0, -1.0], [1.0, 1.0]), ("real", [-0.5, 0.0], [0.5, 2.0])):
        (tmp_path / name / "meta").mkdir(parents=True)
        (tmp_path / name / "meta" / "motus_stat.json").write_text(json.dumps({"rig": {"min": low, "max": high}}))
    stat = tmp_path / "stat.json"
    stat.write_text(json.dumps({"ac_one": {"min": [0], "max": [1]}}))
    script = RECIPES / "motus" / "add_stat.py"
    subprocess.run([sys.executable, script, tmp_path / "sim", tmp_path / "real", stat], check=True)
    assert json.loads(stat.read_text()) == {
        "ac_one": {"min": [0], "max": [1]},
        "rig": {"min": [-0.5, -1.0], "max": [1.0, 2.0]},
    }
