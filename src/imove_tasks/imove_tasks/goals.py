"""Goals of a scene: what an instruction could ask for, and the objects that it would be about."""

from imove_core.meaning import Meaning
from imove_core.values import FrozenValue


class Goal(FrozenValue):
    """One thing that can be asked for on a scene.

    Attributes:
        meaning: True of exactly the target, and of exactly the destination.
        target: Id of the object to pick.
        destination: Id of the container or reference object, None where the object is only picked.
    """

    meaning: Meaning
    target: str
    destination: str | None = None
