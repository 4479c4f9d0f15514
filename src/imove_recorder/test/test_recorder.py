"""Recordings from start to bag: what is in them, what is refused, what is left of those that were not whole."""

import json
from dataclasses import replace

import pytest

from imove_core import contract
from imove_core.bag.reader import EpisodeBag
from imove_core.errors import ImoveError
from imove_recorder.request import Request

from .conftest import HORIZON, KEY, PERIOD_NS, START_NS

STEPS = HORIZON + 1
REQUEST = Request(KEY, "pick_category", 7)
FACTS = {"success": "true", "stages": "reach,lift"}
PARTIAL = "pick_category/.partial/episode_000007"
FINAL = "pick_category/episode_000007"


def feed(recorder, arrivals):
    for arrival in arrivals:
        recorder.receive(arrival)
        assert recorder.message == ""


def record(recorder, offers, arrivals, request=REQUEST):
    recorder.start(request, offers)
    feed(recorder, arrivals)
    return recorder.finish(FACTS, {"labels.json": '{"schema":1}'})


def test_whole_episode(make_recorder, offers, scene, settings, spec, rig):
    finished = record(make_recorder(), offers, scene.episode())
    assert finished.folder == settings.dataset / FINAL
    assert finished.dropped == 0
    bag = EpisodeBag(finished.folder)
    counts = bag.message_counts
    assert sum(counts.values()) == finished.messages
    once = {"/tf_static", "/robot_description", "/imove/episode", "/imove/instruction", "/imove/result"}
    assert {name for name, count in counts.items() if count == 1} == once
    assert {count for name, count in counts.items() if name not in once} == {0, STEPS}
    facts = bag.custom_data
    assert facts | FACTS == facts
    assert (facts["episode_id"], facts["task"], facts["split"], facts["condition"]) == (
        KEY,
        "pick_category",
        "seen",
        "normal",
    )
    assert (facts["instruction"], facts["spec_hash"], facts["rig"]) == (
        "pick up the mug",
        spec.content_hash,
        "piperx_dual",
    )
    assert (facts["source"], facts["clock"], facts["dropped_messages"], facts["lost_messages"]) == (
        "sim",
        "lockstep",
        "0",
        "0",
    )
    assert bag.attachments["spec.json"].decode() == spec.to_json()
    assert json.loads(bag.attachments["rig.json"])["name"] == rig.name
    assert bag.attachments["labels.json"] == b'{"schema":1}'


def test_times_in_simulation_are_stamps(make_recorder, offers, scene):
    bag = EpisodeBag(record(make_recorder(), offers, scene.episode()).folder)
    found = list(bag.messages())
    assert all(message.log_time_ns == message.publish_time_ns for message in found)
    assert {message.log_time_ns for message in found} == {START_NS + number * PERIOD_NS for number in range(STEPS)}
    latched = ("/tf_static", "/robot_description", "/imove/episode", "/imove/instruction")
    assert all(message.log_time_ns == START_NS for message in found if message.topic in latched)


def test_times_on_the_real_table_are_those_of_arrival(make_recorder, offers, scene):
    sent = [arrival for arrival in scene.episode() if arrival.topic != contract.CLOCK_TOPIC]
    there = {name: offer for name, offer in offers.items() if name != contract.CLOCK_TOPIC}
    bag = EpisodeBag(record(make_recorder(domain="real", clock="realtime"), there, sent).folder)
    by_receipt = {arrival.cdr: arrival.received_ns for arrival in sent if arrival.topic == contract.OBJECTS_TOPIC}
    found = list(bag.messages([contract.OBJECTS_TOPIC]))
    assert [message.log_time_ns for message in found] == [by_receipt[message.cdr] for message in found]
    assert [message.publish_time_ns for message in found] == [START_NS + n * PERIOD_NS for n in range(STEPS)]


def test_order_of_arrival_does_not_matter_before_the_episode(make_recorder, offers, scene, types):
    """The first observation may overtake its announcement, and what is older than that is of another episode."""
    instruction, episode = scene.announcement()
    static, _ = scene.description()
    first, second = scene.step(0), scene.step(1)
    old = scene.step(0, "other", START_NS - 10 * PERIOD_NS)
    rest = [arrival for number in range(2, STEPS) for arrival in scene.step(number)]
    finished = record(
        make_recorder(), offers, [*old, *first, episode, static, instruction, *second, *rest, scene.result()]
    )
    bag = EpisodeBag(finished.folder)
    assert bag.message_counts[contract.OBJECTS_TOPIC] == STEPS
    assert bag.message_counts["/tf_static"] == 1
    (said,) = [message for _, message in bag.decoded([contract.INSTRUCTION_TOPIC])]
    assert said.data == "pick up the mug"


