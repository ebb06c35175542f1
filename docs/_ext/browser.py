"""Opens pages in a headless Chromium with Playwright, for screenshots and tests, and records their errors and requests.

Requires Debian's chromium, or another binary in PYCORO_CHROMIUM: Playwright's own browsers are not used.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

PROGRAM = os.environ.get("PYCORO_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
"""Path of the browser; empty if there is none."""

OPTIONS = ["--disable-features=IsolateSandboxedIframes"]  # iframes then share the page's process, so that tests can inspect them


class Browser:
    """A browser with one page. ``with Browser() as browser: browser.open(url)``."""

    def __init__(self, width: int = 1440, height: int = 900) -> None:
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=PROGRAM, args=OPTIONS, chromium_sandbox=False)
        self.page = self._browser.new_page(viewport={"width": width, "height": height})
        self.errors: list[str] = []
        """Exceptions, violations of the page's security policy and failed requests since :meth:`open`."""
        self.requests: list[str] = []
        """The addresses of the requests since :meth:`open`."""
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._playwright.stop()

    def dark(self, yes: bool) -> None:
        """Select the system's dark or light theme, without animations."""
        self.page.emulate_media(color_scheme="dark" if yes else "light", reduced_motion="reduce")

    def open(self, where: str | Path) -> None:
        """Load a page and wait until it is loaded."""
        self.errors.clear()
        self.requests.clear()
        self.page.goto(where.as_uri() if isinstance(where, Path) else where)
