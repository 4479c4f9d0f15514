"""`imove eval --verify`: checks every run of a card and says how far it agrees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from imove_analysis.card import read_card
from imove_bringup.evaluation.running import Means
from imove_bringup.evaluation.verifying import Checked, Verifier, agrees, verify_run
from imove_bringup.graphs.parts import config_reference
from imove_core.errors import ImoveError

ALLOWED = frozenset(
    {
        "verify", "policy", "policy_url", "policy_config", "safety", "suite", "rig", "assets", "episodes", "seed",
        "workers", "ray",
    }
)  # fmt: skip
"""Options that make sense beside `--verify`; every other setting is the card's."""


def verify_card(path: Path, given: Mapping[str, Any], episodes: int, seed: int, means: Means, console: Console) -> bool:
    """Runs episodes of each run of a card again and prints how many agree.

    Args:
        path: Of the card.
        given: Options of the command line by name.
        episodes: How many of each run, at most.
        seed: Of the draw of episodes.
        means: What they are carried out with.
        console: Where to print.

    Returns:
        Whether everything agrees, within the tolerance that the card states.

    Raises:
        ImoveError: The card cannot be read, an option contradicts it, or it cannot be run here.
    """
    card = read_card(path)
    for name in given:
        if name not in ALLOWED:
            flag = name.replace("_", "-")
            raise ImoveError(f"--{flag} cannot be given with --verify: the card decides it")
    wanted = card["policy"]["name"]
    if given.get("policy", wanted) != wanted:
        raise ImoveError(f"the card is about policy {wanted}; --policy is {given['policy']}")
    verifier = Verifier(
        policy_url=given.get("policy_url", ""),
        policy_config=config_reference(given.get("policy_config", "")),
        safety=config_reference(given.get("safety", "")),
        suite=given.get("suite", ""),
        rig=given.get("rig", ""),
    )
    rng = np.random.default_rng(seed)
    good = []
    for entry in card["runs"]:
        checked = verify_run(entry, verifier, episodes, rng, means, console)
        good.append(agrees(entry, checked))
        _print(entry, checked, good[-1], console)
    return all(good)


def _print(entry: Mapping[str, Any], checked: list[Checked], good: bool, console: Console) -> None:
    for each in checked:
        if not each.same_events:
            stages = "the same stages" if each.same_stages else "other stages"
            what = f"other events, {stages}" if each.outcome == "completed" else each.outcome
            console.print(f"{each.sample.spec_id} {each.sample.condition}: {what}", markup=False, highlight=False)
    same = sum(each.same_events for each in checked)
    stages = sum(each.same_stages for each in checked)
    tolerance = float(entry["tolerance"])
    allowed = f"; {tolerance:.0%} may reach other stages, as time depends on the machine" if tolerance else ""
    console.print(
        f"{entry['settings']['suite']}: {same} of {len(checked)} episodes with the same events, {stages} with the same "
        f"stages{allowed}: {'agrees' if good else 'does not agree'}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
