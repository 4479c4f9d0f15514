"""Tells Motus the ranges of an export: adds them to data/utils/stat.json of its checkout, which it normalises by.

    python IMOVE/recipes/motus/add_stat.py data/imove_piperx_dual data/utils/stat.json

The recipe's embodiment_type names the entry. With several exports of a rig the ranges are those of all together.
"""

import argparse
import json
import os
from pathlib import Path


def main() -> None:
    """Adds or replaces the entry of the exports' rig."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="Exports --to motus.")
    parser.add_argument("stat", type=Path, help="The checkout's data/utils/stat.json.")
    words = parser.parse_args()
    found = [json.loads((folder / "meta" / "motus_stat.json").read_text(encoding="utf-8")) for folder in words.data]
    if any(entry.keys() != found[0].keys() for entry in found):
        raise SystemExit(f"the exports are of several rigs: {', '.join(sorted(set().union(*found)))}")
    stat = json.loads(words.stat.read_text(encoding="utf-8"))
    for rig in found[0]:
        stat[rig] = {
            name: [choose(values) for values in zip(*(entry[rig][name] for entry in found), strict=True)]
            for name, choose in (("min", min), ("max", max))
        }
        print(f"{words.stat}: {rig} with {len(stat[rig]['min'])} dimensions")
    partial = words.stat.with_suffix(".partial")
    partial.write_text(json.dumps(stat, indent=2) + "\n", encoding="utf-8")
    os.replace(partial, words.stat)


if __name__ == "__main__":
    main()
