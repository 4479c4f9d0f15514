"""Exports opened by the real lerobot library, in an environment apart; docs/datasets.md says how to make one.

IMOVE_LEROBOT_PYTHON names an interpreter with lerobot 0.4 or newer (layout v3.0), IMOVE_LEROBOT_V21_PYTHON one with
lerobot 0.3 (layout v2.1, which openpi, GR00T and Motus read); without them nothing is tested here.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from imove_datasets.export import export_dataset
from imove_datasets.pixels import padded
from imove_datasets.settings import export_settings

from .episode_bags import SEEN, Episode, write_bag

NEW, OLD = "IMOVE_LEROBOT_PYTHON", "IMOVE_LEROBOT_V21_PYTHON"
EPISODES = [Episode(steps=20 + 5 * seed, seed=seed, name=f"episode_{seed:06d}") for seed in range(3)]
SAMPLED = (0, 9, 19)

READ = """
import json, sys
import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset

root, images, sampled = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
dataset = LeRobotDataset("imove/test", root=root, video_backend="pyav", delta_timestamps={"action": [0, 1 / 30]})
rows = [dataset[number] for number in range(len(dataset))]
np.savez(
    sys.argv[4],
    state=np.stack([row["observation.state"].numpy() for row in rows]),
    action=np.stack([row["action"].numpy() for row in rows]),
    padded=np.stack([row["action_is_pad"].numpy() for row in rows]),
    timestamp=np.array([row["timestamp"].item() for row in rows]),
    episode=np.array([row["episode_index"].item() for row in rows]),
    phase=np.array([row["label.phase"].item() for row in rows]),
    mean=np.asarray(dataset.meta.stats["observation.state"]["mean"]),
    task=np.array([row["task"] for row in rows]),
    **{key: np.stack([rows[number][key].numpy() for number in sampled]) for key in images},
)
"""


def read_with(python: str, root: Path, images: list[str]) -> dict[str, np.ndarray]:
    result = root.parent / "result.npz"
    command = [python, "-c", READ, str(root), json.dumps(images), json.dumps(SAMPLED), str(result)]
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    caches = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(root.parent / "cache")}
    done = subprocess.run(command, env=kept | caches, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(result) as found:
        return dict(found)


@pytest.mark.parametrize(
    ("name", "variable", "cameras"),
    [
        ("lerobot-v3", NEW, ("static_camera", "left_hand_camera", "right_hand_camera")),
        ("lerobot-v2.1", OLD, ("static_camera", "left_hand_camera", "right_hand_camera")),
        ("gr00t", OLD, ("static_camera", "left_hand_camera", "right_hand_camera")),
        ("openpi", OLD, ("cam_high", "cam_left_wrist", "cam_right_wrist")),
        ("motus", OLD, ("cam_high", "cam_left_wrist", "cam_right_wrist")),
    ],
)
def test_an_export_opens_in_the_real_library(tmp_path, name, variable, cameras) -> None:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{variable} names no interpreter with lerobot")
    for episode in EPISODES:
        write_bag(tmp_path / "bags", episode)
    mode = "canonical" if name == "motus" else "all"
    export_dataset([tmp_path / "bags"], tmp_path / "out", export_settings(name, paraphrases=mode))
    keys = [f"observation.images.{camera}" for camera in cameras]
    found = read_with(python, tmp_path / "out", keys)
    states = [np.float32([e.state(step) for step in range(e.steps)]) for e in EPISODES]
    actions = [np.float32([e.target(step + 1) for step in range(e.steps)]) for e in EPISODES]
    assert np.array_equal(found["state"], np.concatenate(states))
    assert np.array_equal(found["action"][:, 0], np.concatenate(actions))
    shifted = [np.concatenate([action[1:], action[-1:]]) for action in actions]
    assert np.array_equal(found["action"][:, 1], np.concatenate(shifted))
    assert found["padded"][:, 1].sum() == len(EPISODES)
    times = np.concatenate([np.arange(e.steps) / 30 for e in EPISODES])
    assert np.array_equal(found["timestamp"], times.astype(np.float32))
    assert np.allclose(found["mean"], np.concatenate(states).mean(axis=0), atol=1e-6)
    texts = (EPISODES[0].instruction, *(SEEN if mode == "all" else ()))
    assert found["task"][:20].tolist() == [texts[step % len(texts)] for step in range(20)]
    errors = []
    for at, key in enumerate(keys):
        for step, image in zip(SAMPLED, found[key], strict=True):
            expected = padded(EPISODES[0].pixels(at, step), 224, 224) / 255
            errors.append(np.mean((expected - image.transpose(1, 2, 0)) ** 2))
    worst_db = -10 * np.log10(max(errors))
    print(f"{name}: {len(found['state'])} frames, worst image {worst_db:.1f} dB")
    assert worst_db > 30
