"""The supervisor with real child processes: output, logs, exit status, stopping."""

import io
import json
import os
import signal
import time
from pathlib import Path

import pytest

from imove_bringup.escalation import Patience
from imove_bringup.graphs import Graph, NodeDescription
from imove_bringup.supervisor import run_graph
from imove_core.errors import ImoveError

NODES = Path(__file__).parent / "supervisor_nodes"
QUICK = Patience(sigterm_after_s=0.2, sigkill_after_s=0.2)


class Screen(io.StringIO):
    """Keeps what is shown; calls a function once when all texts have appeared."""

    def __init__(self, *texts, react=None):
        super().__init__()
        self._texts, self._react = texts, react

    def write(self, text):
        written = super().write(text)
        if self._react is not None and all(wanted in self.getvalue() for wanted in self._texts):
            react, self._react = self._react, None
            react()
        return written


def interrupt(number=signal.SIGINT):
    os.kill(os.getpid(), number)


def actor(name, *arguments, **settings):
    return NodeDescription("imove_test", "actor.py", name, arguments=arguments, **settings)


def find(package, executable):
    return NODES / executable


def run(tmp_path, *nodes, screen=None, patience=QUICK, environ=os.environ):
    graph = Graph("test", nodes, log_parent=tmp_path / "log")
    screen = screen or Screen()
    status = run_graph(graph, screen=screen, find_executable=find, patience=patience, environ=environ)
    return status, screen.getvalue()


def log(tmp_path, name):
    return (tmp_path / "log" / "latest" / name).read_text()


def is_alive(pid):
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_gone(pid, deadline_s=5.0):
    """Whether a process ends; one that was killed may take a moment on a busy machine."""
    deadline = time.monotonic() + deadline_s
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


@pytest.mark.parametrize("code", [0, 3])
def test_exit_status_is_that_of_the_required_node(tmp_path, code):
    status, shown = run(
        tmp_path, actor("waits", "stop_when_asked"), actor("job", "exit_with", str(code), required=True)
    )
    assert status == code
    assert "[job-2]: was required: stopping the other nodes" in shown
    assert "[waits-1]: has ended with" in shown


def test_required_node_killed_by_a_signal(tmp_path):
    status, shown = run(tmp_path, actor("job", "die_by", "SIGKILL", required=True))
    assert status == 128 + 9
    assert "[ERROR] [job-1]: has died with signal SIGKILL" in shown


def test_crash_of_another_node_does_not_end_the_graph(tmp_path):
    screen = Screen("[job-1] ready", "has died", react=lambda: interrupt(signal.SIGTERM))
    status, shown = run(
        tmp_path,
        actor("job", "stop_when_asked", required=True, output="screen"),
        actor("crash", "exit_with", "7"),
        screen=screen,
    )
    assert "[ERROR] [crash-2]: has died with exit code 7" in shown
    assert "was required" not in shown[: shown.index("has died")]
    assert "[job-1]: has ended with exit code 0" in shown
    assert status == 0


def test_without_required_node_a_crash_is_an_error(tmp_path):
    status, _ = run(tmp_path, actor("fine", "exit_with", "0"), actor("crash", "exit_with", "1"))
    assert status == 1


def test_graph_ends_when_all_nodes_have_finished(tmp_path):
    assert run(tmp_path, actor("a", "exit_with", "0"), actor("b", "exit_with", "0"))[0] == 0


def test_ctrl_c_stops_every_node_once(tmp_path):
    screen = Screen("[a-1] ready", "[b-2] ready", react=interrupt)
    nodes = [actor(name, "stop_when_asked", output="screen") for name in ("a", "b")]
    status, shown = run(tmp_path, *nodes, screen=screen)
    assert status == 0
    assert shown.count("has ended with exit code 0") == 2
    assert "does not stop" not in shown


def test_interrupted_job_is_not_a_success(tmp_path):
    screen = Screen("ready", react=interrupt)
    status, _ = run(tmp_path, actor("job", "stop_when_asked", "1", required=True, output="screen"), screen=screen)
    assert status == 130


def test_job_that_ends_well_after_ctrl_c_is_a_success(tmp_path):
    screen = Screen("ready", react=interrupt)
    status, _ = run(tmp_path, actor("job", "stop_when_asked", required=True, output="screen"), screen=screen)
    assert status == 0


@pytest.mark.parametrize(
    ("ignored", "sent", "last"),
    [(["SIGINT"], ["SIGTERM"], "SIGTERM"), (["SIGINT", "SIGTERM"], ["SIGTERM", "SIGKILL"], "SIGKILL")],
)
def test_signals_escalate(tmp_path, ignored, sent, last):
    screen = Screen("ready", react=interrupt)
    status, shown = run(tmp_path, actor("deaf", "ignore", *ignored, output="screen"), screen=screen)
    assert [line.split()[-1] for line in shown.splitlines() if "does not stop" in line] == sent
    assert f"has ended with signal {last}" in shown
    assert status == 0


def test_second_ctrl_c_changes_nothing(tmp_path):
    screen = Screen("ready", react=lambda: (interrupt(), interrupt()))
    status, shown = run(tmp_path, actor("a", "stop_when_asked", output="screen"), screen=screen)
    assert "SIGINT again: already stopping" in shown
    assert status == 0


