"""What the recorder does with arrivals and requests, without ROS: at most one recording at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from imove_core import contract
from imove_core.bag.partial import PARTIAL_FOLDER
from imove_core.bag.types import MessageTypes
from imove_core.errors import ImoveError
from imove_recorder.announcement import Announcement, origin_facts
from imove_recorder.arrivals import Arrival
from imove_recorder.bag_file import BagFile
from imove_recorder.completeness import Completeness
from imove_recorder.held import LatchedSamples
from imove_recorder.readiness import Offers, check_ready, wanted_topics
from imove_recorder.recording import Recording
from imove_recorder.request import Finished, Request
from imove_recorder.settings import LOCKSTEP, RecorderSettings
from imove_recorder.status import IDLE, RECORDING, WAITING, Status, tallies

TASK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
# Names in a sentence that people are to read.
MOST_NAMED = 3
# Nobody scored what somebody did by hand.
UNJUDGED = {"success": "unknown", "stages": ""}


class Recorder:
    """Records one episode after another into a dataset.

    Attributes:
        topics: What it must be given.
        message: Why the last recording failed, "" when all is well.
    """

    def __init__(self, settings: RecorderSettings, types: MessageTypes) -> None:
        """Is idle.

        Args:
            settings: How to record.
            types: Message types.

        Raises:
            ImoveError: The dataset's folder cannot be made.
        """
        self.topics = wanted_topics(settings)
        self.message = ""
        self._settings, self._types = settings, types
        self._origin = origin_facts()
        self._latching = {topic.name for topic in self.topics if topic.qos.latched}
        self._latched = LatchedSamples()
        self._recording: Recording[BagFile] | None = None
        self._episode_id = ""
        self._offers: Offers = {}
        try:
            settings.dataset.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ImoveError(f"dataset folder {settings.dataset} cannot be made: {error.strerror}") from error

    @property
    def is_idle(self) -> bool:
        """Whether nothing is recorded, or waited for."""
        return self._recording is None

    def receive(self, arrival: Arrival) -> None:
        """Takes a message of one of `topics`."""
        if arrival.topic in self._latching:
            self._latched.renew(arrival)
        recording = self._recording
        if recording is None:
            return
        if self._settings.autostart and arrival.topic == contract.EPISODE_TOPIC and recording.bag is not None:
            self._turn_over()
        else:
            recording.receive(arrival)
            self.message = recording.failure

    def start(self, request: Request, offers: Offers) -> Path:
        """Begins to record an episode that is about to be announced.

        Args:
            request: What is to be recorded.
            offers: What the publishers of the graph offer.

        Returns:
            Folder that the bag gets when it is whole.

        Raises:
            ImoveError: A recording runs, the recording would not be whole, or the bag is there already.
        """
        if self._recording is not None:
            raise ImoveError(f"episode {self._episode_id} is being recorded; stop that first")
        if not TASK_NAME.fullmatch(request.task):
            raise ImoveError(f"task '{request.task}' is no folder name; letters, digits, '_', '.' and '-' are allowed")
        if not request.episode_id:
            raise ImoveError("a recording needs the id of its episode")
        folder = self._bag_folder(request.task, request.number)
        if folder.exists() and not request.replace:
            raise ImoveError(f"bag {folder} is there already; give another number or ask to replace it")
        latched = self._latched.copy(without=contract.EPISODE_TOPIC)
        self._begin(request.episode_id, offers, latched, lambda announced: folder)
        self.message = ""
        return folder

    def start_next(self, offers: Offers) -> None:
        """Begins to record the episode that is announced already, or else the next one, under the next free name.

        Raises:
            ImoveError: A recording runs, or the recording would not be whole.
        """
        self._begin("", offers, self._latched, lambda announced: self._next_folder(announced.spec.family))

    def missing(self) -> tuple[str, ...]:
        """What has not come yet of the end of the episode that is recorded."""
        return self._recording.missing() if self._recording else ()

    def finish(self, facts: Mapping[str, str], attachments: Mapping[str, str], *, whole: bool = True) -> Finished:
        """Ends the recording and moves its bag into place.

        Args:
            facts: For custom_data.
            attachments: Texts by name.
            whole: Whether the bag must hold the episode to its end.

        Raises:
            ImoveError: Nothing is recorded, or the recording has failed or is not whole; what there is of it is then a
                valid bag among the unfinished ones.
        """
        recording = self._end()
        bag = recording.begin()
        missing = recording.missing() if whole else ()
        fault = recording.failure or (f"{_listed(missing)} did not come" if missing else "")
        try:
            if fault:
                raise ImoveError(f"{fault}; what came is in {bag.cut(fault)}")
            bag.finish({**facts, "lost_messages": str(sum(recording.lost.values()))}, attachments)
        except ImoveError as error:
            self.message = str(error)
            raise
        counts = tallies(bag.counts(), recording.lost).values()
        return Finished(bag.folder, sum(count.written for count in counts), sum(count.dropped for count in counts))

    def finish_unjudged(self) -> Finished:
        """Ends the recording of an episode that has no end of its own, and moves its bag into place; see `finish`."""
        return self.finish(UNJUDGED, {}, whole=False)

    def discard(self) -> None:
        """Ends the recording and throws away what there is of it; raises ImoveError when nothing is recorded."""
        recording = self._end()
        if recording.bag is not None:
            recording.bag.discard()

    def cut(self, reason: str) -> Path | None:
        """Ends a recording, if one runs, in the middle of its episode.

        Returns:
            The valid bag among the unfinished ones; None where the episode had not begun.
        """
        if self._recording is None:
            return None
        bag = self._end().bag
        return None if bag is None else bag.cut(reason)

    def close(self, reason: str) -> str:
        """Ends what is recorded because the recorder ends.

        An episode that has no end of its own is whole; any other one is cut.

        Returns:
            What people should know, "" for nothing.

        Raises:
            ImoveError: The bag of the former cannot be finished.
        """
        if self._settings.autostart and self._recording is not None and self._recording.bag is not None:
            self.finish_unjudged()
            return ""
        bag = self.cut(reason)
        return f"{reason}; what came is in {bag}" if bag else ""

    def status(self) -> Status:
        """What is going on."""
        recording, bag = self._recording, self._recording.bag if self._recording else None
        free_bytes = shutil.disk_usage(self._settings.dataset).free
        if recording is None or bag is None or recording.announced is None:
            state = IDLE if recording is None else WAITING
            return Status(state, self._episode_id, "", 0.0, free_bytes, 0, self.message)
        return Status(
            RECORDING,
            recording.announced.episode_id,
            str(bag.folder),
            recording.seconds,
            free_bytes,
            bag.waiting_bytes,
            self.message,
            tallies(bag.counts(), recording.lost),
        )

    def _begin(
        self,
        episode_id: str,
        offers: Offers,
        latched: LatchedSamples,
        folder_of: Callable[[Announcement], Path],
    ) -> None:
        topics = check_ready(self.topics, offers, latched.topics(), self._types)
        settings = self._settings
        awaited = [topic.name for topic in topics if offers.get(topic.name)]
        self._episode_id, self._offers = episode_id, offers

        def open_bag(announced: Announcement, instruction: str) -> BagFile:
            folder = folder_of(announced)
            return BagFile(folder, topics, announced, instruction, self._origin, settings, self._types)

        self._recording = Recording(
            episode_id,
            topics,
            latched,
            Completeness(settings.rig, awaited, self._types),
            self._types,
            open_bag,
            simulated=settings.domain == contract.SIM,
            lockstep=settings.clock == LOCKSTEP,
        )

    def _turn_over(self) -> None:
        """One episode without an end of its own gives way to the next."""
        try:
            self.finish_unjudged()
        except ImoveError as error:
            self.message = str(error)
        self.start_next(self._offers)

    def _end(self) -> Recording[BagFile]:
        if self._recording is None:
            raise ImoveError("nothing is being recorded")
        recording, self._recording, self._episode_id = self._recording, None, ""
        return recording

    def _bag_folder(self, task: str, number: int) -> Path:
        return self._settings.dataset / task / f"episode_{number:06d}"

    def _next_folder(self, task: str) -> Path:
        parent = self._settings.dataset / task
        taken = [*parent.glob("episode_*"), *parent.glob(f"{PARTIAL_FOLDER}/episode_*")]
        numbers = [int(path.name.removeprefix("episode_")) for path in taken if path.name[8:].isdecimal()]
        return self._bag_folder(task, max(numbers, default=-1) + 1)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
