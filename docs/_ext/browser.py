"""Controls a headless Chromium through a pipe with the DevTools protocol, for screenshots and tests of pages.

Requires Debian's chromium, or another binary in PYCORO_CHROMIUM. It needs no driver and no other package.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = os.environ.get("PYCORO_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
"""Path of the browser; empty if there is none."""
_KEYS = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}


class Browser:
    """A browser with one page. ``with Browser() as browser: browser.open(url)``."""

    def __init__(self, width: int = 1440, height: int = 900) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        asked, self._write = os.pipe()
        self._read, answered = os.pipe()
        theirs = [
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (asked, answered)
        ]  # ensures that neither is already 3 or 4

        def ends() -> None:
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        options += ["--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage"]
        options += [
            "--disable-features=IsolateSandboxedIframes"
        ]  # iframes then share the page's process, so that tests can inspect them
        options += [f"--user-data-dir={self._folder.name}/browser", f"--window-size={width},{height}", "about:blank"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([PROGRAM, *options], preexec_fn=ends, pass_fds=(3, 4), **quiet)
        for end in (asked, answered, *theirs):
            os.close(end)
        self._number, self._rest, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and its child processes."""
        try:
            self._session = ""
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    def _message(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(deadline - time.monotonic(), 0))
            data = os.read(self._read, 1 << 20) if ready else b""
            if not data:
                raise TimeoutError("the browser does not respond")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)  # type: ignore[no-any-return]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        os.write(self._write, json.dumps(asked | ({"sessionId": self._session} if self._session else {})).encode() + b"\0")
        deadline = time.monotonic() + 60
        while (message := self._message(deadline)).get("id") != self._number:
            self.events.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]  # type: ignore[no-any-return]

    def until(self, event: str, seconds: float = 20) -> dict[str, Any]:
        """Wait for the next event with that name."""
        deadline = time.monotonic() + seconds
        while True:
            for at, message in enumerate(self.events):
                if message.get("method") == event:
                    return self.events.pop(at)["params"]  # type: ignore[no-any-return]
            self.events.append(self._message(deadline))

    def size(self, width: int, height: int) -> None:
        """Set the window size in pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, yes: bool) -> None:
        """Select the system's dark or light theme, without animations."""
        wanted = {"prefers-color-scheme": "dark" if yes else "light", "prefers-reduced-motion": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in wanted.items()])

    def open(self, where: str | Path) -> None:
        """Load a page and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=where.as_uri() if isinstance(where, Path) else where)
        self.until("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"].get("exception", done["exceptionDetails"]))[:2000])
        return done["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press and release keys in sequence."""
        for key in keys:
            code = {"windowsVirtualKeyCode": _KEYS[key], "key": key, "code": key}
            text = {"text": "\r"} if key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def point(self, selector: str) -> None:
        """Move the pointer to the center of an element."""
        script = f"(() => {{ const at = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        x, y = self.run(f"{script} return [at.x + at.width / 2, at.y + at.height / 2]; }})()")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def complaints(self) -> list[str]:
        """Return the page's errors: exceptions, violations of its security policy, failed requests."""

        def told(method: str) -> list[dict[str, Any]]:
            return [message["params"] for message in self.events if message.get("method") == method]

        thrown = [str(each["exceptionDetails"]) for each in told("Runtime.exceptionThrown")]
        return thrown + [each["entry"]["text"] for each in told("Log.entryAdded")]

    def picture(self, out: Path) -> None:
        """Write a screenshot of the window as PNG."""
        out.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