def test_instruction_of_the_episode_before_is_replaced(make_recorder, offers, scene):
    recorder = make_recorder()
    feed(recorder, scene.announcement("older", START_NS - PERIOD_NS, "pick up the bowl"))
    bag = EpisodeBag(record(recorder, offers, scene.episode()).folder)
    assert bag.custom_data["instruction"] == "pick up the mug"
    assert bag.message_counts[contract.INSTRUCTION_TOPIC] == bag.message_counts[contract.EPISODE_TOPIC] == 1


def test_step_that_is_published_again_in_lockstep_is_recorded_once(make_recorder, offers, scene):
    again = [arrival for arrival in scene.episode() for _ in range(2)]
    bag = EpisodeBag(record(make_recorder(), offers, again).folder)
    assert (
        bag.message_counts[contract.OBJECTS_TOPIC] == bag.message_counts[contract.color_topic("static_camera")] == STEPS
    )


def test_episode_that_is_set_up_again_begins_anew(make_recorder, offers, scene):
    recorder = make_recorder(clock="realtime")
    later_ns = START_NS + 100 * PERIOD_NS
    started = [*scene.announcement(), *(arrival for n in range(3) for arrival in scene.step(n))]
    bag = EpisodeBag(record(recorder, offers, [*started, *scene.episode(start_ns=later_ns)]).folder)
    assert min(message.log_time_ns for message in bag.messages()) == later_ns
    assert bag.message_counts[contract.OBJECTS_TOPIC] == STEPS


@pytest.mark.parametrize("steps_before_result", [2, 3])
def test_result_ends_an_episode_before_its_horizon(make_recorder, offers, scene, steps_before_result):
    """Whether it comes before its last step or just after it; what the table does then is none of the episode."""
    last = 2
    steps = [scene.step(number) for number in range(HORIZON + 1)]
    result = scene.result(record_json=json.dumps({"last_step": last}))
    early = [arrival for step in steps[:steps_before_result] for arrival in step]
    late = [arrival for step in steps[steps_before_result:] for arrival in step]
    sent = [*scene.announcement(), *early, result, *late]
    bag = EpisodeBag(record(make_recorder(clock="realtime"), offers, sent).folder)
    assert {bag.message_counts[name] for name in (contract.OBJECTS_TOPIC, "/left/joint_target")} == {last + 1}
    assert bag.message_counts[contract.RESULT_TOPIC] == 1


