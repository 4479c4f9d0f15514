"""What every simulator must refuse, in one sentence and without a trace."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_sim_bridge.registry import backend_names

pytestmark = pytest.mark.parametrize("engine", backend_names())

CAMERAS = ("static_camera", "left_hand_camera", "right_hand_camera")
REFUSALS = {
    "observe before load": (lambda b, s: b.observe(CAMERAS), "no episode is running"),
    "advance before load": (lambda b, s: b.advance({}, 1), "no episode is running"),
    "reset before load": (lambda b, s: b.reset(), "no episode is loaded"),
    "advance before reset": (lambda b, s: (b.load(s), b.advance({}, 1)), "test/scene/000"),
    "observe before reset": (lambda b, s: (b.load(s), b.observe(CAMERAS)), "test/scene/000"),
    "unknown camera": (lambda b, s: (b.load(s), b.reset(), b.observe(["front"])), "'front'.*static_camera"),
    "unknown arm": (lambda b, s: b.hold("third"), "'third'.*left, right"),
    "depth without colour": (
        lambda b, s: (b.load(s), b.reset(), b.observe(CAMERAS[:1], CAMERAS[1:2])),
        "depth of camera 'left_hand_camera'.*static_camera",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_calls_that_make_no_sense_are_refused(backend, blocks, case):
    act, message = REFUSALS[case]
    with pytest.raises(ImoveError, match=message) as caught:
        act(backend, blocks)
    assert "\n" not in str(caught.value)


def test_specs_that_do_not_fit_are_refused_and_change_nothing(backend, rig, blocks, make_spec, assets, bits, sweep):
    backend.load(blocks)
    wanted = bits(sweep(backend, rig, steps=10, portion=10))
    stale = blocks.model_dump()
    stale["objects"][1]["asset_hash"] = "0" * 64
    unknown = blocks.model_dump()
    unknown["objects"][1]["asset"] = "nowhere"
    other_rig = make_spec(("block", (0, 0, 0)), ("block", (0, 0, 1)), rig_name="franka_single")
    real_hash = assets["other block"].content_hash()[:12]
    before = [backend.reset(), *backend.advance({}, 0)]
    for spec, message in (
        (type(blocks).model_validate(stale), f"'other block' of object_1 .*{real_hash}.*000000000000"),
        (type(blocks).model_validate(unknown), "nowhere"),
        (other_rig, "test/scene/000 is for rig 'franka_single'.*'piperx_dual'"),
    ):
        with pytest.raises(ImoveError, match=message) as caught:
            backend.load(spec)
        assert "\n" not in str(caught.value)
    assert bits(before) == wanted[:1]
    assert bits(sweep(backend, rig, steps=10, portion=10)) == wanted


def test_commands_that_do_not_fit_are_refused_whole(backend, rig, blocks, move_to):
    backend.load(blocks)
    backend.reset()
    backend.advance({}, 10)
    last = backend.reset()
    home = rig.arms[0].home_positions
    good = move_to(last.stamp_ns, home + 0.1, 0.1)
    stale = move_to(last.stamp_ns - 1, home + 0.1, 0.1)
    for commands, message in (
        ({"left": good, "third": good}, "'third'.*left, right"),
        ({"left": good, "right": stale}, "'right' is stamped .*began at"),
    ):
        with pytest.raises(ImoveError, match=message):
            backend.advance(commands, 3)
    assert backend.advance({}, 1)[0].step == 1
    assert np.array_equal(backend.joint_targets(), rig.home_positions)


def test_a_breakdown_is_an_error_and_a_reset_mends_it(
    backend, rig, blocks, move_to, tmp_path, monkeypatch, bits, sweep
):
    # MuJoCo writes its warnings to a file in the working folder.
    monkeypatch.chdir(tmp_path)
    backend.load(blocks)
    wanted = bits(sweep(backend, rig, steps=10, portion=10))
    first = backend.reset()
    with pytest.raises(ImoveError, match="broke down in control steps 1 to 2 .*reset the episode"):
        backend.advance({"left": move_to(first.stamp_ns, [np.nan] * 7, 0.1)}, 2)
    with pytest.raises(ImoveError, match="no episode is running"):
        backend.advance({}, 1)
    assert bits(sweep(backend, rig, steps=10, portion=10)) == wanted
