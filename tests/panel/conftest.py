"""A loopback server that can misbehave, and a tiny archive with the layout of M5."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from panelbench.panel import download


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


@dataclass(frozen=True)
class RawM5:
    """The three frames of a tiny M5."""

    calendar: pd.DataFrame
    prices: pd.DataFrame
    sales: pd.DataFrame

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        self.calendar.to_csv(folder / "calendar.csv", index=False)
        self.prices.to_csv(folder / "sell_prices.csv", index=False)
        self.sales.to_csv(folder / "sales_train_evaluation.csv", index=False)
        return folder


def make_raw_m5(days: int = 40, extra_days: int = 10, seed: int = 3) -> RawM5:
    """Two stores in two states, two categories, three items each; 2011-01-29 is a Saturday, as in M5."""
    rng = np.random.default_rng(seed)
    dates = pd.date_range("2011-01-29", periods=days + extra_days)
    week = np.arange(len(dates)) // 7
    calendar = pd.DataFrame(
        {
            "date": dates.strftime("%Y-%m-%d"),
            "wm_yr_wk": 11101 + week,
            "d": [f"d_{number}" for number in range(1, len(dates) + 1)],
            "event_name_1": np.where(rng.random(len(dates)) < 0.2, "Feast", None),
            "snap_CA": rng.integers(0, 2, len(dates)),
            "snap_TX": rng.integers(0, 2, len(dates)),
        }
    )
    items = [f"{category}_1_{number:03d}" for category in ("FOODS", "HOBBIES") for number in range(1, 4)]
    rows, prices = [], []
    for store in ("TX_1", "CA_1"):
        for item in items:
            names = {
                "id": f"{item}_{store}",
                "item_id": item,
                "cat_id": item.split("_")[0],
                "store_id": store,
            }
            units = {f"d_{day}": count for day, count in enumerate(rng.integers(0, 50, days), start=1)}
            rows.append(names | units)
            # An item comes on sale later than others, so the mean price moves with the assortment.
            prices += [
                {
                    "store_id": store,
                    "item_id": item,
                    "wm_yr_wk": 11101 + number,
                    "sell_price": round(rng.uniform(1, 9), 2),
                }
                for number in range(
                    int(rng.integers(0, 3)) if not item.endswith("001") else 0, int(week[-1]) + 1
                )
            ]
    return RawM5(calendar, pd.DataFrame(prices), pd.DataFrame(rows))


@pytest.fixture
def raw_m5() -> RawM5:
    return make_raw_m5()
