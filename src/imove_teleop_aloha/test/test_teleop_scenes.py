"""Which scene an episode gets, and under which name."""

import pytest

from imove_core.errors import ImoveError
from imove_tasks.suites import open_suite
from imove_teleop_aloha.scenes import Scenes

SUITE = open_suite("pick_category/seen")


def test_scenes_go_round_in_the_order_of_the_suite_or_of_a_seed():
    count = len(SUITE.specs)
    plain = Scenes(SUITE, "normal", 900)
    assert [plain.scene(n).spec.id for n in (0, 1, count)] == [SUITE.specs[n].id for n in (0, 1, 0)]
    assert plain.scene(count).key == f"{SUITE.specs[0].id}/normal/2"
    assert (plain.scene(0).spec.horizon_steps, plain.scene(0).suite_spec_hash) == (900, SUITE.specs[0].content_hash)
    assert Scenes(SUITE, "normal", 0).scene(0).spec == SUITE.specs[0]
    drawn = Scenes(SUITE, "normal", 0, seed=4)
    for turn in (0, 1):
        ids = [drawn.scene(turn * count + n).spec.id for n in range(count)]
        assert sorted(ids) == sorted(spec.id for spec in SUITE.specs)
        assert ids != [spec.id for spec in SUITE.specs]
    assert drawn.scene(3) == Scenes(SUITE, "normal", 0, seed=4).scene(3)
    assert Scenes(SUITE, "empty", 0).scene(0).bag.task == "pick_category-empty"
    with pytest.raises(ImoveError, match="condition"):
        Scenes(SUITE, "loud", 0)
