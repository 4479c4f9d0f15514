"""What the opening of a hand says about what is in it."""

from imove_motion.holding import holds


def test_an_empty_hand_reaches_its_target() -> None:
    assert not holds(0.0105, 0.01)
    assert holds(0.025, 0.01)
