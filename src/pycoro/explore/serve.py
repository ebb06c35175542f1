"""Local server of the page for ``pycoro explore --serve``, which renders it again when a file changes.

It listens on the loopback interface, and accepts requests with that host name only, so that DNS rebinding fails. The
address begins with a random token, which keeps other users of the machine out: requests without it receive status 403.
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
"""Relative address of the event stream."""
_LOOK = 0.3
"""Polling interval in seconds."""


def _modification_stamp(paths: Iterable[str]) -> tuple[Any, ...]:
    """Return a value that changes with any of the files."""

    def stamp_of_file(path: str) -> tuple[int, int, int]:
        try:
            status = os.stat(path)
        except OSError:
            return (0, 0, 0)  # missing while an editor replaces the file
        return (status.st_mtime_ns, status.st_size, status.st_ino)

    return tuple(map(stamp_of_file, paths))


class Server(ThreadingHTTPServer):
    """Server of a page until :meth:`shutdown`. ``make`` renders the page, again after each change of a file."""

    daemon_threads = True

    def __init__(self, make: Callable[[], str], watched: Iterable[str], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _RequestHandler)
        self._make, self._watched, self._lock = make, tuple(watched), threading.Lock()
        self._made: tuple[tuple[Any, ...], bytes] | None = None
        self._token = secrets.token_urlsafe(32)
        self.over = threading.Event()

    @property
    def address(self) -> str:
        """Address for a browser."""
        return f"http://127.0.0.1:{self.server_port}/{self._token}/"

    def path_after_token(self, path: str) -> str | None:
        """Return the path after the token; None for a wrong token. The comparison takes constant time."""
        token, slash, rest = path.removeprefix("/").partition("/")
        return rest if hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()) and slash else None

    def current_page(self) -> bytes:
        """Return the page for the current files."""
        with self._lock:
            stamp = _modification_stamp(self._watched)
            if self._made is None or self._made[0] != stamp:
                self._made = (stamp, self._make().encode())
            return self._made[1]

    def wait_for_change(self) -> bool:
        """Wait for a change of the files; return False if the server shuts down first."""
        shown = self._made[0] if self._made else None
        while not self.over.wait(_LOOK):
            if _modification_stamp(self._watched) != shown:
                return True
        return False

    def shutdown(self) -> None:
        """Stop `serve_forever` and all waiting requests. Called from another thread."""
        self.over.set()
        super().shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore disconnected browsers."""


class _RequestHandler(BaseHTTPRequestHandler):
    @property
    def _server(self) -> Server:
        assert isinstance(self.server, Server)
        return self.server

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").rpartition(":")[0]
        below = self._server.path_after_token(self.path)
        if host not in ("127.0.0.1", "localhost") or below is None:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif below == "":
            self._send_page("text/html; charset=utf-8", self._server.current_page())
        elif below == EVENTS:
            self._send_change_event()
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_page(self, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")  # the address contains the token
        self.end_headers()
        self.wfile.write(body)

    def _send_change_event(self) -> None:
        """Send one event after a change; the browser then reloads the page."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(b": waiting\n\n")
        self.wfile.flush()
        if self._server.wait_for_change():
            self.wfile.write(b"event: changed\ndata:\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress request logging."""
