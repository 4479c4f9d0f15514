"""The rig of an episode: where the arms start and the cameras stand."""

import numpy as np
import pytest

from imove_core.episode_rig import episode_rig
from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN, Offset, Randomization
from imove_core.rig import Rig, load_rig, rig_names


def drawn(**changes: object) -> Randomization:
    return PLAIN.model_copy(update=changes)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


def test_without_offsets_it_is_the_rig_itself(rig: Rig) -> None:
    assert episode_rig(rig, PLAIN) is rig


def test_joint_offsets_move_the_home_of_that_arm_only(rig: Rig) -> None:
    offsets = (0.01, -0.02, 0.03, 0.0, 0.02, -0.01)
    found = episode_rig(rig, drawn(joint_offsets_rad={"right": offsets}))
    np.testing.assert_allclose(found.arm("right").home, np.add(rig.arm("right").home, offsets), atol=1e-15)
    assert found.arm("left") == rig.arm("left")
    assert found.cameras == rig.cameras


@pytest.mark.parametrize("name", rig_names())
def test_camera_offsets_are_in_the_frame_of_the_camera(name: str) -> None:
    """A shift along z moves the camera along its own optical axis; a turn about z turns the image only."""
    rig = load_rig(name)
    offset = Offset(translation_m=(0.0, 0.0, 0.01), rotation_rad=(0.0, 0.0, 0.1))
    for camera in rig.cameras:
        moved = episode_rig(rig, drawn(camera_offsets={camera.name: offset}))
        before = camera.parent_from_optical.matrix
        after = moved.camera(camera.name).parent_from_optical.matrix
        np.testing.assert_allclose(after[:3, 3] - before[:3, 3], 0.01 * before[:3, 2], atol=1e-12)
        np.testing.assert_allclose(after[:3, 2], before[:3, 2], atol=1e-8)
        assert after[:3, 0] @ before[:3, 0] == pytest.approx(np.cos(0.1))
        others = [other for other in rig.cameras if other.name != camera.name]
        assert [moved.camera(other.name) for other in others] == others


REFUSALS = {
    "no such arm": ({"joint_offsets_rad": {"third": (0.0,) * 6}}, "'third'.*left, right"),
    "no such camera": ({"camera_offsets": {"front": Offset()}}, "'front'.*static_camera"),
    "too few joints": ({"joint_offsets_rad": {"left": (0.0, 0.1)}}, "'left' has 2 joint offsets; it has 6 joints"),
    "out of limits": ({"joint_offsets_rad": {"left": (0.0, -2.0, 0, 0, 0, 0)}}, "left_joint2.* is allowed"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_offsets_that_do_not_fit_are_refused(rig: Rig, case: str) -> None:
    changes, message = REFUSALS[case]
    with pytest.raises(ImoveError, match=message) as caught:
        episode_rig(rig, drawn(**changes))
    assert "\n" not in str(caught.value)
