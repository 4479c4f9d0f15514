"""What drivers watch of all that speaks to them: for how long it has been silent, and how often it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_hardware.frame_rate import FrameRate
from imove_hardware.silence import LOOP_SHARE_S, SilenceWatch


@given(st.lists(st.floats(0.001, 0.3), min_size=1, max_size=50))
def test_silence_is_noticed_within_a_round_and_a_sleep_of_the_loop_is_not_silence(rounds_s):
    watch, now_s, silent_s = SilenceWatch(0.1), 5.0, 0.0
    watch.start(7, now_s)
    for passed_s in rounds_s:
        now_s += passed_s
        silent_s += min(passed_s, LOOP_SHARE_S)
        assert watch.look(7, now_s) is (watch.silent_s >= 0.1)
        assert watch.silent_s == pytest.approx(silent_s)
    assert not watch.look(8, now_s + 0.3) and watch.silent_s == 0.0


def test_at_200_rounds_a_second_silence_is_noticed_after_100_ms():
    watch = SilenceWatch(0.1)
    watch.start(0, 0.0)
    noticed = [number for number in range(1, 100) if watch.look(0, number * 0.005)]
    assert noticed[0] in (20, 21)


def test_frames_are_counted_over_a_second_and_anew_on_another_connection():
    rate = FrameRate()
    rate.look(0, 100.0)
    rate.look(300, 100.5)
    assert rate.hz == 0.0, "half a window says nothing"
    rate.look(600, 101.0)
    assert rate.hz == pytest.approx(600.0)
    rate.look(5, 101.2)
    assert rate.hz == 0.0, "another connection has counted anew"
    rate.look(205, 102.2)
    assert rate.hz == pytest.approx(200.0)
    rate.look(305, 202.2)
    assert rate.hz == 0.0, "nobody has looked for so long that it is no rate of now"
