"""./imove: what it refuses, what it takes for stale, and the environment that it sets."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ("imove", "tools/setup.sh", ".ci/run")
LOCKS = sorted((ROOT / "requirements").glob("lock-py*.txt"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the real scripts and one small package of Python and one of messages."""
    root = tmp_path / "checkout"
    for name in ("tools", "requirements"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy2(ROOT / "imove", root)
    shutil.copytree(ROOT / "src/imove_interfaces", root / "src/imove_interfaces")
    (root / "compat").mkdir()
    (root / "compat/COLCON_IGNORE").touch()
    package = root / "src/small"
    for folder in ("small", "data", "launch", "resource", "test"):
        (package / folder).mkdir(parents=True)
    (package / "small/__init__.py").write_text("VALUE = 1\n")
    (package / "resource/small").touch()
    (package / "data/one.yaml").write_text("a: 1\n")
    (package / "package.xml").write_text(
        '<package format="3"><name>small</name><version>0.0.1</version><description>Small.</description>'
        '<maintainer email="imove@example.org">imove</maintainer><license>Apache-2.0</license>'
        "<export><build_type>ament_python</build_type></export></package>"
    )
    (package / "setup.cfg").write_text("[install]\ninstall_scripts=$base/lib/small\n")
    (package / "setup.py").write_text(
        "from glob import glob\nfrom setuptools import setup\n"
        "setup(name='small', version='0.0.1', packages=['small'], data_files=[\n"
        "    ('share/ament_index/resource_index/packages', ['resource/small']),\n"
        "    ('share/small', ['package.xml']), ('share/small/data', glob('data/*'))])\n"
    )
    return root


def clean_environment(**variables: str) -> dict[str, str]:
    """The environment of a fresh terminal, with `variables` on top."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    paths = [entry for entry in os.environ["PATH"].split(":") if not entry.startswith(str(ROOT))]
    return {**kept, "PATH": ":".join(paths), **variables}


def imove(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [str(checkout / "imove"), *arguments]
    return subprocess.run(
        command, cwd=checkout.parent, env=clean_environment(**variables), capture_output=True, text=True, timeout=60
    )


def with_functions(checkout: Path, script: str, **variables: str) -> str:
    """What `script` prints when it runs with the functions of the scripts."""
    version = "{}.{}".format(*sys.version_info)
    prologue = (
        f"set -e; . ./imove; . tools/setup.sh; mode=wheels venv={sys.prefix} ros_prefix= python_version={version}"
    )
    done = subprocess.run(
        ["bash", "-c", f"{prologue}\n{script}"],
        cwd=checkout,
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def stale(checkout: Path) -> list[str]:
    """The packages that a call would build, after `record` took the present state for built."""
    return with_functions(checkout, "build_key >$state/wanted; stale_packages").split()


def record(checkout: Path) -> None:
    with_functions(checkout, "mkdir -p $state; build_key >$state/built")


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_valid_bash(script):
    assert subprocess.run(["bash", "-n", ROOT / script], capture_output=True, text=True).stderr == ""


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_scripts_pass_shellcheck():
    done = subprocess.run(["shellcheck", "-x", *SCRIPTS], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), (["-h"], 0), ([], 2)])
def test_usage_sets_nothing_up(checkout, arguments, status):
    done = imove(checkout, *arguments)
    assert done.returncode == status
    assert "usage: ./imove VERB" in done.stdout
    assert not (checkout / ".venv").exists() and not (checkout / ".imove").exists()


@pytest.mark.parametrize("arguments", [["setup", "--vew"], ["build", "imove_core"]])
def test_arguments_of_own_verbs_are_checked(checkout, arguments):
    done = imove(checkout, *arguments)
    assert done.returncode == 1
    assert arguments[1] in done.stderr and done.stderr.count("\n") == 1


def test_unusable_python_is_named_with_what_is_needed(checkout, tmp_path):
    old = tmp_path / "python3.9"
    code = "import sys; sys.version_info = (3, 9, 18); exec(sys.stdin.read())"
    old.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{code}'\n")
    old.chmod(0o755)
    done = imove(checkout, "setup", IMOVE_PYTHON=str(old))
    assert done.returncode == 1
    assert done.stderr == f"imove: {old} is Python 3.9, and imove needs 3.11, 3.12 or 3.13.\n"
    assert not (checkout / ".venv").exists()


def test_missing_python_is_said_plainly(checkout):
    done = imove(checkout, "setup", IMOVE_PYTHON="/nowhere/python3")
    assert done.returncode == 1
    assert done.stderr == "imove: /nowhere/python3 does not run.\n"


def test_missing_compiler_is_named_before_anything_is_made(checkout, tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("bash", "dirname", "flock", "gcc", "mkdir", "readlink"):
        (tools / tool).symlink_to(shutil.which(tool))
    done = imove(checkout, "setup", PATH=str(tools))
    assert done.returncode == 1
    assert "g++, cmake, make not found" in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_second_set_up_waits_for_the_first(checkout):
    (checkout / ".imove").mkdir()
    with subprocess.Popen(["flock", checkout / ".imove/lock", "cat"], stdin=subprocess.PIPE) as first:
        probe = ["flock", "--nonblock", checkout / ".imove/lock", "true"]
        deadline = time.monotonic() + 30
        while subprocess.run(probe).returncode == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        command = [checkout / "imove", "setup"]
        environment = clean_environment(IMOVE_PYTHON="/nowhere/python3")
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as second:
            assert "waiting for another set-up" in second.stderr.readline()
            assert second.poll() is None
            first.stdin.close()
            assert second.stderr.readline() == "imove: /nowhere/python3 does not run.\n"


@pytest.mark.parametrize(
    "change",
    ["small/__init__.py", "small/new.py", "test/test_new.py", "small/__pycache__/new.pyc", "data/.one.yaml.swp"],
)
def test_edits_that_links_pick_up_need_no_build(checkout, change):
    record(checkout)
    path = checkout / "src/small" / change
    path.parent.mkdir(exist_ok=True)
    path.write_text("VALUE = 2\n")
    (checkout / "src/small/data/one.yaml").write_text("a: 2\n")
    assert stale(checkout) == []


@pytest.mark.parametrize(
    ("change", "package"),
    [
        ("small/setup.py", "small"),
        ("small/package.xml", "small"),
        ("small/data/two.yaml", "small"),
        ("small/launch/new.launch.py", "small"),
        ("imove_interfaces/msg/Episode.msg", "imove_interfaces"),
        ("imove_interfaces/srv/New.srv", "imove_interfaces"),
        ("imove_interfaces/CMakeLists.txt", "imove_interfaces"),
    ],
)
def test_a_changed_build_input_makes_its_package_stale(checkout, change, package):
    record(checkout)
    with (checkout / "src" / change).open("a") as file:
        file.write("\n")
    assert stale(checkout) == [package]


def test_removed_files_and_unfinished_builds_are_stale(checkout):
    record(checkout)
    (checkout / "src/small/data/one.yaml").unlink()
    (checkout / ".imove/building").write_text("imove_interfaces\n")
    assert stale(checkout) == ["imove_interfaces", "small"]


def test_everything_is_stale_without_a_build_or_for_another_lock(checkout):
    (checkout / ".imove").mkdir()
    everything = ["imove_interfaces", "small"]
    assert stale(checkout) == everything
    record(checkout)
    for lock in (checkout / "requirements").glob("lock-py*.txt"):
        lock.write_text(lock.read_text() + "extra==1.0\n")
    script = "build_key >$state/wanted; forget_foreign_build; stale_packages"
    assert with_functions(checkout, script).split() == everything


@pytest.mark.skipif(
    not (Path(sys.prefix) / "share/ament_index/resource_index/packages/rclpy").exists(),
    reason="this Python is not an environment of ROS 2 wheels",
)
def test_a_build_gives_an_environment_that_imports_the_package(checkout):
    shutil.rmtree(checkout / "src/imove_interfaces")
    (checkout / "compat/tf2_msgs").mkdir()
    script = """
        mkdir -p $state; step_number=0 step_count=1
        set_up_build 2>$state/progress
        . $state/env-wheels.sh
        python -c 'import small; print(small.VALUE, small.__file__)'
        ls ${AMENT_PREFIX_PATH%%:*}/share/small/data
    """
    printed = with_functions(checkout, script).split()
    assert printed == ["1", str(checkout / "build/small/small/__init__.py"), "one.yaml"]
    assert stale(checkout) == []
    (checkout / "src/small/data/one.yaml").rename(checkout / "src/small/data/two.yaml")
    assert with_functions(checkout, script).split()[-1:] == ["two.yaml"]
    progress = (checkout / ".imove/progress").read_text()
    assert re.fullmatch(r"imove: \[1/1\] building small \.\.\. \d+ s\n", progress)


def test_another_wheel_environment_is_left_behind(checkout):
    printed = with_functions(
        checkout,
        'choose_mode; echo "$mode ${AMENT_PREFIX_PATH-none} ${LD_LIBRARY_PATH-none}"',
        _ROS_WHEELS_BOOTSTRAP_COMPLETE="1",
        AMENT_PREFIX_PATH="/elsewhere",
        LD_LIBRARY_PATH="/elsewhere/lib",
    )
    assert printed == "wheels none none\n"


def test_own_entries_are_dropped_and_others_kept(checkout):
    printed = with_functions(
        checkout,
        'choose_mode; echo "$mode ${AMENT_PREFIX_PATH-none} $PYTHONPATH"',
        AMENT_PREFIX_PATH=f"{checkout}/install/small:{checkout}/.venv",
        PYTHONPATH=f"{checkout}/build/small:/mine",
    )
    assert printed == "wheels none /mine\n"


@pytest.mark.parametrize(
    ("distribution", "reason"), [("humble", "is older than Jazzy"), ("jazzy", "cannot be imported by python3")]
)
def test_a_sourced_ros_that_cannot_be_used_is_named_once(checkout, tmp_path, distribution, reason):
    prefix = tmp_path / "ros"
    (prefix / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (prefix / "share/ament_index/resource_index/packages/rclpy").touch()
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    python.chmod(0o755)
    variables = {"AMENT_PREFIX_PATH": str(prefix), "ROS_DISTRO": distribution}
    script = f"PATH={python.parent}:/usr/bin:/bin; choose_mode 2>&1; echo $mode ${{ROS_DISTRO-none}}"
    first = with_functions(checkout, script, **variables)
    assert f"the sourced ROS 2 ({distribution}, {prefix}) is not used: it {reason}" in first
    assert first.endswith("wheels none\n")
    assert with_functions(checkout, script, **variables) == "wheels none\n"


DEFAULTS = "set_defaults; echo $ROS_AUTOMATIC_DISCOVERY_RANGE $MUJOCO_GL ${FASTDDS_BUILTIN_TRANSPORTS-none}"
PROFILE = "; echo ${FASTDDS_DEFAULT_PROFILES_FILE-none}"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, ["LOCALHOST", "egl", "none", "{root}/src/imove_bringup/config/fastdds.xml"]),
        ({"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}, ["LOCALHOST", "egl", "UDPv4", "none"]),
        ({"FASTDDS_DEFAULT_PROFILES_FILE": "/mine.xml"}, ["LOCALHOST", "egl", "none", "/mine.xml"]),
        (
            {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "MUJOCO_GL": "osmesa"},
            ["SUBNET", "osmesa", "LARGE_DATA?max_msg_size=2MB&sockets_size=2MB&non_blocking=true", "none"],
        ),
    ],
)
def test_defaults_leave_what_the_user_set(checkout, variables, expected):
    printed = with_functions(checkout, DEFAULTS + PROFILE, **variables).split()
    assert printed == [text.format(root=checkout) for text in expected]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_locks_pin_everything_that_is_asked_for(lock):
    lines = [line for line in lock.read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*", line)] == []
    pinned = {line.split("==")[0] for line in lines}
    for name in ("base.in", "dev.in", "build.in", "ros.in"):
        asked = re.findall(r"^[A-Za-z][\w-]*", (ROOT / "requirements" / name).read_text(), re.MULTILINE)
        assert {word.lower().replace("_", "-") for word in asked} <= pinned


def test_there_is_a_lock_for_every_python_that_is_taken():
    assert [lock.stem for lock in LOCKS] == ["lock-py311", "lock-py312", "lock-py313"]
