"""How many draws become certified scenes, why the others do not, and what that costs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from imove_bringup.freezing.running import Draw


@dataclass(frozen=True)
class Yield:
    """What came of many draws.

    Attributes:
        draws: Scenes that were drawn.
        certified: Of them, those that hold.
        refusals: Of the others, the step at which they were refused, how many, and one reason; most frequent first.
        cpu_s_a_draw: Mean processor time of a draw.
        cpu_s_a_scene: Processor time of all draws over the number of certified scenes; infinite where there is none.
    """

    draws: int
    certified: int
    refusals: tuple[tuple[str, int, str], ...]
    cpu_s_a_draw: float
    cpu_s_a_scene: float

    def to_record(self) -> dict[str, Any]:
        """The figures as plain data."""
        return asdict(self)


def summarise(draws: Sequence[Draw]) -> Yield:
    """Counts and costs of at least one draw."""
    refused = [draw.refusal for draw in sorted(draws, key=lambda draw: draw.index) if draw.refusal is not None]
    certified = len(draws) - len(refused)
    cpu_s = sum(draw.cpu_s for draw in draws)
    reasons = {refusal.step: refusal.reason for refusal in reversed(refused)}
    return Yield(
        draws=len(draws),
        certified=certified,
        refusals=tuple((step, count, reasons[step]) for step, count in Counter(r.step for r in refused).most_common()),
        cpu_s_a_draw=cpu_s / len(draws),
        cpu_s_a_scene=cpu_s / certified if certified else float("inf"),
    )
