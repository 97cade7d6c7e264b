from __future__ import annotations

import pytest

from panelbench.errors import RunFailure
from panelbench.panel.download import ATTEMPTS, download

BODY = bytes(range(256)) * 4000
LIMIT = 10_000_000


def test_download_when_the_connection_is_cut_then_the_rest_is_asked_for(server, tmp_path):
    server.content["/a"] = BODY
    server.cuts = [300_000, 400_000]
    part = download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    assert part.path.read_bytes() == BODY
    assert not (tmp_path / "a").exists()
    starts = [wanted for _, wanted in server.requests]
    assert starts[0] is None
    assert len(starts) == 3
    assert all(wanted and wanted != "bytes=0-" for wanted in starts[1:])


def test_download_when_an_earlier_run_left_a_part_then_only_the_rest_travels(server, tmp_path):
    server.content["/a"] = BODY
    server.cuts = [500_000]
    server.statuses = [200, *[503] * (ATTEMPTS - 1)]
    with pytest.raises(RunFailure, match="503"):
        download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    kept = (tmp_path / "a.part").stat().st_size
    assert 0 < kept <= 500_000
    server.requests.clear()
    part = download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    assert server.requests == [("/a", f"bytes={kept}-")]
    assert part.path.read_bytes() == BODY


def test_download_when_complete_then_another_call_asks_for_nothing(server, tmp_path):
    server.content["/a"] = BODY
    download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    server.requests.clear()
    download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    assert server.requests == []


def test_download_when_the_file_changed_between_two_attempts_then_it_starts_anew(server, tmp_path):
    server.content["/a"] = BODY
    server.cuts = [300_000]
    server.statuses = [200, *[503] * (ATTEMPTS - 1)]
    with pytest.raises(RunFailure):
        download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    server.content["/a"], server.tag = BODY[::-1], '"v2"'
    assert download(f"{server.address}/a", tmp_path / "a", largest=LIMIT).path.read_bytes() == BODY[::-1]


@pytest.mark.parametrize("tag", [None, 'W/"weak"'])
def test_download_when_the_version_cannot_be_told_then_a_cut_starts_anew(server, tmp_path, tag):
    server.content["/a"], server.tag, server.cuts = BODY, tag, [300_000]
    assert download(f"{server.address}/a", tmp_path / "a", largest=LIMIT).path.read_bytes() == BODY
    assert server.requests == [("/a", None), ("/a", None)]


def test_download_when_the_part_is_of_another_address_then_it_is_not_continued(server, tmp_path):
    server.content |= {"/a": BODY, "/b": BODY[::-1]}
    download(f"{server.address}/a", tmp_path / "x", largest=LIMIT)
    assert download(f"{server.address}/b", tmp_path / "x", largest=LIMIT).path.read_bytes() == BODY[::-1]


def test_download_when_the_part_is_longer_than_the_file_then_it_is_thrown_away(server, tmp_path):
    server.content["/a"], server.cuts = BODY, [300_000]
    server.statuses = [200, *[503] * (ATTEMPTS - 1)]
    with pytest.raises(RunFailure):
        download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    (tmp_path / "a.part").write_bytes(BODY + b"more")
    assert download(f"{server.address}/a", tmp_path / "a", largest=LIMIT).path.read_bytes() == BODY


def test_download_when_the_server_is_busy_at_first_then_it_is_asked_again(server, tmp_path):
    server.content["/a"], server.statuses = BODY, [503, 429]
    download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    assert len(server.requests) == 3


def test_download_when_the_file_is_not_there_then_it_is_asked_once(server, tmp_path):
    with pytest.raises(RunFailure, match="404"):
        download(f"{server.address}/missing", tmp_path / "a", largest=LIMIT)
    assert len(server.requests) == 1


@pytest.mark.parametrize("announced", [True, False])
def test_download_when_it_is_larger_than_the_limit_then_nothing_is_kept(server, tmp_path, announced):
    server.content["/a"], server.announce_length = BODY, announced
    with pytest.raises(RunFailure, match="limit of 1,000"):
        download(f"{server.address}/a", tmp_path / "a", largest=1000)
    assert list(tmp_path.iterdir()) == []


def test_download_when_there_is_no_server_then_it_is_a_run_failure(server, tmp_path):
    with pytest.raises(RunFailure, match="gave up after"):
        download("http://127.0.0.1:1/x", tmp_path / "a", largest=LIMIT)


@pytest.mark.parametrize("address", ["http://example.org/x", "http://", "ftp://example.org/x", "file:///x"])
def test_download_when_the_address_is_not_secure_then_it_is_not_asked(tmp_path, address):
    with pytest.raises(RunFailure, match="not an https address"):
        download(address, tmp_path / "a", largest=LIMIT)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "target", ["http://example.org/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "//example.org/x"]
)
def test_download_when_it_is_sent_on_to_an_address_that_is_not_secure_then_it_stops(server, tmp_path, target):
    server.redirects["/a"] = target
    with pytest.raises(RunFailure, match="which is not https"):
        download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
    assert len(server.requests) == 1


def test_download_when_it_is_sent_on_to_a_secure_address_then_it_follows(server, tmp_path):
    server.redirects["/a"], server.content["/b"] = "/b", BODY
    assert download(f"{server.address}/a", tmp_path / "a", largest=LIMIT).path.read_bytes() == BODY


def test_download_when_it_is_sent_in_a_circle_then_it_gives_up(server, tmp_path):
    server.redirects["/a"] = "/a"
    with pytest.raises(RunFailure, match=r"gave up after .* redirects"):
        download(f"{server.address}/a", tmp_path / "a", largest=LIMIT)
