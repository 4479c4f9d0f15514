"""Breaks devices and processes of the emulated table at random while trials run, and checks what must hold still.

    python bench/fault_storm.py [--minutes M] [--seed S] [--policy NAME] [--output DIR]

Starts `real_eval.launch.py hardware:=emulated confirm:=auto`, and again with the same output when a fault has ended it.
Every few seconds something breaks: a bus is cut, an arm or a camera fails, somebody presses the emergency stop, the
policy or the console is killed, the recorder can write no more. A while later it is mended, and an operator resumes.
Prints, and exits with 1 where one of the first three is not so:

* no target beyond a limit reached a controller of an arm (the emulators count them);
* no arm that was locked has moved, or taken commands again, before somebody resumed it (joint states, diagnostics);
* every episode that began has an outcome (results and records).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import Episode, EpisodeResult, TrialState
from imove_interfaces.srv import OperatorCommand
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from imove_bringup.emulated_table.faults import KINDS
from imove_bringup.emulated_table.node import FAULT_SERVICE
from imove_bringup.transport import transport_defaults
from imove_core import contract
from imove_core.rig import Rig, load_rig
from imove_ros.conversions import positions_of
from imove_ros.qos import ContractTopics

RIG = "piperx_dual"
#: An arm may brake for so long after it is locked, and then stays within this, s and rad (m for the gripper).
BRAKE_S, STILL = 1.0, 0.01
LOCKED_MODES, OPEN_MODES = frozenset({"locked", "faulted", "lost"}), frozenset({"holding", "following"})
BREAK_S, MEND_S = (5.0, 20.0), (1.0, 5.0)
ANSWER_S = 10.0
#: Phases in which nothing moves.
STANDING = ("idle", "laying_out", "checking", "ready")
#: What an operator says, in this order of preference, where the conductor takes it; layouts are confirmed by its rule.
VERDICTS = ("resume", "redo", "accept", "fail")


@dataclass
class ArmWatch:
    """Whether an arm that is locked stays where it is, until somebody resumes it."""

    name: str
    violations: list[str] = field(default_factory=list)
    locks: int = 0
    refused: int = 0
    _locked_s: float | None = None
    _held: np.ndarray | None = None
    _resumed: bool = False
    _refused_before: int = 0

    @property
    def locked(self) -> bool:
        """Whether it was locked, and nobody has resumed it since."""
        return self._locked_s is not None and not self._resumed

    def lock(self, now_s: float) -> None:
        """The arm is locked from now on, unless it was already."""
        if self._locked_s is None:
            self._locked_s, self._held, self._resumed = now_s, None, False
            self.locks += 1

    def resume(self) -> None:
        """Somebody resumes it; it may move from now on."""
        self._resumed = True

    def restart(self) -> None:
        """Its driver is another one now, and so is its emulator."""
        self._locked_s, self._refused_before = None, self.refused

    def see_mode(self, now_s: float, mode: str) -> None:
        """What its driver says that it does."""
        if mode in LOCKED_MODES:
            self.lock(now_s)
        elif mode in OPEN_MODES and self._locked_s is not None and now_s > self._locked_s + BRAKE_S:
            if not self._resumed:
                self.violations.append(f"arm {self.name} took commands again though nobody had resumed it")
            self._locked_s = None

    def see(self, now_s: float, positions: np.ndarray) -> None:
        """Where it is."""
        if self._locked_s is None or self._resumed or now_s < self._locked_s + BRAKE_S:
            return
        if self._held is None:
            self._held = positions
        elif (moved := float(np.abs(positions - self._held).max())) > STILL:
            self.violations.append(f"arm {self.name} moved by {moved:.3f} while it was locked")
            self._held = positions

    def count(self, refused: int) -> None:
        """How many targets beyond limits its emulator has refused since it was started."""
        self.refused = self._refused_before + refused


class Storm(Node):
    """Watches the graph, and acts as the operator who mends and resumes."""

    def __init__(self, rig: Rig) -> None:
        """Subscribes."""
        super().__init__("fault_storm")
        self.watches = {arm.name: ArmWatch(arm.name) for arm in rig.arms}
        self.begun: set[str] = set()
        self.marked: dict[str, str] = {}
        self.trial = TrialState()
        self.reports = 0
        topics = ContractTopics(self, rig)
        for arm in rig.arms:
            topics.subscribe(
                JointState, contract.joint_states_topic(arm.name), lambda said, arm=arm: self._on_joints(arm, said)
            )
        topics.subscribe(DiagnosticArray, contract.DIAGNOSTICS_TOPIC, self._on_health)
        topics.subscribe(Episode, contract.EPISODE_TOPIC, lambda said: self.begun.add(said.episode_id))
        topics.subscribe(EpisodeResult, contract.RESULT_TOPIC, self._on_result)
        topics.subscribe(TrialState, contract.TRIAL_TOPIC, self._on_trial)
        self._stop = topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)
        self._table = self.create_client(OperatorCommand, FAULT_SERVICE)
        self._conductor = self.create_client(OperatorCommand, contract.TRIAL_COMMAND_SERVICE)
        self._resumes = {
            arm.name: self.create_client(Trigger, contract.arm_resume_service(arm.name)) for arm in rig.arms
        }

    def _on_joints(self, arm: Any, said: JointState) -> None:
        self.watches[arm.name].see(time.monotonic(), positions_of(said, arm))

    def _on_health(self, said: DiagnosticArray) -> None:
        for status in said.status:
            kind, _, name = status.name.partition("/")
            if kind == "arm" and name in self.watches:
                mode = next((value.value for value in status.values if value.key == "mode"), "")
                self.watches[name].see_mode(time.monotonic(), mode)

    def _on_result(self, said: EpisodeResult) -> None:
        self.marked[said.episode_id] = said.outcome

    def _on_trial(self, said: TrialState) -> None:
        self.trial = said

    def press(self, on: bool) -> None:
        """Presses the emergency stop, or releases it."""
        self._stop.publish(Bool(data=on))
        if on:
            for watch in self.watches.values():
                watch.lock(time.monotonic())

    def table(self, command: str, argument: dict[str, str] | None = None) -> str:
        """Asks the emulated table; "" where it does not answer."""
        return self._call(self._table, command, argument or {})

    def count(self) -> None:
        """Asks the emulators what they refused."""
        report = json.loads(self.table("report") or "{}")
        for arm in report.get("arms", ()):
            if arm["name"] in self.watches:
                self.watches[arm["name"]].count(arm["heard"]["refused"])
        self.reports += bool(report)

    def restart(self) -> None:
        """The graph is started anew."""
        for watch in self.watches.values():
            watch.restart()

    def operate(self) -> None:
        """Says what an operator would say now."""
        for command in VERDICTS:
            if command in self.trial.commands:
                if command == "resume":
                    for watch in self.watches.values():
                        watch.resume()
                self._call(self._conductor, command, {})
                return
        if self.trial.phase in STANDING:
            # No trial was stopped, so that a person resumes the arm itself.
            for name, watch in self.watches.items():
                if watch.locked and self._resumes[name].service_is_ready():
                    watch.resume()
                    self._resumes[name].call_async(Trigger.Request())

    def _call(self, client: Any, command: str, argument: dict[str, str]) -> str:
        if not client.wait_for_service(timeout_sec=ANSWER_S):
            return ""
        future = client.call_async(OperatorCommand.Request(command=command, argument_json=json.dumps(argument)))
        answered = threading.Event()
        future.add_done_callback(lambda _: answered.set())
        return str(future.result().message) if answered.wait(ANSWER_S) else ""


class Launch:
    """The graph, started again where it ended."""

    def __init__(self, policy: str, output: Path, seed: int) -> None:
        """Prepares the command."""
        arguments = f"hardware:=emulated confirm:=auto policy:={policy} episodes:=50 seed:={seed} output:={output}"
        self._command = [sys.executable, "-m", "imove_bringup.cli", "launch", "real_eval.launch.py", *arguments.split()]
        self._log = (output.parent / f"{output.name}.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None
        self.starts = 0

    def keep_running(self) -> bool:
        """Starts the graph where it does not run; whether it had to."""
        if self._process is not None and self._process.poll() is None:
            return False
        self._process = subprocess.Popen(self._command, stdout=self._log, stderr=self._log, start_new_session=True)
        self.starts += 1
        return True

    def node(self, name: str) -> int | None:
        """Process of a node of the graph by its name."""
        for pid in self._descendants():
            words = _command_line(pid)
            if f"__node:={name}" in words:
                return pid
        return None

    def stop(self) -> None:
        """Interrupts the graph, as Ctrl-C does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
        self._log.close()

    def _descendants(self) -> Iterator[int]:
        waiting = [self._process.pid] if self._process is not None else []
        while waiting:
            pid = waiting.pop()
            yield pid
            try:
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
            except OSError:
                continue
            waiting += map(int, children.split())


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


