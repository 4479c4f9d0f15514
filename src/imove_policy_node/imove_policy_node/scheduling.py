"""When the policy is asked again, and which of its answers are executed."""

from dataclasses import dataclass

from imove_core.errors import unknown_name


@dataclass(frozen=True)
class Scheduler:
    """Synchronous scheduling: the rows of an answer are executed until the next answer is asked for.

    Attributes:
        name: As users write it.
        execute_steps: Control steps between two questions; None executes the whole answer.
    """

    name: str
    execute_steps: int | None

    def steps_to_run(self, chunk_length: int) -> int:
        """Control steps to run before the policy is asked again."""
        return chunk_length if self.execute_steps is None else min(self.execute_steps, chunk_length)


RECEDING_STEPS = 15
_SCHEDULERS = {
    "receding": Scheduler("receding", RECEDING_STEPS),
    "sync_hold": Scheduler("sync_hold", None),
}


def scheduler_names() -> tuple[str, ...]:
    """Names of all schedulers."""
    return tuple(_SCHEDULERS)


def create_scheduler(name: str) -> Scheduler:
    """The scheduler of that name; raises ImoveError for an unknown one.

    `receding` asks again after 15 steps, in the middle of a longer answer; `sync_hold` executes every answer to its
    end. In real time both hold the last target while they wait.
    """
    if name not in _SCHEDULERS:
        raise unknown_name("scheduler", name, _SCHEDULERS)
    return _SCHEDULERS[name]
