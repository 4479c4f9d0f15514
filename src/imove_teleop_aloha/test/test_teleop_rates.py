"""Rates of topics by the stamps of their messages, and what is too slow."""

import pytest

from imove_teleop_aloha.rates import RateMeter, too_slow


def test_rates_are_those_of_stamps():
    meter = RateMeter({"/a": 30.0, "/b": 100.0})
    for number in range(90):
        meter.note("/a", number * 50_000_000, 1000.0 + number)
    assert meter.lately(1089.0) == pytest.approx({"/a": 20.0, "/b": 0.0})
    # A topic that was fast and is silent has no rate.
    assert meter.lately(1091.0)["/a"] == 0.0
    meter.begin()
    assert meter.of_episode() == {"/a": 0.0, "/b": 0.0}
    for number in range(31):
        meter.note("/a", 10**10 + number * 33_333_333, 1100.0)
    assert meter.of_episode()["/a"] == pytest.approx(30.0, rel=1e-6)
    # Time that goes back is that of another simulator.
    meter.note("/a", 0, 1100.0)
    assert meter.lately(1100.0)["/a"] == 0.0


def test_what_is_too_slow_is_named():
    expected = {"/a": 30.0, "/b": 200.0, "/c": 30.0}
    assert too_slow({"/a": 25.3, "/b": 168.0, "/c": 30.0}, expected, 0.84) == ""
    said = too_slow({"/a": 25.0, "/b": 0.0, "/c": 30.0}, expected, 0.84)
    assert said == "/a comes at 25.0 Hz; at least 25.2 Hz are needed, and 1 more topics are too slow"
    assert too_slow({}, expected, 0.0) == ""