Mend = Callable[[], object]


def faults(storm: Storm, launch: Launch, rig: Rig, rng: np.random.Generator) -> dict[str, Callable[[], Mend]]:
    """What can break, by name; each breaks it and returns how to mend it."""
    arms, cameras = [arm.name for arm in rig.arms], [camera.name for camera in rig.cameras]

    def at_table(broken: str, mended: str, argument: dict[str, str]) -> Mend:
        storm.table(broken, argument)
        return lambda: storm.table(mended, argument)

    def killed(node: str) -> Mend:
        if (pid := launch.node(node)) is not None:
            os.kill(pid, signal.SIGKILL)
        return lambda: None

    def full() -> Mend:
        pid = launch.node("recorder")
        if pid is None:
            return lambda: None
        # The next byte beyond what is there cannot be written.
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        return lambda: launch.node("recorder") == pid and resource.prlimit(pid, resource.RLIMIT_FSIZE, before)

    def pressed() -> Mend:
        storm.press(on=True)
        return lambda: storm.press(on=False)

    return {
        "bus cut": lambda: at_table("bus_cut", "bus_restore", {"arm": str(rng.choice(arms))}),
        "bus unplugged": lambda: at_table("bus_unplug", "bus_restore", {"arm": str(rng.choice(arms))}),
        "arm fault": lambda: at_table(
            "arm_fault", "clear_fault", {"arm": str(rng.choice(arms)), "kind": str(rng.choice(list(KINDS)))}
        ),
        "camera unplugged": lambda: at_table("camera_unplug", "camera_replug", {"camera": str(rng.choice(cameras))}),
        "emergency stop": pressed,
        "policy killed": lambda: killed("policy_node"),
        "console closed": lambda: killed("console"),
        "disk full": full,
    }


