"""Fine-tunes GR00T N1.7 with a recipe of this folder.

The trainer's own launcher has no words for ZeRO-3, gradient checkpointing or data sets with a ratio; its Config has.
From a checkout of Isaac-GR00T, whose environment is used:

    uv run torchrun --nproc_per_node=8 IMOVE/recipes/run_gr00t.py IMOVE/recipes/gr00t_n17/piperx_dual.yaml \
        --data SIM:9 REAL:1 --out outputs/imove_piperx_dual
"""

import argparse
import importlib.util
from pathlib import Path

import yaml
from gr00t.configs.base_config import get_default_config
from gr00t.data.embodiment_tags import EmbodimentTag
from gr00t.experiment.experiment import run


def parts(word: str) -> tuple[str, float]:
    """Reads FOLDER or FOLDER:RATIO."""
    folder, colon, ratio = word.rpartition(":")
    return (folder, float(ratio)) if colon else (word, 1.0)


def register(path: Path) -> None:
    """Imports the modality configuration of a rig, which registers itself."""
    spec = importlib.util.spec_from_file_location("recipe", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python file")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def main() -> None:
    """Puts data sets and output folder into the recipe and starts the trainer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--data", nargs="+", required=True, metavar="FOLDER[:RATIO]", help="Exports --to gr00t.")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--gpus", type=int, help="Instead of the recipe's; the global batch stays as it is.")
    words = parser.parse_args()
    register(words.recipe.with_suffix(".py"))
    settings = yaml.safe_load(words.recipe.read_text(encoding="utf-8"))
    settings["data"]["datasets"] = [
        {"dataset_paths": [folder], "mix_ratio": ratio, "embodiment_tag": EmbodimentTag.NEW_EMBODIMENT.value}
        for folder, ratio in map(parts, words.data)
    ]
    settings["training"]["output_dir"] = words.out
    if words.gpus:
        settings["training"]["num_gpus"] = words.gpus
    run(get_default_config().load_dict(settings))


if __name__ == "__main__":
    main()
