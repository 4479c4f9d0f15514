"""The page in a real browser, at the size of a desk, a tablet and a phone."""

import json
import threading
import time
from contextlib import contextmanager

import pytest
from tests.browser import CHROMIUM, browsing

from imove_console.episodes import EpisodeShelf

from .console_helpers import (
    CAMERAS,
    DEADLINE_S,
    INSTRUCTION,
    laying_out,
    picture,
    running_trial,
    serving,
    teleoperating,
)
from .test_console_episodes import write_bag

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")

SIZES = {"desk": (1440, 900), "tablet": (1024, 768), "portrait": (768, 1024), "phone": (390, 844)}


class Table:
    """A table whose scene is told again and again, as nodes do."""

    def __init__(self, console):
        self._console, self.scene, self.silent = console, running_trial, threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell)
        self._thread.start()

    def _tell(self):
        shade = 0
        while not self._ended.wait(0.2):
            if self.silent.is_set():
                continue
            self.scene(self._console.board)
            self._console.board.take_publishers(trial=self.scene is not teleoperating, episode=True)
            shade = (shade + 9) % 250
            for source in self._console.frames.looked_at:
                self._console.frames.put(source, picture(shade))

    def close(self):
        self._ended.set()
        self._thread.join()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with browsing(tmp_path_factory.mktemp("profile")) as page:
        yield page


@contextmanager
def open_page(page, **options):
    """The page, the console behind it, and the table behind that."""
    with serving(**options) as console:
        table = Table(console)
        page.events.clear()
        page.resize(*SIZES["tablet"])
        try:
            page.open(console.server.url)
            page.wait("document.querySelector('#instruction')?.textContent.includes(" + json.dumps(INSTRUCTION) + ")")
            yield page, console, table
        finally:
            page.open("about:blank")
            table.close()


def wait_until(done):
    deadline = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def live_cameras(page):
    return page.run("document.querySelectorAll('.camera:not(.dark)').length")


def test_an_operator_works_at_it(browser):
    with open_page(browser) as (page, console, table):
        page.wait("document.querySelectorAll('.camera:not(.dark)').length === 3")
        assert page.text("#message b") == "running"
        assert page.run("[...document.querySelectorAll('#stages li')].map(li => li.className)") == ["done", "wrong"]
        assert "wrong object: stapler" in page.text("#stages")
        assert "red mug still behind" in page.text("#question p")
        assert page.run("document.querySelector('[data-command=start]').disabled")
        for name, (width, height) in SIZES.items():
            page.resize(width, height)
            assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
            small = "[...document.querySelectorAll('button')].filter(b => b.offsetParent && b.offsetHeight < 48).length"
            assert page.run(small) == 0, name
            # Whatever is shown, and however far it is scrolled, the stop is there.
            page.run("scrollTo(0, 99999)")
            box = "document.querySelector('#stop').getBoundingClientRect()"
            assert page.run(f"{box}.top >= 0 && {box}.bottom <= innerHeight && {box}.height >= 48"), name
        page.resize(*SIZES["tablet"])
        page.wait("!document.querySelector('[data-command=success]').disabled")
        page.click("[data-command=success]")
        wait_until(lambda: [item.command for item in console.desk.commands] == ["success"])
        page.wait("document.querySelector('#toasts').textContent.includes('done')")

        table.scene = laying_out
        page.wait("document.querySelector('#main-camera .caption').textContent.includes('where objects go')")
        assert "off by 31 mm" in page.text(".layout")
        assert "not seen" in page.text(".layout")
        assert page.run("document.querySelectorAll('#stages li.open').length") == 2
        page.wait("document.querySelector('#layout-card .primary') !== null")
        page.click("#layout-card .primary")
        wait_until(lambda: console.desk.commands[-1].command == "confirm_layout")
        assert page.troubles() == []


def test_escape_stops_and_only_a_long_press_releases(browser):
    with open_page(browser) as (page, console, _):
        page.press("Escape")
        page.wait("!document.querySelector('#stop-banner').hidden")
        assert console.desk.stops == [True]
        page.click("#release")
        page.wait("document.querySelector('#toasts').textContent.includes('sent to 3 nodes')")
        assert console.desk.stops == [True]
        page.mouse_down("#release")
        page.wait("document.querySelector('#stop-banner').hidden")
        page.mouse_up()
        assert console.desk.stops == [True, False]
        page.mouse_down("#stop")
        wait_until(lambda: console.desk.stops == [True, False, True])
        page.mouse_up()
        assert page.troubles() == []


