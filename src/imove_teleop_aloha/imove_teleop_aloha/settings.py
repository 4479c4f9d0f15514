"""How teleoperation follows, holds and records."""

from __future__ import annotations

from dataclasses import dataclass

SIM, LEADER_DRIVES, RELAYED = "sim", "A", "B"
WIRINGS = (SIM, LEADER_DRIVES, RELAYED)
"""`sim`: the follower is simulated. `A`: leader and follower share a bus, the leader drives it and this process only
watches. `B`: each has a bus of its own, and this process relays."""


@dataclass(frozen=True)
class FollowingSettings:
    """Limits of following.

    Attributes:
        rate_hz: Of the loop; leaders and commands go at the same rate.
        tolerance_rad: A joint of the follower this near to the leader's is aligned.
        tolerance_opening_m: The same for the opening of a gripper.
        align_speed_rad_s: Fastest that joints move while the follower is brought to the leader.
        align_speed_m_s: The same for the opening of a gripper.
        speed_scale: Share of the arm's own speed limits that is used while following.
        stale_s: A leader that has said nothing for so long is lost: the arms hold.
        follower_stale_s: The same for the follower's own state.
        lead_rad: A leader that is farther ahead of its follower's target has jumped: the arms hold.
        apart_rad: A follower that is farther from its target for `apart_s` does not follow: the arms hold.
        apart_s: See `apart_rad`.
        ahead_s: How long after its stamp the point of a command is due: two periods, so that one late command leaves
            no gap.
    """

    rate_hz: float = 200.0
    tolerance_rad: float = 0.05
    tolerance_opening_m: float = 0.01
    align_speed_rad_s: float = 0.4
    align_speed_m_s: float = 0.05
    speed_scale: float = 1.0
    stale_s: float = 0.1
    follower_stale_s: float = 0.5
    lead_rad: float = 0.6
    apart_rad: float = 0.4
    apart_s: float = 0.5
    ahead_s: float = 0.01

    @property
    def period_s(self) -> float:
        """Of the loop."""
        return 1.0 / self.rate_hz
