"""The simulated rig and the emulated real one keep one contract, and differ in nothing but what is documented."""

import os
import time
from dataclasses import replace

import pytest
from imove_interfaces.msg import TrialState
from imove_interfaces.srv import OperatorCommand, ResetEpisode

from imove_bringup.arguments import PATH, SEED, LaunchArgument, parse_values
from imove_bringup.emulated_table.rig_file import rig_file
from imove_bringup.graphs import parts, real_parts
from imove_core import contract
from imove_core.graph_record import GraphRecord, deviations, differences
from imove_core.hardware import CameraProfile
from imove_core.rig import load_rig
from imove_ros.graph_observer import GraphObserver
from imove_tasks.suites import open_suite

from .graph_helpers import IMAGE, listener, node_processes, wait_until

pytestmark = [pytest.mark.graph, pytest.mark.timeout(300)]
SMALL = CameraProfile(width=IMAGE["image_width"], height=IMAGE["image_height"])
WATCHED_S = 5.0
ARGUMENTS = (
    parts.RIG,
    parts.IMAGE_SIZE_ARGUMENT,
    parts.ASSETS,
    real_parts.HARDWARE,
    LaunchArgument("seed", "", "0", SEED),
    LaunchArgument("output", "", "", PATH),
)
OF_EACH_KIND = ("/left/joint_states", "/left/joint_target", "/static_camera/color/image_raw", "/imove/objects", "/tf")


@pytest.fixture(scope="module")
def spec():
    """The episode that both set up."""
    return open_suite("pick_category/seen").first(1)[0]


def watch(ear, domain: str, expected: GraphRecord | None = None) -> GraphRecord:
    """What is seen of the graph, looked at again while this machine is too slow for the rates of the contract.

    Where other work keeps it too slow, intervals are left out: they would be those of the machine.
    """
    deadline = time.monotonic() + 90.0
    observer = GraphObserver(ear.node, ear.rig, domain)
    while True:
        observer.listen()
        observer.forget()
        time.sleep(WATCHED_S)
        graph = observer.record()
        came = {name: graph.topics[name].messages if name in graph.topics else 0 for name in OF_EACH_KIND}
        whole = min(came.values()) > 1
        told = [*deviations(ear.rig, graph), *(differences(ear.rig, expected, graph) if expected else ())]
        if (whole and not told) or time.monotonic() > deadline:
            assert whole, f"messages that came: {came}"
            if not told or os.getloadavg()[0] < 2 * len(os.sched_getaffinity(0)):
                return graph
            return replace(graph, topics={name: replace(t, interval_s=0.0) for name, t in graph.topics.items()})


def set_up(ear, spec, while_waiting=lambda: None):
    """Sets up the episode."""
    client = ear.node.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)
    wait_until(client.service_is_ready, lambda: "nobody sets up episodes")
    request = ResetEpisode.Request(episode_id="episode", spec_json=spec.to_json(), condition="normal")
    answer = client.call_async(request)

    def answered():
        while_waiting()
        return answer.done()

    wait_until(answered, lambda: "the episode was not set up")
    assert answer.result().ok, answer.result().message


def operator(ear):
    """Starts the trial as soon as that is allowed: images as small as these show no tracker where objects lie."""
    heard = ear.hear(TrialState, contract.TRIAL_TOPIC)
    commands = ear.node.create_client(OperatorCommand, contract.TRIAL_COMMAND_SERVICE)
    again_s = 0.0

    def act():
        nonlocal again_s
        wanted = [name for name in ("start", "confirm_layout") if heard and name in heard[-1].commands]
        if wanted and time.monotonic() > again_s:
            again_s = time.monotonic() + 0.5
            commands.call_async(OperatorCommand.Request(command=wanted[0]))

    return act


@pytest.fixture(scope="module")
def simulated(tmp_path_factory, spec) -> GraphRecord:
    """The graph of the simulator in real time."""
    with node_processes(tmp_path_factory.mktemp("sim")) as nodes, listener(nodes.domain) as ear:
        nodes.simulator(clock="realtime")
        nodes.policy("hold", clock="realtime")
        set_up(ear, spec)
        return watch(ear, "sim")


@pytest.fixture(scope="module")
def emulated(tmp_path_factory, spec, simulated) -> GraphRecord:
    """The graph of drivers on emulated devices, tracker and trial conductor."""
    folder = tmp_path_factory.mktemp("real")
    rig = str(rig_file(load_rig("piperx_dual"), folder, profile=SMALL))
    size = f"{SMALL.width}x{SMALL.height}"
    values = parse_values(ARGUMENTS, {"rig": rig, "hardware": "emulated", "image_size": size})
    with node_processes(folder) as nodes, listener(nodes.domain) as ear:
        described = [*real_parts.table(values), *real_parts.drivers(values), real_parts.tracker(values)]
        for node in described:
            extra = {"camera_rate_hz": 30.0, "placing_pause_s": 0.05} if node.name == "emulated_table" else {}
            nodes.start_described(replace(node, parameters={**node.parameters, **extra}))
        nodes.start("imove_trials", "trial_conductor", rig=rig, output=str(folder), use_sim_time=False)
        nodes.policy("hold", clock="realtime", domain="real", use_sim_time=False, rig=rig)
        wait_until(lambda: ear.node.count_publishers(contract.OBJECTS_TOPIC), lambda: "the tracker is not there")
        set_up(ear, spec, operator(ear))
        return watch(ear, "real", simulated)


def test_simulated_rig_keeps_the_contract(rig, simulated):
    told = deviations(rig, simulated)
    assert not told, "\n".join(told)


def test_emulated_real_rig_keeps_the_contract(rig, emulated):
    told = deviations(rig, emulated)
    assert not told, "\n".join(told)


def test_the_two_differ_in_nothing_but_what_is_documented(rig, simulated, emulated):
    told = differences(rig, simulated, emulated)
    assert not told, "\n".join(told)


@pytest.fixture(scope="module")
def rig():
    """The rig of both."""
    return load_rig("piperx_dual")
