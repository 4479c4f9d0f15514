"""What the fingers say: when they hold something, when they let it go, when it slips out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from imove_core.rig import load_rig
from imove_tracker.hands import Hands, JointHistory

RIG = load_rig("piperx_dual")
STEP_NS = 33_333_333
LEFT = RIG.arms[0].size - 1


class Fingers:
    """The left hand of a rig at home, opening and closing step by step."""

    def __init__(self, opening_m: float, knows_targets: bool) -> None:
        self.hands, self._stamp_ns, self._opening_m = Hands(RIG), 0, opening_m
        self._knows_targets = knows_targets

    def go(self, opening_m: float, target_m: float | None = None, steps: int = 12) -> list[str]:
        """Moves evenly, then stands still for as long; returns who took or let go meanwhile."""
        changed = []
        way = [*np.linspace(self._opening_m, opening_m, steps), *[opening_m] * steps]
        for value in way:
            positions, targets = RIG.home_positions, RIG.home_positions
            positions[LEFT], targets[LEFT] = value, opening_m if target_m is None else target_m
            changed += self.hands.update(self._stamp_ns, positions, targets if self._knows_targets else None)
            self._stamp_ns += STEP_NS
        self._opening_m = opening_m
        return changed

    @property
    def gripped(self) -> bool:
        return self.hands.states(self._stamp_ns)["left"].gripped


@given(width_m=st.floats(0.005, 0.06), knows_targets=st.booleans())
def test_fingers_that_are_kept_apart_hold_something_until_they_part(width_m, knows_targets):
    fingers = Fingers(0.07, knows_targets)
    assert fingers.go(width_m, target_m=max(0.0, width_m - 0.01)) == ["left"]
    assert fingers.gripped
    assert fingers.go(0.07) == ["left"]
    assert not fingers.gripped


@given(opening_m=st.floats(0.0, 0.06))
def test_fingers_that_reach_their_target_hold_nothing(opening_m):
    fingers = Fingers(0.07, knows_targets=True)
    assert fingers.go(opening_m) == []
    assert not fingers.gripped


def test_fingers_that_shut_hold_nothing_even_where_nobody_knows_their_target():
    fingers = Fingers(0.07, knows_targets=False)
    assert fingers.go(0.0) == []


def test_what_slips_out_is_let_go_and_what_yields_is_not():
    fingers = Fingers(0.07, knows_targets=True)
    fingers.go(0.03, target_m=0.01)
    assert fingers.go(0.024, target_m=0.01) == []
    assert fingers.gripped
    assert fingers.go(0.01) == ["left"]
    assert not fingers.gripped


def test_standing_still_is_no_grip():
    fingers = Fingers(0.03, knows_targets=True)
    assert fingers.go(0.03, target_m=0.0, steps=30) == []


def test_history_is_linear_between_stamps_and_starts_again_when_time_goes_back():
    history = JointHistory()
    assert history.at(0) is None
    history.add(100, np.array([0.0, 2.0]))
    history.add(200, np.array([1.0, 4.0]))
    assert history.at(150).tolist() == [0.5, 3.0]
    assert history.at(0).tolist() == [0.0, 2.0]
    assert history.at(900).tolist() == [1.0, 4.0]
    history.add(50, np.array([7.0, 7.0]))
    assert history.at(150).tolist() == [7.0, 7.0]
