"""Runs a script of openpi with a recipe of this folder as one of its configurations.

From a checkout of openpi, whose environment is used:

    uv run python IMOVE/recipes/run_openpi.py IMOVE/recipes/pi05/piperx_dual.py scripts/train.py \
        imove_pi05_piperx_dual --exp-name first

What stands after the script are its own arguments; every field of the recipe can be changed there. `--plan FILE` before
the recipe trains on a mixing plan of `imove mix` instead of the recipe's one data set.
"""

import argparse
import importlib.util
import runpy
import sys
from pathlib import Path

from openpi.training import config as openpi_config


def main() -> None:
    """Adds the recipe under its name, then runs the script as if it had been called by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", type=Path, metavar="FILE", help="Mixing plan, .json or .parquet.")
    parser.add_argument("recipe", type=Path)
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    spec = importlib.util.spec_from_file_location("recipe", words.recipe)
    if spec is None or spec.loader is None:
        parser.error(f"{words.recipe} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    openpi_config._CONFIGS_DICT[module.CONFIG.name] = module.CONFIG
    if words.plan:
        import openpi_plan

        openpi_plan.use(words.plan)
    sys.argv = [str(words.script), *words.arguments]
    sys.path.insert(0, str(words.script.resolve().parent))
    runpy.run_path(str(words.script), run_name="__main__")


if __name__ == "__main__":
    main()
