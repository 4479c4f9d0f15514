"""The small parts beside graphs and supervisor: logs, transport, stopping, exit status, domain lock."""

import signal
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from imove_bringup.domain_lock import hold_domain
from imove_bringup.escalation import Escalation, Patience
from imove_bringup.exit_status import graph_exit_status
from imove_bringup.log_folder import log_parent, make_log_dir
from imove_bringup.transport import transport_defaults
from imove_core.errors import ImoveError

NOW = datetime(2030, 1, 2, 3, 4, 5)


def test_log_parent_follows_ros(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert log_parent({"ROS_LOG_DIR": "/var/log/ros"}) == Path("/var/log/ros")
    assert log_parent({"ROS_LOG_DIR": ""}) == tmp_path / ".imove" / "log"


def test_latest_points_to_the_newest_log_folder(tmp_path):
    first, second = make_log_dir(tmp_path / "log", NOW), make_log_dir(tmp_path / "log", NOW)
    assert (first.name, second.name) == ("2030-01-02-03-04-05", "2030-01-02-03-04-05-2")
    assert (tmp_path / "log" / "latest").resolve() == second


def test_folder_called_latest_is_left_alone(tmp_path):
    (tmp_path / "latest").mkdir()
    make_log_dir(tmp_path, NOW)
    assert not (tmp_path / "latest").is_symlink()


PROFILE = Path("fastdds.xml")
HERE = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


@pytest.mark.parametrize("environ", [{}, HERE])
def test_one_host_has_a_profile_of_its_own(environ):
    defaults = transport_defaults(environ, PROFILE)
    assert {**environ, **defaults} == {**HERE, "FASTDDS_DEFAULT_PROFILES_FILE": "fastdds.xml"}


def test_installed_profile_keeps_images_on_the_loopback_interface():
    installed = ElementTree.parse(transport_defaults({})["FASTDDS_DEFAULT_PROFILES_FILE"]).getroot()
    text = {element.tag.rpartition("}")[2]: element.text for element in installed.iter()}
    assert text["address"] == "127.0.0.1"
    assert int(text["segment_size"]) > 4 * 640 * 480 * 3


@pytest.mark.parametrize("name", ["FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_DEFAULT_PROFILES_FILE"])
def test_own_transport_is_kept(name):
    assert transport_defaults({name: "x"}, PROFILE) == HERE


@pytest.mark.parametrize("name", ["ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "ROS_DISCOVERY_SERVER"])
def test_own_discovery_range_is_kept(name):
    defaults = transport_defaults({name: "x"}, PROFILE)
    assert list(defaults) == ["FASTDDS_BUILTIN_TRANSPORTS"]
    assert defaults["FASTDDS_BUILTIN_TRANSPORTS"].startswith("LARGE_DATA?")


def test_escalation_sends_each_signal_once_when_it_is_due():
    escalation = Escalation(Patience(sigterm_after_s=5, sigkill_after_s=3), now_s=100)
    assert escalation.due(100) == (signal.SIGINT,)
    assert escalation.time_left_s(101) == 4
    assert escalation.due(104.9) == ()
    assert escalation.due(105) == (signal.SIGTERM,)
    assert escalation.time_left_s(110) == 0
    assert escalation.due(110) == (signal.SIGKILL,)
    assert escalation.time_left_s(110) is None


def test_late_escalation_skips_nothing():
    escalation = Escalation(Patience(), now_s=0)
    assert escalation.due(60) == (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


@pytest.mark.parametrize(
    ("required", "has_crash", "interrupted_by", "status"),
    [
        (0, False, None, 0),
        (0, True, None, 0),
        (3, False, None, 3),
        (-11, False, None, 139),
        (0, False, signal.SIGINT, 0),
        (1, False, signal.SIGINT, 130),
        (-15, False, signal.SIGTERM, 143),
        (None, False, None, 0),
        (None, True, None, 1),
        (None, False, signal.SIGINT, 0),
        (None, True, signal.SIGINT, 1),
        (None, False, signal.SIGTERM, 143),
    ],
)
def test_exit_status(required, has_crash, interrupted_by, status):
    assert graph_exit_status(required=required, has_crash=has_crash, interrupted_by=interrupted_by) == status


def test_one_graph_in_a_domain():
    domain = {"ROS_DOMAIN_ID": f"test-{id(NOW)}"}
    with hold_domain(domain):
        with pytest.raises(ImoveError, match="another imove graph runs in ROS domain test-"):
            hold_domain(domain).__enter__()
        with hold_domain({"ROS_DOMAIN_ID": f"other-{id(NOW)}"}):
            pass
    with hold_domain(domain):
        pass
