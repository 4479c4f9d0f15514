"""Controls that see the true scene, in real scenes."""

import numpy as np
import pytest
from scipy.stats import chisquare

from imove_bringup.backend_world import BackendWorld
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS
from imove_policy_node.pickers import RandomPicker, TargetPicker
from imove_policy_node.rollout import run_episode
from imove_policy_node.scheduling import create_scheduler
from imove_tasks.stages import StageMachine

from .conftest import ObedientWorld, start_of


def run(rig, backend, policy, spec, condition="normal", seed=0, horizon=None):
    """The score of an episode in the simulator."""
    backend.load(spec)
    machine = StageMachine(rig, spec, condition)
    start = start_of(rig, spec, condition, seed)
    world = BackendWorld(rig, backend, start.episode_id, start.instruction, machine.update)
    run_episode(world, policy, create_scheduler("receding"), start, horizon or spec.horizon_steps)
    return machine.score()


@pytest.mark.parametrize("index", [0, 1])
def test_expert_lifts_the_instructed_object(rig, library, backend, draw, index):
    spec = draw(index)
    score = run(rig, backend, TargetPicker(rig, library), spec)
    assert [score.s_pick(rubric) for rubric in ("strict", "reference")] == [1.0, 1.0]
    assert score.first("strict", "reach") == score.first_contact == spec.instruction("normal").target


@pytest.mark.parametrize("index", range(4))
def test_expert_holds_what_it_has_lifted_until_the_end(rig, library, backend, draw, index):
    spec = draw(index)
    backend.load(spec)
    start = start_of(rig, spec, "normal", 0)
    world = BackendWorld(rig, backend, start.episode_id, start.instruction, lambda state: None)
    run_episode(world, TargetPicker(rig, library), create_scheduler("receding"), start, spec.horizon_steps)
    target = next(item for item in world.state.objects if item.id == spec.instruction("normal").target)
    assert target.held_by
    assert target.position[2] > 0.08


def test_expert_goes_for_another_object_under_another_instruction(rig, library, draw):
    spec = draw(0)
    expert = TargetPicker(rig, library)
    chosen = {name: expert.choose(start_of(rig, spec, name), spec) for name in CONDITIONS}
    assert chosen == {name: spec.instruction(name).target for name in CONDITIONS}
    assert chosen["normal"] != chosen["alternative"]


def test_expert_stays_where_nothing_is_named(rig, library, backend, draw):
    spec = draw(0)
    score = run(rig, backend, TargetPicker(rig, library), spec, "absent", horizon=60)
    assert (score.target, score.first_contact, score.first("strict", "reach")) == (None, None, None)


def test_random_object_takes_every_object_equally_often(rig, library, draw):
    spec = draw(0)
    picker = RandomPicker(rig, library)
    chosen = [picker.choose(start_of(rig, spec, seed=seed), spec) for seed in range(1200)]
    counts = [chosen.count(item.id) for item in spec.objects]
    assert sum(counts) == 1200
    assert chisquare(counts).pvalue > 0.01


def test_random_object_does_not_read(rig, library, draw):
    spec = draw(0)
    picker = RandomPicker(rig, library)
    for seed in range(20):
        assert len({picker.choose(start_of(rig, spec, name, seed), spec) for name in CONDITIONS}) == 1


def test_picker_needs_the_spec(rig, library, start):
    with pytest.raises(ImoveError, match="policy expert needs the episode spec, which was not sent"):
        TargetPicker(rig, library).reset(start)


def states(backend, spec, **changes):
    """The objects of a scene, the target changed."""
    backend.load(spec)
    target = spec.instruction("normal").target
    return tuple(type(item)(**vars(item) | changes) if item.id == target else item for item in backend.reset().objects)


def test_picker_that_holds_its_object_stays(rig, library, backend, draw):
    spec = draw(0)
    world = ObedientWorld(rig, objects=states(backend, spec, held_by="left"))
    run_episode(world, TargetPicker(rig, library), create_scheduler("receding"), start_of(rig, spec), 60)
    assert np.ptp(world.path[1:], axis=0).max() == 0.0


def test_picker_stays_when_the_object_is_out_of_reach(rig, library, backend, draw):
    spec = draw(0)
    world = ObedientWorld(rig, objects=states(backend, spec, position=np.array([3.0, 0.0, 0.02])))
    run_episode(world, TargetPicker(rig, library), create_scheduler("receding"), start_of(rig, spec), 60)
    assert np.ptp(world.path[1:], axis=0).max() == 0.0


def test_picker_that_failed_goes_home_and_tries_again(rig, library, backend, draw):
    spec = draw(0)
    # The arms move, but the object never comes along.
    world = ObedientWorld(rig, objects=states(backend, spec))
    run_episode(world, TargetPicker(rig, library), create_scheduler("receding"), start_of(rig, spec), 600)
    path = np.array(world.path)
    at_home = np.abs(path - rig.home_positions).max(axis=1) < 0.05
    left_home = np.flatnonzero(at_home[:-1] & ~at_home[1:])
    assert len(left_home) >= 2
    assert np.abs(np.diff(path[:, :6], axis=0)).max() < 0.1
