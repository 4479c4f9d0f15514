"""The object tracker in a graph: the images and joints of a simulated table in, states of its objects out."""

import numpy as np
import pytest
from imove_interfaces.msg import ObjectStates, TrackerStatus

from imove_core import contract
from imove_ros.conversions import ns_from_time, objects_from

from .graph_helpers import listener, node_processes, small_suite, wait_until

pytestmark = pytest.mark.graph


def test_a_table_is_tracked_from_its_images_at_the_ticks_of_its_episode(tmp_path):
    suite = small_suite(tmp_path / "small.jsonl", 1)
    with node_processes(tmp_path / "graph") as nodes:
        simulator = nodes.simulator(
            clock="realtime", suite=str(suite), start_episode=0, image_width=640, image_height=480
        )
        with listener(nodes.domain) as ear:
            objects = ear.hear(ObjectStates, contract.OBJECTS_TOPIC)
            tracker = nodes.start("imove_tracker", "object_tracker", image_rate_hz=5.0)
            told = ear.hear(TrackerStatus, contract.TRACKER_TOPIC)
            wait_until(
                lambda: told and set(told[-1].basis) == {"seen"}, lambda: f"{told[-1:]}\n{tracker.err}\n{simulator.err}"
            )
            status = told[-1]
            # Both the simulator and the tracker publish objects here: only the simulator knows contacts.
            key = (status.episode_id, status.step)

            def both():
                found = {}
                for message in list(objects):
                    if (message.episode_id, message.step) == key:
                        found[message.objects[0].contacts_known] = message
                return found if len(found) == 2 else None

            found = wait_until(both, lambda: f"no states of truth and tracker for {key}")
            truth, tracked = objects_from(found[True]), objects_from(found[False])
            assert [item.id for item in tracked] == [item.id for item in truth] == list(status.object_ids)
            errors_m = [np.linalg.norm(a.position - b.position) for a, b in zip(truth, tracked, strict=True)]
            assert max(errors_m) < 0.006
            stamps = {ns_from_time(message.header.stamp) for message in (*found.values(), status)}
            assert len(stamps) == 1
            assert min(status.confidence) > 0.6 and status.question == ""
        assert tracker.interrupt() == 0
        assert "Traceback" not in tracker.err
