"""The classes of episodes: each has exactly one, the first that is true of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

POLICY_LOST = "policy_lost"
SUCCESS = "success"
SAFETY_STOP = "safety_stop"
WRONG_OBJECT_LIFTED = "wrong_object_lifted"
REACHED_WRONG_OBJECT = "reached_wrong_object"
NEVER_MOVED = "never_moved"
TOPPLED = "toppled"
MISSED_GRASP = "missed_grasp"
SLIPPED = "slipped"
DROPPED = "dropped"
WRONG_DESTINATION = "wrong_destination"
NOT_RELEASED = "not_released"
TIMED_OUT = "timed_out"

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        POLICY_LOST: "the policy, or its node, failed before the episode had ended",
        SUCCESS: "the named object reached all stages",
        SAFETY_STOP: "a person, the emergency stop or a fault of an arm ended the motion",
        WRONG_OBJECT_LIFTED: "another object was lifted, the named one was not",
        REACHED_WRONG_OBJECT: "another object was reached and none lifted, the named one was not reached",
        NEVER_MOVED: "no joint moved",
        TOPPLED: "the named object, or its destination, was knocked over",
        MISSED_GRASP: "the named object was reached and never held",
        SLIPPED: "the named object left fingers that did not open",
        DROPPED: "the named object was let go where it does not belong",
        WRONG_DESTINATION: "the named object was put at another destination",
        NOT_RELEASED: "the named object was brought to its destination and not let go",
        TIMED_OUT: "the horizon came before anything of this: nothing was reached, or it was still on its way",
    }
)
"""What each class means, in the order in which they are asked."""
CLASSES = tuple(MEANINGS)
