"""What a driver does with its arm: one mode at a time, and every way from one to another.

A lock outlasts everything but a person's word: whatever stopped the arm, it moves again only after `resume`.
"""

from __future__ import annotations

from enum import Enum

from imove_core.errors import ImoveError


class Mode(Enum):
    """What the driver does."""

    CONNECTING = "connecting"
    """Looks for the arm and checks it."""
    DISABLED = "disabled"
    """The arm is there; its motors have no power."""
    ENABLING = "enabling"
    """Powers the motors and takes over where the arm is."""
    HOLDING = "holding"
    """Keeps the arm where it is and takes commands."""
    FOLLOWING = "following"
    """Carries out a command."""
    LOCKED = "locked"
    """Keeps the arm where it is, whatever is commanded."""
    FAULTED = "faulted"
    """The arm, or the check before it was taken over, says that something is wrong."""
    LOST = "lost"
    """The bus is silent."""


M = Mode
_TAKEN_OVER = frozenset((M.HOLDING, M.FOLLOWING, M.LOCKED))
_WAYS: dict[Mode, frozenset[Mode]] = {
    M.CONNECTING: frozenset((M.DISABLED, M.ENABLING, M.LOCKED, M.FAULTED)),
    M.DISABLED: frozenset((M.ENABLING, M.FAULTED, M.LOST)),
    M.ENABLING: frozenset((M.HOLDING, M.LOCKED, M.DISABLED, M.FAULTED, M.LOST)),
    M.HOLDING: frozenset((M.FOLLOWING, M.LOCKED, M.DISABLED, M.FAULTED, M.LOST)),
    M.FOLLOWING: frozenset((M.HOLDING, M.LOCKED, M.DISABLED, M.FAULTED, M.LOST)),
    M.LOCKED: frozenset((M.ENABLING, M.DISABLED, M.FAULTED, M.LOST)),
    M.FAULTED: frozenset((M.LOCKED, M.DISABLED, M.ENABLING, M.LOST)),
    M.LOST: frozenset((M.CONNECTING,)),
}


class ArmState:
    """The mode, why the arm holds, and whether it may move without a person's word."""

    def __init__(self, arm: str) -> None:
        """Looks for the arm of this name."""
        self._arm = arm
        self.mode = Mode.CONNECTING
        """What the driver does."""
        self.reason = ""
        """Why the arm does not move, "" where nothing keeps it."""
        self.locked = False
        """Whether it may move only after `resume`."""
        self.stopped = False
        """Whether the emergency stop is on."""
        self.refused = False
        """Whether a check says why the arm is not taken over."""

    @property
    def may_follow(self) -> bool:
        """Whether commands are taken."""
        return self.mode in (Mode.HOLDING, Mode.FOLLOWING)

    def wait_for(self, reason: str) -> None:
        """Still looks for the arm, and says why it is not found."""
        if self.mode is Mode.CONNECTING:
            self.reason = reason

    def found(self, powered: bool, enable: bool) -> None:
        """The arm is there and all checks are passed, now or after they were refused.

        Args:
            powered: Whether its motors have power.
            enable: Whether they may be powered without a person's word.
        """
        self.refused = False
        if powered and self.locked:
            self._go(Mode.LOCKED, self.reason)
        elif powered or (enable and not self.locked):
            self._go(Mode.ENABLING, "takes over the arm")
        else:
            self._go(Mode.DISABLED, self.reason if self.locked else "the motors have no power")

    def taken_over(self) -> None:
        """The motors have power and the arm takes commands."""
        self._go(*((Mode.LOCKED, self.reason) if self.locked else (Mode.HOLDING, "")))

    def check_commands(self) -> None:
        """Raises ImoveError where no command is taken."""
        if not self.may_follow:
            raise ImoveError(f"arm '{self._arm}' is {self.mode.value} and takes no command: {self.reason}")

    def commanded(self) -> None:
        """Carries out a command; raises ImoveError where none is taken."""
        self.check_commands()
        self._go(Mode.FOLLOWING, "")

    def ran_out(self, reason: str) -> None:
        """No command is left."""
        if self.mode is Mode.FOLLOWING:
            self._go(Mode.HOLDING, reason)

    def stop(self, on: bool) -> None:
        """The emergency stop comes on or goes off; what it locked stays locked."""
        self.stopped = on
        if on:
            self._lock("emergency stop")

    def refuse(self, sentence: str) -> None:
        """A check says why the arm is not taken over; when it passes, nothing more is needed."""
        self.refused = True
        self._go(Mode.FAULTED, sentence)

    def fail(self, sentence: str) -> None:
        """Something is wrong with an arm that was taken over, or was about to be."""
        self.locked = True
        self._go(Mode.FAULTED, sentence)

    def recover(self, powered: bool) -> None:
        """What was wrong is so no more; the arm stays where it is."""
        self._go(Mode.LOCKED if powered else Mode.DISABLED, self.reason)

    def lose(self, sentence: str) -> None:
        """The bus has fallen silent, which locks; but not an arm that no check has passed, and that is switched off."""
        self.locked, self.refused = self.locked or not self.refused, False
        self._go(Mode.LOST, sentence)

    def reconnect(self) -> None:
        """The bus speaks again; the arm is looked at as if it were another one."""
        self._go(Mode.CONNECTING, self.reason)

    def unpowered(self, sentence: str, asked: bool) -> None:
        """The motors have no power any more.

        Args:
            sentence: Why.
            asked: Whether a person asked for it, which locks nothing.
        """
        self.locked = self.locked or not asked
        self._go(Mode.DISABLED, sentence)

    def enable(self) -> None:
        """A person powers the motors; raises ImoveError where that cannot be. A lock stays."""
        if self.mode is not Mode.DISABLED:
            raise ImoveError(f"arm '{self._arm}' is {self.mode.value}; only one that is disabled can be enabled")
        if self.stopped:
            raise ImoveError(f"arm '{self._arm}' is not enabled while the emergency stop is on; release it first")
        self._go(Mode.ENABLING, self.reason)

    def resume(self, passing: bool = False) -> None:
        """A person lets the arm move again; it takes over where it is.

        Args:
            passing: Whether the fault, where there is one, goes with the next command.

        Raises:
            ImoveError: It may not, and why.
        """
        if self.stopped:
            raise ImoveError(f"arm '{self._arm}' stays locked: the emergency stop is on; release it first")
        if not self.locked:
            raise ImoveError(f"arm '{self._arm}' is not locked; it is {self.mode.value}")
        if self.mode is Mode.DISABLED:
            raise ImoveError(f"arm '{self._arm}' has no power ({self.reason}); enable it first")
        if self.mode is not Mode.LOCKED and not (self.mode is Mode.FAULTED and passing and not self.refused):
            raise ImoveError(f"arm '{self._arm}' stays locked while it is {self.mode.value}: {self.reason}")
        self.locked = False
        self._go(Mode.ENABLING, "takes over the arm")

    def _lock(self, sentence: str) -> None:
        if not self.locked or self.mode in _TAKEN_OVER:
            self.reason = sentence
        self.locked = True
        if self.mode in (Mode.HOLDING, Mode.FOLLOWING):
            self._go(Mode.LOCKED, sentence)

    def _go(self, mode: Mode, reason: str) -> None:
        if mode is not self.mode and mode not in _WAYS[self.mode]:
            raise RuntimeError(f"arm '{self._arm}' cannot go from {self.mode.value} to {mode.value}")
        self.mode, self.reason = mode, reason
