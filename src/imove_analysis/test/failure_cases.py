"""Failures that are made up on the scenes of shipped suites: episodes by their events, and control steps."""

from functools import cache
from pathlib import Path

import numpy as np

from imove_analysis.episodes import episode_from
from imove_analysis.failures import failures
from imove_analysis.records import make_record
from imove_analysis.runs import Run
from imove_analysis.testing import make_execution
from imove_core.rig import load_rig
from imove_core.state import ObjectState, RobotState, StepState
from imove_tasks.stages import RUBRICS, EpisodeScore, StageEvent, stages_of
from imove_tasks.suites import open_suite

PICK, PLACE = "pick_category/seen", "place_a2b/seen"
STEPS = 40
OPEN_M, CLOSED_M = 0.06, 0.01
HELD = range(10, 20)
"""Control steps."""


@cache
def suite_of(name):
    """A shipped suite, opened once for all tests."""
    return open_suite(name)


def run_of(suite, *episodes, folder=Path("runs/made-up")):
    """A run of episodes, which is on no disk."""
    run_settings = {"policy": "made up", "suite": suite, "suite_hash": suite_of(suite).content_hash}
    finished = tuple(episode for episode in episodes if episode.finished)
    aborted = tuple(episode for episode in episodes if not episode.finished)
    run = Run(folder, run_settings, {"settings": run_settings}, finished, aborted)
    # It would be opened anew for each run.
    run.__dict__["suite"] = suite_of(suite)
    return run


def scene_of(suite, index=0):
    """A scene of a suite: its spec, the target and destination of normal, and another candidate."""
    spec = suite_of(suite).specs[index]
    normal = spec.instruction("normal")
    other = next(key for key in spec.candidates if key != normal.target)
    return spec, normal.target, normal.destination, other


def episode_of(spec, *events, condition="normal", outcome="completed", first_contact=None, safety=None, **changes):
    """An episode in which stages were reached one after another: (stage, object) or (stage, object, destination)."""
    instruction = spec.instruction(condition)
    made = []
    for step, (stage, object_id, *where) in enumerate(events, start=10):
        there = where[0] if where else ""
        right = object_id == instruction.target and there in ("", instruction.destination)
        made += [StageEvent(rubric, stage, object_id, right, step, step / 30, there) for rubric in RUBRICS]
    score = EpisodeScore(
        instruction.target, tuple(made), first_contact, 300, instruction.destination, stages_of(spec.primitive)
    )
    execution = make_execution(score, instruction.text, outcome=outcome, safety=safety or {}, **changes)
    return episode_from(make_record(spec, condition, 0, execution))


def states_of(spec, target, held=(), opens=None, moves=True, pose=None, contacts=True):
    """Control steps in which the target is held by the left arm at some of them, and its hand opens at one.

    Args:
        spec: Scene.
        target: Object that is held.
        held: Control steps.
        opens: Control step from which the hand is open, None for never.
        moves: Whether the arms move.
        pose: Orientations (x, y, z, w) that objects have at the end.
        contacts: Whether contacts are sensed.
    """
    rig = load_rig(spec.rig)
    home = np.concatenate([arm.home_positions for arm in rig.arms])
    gripper = rig.arms[0].size - 1
    ends = pose or {}
    states = []
    for step in range(STEPS):
        positions = home.copy()
        if moves:
            positions[0] += 0.01 * step
            positions[gripper] = OPEN_M if opens is not None and step >= opens else CLOSED_M
        objects = tuple(
            ObjectState(
                id=item.id,
                position=np.array(item.position),
                quaternion_xyzw=np.array(ends.get(item.id, item.quaternion_xyzw) if step else item.quaternion_xyzw),
                box_min=np.array(item.box_min),
                box_max=np.array(item.box_max),
                linear_velocity=np.zeros(3),
                angular_velocity=np.zeros(3),
                held_by=rig.arms[0].name if item.id == target and step in held else "",
                contacts_known=contacts,
            )
            for item in spec.objects
        )
        robot = RobotState(positions, np.zeros_like(home), np.zeros_like(home))
        states.append(StepState(step * 33_333_333, step, robot, objects))
    return tuple(states)


def only(run, states=None):
    """The one episode of a run, classed."""
    (found,) = failures(run, lambda episode: states).episodes
    return found


def stages(target, *names, at=None):
    """Events of one object, those of a place at a destination."""
    return [(name, target, *((at,) if name in ("reach_place", "place") else ())) for name in names]


def on_its_side(quaternion):
    """The orientation turned by 90 degrees about a horizontal axis of the world."""
    x, y, z, w = quaternion
    half = np.sqrt(0.5)
    # (half, 0, 0; half) times the quaternion.
    return (half * w + half * x, half * y - half * z, half * z + half * y, half * w - half * x)
