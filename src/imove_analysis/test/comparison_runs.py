"""Folders of runs with given outcomes, for tests that compare them."""

import json
from pathlib import Path

from imove_analysis.records import POLICY_LOST, Execution, make_record
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.canonical import canonical_json

SETTINGS = {"policy": "a", "suite": "test/scene", "suite_hash": "a" * 64, "seed": 0, "scheduler": "receding"}
STAGES = {"-": (), "r": ("reach",), "l": ("reach", "lift")}
LOST, UNTOLD = "x", "u"


def write_run(folder: Path, outcomes: str, condition: str = "normal", **settings) -> Path:
    """Writes a run, one letter a scene: `-` nothing, `r` reached, `l` lifted too, LOST aborted, UNTOLD another prompt.

    A blank leaves the scene out. The lines come in backward order, as those of several processes may.
    """
    folder.mkdir(parents=True)
    (folder / "provenance.json").write_text(json.dumps({"settings": {**SETTINGS, **settings}}))
    lines = []
    for index, letter in enumerate(outcomes):
        if letter == " ":
            continue
        if letter == LOST:
            execution = Execution(POLICY_LOST, None, message="gone")
        else:
            events = [("strict", stage, "object_0") for stage in STAGES.get(letter, ())]
            prompt = "another prompt" if letter == UNTOLD else "pick up the mug"
            execution = make_execution(make_score(*events), prompt=prompt)
        lines.append(canonical_json(make_record(make_spec(index), condition, 0, execution)) + "\n")
    (folder / "episodes.jsonl").write_text("".join(reversed(lines)))
    return folder
