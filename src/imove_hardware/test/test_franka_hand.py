"""The hand is told what changes, one order at a time, and holds what it has grasped."""

from __future__ import annotations

import pytest

from imove_hardware.emulation.franka.hand import EmulatedHand, Outcome
from imove_hardware.franka.gripping import CANCELLED, Gripping, HandLimits, OrderKind

MS = 1_000_000
LIMITS = HandLimits(0.0, 0.08, 0.1, 20.0)


class Told:
    """A hand that decides and one that does, in time of its own."""

    def __init__(self, object_m=0.0):
        self.gripping, self.hand = Gripping(LIMITS), EmulatedHand(0.08, object_m, 0)
        self.ms, self.orders = 0, []

    def want(self, opening_m, ms):
        """Lets an opening be wanted for a while."""
        for _ in range(ms):
            self.ms += 1
            self.hand.advance(self.ms * MS)
            if self.gripping.running and self.hand.outcome is not Outcome.RUNNING:
                failure = "" if self.hand.outcome is Outcome.SUCCEEDED else "failed"
                self.gripping.finished(self.hand.opening_m, failure, self.ms / 1000.0)
            if self.gripping.outdated(opening_m):
                self.hand.stop()
                self.gripping.finished(self.hand.opening_m, CANCELLED, self.ms / 1000.0)
            order = self.gripping.next_order(opening_m, self.hand.opening_m, self.ms / 1000.0)
            if order:
                self.orders.append(order)
                if order.kind is OrderKind.MOVE:
                    self.hand.move(order.opening_m, order.speed_m_s)
                else:
                    self.hand.grasp(order.opening_m, order.speed_m_s, order.force_n, 0.08, 0.08)

    @property
    def kinds(self):
        """What was ordered, to which mm."""
        return [(order.kind.value, round(1000 * order.opening_m)) for order in self.orders]


def test_an_opening_that_stays_is_no_order_and_a_small_change_neither():
    told = Told()
    told.want(0.08, 100)
    told.want(0.0775, 100)
    assert told.kinds == []
    told.want(0.05, 600)
    told.want(0.048, 100)
    assert told.kinds == [("grasp", 50)] and told.hand.opening_m == pytest.approx(0.05)
    # The end of the range is always gone to.
    told.want(0.002, 600)
    told.want(0.0, 600)
    assert told.kinds == [("grasp", 50), ("grasp", 2), ("grasp", 0)] and not told.gripping.holds


def test_what_is_grasped_stays_grasped_until_the_hand_is_to_be_wider_than_it():
    told = Told(object_m=0.04)
    told.want(0.03, 700)
    assert told.kinds == [("grasp", 30)] and told.gripping.holds
    assert told.hand.opening_m == pytest.approx(0.04) and told.hand.force_n == 20.0
    told.want(0.0, 500)
    told.want(0.035, 500)
    assert told.kinds == [("grasp", 30)] and told.gripping.opening(0.04) == 0.03
    told.want(0.06, 500)
    assert told.kinds == [("grasp", 30), ("move", 60)] and told.hand.force_n == 0.0
    assert not told.gripping.holds and told.hand.opening_m == pytest.approx(0.06)


def test_the_newest_opening_wins_over_an_order_that_leads_away_from_it():
    told = Told()
    told.want(0.0, 200)
    assert told.hand.opening_m == pytest.approx(0.06, abs=0.001)
    told.want(0.08, 300)
    assert told.kinds == [("grasp", 0), ("move", 80)] and told.hand.opening_m == pytest.approx(0.08)
    told.want(0.02, 100)
    # Further in the same direction waits for the end of the order.
    told.want(0.0, 50)
    assert told.kinds[2:] == [("grasp", 20)]
    told.want(0.0, 900)
    assert told.kinds[2:] == [("grasp", 20), ("grasp", 0)]


def test_a_failed_order_is_tried_again_after_a_while_and_its_failure_told():
    gripping = Gripping(LIMITS)
    assert gripping.next_order(0.0, 0.08, 10.0).kind is OrderKind.GRASP
    assert gripping.next_order(0.08, 0.08, 10.0) is None
    gripping.finished(0.08, "the hand is not there", 10.1)
    assert gripping.failure == "the hand is not there"
    assert gripping.next_order(0.0, 0.08, 10.5) is None
    assert gripping.next_order(0.0, 0.08, 11.2).opening_m == 0.0
    gripping.finished(0.0, "", 12.0)
    assert gripping.failure == ""


def test_homing_is_not_interrupted():
    gripping, hand = Gripping(LIMITS), EmulatedHand(0.08, 0.0, 0)
    assert gripping.home().kind is OrderKind.HOME and gripping.home() is None
    assert not gripping.outdated(0.0) and gripping.next_order(0.0, 0.08, 1.0) is None
    hand.home()
    hand.advance(850 * MS)
    assert hand.opening_m == pytest.approx(0.005) and hand.outcome is Outcome.RUNNING
    hand.advance(1800 * MS)
    assert hand.opening_m == pytest.approx(0.08) and hand.outcome is Outcome.SUCCEEDED


def test_the_emulated_hand_fails_where_the_real_one_does():
    hand = EmulatedHand(0.08, 0.03, 0)
    hand.move(0.01, 0.1)
    hand.advance(1000 * MS)
    assert hand.outcome is Outcome.FAILED and hand.opening_m == 0.03
    hand.grasp(0.0, 0.1, 30.0, 0.005, 0.005)
    hand.advance(2000 * MS)
    assert hand.outcome is Outcome.FAILED and hand.force_n == 30.0
    hand.grasp(0.03, 0.1, 30.0, 0.005, 0.005)
    hand.advance(3000 * MS)
    assert hand.outcome is Outcome.SUCCEEDED
