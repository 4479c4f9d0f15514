"""Reports in a real browser, opened from disk: they run, load nothing from elsewhere, filter, and fit a phone."""

import json
from pathlib import Path

import pytest

from imove_analysis.report import build_comparison, build_index, build_report
from imove_analysis.runs import open_run
from imove_analysis.testing import listens, write_acted_run

from .browser import CHROMIUM, browsing

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
VIDEO = "videos/test/scene/001/normal.mp4"


def mostly_listens(spec, condition):
    """Takes the last object in every second scene, whatever it is told."""
    return "object_2" if int(spec.id[-3:]) % 2 else listens(spec, condition)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A report with a video, a comparison and an index."""
    root = tmp_path_factory.mktemp("runs")
    first = write_acted_run(root / "first", mostly_listens, scenes=60)
    second = write_acted_run(root / "second", listens, scenes=60, settings={"policy": "other <b>"})
    (first / VIDEO).parent.mkdir(parents=True)
    (first / VIDEO).write_bytes(b"not a film")
    runs = [open_run(first), open_run(second)]
    return {
        "report": build_report(runs[:1], first / "report"),
        "comparison": build_comparison(*runs, root / "against"),
        "index": build_index(root, root / "report"),
    }


@pytest.fixture
def browser(tmp_path):
    with browsing(tmp_path / "profile") as opened:
        yield opened


def opened(browser, page: Path, width: int = 1280):
    browser.resize(width, 900)
    browser.events.clear()
    browser.open(page.as_uri())
    browser.wait(f"document.readyState === 'complete' && location.href === {json.dumps(page.as_uri())}")


def troubles(browser, folder: Path):
    """Errors, and addresses asked for outside of a folder; the browser draws its own controls from `data:`."""
    return [found for found in browser.troubles() if not str(found).startswith((folder.as_uri() + "/", "data:"))]


@pytest.mark.parametrize("name", ["report", "comparison", "index"])
def test_a_page_opens_from_disk_in_both_schemes_and_on_a_phone(browser, pages, tmp_path, name):
    page = pages[name]
    for width in (1280, 360):
        opened(browser, page, width)
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        grounds = []
        for dark in (False, True):
            browser.screenshot(tmp_path / "shot.png", width, 900, dark)
            grounds.append(browser.run("getComputedStyle(document.body).backgroundColor"))
            assert (tmp_path / "shot.png").stat().st_size > 5000
        assert grounds[0] != grounds[1]
        browser.click("#theme")
        assert browser.run("getComputedStyle(document.body).backgroundColor") == grounds[0]
        browser.run("localStorage.clear()")
    assert troubles(browser, page.parent) == []


def test_episodes_are_filtered_paged_and_opened(browser, pages):
    opened(browser, pages["report"])
    failures = browser.run("data.episodes.filter(failed).length")
    assert browser.text("#found") == f"{failures} of 540 episodes"
    assert browser.run("document.querySelectorAll('details.episode').length") == 25
    browser.click("#after")
    assert browser.text("#place").startswith("2 of")

    browser.run("const form = document.forms[0]; form.condition.value = 'normal'; form.text.value = 'scene/001'; "
                "form.dispatchEvent(new Event('input'))")  # fmt: skip
    assert browser.text("#found") == "1 of 540 episodes"
    assert browser.run("document.querySelector('details.episode .body')") is None
    browser.click("details.episode summary")
    browser.wait("document.querySelector('details.episode .body video') !== null")
    video = browser.run("(({preload, controls, src}) => ({preload, controls, src}))(document.querySelector('video'))")
    assert (video["preload"], video["controls"]) == ("none", True)
    assert video["src"] == (pages["report"].parent / "videos" / "0" / "test/scene/001/normal.mp4").as_uri()
    assert "thing 2" in browser.text("details.episode dl")
    assert browser.run("document.querySelectorAll('details.episode .timeline .marker').length") == 4

    browser.run("document.forms[0].object.value = 'no such thing'; document.forms[0].dispatchEvent(new Event('input'))")
    assert browser.text("#found") == "0 of 540 episodes"
    assert troubles(browser, pages["report"].parent) == []


def test_no_script_but_the_page_s_own_can_run(browser, pages):
    opened(browser, pages["report"])
    browser.run("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = true'}))")
    assert browser.run("window.ran") is None


def test_runs_are_filtered_sorted_and_linked(browser, pages):
    opened(browser, pages["index"])
    assert browser.text("#found") == "2 of 2 runs"
    first = "document.querySelector('#runs tbody tr').dataset.policy"
    browser.click("#runs thead th:nth-child(6) button")
    assert browser.run(first) == "made_up"
    browser.click("#runs thead th:nth-child(6) button")
    assert browser.run(first) == "other <b>"
    browser.run("document.forms[0].policy.value = 'made_up'; document.forms[0].dispatchEvent(new Event('input'))")
    assert browser.text("#found") == "1 of 2 runs"
    browser.click("#runs tbody tr:not([hidden]) a")
    browser.wait(f"location.href === {json.dumps(pages['report'].as_uri())}")
