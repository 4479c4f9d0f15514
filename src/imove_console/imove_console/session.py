"""One page that is open: what it is sent, and what it asks for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from imove_console.board import Board
from imove_console.commands import Command
from imove_console.controls import Answer, Controls
from imove_console.frames import Frames
from imove_console.protocol import (
    MOST_TEXT_BYTES,
    Ask,
    Drawn,
    StopSwitch,
    Watch,
    answer_text,
    frame_bytes,
    parse_request,
    state_text,
)
from imove_core.errors import ImoveError

STATE_PERIOD_S = 0.2
HEARTBEAT_S = 1.0
"""The state is sent at least so often, so that a page knows that the console lives."""
FRAME_PERIOD_S = 0.1
ANSWER_TIMEOUT_S = 15.0
MOST_ASKED = 8
"""Commands of one page that may wait for their answers."""
UNSUPPORTED, TOO_BIG = 1003, 1009


class Session:
    """Sends what is newest as fast as the page takes it: nothing piles up for a slow one.

    That a page goes away starts and stops nothing.
    """

    def __init__(self, socket: WebSocket, board: Board, frames: Frames, controls: Controls) -> None:
        """Serves a socket that has been accepted."""
        self._socket, self._board, self._frames, self._controls = socket, board, frames, controls
        self._news = asyncio.Event()
        self._state_due = True
        self._answers: deque[str] = deque(maxlen=4 * MOST_ASKED)
        self._watched: frozenset[str] = frozenset()
        self._on_the_way: set[str] = set()
        self._sent: dict[str, tuple[int, float]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._held: set[tuple[str, str]] = set()

    def changed(self) -> None:
        """Tells that there is a new state."""
        self._state_due = True
        self._news.set()

    def new_frame(self) -> None:
        """Tells that there is a new image."""
        if self._watched:
            self._news.set()

    async def run(self) -> None:
        """Serves the page until it goes."""
        sending = asyncio.create_task(self._send())
        try:
            await self._receive()
        except WebSocketDisconnect:
            pass
        finally:
            self._frames.look(frozenset(), self._watched)
            for task in (sending, *self._tasks):
                task.cancel()
            await asyncio.gather(sending, *self._tasks, return_exceptions=True)

    async def _send(self) -> None:
        clock = asyncio.get_running_loop().time
        state_at = -HEARTBEAT_S
        while True:
            while self._answers:
                await self._socket.send_text(self._answers.popleft())
            if clock() - state_at >= (STATE_PERIOD_S if self._state_due else HEARTBEAT_S):
                self._state_due, state_at = False, clock()
                await self._socket.send_text(state_text(self._board.state().plain()))
            await self._send_frames(clock())
            self._news.clear()
            try:
                # What was not due yet is looked at again.
                await asyncio.wait_for(self._news.wait(), FRAME_PERIOD_S)
            except TimeoutError:
                continue
            await asyncio.sleep(FRAME_PERIOD_S / 10)

    async def _send_frames(self, now_s: float) -> None:
        for source in sorted(self._watched - self._on_the_way):
            frame, (number, at_s) = self._frames.newest(source), self._sent.get(source, (0, 0.0))
            if frame is None or frame.number == number or now_s - at_s < FRAME_PERIOD_S:
                continue
            self._on_the_way.add(source)
            self._sent[source] = (frame.number, now_s)
            await self._socket.send_bytes(frame_bytes(frame))

    async def _receive(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None or len(text) > MOST_TEXT_BYTES:
                await self._socket.close(UNSUPPORTED if text is None else TOO_BIG)
                return
            try:
                self._take(text)
            except ImoveError as error:
                self._answer(0, Answer(False, str(error)))

    def _take(self, text: str) -> None:
        request = parse_request(text)
        match request:
            case Watch():
                watched = request.sources & self._frames.sources
                self._frames.look(watched, self._watched)
                self._watched = watched
                self._news.set()
            case Drawn():
                self._on_the_way.discard(request.source)
                self._news.set()
            case StopSwitch():
                self._answer(request.id, self._controls.stop(request.on))
            case Ask():
                self._ask(request)

    def _ask(self, request: Ask) -> None:
        command = request.command
        if command.repeated:
            # The one before is not answered yet: whoever takes them is busy, and another one comes soon.
            if (key := (command.target, command.command)) not in self._held:
                self._held.add(key)
                self._start(self._repeat(request, key))
        elif len(self._tasks) >= MOST_ASKED:
            self._answer(request.id, Answer(False, f"{command.command} was not sent: others wait for their answers"))
        else:
            self._start(self._command(request))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _command(self, request: Ask) -> None:
        answer = await self._answer_to(request.command)
        level, what = ("ok", "done") if answer.ok else ("warn", "refused")
        self._board.tell(level, f"{request.command.command.replace('_', ' ')}: {answer.message or what}")
        self._answer(request.id, answer)

    async def _repeat(self, request: Ask, key: tuple[str, str]) -> None:
        try:
            answer = await self._answer_to(request.command)
            if not answer.ok:
                self._answer(request.id, answer)
        finally:
            self._held.discard(key)

    async def _answer_to(self, command: Command) -> Answer:
        try:
            self._board.check(command)
            future = asyncio.wrap_future(self._controls.command(command))
            return await asyncio.wait_for(future, ANSWER_TIMEOUT_S)
        except ImoveError as error:
            return Answer(False, str(error))
        except TimeoutError:
            return Answer(False, f"{command.command} was sent, and not answered within {ANSWER_TIMEOUT_S:.0f} s")

    def _answer(self, number: int, answer: Answer) -> None:
        self._answers.append(answer_text(number, answer.ok, answer.message))
        self._news.set()