@pytest.mark.parametrize("record_json", ['{"last_step": "2"}', "[2]", "{", '{"last_step": -1}'])
def test_result_that_names_no_step_leaves_the_horizon(make_recorder, offers, scene, record_json):
    steps = [arrival for number in range(HORIZON + 1) for arrival in scene.step(number)]
    sent = [*scene.announcement(), *steps[: len(steps) // 2], scene.result(record_json=record_json)]
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    feed(recorder, sent)
    assert recorder.missing()
    feed(recorder, steps[len(steps) // 2 :])
    assert recorder.missing() == ()


def test_another_episode_in_the_middle_is_a_failure(make_recorder, offers, scene, settings):
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    feed(recorder, [*scene.announcement(), *scene.step(0), *scene.step(1)])
    for arrival in scene.announcement("other", START_NS + 50 * PERIOD_NS):
        recorder.receive(arrival)
    assert recorder.message == f"episode other was set up before {KEY} had ended"
    with pytest.raises(ImoveError, match=f"{recorder.message}; what came is in {settings.dataset / PARTIAL}"):
        recorder.finish(FACTS, {})
    assert EpisodeBag(settings.dataset / PARTIAL).custom_data["incomplete"].startswith("episode other")


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (contract.RESULT_TOPIC, "/imove/result"),
        (contract.OBJECTS_TOPIC, f"/imove/objects of control step {HORIZON}"),
        (contract.depth_topic("static_camera"), contract.depth_topic("static_camera")),
        (contract.PHASE_TOPIC, contract.PHASE_TOPIC),
    ],
)
def test_end_that_does_not_come_is_named(make_recorder, offers, scene, settings, gone, said):
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    *rest, last = range(STEPS)
    end = [arrival for arrival in (*scene.step(last), scene.result()) if arrival.topic != gone]
    feed(recorder, [*scene.announcement(), *(arrival for n in rest for arrival in scene.step(n)), *end])
    assert recorder.missing() == (said,)
    with pytest.raises(ImoveError, match=f"{said} did not come; what came is in"):
        recorder.finish(FACTS, {})
    assert recorder.is_idle
    assert not (settings.dataset / FINAL).exists()
    assert said in EpisodeBag(settings.dataset / PARTIAL).custom_data["incomplete"]


def test_many_missing_topics_are_one_short_sentence(make_recorder, offers, scene):
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    steps = [arrival for n in range(HORIZON) for arrival in scene.step(n)]
    last = [arrival for arrival in scene.step(HORIZON) if arrival.topic == contract.OBJECTS_TOPIC]
    feed(recorder, [*scene.announcement(), *steps, *last, scene.result()])
    with pytest.raises(ImoveError, match=r"^/\S+, /\S+, /\S+ and \d+ more did not come; "):
        recorder.finish(FACTS, {})


def test_nothing_is_missing_at_the_end(make_recorder, offers, scene):
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    assert recorder.missing() == (f"/imove/episode of {KEY}",)
    feed(recorder, scene.episode())
    assert recorder.missing() == ()


def test_what_comes_after_the_last_step_in_real_time_is_of_no_episode(make_recorder, offers, scene):
    recorder = make_recorder(clock="realtime")
    *most, result = scene.episode()
    later = [arrival for number in (STEPS, STEPS + 1) for arrival in scene.step(number)]
    bag = EpisodeBag(record(recorder, offers, [*most, *later, result]).folder)
    assert {message.log_time_ns for message in bag.messages()} == {START_NS + n * PERIOD_NS for n in range(STEPS)}


def test_states_of_a_tracker_that_heard_of_the_episode_late_are_left_out(make_recorder, offers, scene):
    """It went on with ticks between two episodes, beyond the first observation; their numbers are of no episode."""
    ahead = [
        arrival
        for number in (HORIZON + 1, HORIZON + 2)
        for arrival in scene.step(number, key="", start_ns=START_NS - HORIZON * PERIOD_NS)
        if arrival.topic == contract.OBJECTS_TOPIC
    ]
    announcement, steps = scene.announcement(), [scene.step(number) for number in range(STEPS)]
    sent = [*announcement, *ahead, *(arrival for step in steps for arrival in step), scene.result()]
    bag = EpisodeBag(record(make_recorder(clock="realtime"), offers, sent).folder)
    stamps = [message.log_time_ns for message in bag.messages() if message.topic == contract.OBJECTS_TOPIC]
    assert bag.message_counts[contract.OBJECTS_TOPIC] == STEPS
    assert {bag.message_counts[name] for name in ("/left/joint_target", contract.PHASE_TOPIC)} == {STEPS}
    assert stamps == sorted(stamps)


def test_discarded_episode_leaves_nothing(make_recorder, offers, scene, settings):
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    feed(recorder, scene.episode())
    recorder.discard()
    assert recorder.is_idle
    assert [path for path in settings.dataset.rglob("*") if path.is_file()] == []
    recorder.start(REQUEST, offers)
    recorder.discard()


def test_recorder_that_ends_before_anything_has_begun_says_nothing(make_recorder, offers):
    for autostart in (False, True):
        recorder = make_recorder(autostart=autostart)
        assert recorder.close("the end") == ""
        recorder.start(REQUEST, offers)
        assert recorder.close("the end") == ""


def test_recorder_that_is_told_to_end_leaves_a_valid_bag_among_the_unfinished(make_recorder, offers, scene, settings):
    recorder = make_recorder()
    assert recorder.cut("the power went") is None
    recorder.start(REQUEST, offers)
    assert recorder.cut("the power went") is None
    recorder.start(REQUEST, offers)
    feed(recorder, [*scene.announcement(), *scene.step(0), *scene.step(1)])
    assert recorder.close("the power went") == f"the power went; what came is in {settings.dataset / PARTIAL}"
    bag = EpisodeBag(settings.dataset / PARTIAL)
    assert bag.custom_data["incomplete"] == "the power went"
    assert bag.message_counts[contract.OBJECTS_TOPIC] == 2
    # The same episode, run again, takes its place.
    assert record(recorder, offers, scene.episode()).folder.is_dir()
    assert not (settings.dataset / PARTIAL).exists()


def test_bag_that_is_there_is_replaced_only_on_request(make_recorder, offers, scene, settings):
    recorder = make_recorder()
    first = record(recorder, offers, scene.episode())
    with pytest.raises(ImoveError, match=f"bag {first.folder} is there already"):
        recorder.start(REQUEST, offers)
    later_ns = START_NS + 900 * PERIOD_NS
    second = record(recorder, offers, scene.episode(start_ns=later_ns), replace(REQUEST, replace=True))
    assert second.folder == first.folder
    assert min(message.log_time_ns for message in EpisodeBag(second.folder).messages()) == later_ns


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (replace(REQUEST, task="../elsewhere"), "task '../elsewhere' is no folder name"),
        (replace(REQUEST, task=""), "task '' is no folder name"),
        (replace(REQUEST, episode_id=""), "needs the id of its episode"),
    ],
)
def test_requests_that_mean_nothing(make_recorder, offers, request_, said):
    with pytest.raises(ImoveError, match=said):
        make_recorder().start(request_, offers)


