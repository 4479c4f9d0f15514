"""A real browser, driven over the DevTools protocol of Chromium."""

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager

from websockets.sync.client import connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DEADLINE_S = 60.0

_KEYS = {"Enter": ("\r", 13), "Escape": ("", 27)}


class Page:
    """One tab."""

    def __init__(self, socket):
        self._socket = socket
        self._count = 0
        self.events = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Sends a command and gives back its result; events on the way are kept."""
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=DEADLINE_S))
            if message.get("id") == self._count:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """Value of a script, promises awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, script):
        """Waits until a script gives something true."""
        end_s = time.monotonic() + DEADLINE_S
        while not (value := self.run(script)):
            assert time.monotonic() < end_s, (script, self.run("document.body.innerText")[:300], self.troubles())
            time.sleep(0.05)
        return value

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def press(self, key, *, ctrl=False):
        text, code = _KEYS.get(key, (key, ord(key[0].upper())))
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if ctrl else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text="" if ctrl else text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def mouse_down(self, selector):
        """Presses the mouse button in the middle of an element and keeps it pressed."""
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.run(f"[{box}.x + {box}.width / 2, {box}.y + {box}.height / 2]")
        self._mouse = {"x": x, "y": y, "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **self._mouse)

    def mouse_up(self):
        """Lets go of the mouse button where it was pressed."""
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **self._mouse)

    def click(self, selector):
        """Clicks in the middle of an element."""
        self.mouse_down(selector)
        self.mouse_up()

    def resize(self, width, height):
        """Makes the window as large as another device's."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path, width=1280, height=1080, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def troubles(self):
        """Errors of scripts and of the content policy, and addresses asked for outside of this host."""
        found = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"])
            if event["method"] == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
            if event["method"] == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("http://127.0.0.1:", "about:")):
                    found.append(url)
        return found


@contextmanager
def browsing(folder):
    """A page of a headless browser with a profile in a folder."""
    command = [
        CHROMIUM, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={folder}", "--no-first-run",
        "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--window-size=1280,1080", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    try:
        port = _port(folder / "DevToolsActivePort", process)
        request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            address = json.loads(answer.read())["webSocketDebuggerUrl"]
        with connect(address, max_size=None, open_timeout=DEADLINE_S, compression=None) as socket:
            yield Page(socket)
    finally:
        process.terminate()
        process.wait(DEADLINE_S)


def _port(file, process):
    end_s = time.monotonic() + DEADLINE_S
    while not (file.exists() and "\n" in file.read_text()):
        assert process.poll() is None, "the browser ended"
        assert time.monotonic() < end_s, "the browser does not say its port"
        time.sleep(0.05)
    return int(file.read_text().split("\n")[0])
