"""Pages of runs: what they say, what they escape, and how they take damaged runs."""

import json
import re
from html.parser import HTMLParser

import pytest

from imove_analysis.report import build_comparison, build_index, build_report
from imove_analysis.report.domains_section import domains_section
from imove_analysis.report.plots import Mark, PlotRow, interval_plot
from imove_analysis.runs import open_run
from imove_analysis.testing import listens, write_acted_run
from imove_core.errors import ImoveError

HOSTILE = "pick </script><script>alert(1)</script><img src=x onerror=alert(2)> \u2028 {{ 7 * 7 }}"


def ignores(spec, condition):
    """Goes for the same object whatever it is told."""
    return "object_2"


@pytest.fixture
def write(tmp_path):
    """Writes a made-up run and gives its folder."""
    return lambda name="run", acts=listens, **changes: write_acted_run(tmp_path / name, acts, **changes)


@pytest.fixture
def page_of(tmp_path):
    """The report of folders as text."""

    def make(*folders, **options):
        page = build_report([open_run(folder) for folder in folders], tmp_path / "out", **options)
        return page.read_text(encoding="utf-8")

    return make


class Elements(HTMLParser):
    """Collects tags with their attributes, and the text of the page without scripts and style."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self._within = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._within = tag

    def handle_data(self, data):
        if self._within not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def embedded(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_the_headline_says_whether_language_is_followed(write, page_of):
    text = Elements(page_of(write(scenes=40))).text
    assert "The policy follows language" in text
    assert "40/40 [0.91, 1.00]; chance 0.33" in text
    text = Elements(page_of(write("deaf", ignores, scenes=40))).text
    assert "The policy ignores language" in text
    assert "Wrong object lifted" in text


def test_a_page_loads_nothing_and_holds_every_part(write, page_of):
    page = Elements(page_of(write()))
    addresses = [value for _, attrs in page.tags for name, value in attrs.items() if name in ("src", "href", "poster")]
    assert all(address.startswith(("#", "data:")) for address in addresses)
    parts = {attrs.get("id") for tag, attrs in page.tags if tag == "section"}
    assert parts == {
        "verdict", "rates", "counterfactual", "language", "tables", "motion", "failures", "episodes-part", "origin",
    }  # fmt: skip
    assert all(attrs.get("aria-label") for tag, attrs in page.tags if tag == "svg" and attrs.get("role") == "img")
    assert all(attrs.get("scope") for tag, attrs in page.tags if tag == "th")


def test_texts_from_outside_stay_texts(write, page_of):
    folder = write(text=HOSTILE, settings={"policy": "<b>bold</b>", "policy_config": HOSTILE}, note=HOSTILE)
    page = page_of(folder)
    tags = Elements(page).tags
    assert [attrs.get("type") for tag, attrs in tags if tag == "script"] == ["application/json", None]
    assert not [tag for tag, attrs in tags if tag in ("img", "b") or "onerror" in attrs]
    assert "\u2028" not in re.search(r'id="data">(.*?)</script>', page, re.S)[1]
    assert {row["sent"] for row in embedded(page)["episodes"] if row["condition"] == "normal"} == {HOSTILE}
    assert "49" not in Elements(page).text.split("onerror")[1][:40]


def test_the_browser_knows_events_texts_and_classes(write, page_of):
    rows = embedded(page_of(write(acts=ignores, scenes=2)))["episodes"]
    assert len(rows) == 2 * 9
    row = next(row for row in rows if row["condition"] == "normal")
    assert row["class"] == "wrong_object_lifted"
    assert row["names"] == {"object_0": "thing 0", "object_2": "thing 2"}
    assert row["events"]["strict"] == [["reach", "object_2", "", 1, 0], ["lift", "object_2", "", 2, 0]]
    assert row["sent"] == row["heard"] == "pick up the mug"
    assert {row["class"] for row in rows if row["condition"] == "empty"} == {"text_about_no_single_object"}


def test_a_large_run_keeps_failures_and_says_what_it_leaves_out(write, page_of):
    folder = write(acts=lambda spec, condition: "object_1" if spec.id.endswith("003") else listens(spec, condition))
    page = page_of(folder, most_episodes=10)
    rows = embedded(page)["episodes"]
    assert len(rows) == 10
    assert "This page holds 10 of 54 episodes" in Elements(page).text
    assert rows[0]["scene"].endswith("003")


def test_videos_come_into_the_folder_of_the_page(write, page_of, tmp_path):
    folder = write(scenes=2)
    video = folder / "videos" / "test" / "scene" / "001" / "normal.mp4"
    video.parent.mkdir(parents=True)
    video.write_bytes(b"moving")
    rows = {(row["scene"], row["condition"]): row for row in embedded(page_of(folder))["episodes"]}
    assert rows["test/scene/000", "normal"]["video"] is None
    address = rows["test/scene/001", "normal"]["video"]
    assert (tmp_path / "out" / address).read_bytes() == b"moving"


@pytest.mark.parametrize("place", ["../outside.mp4", "/etc/hostname"])
def test_a_video_outside_of_the_run_is_not_taken(write, page_of, tmp_path, place):
    (tmp_path / "outside.mp4").write_bytes(b"secret")
    folder = write(scenes=1, conditions=("normal",))
    record = json.loads((folder / "episodes.jsonl").read_text())
    (folder / "episodes.jsonl").write_text(json.dumps({**record, "video": place}) + "\n")
    assert embedded(page_of(folder))["episodes"][0]["video"] is None
    assert not (tmp_path / "out" / "videos").exists()


def test_a_folder_that_takes_no_videos_is_told(write, page_of, tmp_path):
    folder = write(scenes=1, conditions=("normal",))
    video = folder / "videos" / "test" / "scene" / "000" / "normal.mp4"
    video.parent.mkdir(parents=True)
    video.write_bytes(b"moving")
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ImoveError, match="out cannot be written: "):
        page_of(folder)


def test_a_run_without_episodes_is_told(write, page_of):
    folder = write()
    (folder / "episodes.jsonl").write_text("")
    text = Elements(page_of(folder)).text
    assert "No episode of this run was finished" in text
    assert "All 0 episodes" in text


def test_a_cut_line_is_told_and_the_rest_counts(write, page_of):
    folder = write(scenes=2, conditions=("normal",))
    lines = (folder / "episodes.jsonl").read_bytes()
    (folder / "episodes.jsonl").write_bytes(lines[:-40])
    text = Elements(page_of(folder)).text
    assert "line 2 is cut off" in text
    assert "All 1 episodes" in text


def test_texts_that_did_not_arrive_make_a_run_invalid(write, page_of):
    folder = write(scenes=3, conditions=("normal", "alternative"))
    first, *others = (folder / "episodes.jsonl").read_text().splitlines()
    record = {**json.loads(first), "prompt_echoed": "another text", "prompt_verified": False}
    (folder / "episodes.jsonl").write_text("\n".join([json.dumps(record), *others]) + "\n")
    page = page_of(folder)
    assert "Not valid: the policy received another text than the one that it was sent in 1 of 6 episodes" in (
        Elements(page).text
    )
    assert "follows language" not in Elements(page).text
    assert [row["heard"] for row in embedded(page)["episodes"] if not row["verified"]] == ["another text"]


def test_latencies_that_are_no_numbers_harm_nothing(write, page_of):
    folder = write(scenes=1, conditions=("normal",))
    record = json.loads((folder / "episodes.jsonl").read_text())
    record["wall"] = {"latency_p95_s": float("nan")}
    record["safety"] = {"events": float("nan"), "kinds": {}}
    (folder / "episodes.jsonl").write_text(json.dumps(record) + "\n")
    assert embedded(page_of(folder))["episodes"][0]["safety"] == 0


def test_a_run_without_its_suite_has_rates_and_says_what_is_missing(write, page_of):
    folder = write(acts=ignores)
    (folder / "suite.jsonl").unlink()
    page = page_of(folder)
    text = Elements(page).text
    assert "has no suite.jsonl, and no suite test/scene is shipped" in text
    assert "chance 0.33" in text
    assert {row["sent"] for row in embedded(page)["episodes"]} == {None}


def test_runs_that_differ_are_refused_or_told(write, page_of):
    first, second = write("a"), write("b", ignores, settings={"policy": "deaf", "scheduler": "sync_hold"})
    third = write("c", settings={"policy": "other", "scheduler": "receding"})
    assert "Mixed runs" not in Elements(page_of(first, second)).text
    with pytest.raises(ImoveError, match=r"scheduler is sync_hold in .* and receding in .*; .* only with --mixed"):
        page_of(second, third)
    text = Elements(page_of(second, third, mixed=True)).text
    assert text.count("scheduler is sync_hold") >= 2
    assert "Mixed runs" in text


def test_two_suites_stand_in_one_report(write, page_of):
    page = page_of(write("a"), write("b", text="lift the mug", settings={"suite": "test/scene_b"}))
    assert "made_up on test/scene, test/scene_b" in Elements(page).text
    assert embedded(page)["runs"] == ["made_up, test/scene", "made_up, test/scene_b"]
    assert {row["run"] for row in embedded(page)["episodes"]} == {0, 1}


def test_simulation_and_table_stand_together(write, page_of):
    folders = [
        write(f"{policy}-{domain}", acts, domain=domain, settings={"policy": policy})
        for policy, acts in (("good", listens), ("bad", ignores))
        for domain in ("sim", "real")
    ]
    text = Elements(page_of(*folders)).text
    assert "Simulation and the real table" in text
    assert "Over 2 policies the score in simulation has no proven relation to that on the table: r = 1.00" in text
    assert "It does not show that the rates themselves are equal" in text
    alone = Elements(page_of(*folders[:2])).text
    assert "to say how far one tells the other takes at least 2" in alone


def test_a_suite_on_one_side_alone_is_no_part_of_the_agreement(write, rng):
    folders = [
        write(f"{policy}-{domain}", domain=domain, settings={"policy": policy})
        for policy in ("one", "two")
        for domain in ("sim", "real")
    ]
    more = write("more", ignores, scenes=9, text="lift it", settings={"policy": "one", "suite": "test/other"})
    found = domains_section([open_run(folder) for folder in (*folders, more)], rng).agreement
    assert [(len(one.simulated), len(one.real)) for one in found.policies] == [(6, 6), (6, 6)]


def test_a_comparison_says_who_is_better_and_where(write, tmp_path):
    runs = [open_run(write("deaf", ignores, scenes=20, settings={"policy": "deaf"})), open_run(write("b", scenes=20))]
    text = Elements(build_comparison(*runs, tmp_path / "out").read_text()).text
    assert "made_up is better than deaf" in text
    assert "+1.00" in text
    assert text.count("test/scene/0") == 20
    same = Elements(build_comparison(runs[1], runs[1], tmp_path / "same", mixed=True).read_text()).text
    assert "Undecided whether made_up" in same
    assert "No scene under normal was done by one of both alone." in same


def test_a_comparison_of_other_suites_is_unpaired_and_of_empty_runs_nothing(write, tmp_path):
    first, second = write("a", scenes=8), write("b", scenes=8, settings={"suite": "test/other"}, text="take it")
    text = Elements(build_comparison(open_run(first), open_run(second), tmp_path / "out").read_text()).text
    assert "Undecided" in text or "Not compared" in text
    (second / "episodes.jsonl").write_text("")
    text = Elements(build_comparison(open_run(first), open_run(second), tmp_path / "out").read_text()).text
    assert "nothing can be compared" in text


def test_the_index_lists_runs_with_their_reports(write, tmp_path):
    good = write("runs/good", scenes=4)
    write("runs/nested/deaf", ignores, settings={"policy": "<i>deaf</i>"}, domain="real")
    broken = write("runs/broken")
    (broken / "provenance.json").write_text("{")
    build_report([open_run(good)], good / "report")
    page = Elements(build_index(tmp_path / "runs", tmp_path / "runs" / "report").read_text())
    assert "1.00 [0.51, 1.00]" in page.text
    assert "nested/deaf, no report yet" in page.text
    assert "provenance.json is damaged" in page.text
    assert "<i>deaf</i>" in page.text
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a" and "report" in attrs["href"]]
    assert links == ["../good/report/index.html"]
    assert (tmp_path / "runs" / "report" / links[0]).resolve() == (good / "report" / "index.html").resolve()


def test_an_index_needs_a_run(tmp_path):
    with pytest.raises(ImoveError, match="holds no run"):
        build_index(tmp_path, tmp_path / "out")
    with pytest.raises(ImoveError, match="at least one run; none was given"):
        build_report([], tmp_path / "out")


def test_a_plot_says_its_values_and_keeps_them_within_the_axis():
    plot = interval_plot([PlotRow("<reach>", (Mark(1.4, 0.2, 9.0, "1.4 [0.2, 9]", 5),))], "Rates & more")
    drawn = Elements(str(plot))
    assert drawn.tags[0][1]["aria-label"] == "Rates & more. <reach>: 1.4 [0.2, 9]"
    whisker = next(attrs for tag, attrs in drawn.tags if tag == "line" and "whisker" in attrs["class"])
    assert float(whisker["x2"]) <= 360
    assert "<reach>" in drawn.text
