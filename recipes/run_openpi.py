"""Runs a script of openpi with a recipe of this folder as one of its configurations.

From a checkout of openpi, whose environment is used:

    uv run python IMOVE/recipes/run_openpi.py IMOVE/recipes/pi05/piperx_dual.py scripts/train.py \
        imove_pi05_piperx_dual --exp-name first

What stands after the recipe is the script and its own arguments; every field of the recipe can be changed there.
"""

import importlib.util
import runpy
import sys
from pathlib import Path

from openpi.training import config as openpi_config


def main() -> None:
    """Adds the recipe under its name, then runs the script as if it had been called by itself."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    recipe, script = Path(sys.argv[1]).resolve(), sys.argv[2]
    spec = importlib.util.spec_from_file_location("recipe", recipe)
    if spec is None or spec.loader is None:
        sys.exit(f"{recipe} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    openpi_config._CONFIGS_DICT[module.CONFIG.name] = module.CONFIG
    sys.argv = sys.argv[2:]
    sys.path.insert(0, str(Path(script).resolve().parent))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