def test_what_is_lost_is_shown_as_lost_and_comes_back(browser):
    with open_page(browser) as (page, console, table):
        page.wait("document.querySelector('[data-part=left].ok') !== null")
        assert "2680" in page.text("[data-part=left]")
        table.silent.set()
        page.wait("document.querySelector('[data-part=left].lost') !== null")
        assert "2680" not in page.text("[data-part=left]")
        page.wait("document.querySelectorAll('.camera.dark').length === 3")
        page.wait("document.querySelector('#message b').textContent === 'Trial conductor lost'")
        assert page.run("[...document.querySelectorAll('#buttons button')].every(b => b.disabled)")
        table.silent.clear()
        page.wait("document.querySelector('[data-part=left].ok') !== null")

        port = console.server.port
        console.server.close()
        page.wait("document.body.classList.contains('offline')")
        assert page.text("#message b") == "Console lost"
        assert INSTRUCTION not in page.text("#instruction")
        assert page.run("[...document.querySelectorAll('.part')].every(p => p.classList.contains('lost'))")
        page.press("Escape")
        page.wait("document.querySelector('#stop-note').textContent.includes('STOP WAS NOT SENT')")
        assert console.desk.stops == []
        console.restart(port)
        page.wait("!document.body.classList.contains('offline')")
        page.wait("document.querySelector('[data-part=left].ok') !== null")
        wait_until(lambda: live_cameras(page) == 3)


def test_the_deadman_beats_only_while_it_is_held(browser):
    with open_page(browser) as (page, console, table):
        table.scene = teleoperating
        page.wait("!document.querySelector('#deadman').hidden")
        assert "leader lost" in page.text("#teleop-card")
        page.mouse_down("#deadman")
        wait_until(lambda: [item.command for item in console.desk.commands].count("enable") >= 3)
        page.mouse_up()
        wait_until(lambda: console.desk.commands[-1].command == "disable")
        page.mouse_down("#deadman")
        wait_until(lambda: console.desk.commands[-1].command == "enable")
        # A page that is gone says nothing more.
        page.open("about:blank")
        wait_until(lambda: not console.frames.looked_at)
        assert "stop" not in [item.command for item in console.desk.commands]
        assert console.desk.stops == []


def test_an_arm_is_jogged_by_keys(browser):
    with open_page(browser) as (page, console, table):
        table.scene = teleoperating
        page.click("[data-view=jog]")
        page.wait("!document.querySelector('.jog').disabled")
        page.run("dispatchEvent(new KeyboardEvent('keydown', {key: 'w', bubbles: true}))")
        wait_until(lambda: console.desk.commands)
        first = console.desk.commands[0].argument
        assert (first["arm"], first["twist"]) == ("left", [pytest.approx(0.075), 0, 0, 0, 0, 0])
        page.run("dispatchEvent(new KeyboardEvent('keyup', {key: 'w', bubbles: true}))")
        # The last word is that nothing is held.
        wait_until(lambda: console.desk.commands[-1].argument["twist"] == [0] * 6)
        page.wait("document.querySelectorAll('#jog .camera:not(.dark)').length === 3")
        assert page.troubles() == []


def test_recordings_are_played_again(browser, tmp_path):
    write_bag(
        tmp_path / "bags" / "pick_category" / "episode_000000",
        facts={"instruction": "<b>get</b> it", "success": "false"},
    )
    with open_page(browser, shelf=EpisodeShelf(tmp_path / "bags")) as (page, console, _):
        page.click("[data-view=recordings]")
        page.wait("document.querySelector('.episodes li') !== null")
        # Words of a recording are text.
        assert page.text(".episodes .what b") == "<b>get</b> it"
        assert "failure" in page.text(".episodes li")
        page.click(".episodes li button")
        page.wait("Number(document.querySelector('.transport input').value) >= 0.8")
        shade = "document.querySelector('.player canvas').getContext('2d').getImageData(9, 9, 1, 1).data[0]"
        assert page.run(shade) > 60
        wait_until(lambda: not console.frames.looked_at)
        page.click("[data-view=run]")
        wait_until(lambda: console.frames.looked_at == set(CAMERAS))
        assert page.troubles() == []