def rage(storm: Storm, launch: Launch, rig: Rig, rng: np.random.Generator, until_s: float) -> Counter[str]:
    """Breaks and mends until a time; what was broken how often."""
    breaks, told = faults(storm, launch, rig, rng), Counter[str]()

    def operate_for(seconds: float) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            if launch.keep_running():
                storm.restart()
            storm.operate()
            time.sleep(0.5)

    while time.monotonic() < until_s:
        operate_for(float(rng.uniform(*BREAK_S)))
        name = str(rng.choice(list(breaks)))
        storm.count()
        print(f"{time.strftime('%H:%M:%S')} {storm.trial.phase or '-':10} {name}", flush=True)
        mend = breaks[name]()
        told[name] += 1
        time.sleep(float(rng.uniform(*MEND_S)))
        mend()
    operate_for(BREAK_S[1])
    return told


def main() -> None:
    """Rages and prints what came of it."""
    parser = argparse.ArgumentParser(description="Random faults at the emulated table.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--policy", default="random_object")
    parser.add_argument("--output", type=Path, default=Path("runs/fault_storm"))
    given = parser.parse_args()
    os.environ.update(transport_defaults(os.environ))
    output = given.output.absolute()
    output.parent.mkdir(parents=True, exist_ok=True)
    rig, rng = load_rig(RIG), np.random.default_rng(given.seed)
    rclpy.init()
    storm, launch = Storm(rig), Launch(given.policy, output, given.seed)
    executor = SingleThreadedExecutor()
    executor.add_node(storm)
    threading.Thread(target=executor.spin, daemon=True).start()
    told = rage(storm, launch, rig, rng, time.monotonic() + 60.0 * given.minutes)
    storm.count()
    in_progress = storm.trial.episode_id
    launch.stop()
    sys.exit(_verdict(storm, launch, output, told, in_progress))


def _verdict(storm: Storm, launch: Launch, output: Path, told: Counter[str], in_progress: str) -> int:
    records = output / "episodes.jsonl"
    lines = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
    recorded = {record.get("episode_id", ""): record.get("outcome", "") for record in map(json.loads, lines)}
    outcomes = {**recorded, **storm.marked}
    lost = storm.begun - outcomes.keys() - {in_progress, ""}
    refused = {name: watch.refused for name, watch in storm.watches.items()}
    moved = [line for watch in storm.watches.values() for line in watch.violations]
    print(f"faults: {dict(told)}; the graph was started {launch.starts} times")
    print(f"locks: { {name: watch.locks for name, watch in storm.watches.items()} }")
    print(f"targets beyond limits at the arms: {refused}, in {storm.reports} reports")
    print(f"motion while locked: {moved or 'none'}")
    print(f"episodes begun: {len(storm.begun)}; outcomes: {dict(Counter(outcomes.values()))}")
    print(f"episodes without an outcome: {sorted(lost) or 'none'}")
    return int(bool(moved or lost or not storm.reports or any(refused.values())))


if __name__ == "__main__":
    main()
