"""A loopback server that can misbehave, and a tiny M5."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from panelbench.panel import download
from tests.helpers.m5 import RawM5, make_raw_m5


@dataclass
class Server:
    """Serves `content` by path; what is queued in `cuts` and `statuses` happens to the next requests."""

    address: str = ""
    content: dict[str, bytes] = field(default_factory=dict)
    tag: str | None = '"v1"'
    cuts: list[int | None] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)
    announce_length: bool = True
    requests: list[tuple[str, str | None]] = field(default_factory=list)


def handler(state: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.requests.append((self.path, wanted))
            if self.path in state.redirects:
                self.send_response(302)
                self.send_header("Location", state.redirects[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            body = state.content.get(self.path)
            status = state.statuses.pop(0) if state.statuses else (200 if body is not None else 404)
            if status != 200 or body is None:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start = 0
            if wanted and state.tag and self.headers.get("If-Range") == state.tag:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                if start >= len(body):
                    self.send_response(416)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            else:
                self.send_response(200)
            if state.announce_length:
                self.send_header("Content-Length", str(len(body) - start))
            if state.tag:
                self.send_header("ETag", state.tag)
            self.end_headers()
            cut = state.cuts.pop(0) if state.cuts else None
            self.wfile.write(body[start:] if cut is None else body[start : start + cut])
            self.close_connection = True

        def log_message(self, *args: Any) -> None:
            pass

    return Handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(download, "BACKOFF", 0.0)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    state = Server()
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler(state))
    state.address = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def raw_m5() -> RawM5:
    return make_raw_m5()
