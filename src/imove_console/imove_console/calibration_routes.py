"""The calibration wizard over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from imove_console.calibration import Calibration
from imove_console.calibration_board import board_png
from imove_console.calibration_samples import Choice
from imove_console.guard import PAGE_HEADER
from imove_core.calibration.board import CharucoBoard
from imove_core.errors import ImoveError
from imove_core.values import first_fault

MOST_BODY_BYTES = 16_384


def calibration_routes(calibration: Calibration) -> APIRouter:
    """Routes under /api/calibration of one calibration."""
    router = APIRouter(prefix="/api/calibration")
    one_at_a_time = asyncio.Lock()

    async def do(request: Request, work: Callable[[dict[str, Any]], object]) -> Response:
        if PAGE_HEADER not in request.headers:
            return JSONResponse({"error": f"the header {PAGE_HEADER} is needed"}, 403)
        try:
            body = await _body(request)
            async with one_at_a_time:
                await asyncio.to_thread(work, body)
                return JSONResponse(calibration.plain())
        except ImoveError as error:
            return JSONResponse({"error": str(error)}, 422)

    @router.get("")
    async def state() -> Response:
        return JSONResponse(calibration.plain())

    @router.post("/begin")
    async def begin(request: Request) -> Response:
        return await do(request, lambda body: calibration.begin(_choice(body)))

    @router.post("/end")
    async def end(request: Request) -> Response:
        return await do(request, lambda body: calibration.end())

    @router.post("/take")
    async def take(request: Request) -> Response:
        return await do(request, lambda body: calibration.take())

    @router.post("/drop")
    async def drop(request: Request) -> Response:
        return await do(request, lambda body: calibration.drop(_number(body)))

    @router.post("/solve")
    async def solve(request: Request) -> Response:
        return await do(request, lambda body: calibration.solve())

    @router.post("/write")
    async def write(request: Request) -> Response:
        return await do(request, lambda body: calibration.write(datetime.now(UTC).astimezone()))

    @router.get("/picture/{number}")
    async def picture(number: int) -> Response:
        for sample in calibration.samples:
            if sample.number == number:
                return Response(sample.picture, media_type="image/jpeg")
        raise ImoveError(f"there is no sample {number}")

    @router.get("/board.png")
    async def board() -> Response:
        shown = calibration.choice.board if calibration.choice else CharucoBoard()
        return Response(await asyncio.to_thread(board_png, shown), media_type="image/png")

    return router


async def _body(request: Request) -> dict[str, Any]:
    """The body as an object; raises ImoveError where it is none, or a large one."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY_BYTES:
            raise ImoveError(f"the body has more than {MOST_BODY_BYTES} bytes")
    try:
        body = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ImoveError("the body is no JSON object")
    return body


def _choice(body: dict[str, Any]) -> Choice:
    try:
        return Choice.model_validate(body)
    except ValidationError as error:
        raise ImoveError(first_fault(error, "the calibration")) from error


def _number(body: dict[str, Any]) -> int:
    number = body.get("number")
    if not isinstance(number, int):
        raise ImoveError(f"number is {number!r}; the number of a sample is allowed")
    return number
