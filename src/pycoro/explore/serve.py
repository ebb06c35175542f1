"""The page on a server of this machine's own, made anew when its file changes: what ``pycoro explore --serve`` runs.

Needs a function that makes the page. Only this machine is answered, and only by the name of the loopback, so that no page of
another site reads it through a name of its own. The address has a random token as its first part, so that other users of the
machine do not read it: a request without the token gets 403.
"""

from __future__ import annotations

import hmac
import os
import secrets
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["EVENTS", "Server"]

EVENTS = "events"
"""Where the stream of events is, relative to the page."""
_LOOK = 0.3
"""Seconds from one look at the file to the next."""


def _stamp(paths: Iterable[str]) -> tuple[Any, ...]:
    """What changes when one of the files does."""

    def of(path: str) -> tuple[int, int, int]:
        try:
            told = os.stat(path)
        except OSError:
            return (0, 0, 0)  # between two versions, for an editor that writes a new file
        return (told.st_mtime_ns, told.st_size, told.st_ino)

    return tuple(map(of, paths))


class Server(ThreadingHTTPServer):
    """Serves a page until :meth:`shutdown`. ``make`` gives the page, and is called again when one of the files has changed."""

    daemon_threads = True

    def __init__(self, make: Callable[[], str], watched: Iterable[str], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Answer)
        self._make, self._watched, self._lock = make, tuple(watched), threading.Lock()
        self._made: tuple[tuple[Any, ...], bytes] | None = None
        self._token = secrets.token_urlsafe(32)
        self.over = threading.Event()

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://127.0.0.1:{self.server_port}/{self._token}/"

    def below(self, path: str) -> str | None:
        """What a path names after the token; None where the token is another one. Takes the same time for every wrong token."""
        token, slash, rest = path.removeprefix("/").partition("/")
        return rest if hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()) and slash else None

    def current(self) -> bytes:
        """The page of the file as it is now."""
        with self._lock:
            stamp = _stamp(self._watched)
            if self._made is None or self._made[0] != stamp:
                self._made = (stamp, self._make().encode())
            return self._made[1]

    def until_changed(self) -> bool:
        """Waits for a change of the files; False where the server ends instead."""
        shown = self._made[0] if self._made else None
        while not self.over.wait(_LOOK):
            if _stamp(self._watched) != shown:
                return True
        return False

    def shutdown(self) -> None:
        """Ends `serve_forever`, and whatever waits for a change. Called from another thread."""
        self.over.set()
        super().shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no mistake."""


class _Answer(BaseHTTPRequestHandler):
    @property
    def _server(self) -> Server:
        assert isinstance(self.server, Server)
        return self.server

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").rpartition(":")[0]
        below = self._server.below(self.path)
        if host not in ("127.0.0.1", "localhost") or below is None:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif below == "":
            self._answer("text/html; charset=utf-8", self._server.current())
        elif below == EVENTS:
            self._events()
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")  # the address holds the token
        self.end_headers()
        self.wfile.write(body)

    def _events(self) -> None:
        """One event, when the page is another: the browser loads it then, and asks again."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(b": waiting\n\n")
        self.wfile.flush()
        if self._server.until_changed():
            self.wfile.write(b"event: changed\ndata:\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not told."""
