"""What a person may ask for on /imove/teleop/command, whoever passes it on: console, pedal or terminal."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from imove_core.errors import ImoveError
from imove_teleop_aloha.arguments import enable_argument, no_argument, parsed, stop_argument
from imove_teleop_aloha.deadman import CONSOLE, KEY, PEDAL
from imove_teleop_aloha.episodes import Episodes
from imove_teleop_aloha.leaders.keyboard import JoggedLeader
from imove_teleop_aloha.relay import Relay


class Commands:
    """Takes commands from any thread."""

    def __init__(self, episodes: Episodes, relay: Relay, deadman: str, jogged: JoggedLeader | None) -> None:
        """Passes on.

        Args:
            episodes: Takes what concerns episodes.
            relay: Has the deadman.
            deadman: What holds it.
            jogged: Leaders that are jogged, None where they are arms.
        """
        self._episodes, self._relay, self._deadman, self._jogged = episodes, relay, deadman, jogged

    @property
    def taken(self) -> tuple[str, ...]:
        """Names of what is taken now."""
        deadman = ("enable", "disable") if self._deadman in (KEY, CONSOLE) else ()
        return (*self._episodes.commands(), *deadman, *(("jog",) if self._jogged else ()))

    def take(self, name: str, argument_json: str) -> str:
        """Takes a command.

        Args:
            name: One of `taken`.
            argument_json: JSON object of further facts, "" for none.

        Returns:
            What is done, in one sentence.

        Raises:
            ImoveError: It is not taken now, or the argument is not what it should be.
        """
        if name not in self.taken:
            raise ImoveError(f"{name!r} is not taken now; allowed: {', '.join(self.taken)}")
        if name == "jog" and self._jogged is not None:
            self._jogged.jog(parsed(argument_json), time.monotonic())
            return "jogged"
        if name == "enable":
            hold_s = enable_argument(argument_json).hold_s
            self._relay.hold_deadman(math.inf if hold_s is None else hold_s)
            return "the deadman is held"
        if name == "stop":
            return self._episodes.command(name, stop_argument(argument_json).success)
        no_argument(argument_json)
        if name == "disable":
            self._relay.release_deadman()
            return "the deadman is let go of"
        return self._episodes.command(name)

    def pedal(self, pressed: bool, tell: Callable[[str], None]) -> None:
        """Takes a pedal: the deadman, or else one that starts an episode and ends it as a success.

        Args:
            pressed: Whether it is pressed or let go of.
            tell: Called with why nothing is done.
        """
        if self._deadman == PEDAL:
            if pressed:
                self._relay.hold_deadman(math.inf)
            else:
                self._relay.release_deadman()
        elif pressed:
            taken = self._episodes.commands()
            name = next((name for name in ("start", "success") if name in taken), "")
            try:
                if not name:
                    raise ImoveError(f"the pedal starts an episode or ends it; now allowed: {', '.join(taken)}")
                self._episodes.command(name)
            except ImoveError as error:
                tell(str(error))