def test_handlers_are_restored(tmp_path):
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)]
    run(tmp_path, actor("a", "exit_with", "0"))
    after = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)]
    assert after == before


def test_nodes_see_ctrl_c_where_the_caller_ignores_it(tmp_path):
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        screen = Screen("ready", react=interrupt)
        _, shown = run(tmp_path, actor("a", "stop_when_asked", output="screen"), screen=screen)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert "does not stop" not in shown


def test_closed_terminal_is_ignored_under_nohup(tmp_path):
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        screen = Screen("exiting", react=lambda: interrupt(signal.SIGHUP))
        status, shown = run(tmp_path, actor("a", "exit_with", "0", output="screen"), screen=screen)
    finally:
        signal.signal(signal.SIGHUP, previous)
    assert (status, "stopping" in shown) == (0, False)


def test_screen_output_shows_both_streams_with_the_label(tmp_path):
    _, shown = run(tmp_path, actor("talker", "write_both", output="screen"))
    assert "[talker-1] to stdout\n[talker-1] to stderr\n" in shown
    assert log(tmp_path, "talker-1.log") == "to stdout\nto stderr\n"


def test_log_output_shows_stderr_only_and_keeps_both(tmp_path):
    _, shown = run(tmp_path, actor("talker", "write_both", output="log"))
    assert "[talker-1] to stderr\n" in shown
    assert "to stdout" not in shown
    assert sorted(log(tmp_path, "talker-1.log").split("\n")) == ["", "to stderr", "to stdout"]


def test_long_output_is_complete(tmp_path):
    _, shown = run(tmp_path, actor("talker", "write_much", "3000", output="screen"))
    lines = [line for line in shown.splitlines() if line.startswith("[talker-1] ")]
    assert [line.split()[2] for line in lines[:-1]] == [str(number) for number in range(3000)]
    assert lines[-1] == "[talker-1] no newline at the end"


def test_screen_that_goes_away_does_not_stop_the_run(tmp_path):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    assert run(tmp_path, actor("talker", "write_both", output="screen"), screen=Closed())[0] == 0
    assert log(tmp_path, "talker-1.log") == "to stdout\nto stderr\n"


def test_command_line_parameters_and_environment(tmp_path):
    node = NodeDescription(
        "imove_test",
        "actor.py",
        "reporter",
        parameters={"rig": "yes", "seed": 3, "use_sim_time": True, "scale": 0.5},
        remappings=(("a", "/b"),),
        arguments=("report",),
    )
    run(tmp_path, node, environ={"PATH": os.environ["PATH"], "ROS_DOMAIN_ID": "17"})
    folder = (tmp_path / "log" / "latest").resolve()
    seen = json.loads((folder / "reporter-1.log").read_text())
    parameter_file = folder / "reporter-1.yaml"
    assert seen["argv"] == [
        *("report", "--ros-args", "-r", "__node:=reporter", "-r", "a:=/b"),
        *("--params-file", str(parameter_file)),
    ]
    assert json.loads(parameter_file.read_text())["/**"]["ros__parameters"] == dict(node.parameters)
    assert seen["environ"]["PYTHONUNBUFFERED"] == "1"
    assert seen["environ"]["ROS_DOMAIN_ID"] == "17"
    assert seen["environ"]["ROS_LOG_DIR"] == str(folder)
    assert f"[reporter-1]: started with pid {seen['pid']}\n" in log(tmp_path, "launch.log")


def test_missing_executable_starts_nothing(tmp_path):
    def find_all_but_one(package, executable):
        if executable == "absent":
            raise ImoveError("no executable 'absent'")
        return find(package, executable)

    nodes = (actor("a", "exit_with", "0"), NodeDescription("imove_test", "absent", "b"))
    with pytest.raises(ImoveError, match="absent"):
        run_graph(Graph("test", nodes, tmp_path / "log"), screen=Screen(), find_executable=find_all_but_one)
    assert list(tmp_path.iterdir()) == []


def test_program_that_cannot_run_is_a_crash(tmp_path):
    (tmp_path / "broken").write_text("not a program\n")
    graph = Graph("test", (NodeDescription("imove_test", "broken", "job", required=True),), tmp_path / "log")
    screen = Screen()
    status = run_graph(graph, screen=screen, find_executable=lambda *_: tmp_path / "broken")
    assert status == 1
    assert "[ERROR] [job-1]: could not be started: Permission denied" in screen.getvalue()


def test_processes_of_a_node_end_with_it(tmp_path):
    _, shown = run(tmp_path, actor("parent", "spawn_and_exit", output="screen"))
    child = int(shown.split("child ")[1].split()[0])
    assert is_gone(child)


def test_processes_of_a_node_that_is_stopped_end_with_it(tmp_path):
    screen = Screen("ready", react=interrupt)
    _, shown = run(tmp_path, actor("parent", "spawn_and_wait", output="screen"), screen=screen)
    child = int(shown.split("child ")[1].split()[0])
    assert is_gone(child)


def test_runs_of_one_second_have_own_log_folders(tmp_path):
    for _ in range(3):
        run(tmp_path, actor("a", "exit_with", "0"))
    folders = [path for path in (tmp_path / "log").iterdir() if not path.is_symlink()]
    assert len(folders) == 3
