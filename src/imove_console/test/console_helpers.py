"""A console that is served without ROS, and what people would see at a table."""

import json
import urllib.parse
from concurrent.futures import Future
from contextlib import contextmanager

import numpy as np
from websockets.sync.client import connect

from imove_console.app import Parts
from imove_console.board import Board
from imove_console.controls import Answer
from imove_console.facts import Episode, Health, Leader, Recorder, Stage, Teleop, Tracked, Tracker, Trial
from imove_console.frames import LAYOUT_VIEW, Frames, jpeg_of
from imove_console.security import access_for
from imove_console.serving import WebServer
from imove_console.state import Stop
from imove_core.rig import load_rig

DEADLINE_S = 60.0
CAMERAS = ("static_camera", "left_hand_camera", "right_hand_camera")


class Desk:
    """Takes down what people ask for, and answers it as a node would."""

    def __init__(self, board):
        self._board = board
        self.commands, self.stops = [], []
        self.answer = Answer(True, "done")
        self.held = None

    def command(self, command):
        self.commands.append(command)
        future = Future()
        if self.held is None:
            future.set_result(self.answer)
        else:
            self.held.append(future)
        return future

    def stop(self, on):
        self.stops.append(on)
        self._board.take_stop(Stop(on, held_here=on))
        return Answer(True, "emergency stop sent to 3 nodes" if on else "released")


class Console:
    """One console with its parts."""

    def __init__(self, shelf=None, host="127.0.0.1", calibration=None):
        self.board = Board(load_rig("piperx_dual"))
        self.frames = Frames([*CAMERAS, LAYOUT_VIEW])
        self.desk = Desk(self.board)
        self.access = access_for(host)
        self._parts, self._host = Parts(self.board, self.frames, self.desk, shelf, self.access, calibration), host
        self.server = WebServer(self._parts, host, 0)

    def restart(self, port):
        """Serves the same again, after the server has been closed."""
        self.server = WebServer(self._parts, self._host, port)
        self.server.start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server.port}"

    @contextmanager
    def socket(self, **headers):
        extra = {"Origin": f"http://{self.address}", **headers}
        with connect(f"ws://{self.address}/ws", additional_headers=extra, compression=None, max_size=None) as socket:
            yield Talk(socket)


class Talk:
    """A page's side of the websocket."""

    def __init__(self, socket):
        self.socket = socket

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def receive(self, wanted):
        """The first message for which `wanted` gives something true: a mapping, or bytes."""
        while True:
            message = self.socket.recv(timeout=DEADLINE_S)
            message = message if isinstance(message, bytes) else json.loads(message)
            if wanted(message):
                return message

    def state(self, wanted=lambda state: True):
        found = self.receive(lambda m: not isinstance(m, bytes) and m["type"] == "state" and wanted(m["state"]))
        return found["state"]

    def answer(self, number):
        return self.receive(lambda m: not isinstance(m, bytes) and m["type"] == "answer" and m["id"] == number)

    def frame(self):
        message = self.receive(lambda m: isinstance(m, bytes))
        return message[1 : 1 + message[0]].decode(), message[1 + message[0] :]


@contextmanager
def serving(**options):
    """A console that is served until the end."""
    console = Console(**options)
    console.server.start()
    try:
        yield console
    finally:
        console.server.close()


def picture(shade, width=64, height=48):
    """A small JPEG, all of one grey."""
    return jpeg_of(np.full((height, width, 3), shade, np.uint8))


def arm(name, **values):
    """An arm that does well, but for `values`."""
    facts = {
        "connected": "true", "enabled": "true", "mode": "CAN, joints", "bus": f"socketcan:can_{name}",
        "bus_age_ms": "2.1", "frames_hz": "2680", "firmware": "S-V1.8-8", "fault": "",
        "temperature_c": "41", "holding": "",
    }  # fmt: skip
    return Health(f"arm/{name}", "warn" if values else "ok", values.get("holding") or "follows", {**facts, **values})


def camera(name, **values):
    """A camera that does well, but for `values`."""
    facts = {"serial": "311322300001", "connected": "true", "rate_hz": "30.0", "dropped": "0", "duplicated": "0"}
    return Health(f"camera/{name}", "ok", "30 images a second", {**facts, **values})


def well():
    """Diagnostics of a table where everything is well."""
    return [arm("left"), arm("right"), *(camera(name) for name in CAMERAS), Health("trial", "ok", "runs"),
            Health("tracker", "ok", "6 objects")]  # fmt: skip


PHRASES = {
    "object_0": "red mug", "object_1": "banana", "object_2": "stapler", "object_3": "toy car", "object_4": "sponge",
    "object_5": "tape measure",
}  # fmt: skip
INSTRUCTION = "Pick up the red mug"
TRIAL_COMMANDS = ("stop", "success", "fail", "discard", "pause", "overrule", "note", "intervention", "quit")


def running_trial(board):
    """A blinded trial in the middle of its episode, with a wrong object and a doubt."""
    board.take_health(well())
    board.take_episode(Episode("pick_category/seen/012/normal", "normal", PHRASES, "object_0", 1))
    board.take_instruction(INSTRUCTION)
    board.take_trial(
        Trial("running", "pick_category/seen/012/normal", 7, 40, "B", INSTRUCTION, "The policy runs: 6.4 of 10 s.", 1.0,
              (), TRIAL_COMMANDS)
    )  # fmt: skip
    episode_id = "pick_category/seen/012/normal"
    board.take_stage(Stage(episode_id, "strict", "reach", "object_0", "", True, 2.3))
    board.take_stage(Stage(episode_id, "strict", "reach", "object_2", "", False, 4.1))
    board.take_stage(Stage(episode_id, "strict", "lift", "object_2", "", False, 5.2))
    board.take_tracker(
        Tracker(episode_id, (Tracked("object_0", 0.4, "hidden"),), 0.05, "Is the red mug still behind the left hand?")
    )
    board.take_recorder(Recorder("recording", episode_id, 6.4, 412_000_000_000, 0, "", 9120, 9120, 0))


def laying_out(board):
    """A trial whose objects are being laid out."""
    board.take_health(well())
    layout = [
        {"id": name, "phrase": phrase, "target_xy_m": [0.3, 0.1], "target_yaw_rad": 0.0,
         "measured_xy_m": None if index == 4 else [0.31, 0.1], "error_m": None if index == 4 else 0.004 + 0.009 * index,
         "ok": index < 3}
        for index, (name, phrase) in enumerate(PHRASES.items())
    ]  # fmt: skip
    board.take_trial(
        Trial("laying_out", "pick_category/seen/013/normal", 8, 40, "A", INSTRUCTION,
              "Put the objects where their outlines are.", 0.5, tuple(layout),
              ("confirm_layout", "recheck", "discard", "home", "note", "quit"))
    )  # fmt: skip


def teleoperating(board):
    """Teleoperation with one leader that has gone silent."""
    board.take_health([arm("left"), arm("right", holding="the leader is silent"), *(camera(name) for name in CAMERAS)])
    board.take_instruction("Put the banana in the blue bowl")
    leaders = (Leader("left", 0.031, 0.004), Leader("right", 0.4, 0.62))
    board.take_teleop(
        Teleop("holding", True, leaders, "", 12, 2, 199.8, 0.0021, 0.0074, "The right leader is silent: the arms hold.",
               ("resume", "discard", "redo", "undo", "enable", "disable", "jog", "quit"))
    )  # fmt: skip


def quoted(**parameters):
    """A query."""
    return urllib.parse.urlencode(parameters)