def test_one_recording_at_a_time(make_recorder, offers):
    recorder = make_recorder()
    with pytest.raises(ImoveError, match="nothing is being recorded"):
        recorder.finish(FACTS, {})
    recorder.start(REQUEST, offers)
    with pytest.raises(ImoveError, match=f"episode {KEY} is being recorded; stop that first"):
        recorder.start(REQUEST, offers)


def test_losses_on_the_way_are_counted(make_recorder, offers, scene):
    recorder = make_recorder()
    recorder.start(REQUEST, offers)
    sent = list(scene.episode())
    index = [i for i, arrival in enumerate(sent) if arrival.topic == contract.TF_TOPIC]
    # What was lost before the first message of the episode is of no episode.
    sent[index[0]] = replace(sent[index[0]], lost=40)
    sent[index[2]] = replace(sent[index[2]], lost=2)
    feed(recorder, sent)
    assert recorder.status().topics[contract.TF_TOPIC].dropped == 2
    finished = recorder.finish(FACTS, {})
    assert finished.dropped == 2
    assert EpisodeBag(finished.folder).custom_data["lost_messages"] == "2"


def test_status_tells_what_goes_on(make_recorder, offers, scene, settings):
    recorder = make_recorder()
    assert (recorder.status().state, recorder.status().episode_id) == ("idle", "")
    recorder.start(REQUEST, offers)
    assert (recorder.status().state, recorder.status().episode_id) == ("waiting", KEY)
    feed(recorder, scene.episode())
    status = recorder.status()
    assert (status.state, status.bag) == ("recording", str(settings.dataset / FINAL))
    assert status.seconds == pytest.approx(HORIZON * PERIOD_NS / 1e9)
    assert status.free_bytes > 0
    assert status.topics[contract.OBJECTS_TOPIC].received == STEPS
    assert sum(tally.dropped for tally in status.topics.values()) == 0
    recorder.discard()
    assert recorder.status().state == "idle"


def test_queue_that_is_too_small_waits_in_lockstep_and_counts_drops_in_real_time(make_recorder, offers, scene):
    whole = record(make_recorder(queue_bytes=2000), offers, scene.episode())
    assert whole.dropped == 0
    assert EpisodeBag(whole.folder).message_counts[contract.OBJECTS_TOPIC] == STEPS


def test_recorder_that_starts_by_itself_records_one_episode_after_another(make_recorder, offers, scene, settings):
    recorder = make_recorder(autostart=True, clock="realtime")
    # The episode was set up before the recorder was there: it hears of it all the same.
    feed(recorder, scene.announcement("first"))
    recorder.start_next(offers)
    feed(recorder, [*scene.step(0, "first"), *scene.step(1, "first")])
    second_ns = START_NS + 60 * PERIOD_NS
    feed(recorder, [*scene.announcement("second", second_ns), *scene.step(0, "second", second_ns)])
    feed(recorder, scene.step(1, "second", second_ns))
    assert recorder.close("the end") == ""
    bags = [EpisodeBag(settings.dataset / f"pick_category/episode_00000{number}") for number in (0, 1)]
    assert [bag.custom_data["episode_id"] for bag in bags] == ["first", "second"]
    assert {bag.custom_data["success"] for bag in bags} == {"unknown"}
    assert [bag.message_counts[contract.OBJECTS_TOPIC] for bag in bags] == [2, 2]


def test_disk_that_is_too_full_ends_the_recording_with_a_sentence(make_recorder, offers, scene, settings):
    writer = replace(settings.writer, reserve_bytes=1 << 62, flush_s=0.0)
    recorder = make_recorder(writer=writer)
    recorder.start(REQUEST, offers)
    for arrival in scene.episode():
        recorder.receive(arrival)
    with pytest.raises(ImoveError, match="the disk has .* MiB left"):
        recorder.finish(FACTS, {})
    assert "MiB left" in recorder.message
    assert recorder.is_idle
    assert not (settings.dataset / FINAL).exists()


def test_folder_that_cannot_be_made(make_recorder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ImoveError, match=f"dataset folder {tmp_path}/file/bags cannot be made: Not a directory"):
        make_recorder(dataset=tmp_path / "file" / "bags")
