"""The web application: the page, its websocket, the recordings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response, WebSocket
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.types import ASGIApp

from imove_console.board import Board
from imove_console.calibration import Calibration
from imove_console.calibration_routes import calibration_routes
from imove_console.controls import Controls
from imove_console.disk import room
from imove_console.episodes import EpisodeShelf
from imove_console.frames import Frames
from imove_console.guard import PAGE_HEADER, Guard
from imove_console.security import Access
from imove_console.session import Session
from imove_core.errors import ImoveError

_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PAGE_FILES = (
    "index.html", "style.css", "icon.svg", "main.js", "link.js", "dom.js", "views.js", "cameras.js", "recordings.js",
    "jog.js", "calibration.js",
)  # fmt: skip
MOST_PAGES = 8
MOST_REPLAYS = 4
TRY_AGAIN_LATER = 1013
DISK_PERIOD_S = 5.0
PART = 30


@dataclass(frozen=True)
class Parts:
    """What the application is made of.

    Attributes:
        board: What was heard.
        frames: Images.
        controls: Carries out what people ask for.
        shelf: Recordings, None where no folder is known.
        access: Who may use it.
        calibration: The wizard, None where nobody measures.
    """

    board: Board
    frames: Frames
    controls: Controls
    shelf: EpisodeShelf | None
    access: Access
    calibration: Calibration | None = None


def create_app(parts: Parts) -> ASGIApp:
    """The application, with its guard before it."""
    sessions: set[Session] = set()
    replays = asyncio.Semaphore(MOST_REPLAYS)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        _wake(loop, parts, sessions)
        watching = asyncio.create_task(_watch_disk(parts))
        yield
        watching.cancel()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)

    @app.exception_handler(ImoveError)
    async def refuse(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, 404)

    @app.get("/")
    async def index() -> Response:
        return _file("index.html")

    @app.get("/page/{name}")
    async def file(name: str) -> Response:
        return _file(name)

    @app.post("/api/stop")
    async def stop(request: Request) -> Response:
        """The way to stop where the websocket is down; releasing needs the page."""
        if PAGE_HEADER not in request.headers:
            return JSONResponse({"error": f"the header {PAGE_HEADER} is needed"}, 403)
        return JSONResponse(asdict(parts.controls.stop(True)))

    @app.get("/api/episodes")
    async def episodes(first: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
        if parts.shelf is None:
            return JSONResponse({"total": 0, "entries": [], "mean_bytes": 0, "dataset": None})
        listing = await asyncio.to_thread(parts.shelf.listing, first, PART)
        return JSONResponse({**asdict(listing), "dataset": parts.shelf.dataset.name})

    @app.get("/api/replay")
    async def replay(
        episode: Annotated[str, Query(max_length=500)],
        camera: Annotated[str, Query(max_length=100)],
        from_s: Annotated[float, Query(ge=0, le=1e6)] = 0.0,
    ) -> Response:
        if parts.shelf is None:
            raise ImoveError("no folder of recordings is known")
        if replays.locked():
            return JSONResponse({"error": "too many recordings are played; close one"}, 503)
        frames = await asyncio.to_thread(parts.shelf.frames, episode, camera, from_s)
        return StreamingResponse(_played(frames, replays), media_type="application/octet-stream")

    if parts.calibration is not None:
        app.include_router(calibration_routes(parts.calibration))

    @app.websocket("/ws")
    async def page(socket: WebSocket) -> None:
        await socket.accept()
        if len(sessions) >= MOST_PAGES:
            await socket.close(TRY_AGAIN_LATER, f"{MOST_PAGES} pages are open already")
            return
        session = Session(socket, parts.board, parts.frames, parts.controls)
        sessions.add(session)
        try:
            await session.run()
        finally:
            sessions.discard(session)

    return Guard(app, parts.access)


async def _played(frames: Iterator[bytes], replays: asyncio.Semaphore) -> AsyncIterator[bytes]:
    async with replays:
        while (frame := await asyncio.to_thread(_next_of, frames)) is not None:
            yield frame


def _next_of(frames: Iterator[bytes]) -> bytes | None:
    # A bag that turns out to be damaged ends there.
    try:
        return next(frames, None)
    except ImoveError:
        return None


def _wake(loop: asyncio.AbstractEventLoop, parts: Parts, sessions: set[Session]) -> None:
    """Lets threads tell the pages that there is something new."""

    def tell(method: Any) -> None:
        for session in tuple(sessions):
            method(session)

    def from_thread(method: Any) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, method)

    parts.board.on_change(lambda: from_thread(Session.changed))
    parts.frames.on_frame(lambda: from_thread(Session.new_frame))


async def _watch_disk(parts: Parts) -> None:
    shelf = parts.shelf
    while shelf is not None:
        listing = await asyncio.to_thread(shelf.listing, 0, PART)
        parts.board.take_disk(await asyncio.to_thread(room, shelf.dataset, listing.mean_bytes))
        await asyncio.sleep(DISK_PERIOD_S)


def _file(name: str) -> Response:
    if name not in PAGE_FILES:
        raise ImoveError("no such page")
    content = (resources.files("imove_console") / "page" / name).read_bytes()
    return Response(content, media_type=_KINDS[name.rpartition(".")[2]])
