"""M5 from a folder, a zip or one of several mirrors: what is taken, resumed and refused."""

from __future__ import annotations

import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.panel import m5
from panelbench.panel.fetch import fetch
from panelbench.panel.registry import resolve
from tests.helpers.m5 import zipped


def test_fetch_when_a_raw_file_is_missing_then_it_is_named(raw_m5, tmp_path):
    folder = raw_m5.write(tmp_path / "m5")
    (folder / "sell_prices.csv").unlink()
    with pytest.raises(InputError, match=r"lacks sell_prices.csv"):
        fetch({"source": "m5", "path": str(folder)}, tmp_path / "raw")
    with pytest.raises(InputError, match=r"holds 0 files named sell_prices.csv"):
        fetch({"source": "m5", "path": str(zipped(folder, tmp_path / "x.zip"))}, tmp_path / "raw")


def test_fetch_when_the_zip_is_none_or_too_large_inside_then_it_is_refused(raw_m5, tmp_path, monkeypatch):
    (tmp_path / "no.zip").write_text("hello")
    with pytest.raises(InputError, match="cannot be opened as a zip"):
        fetch({"source": "m5", "path": str(tmp_path / "no.zip")}, tmp_path / "raw")
    monkeypatch.setattr("panelbench.panel.m5_archive.LARGEST", 100)
    path = zipped(raw_m5.write(tmp_path / "m5"), tmp_path / "big.zip")
    with pytest.raises(InputError, match="100 is the limit"):
        fetch({"source": "m5", "path": str(path)}, tmp_path / "raw")


def test_fetch_when_the_first_mirror_fails_then_the_next_one_serves_and_no_part_is_left(
    raw_m5, tmp_path, server
):
    folder = raw_m5.write(tmp_path / "m5")
    server.content["/page.zip"] = b"<html>please sign in</html>"
    for name in ("calendar.csv", "sell_prices.csv", "sales_train_evaluation.csv"):
        server.content[f"/files/{name}"] = (folder / name).read_bytes()
    addresses = [f"{server.address}/{tail}" for tail in ("gone.zip", "page.zip", "files/")]
    settings = {"source": "m5", "urls": addresses}
    fetch(settings, tmp_path / "raw")
    names = {"calendar.csv", "sell_prices.csv", "sales_train_evaluation.csv"}
    assert {path.name for path in (tmp_path / "raw").iterdir()} == {*names, "source.json"}
    server.requests.clear()
    fetch(settings, tmp_path / "raw")
    assert server.requests == []
    with pytest.raises(RunFailure, match="does not hold the whole M5"):
        m5.build(resolve(settings), tmp_path / "raw")


def test_fetch_when_the_zip_download_is_cut_then_it_resumes_and_the_hash_is_checked(raw_m5, tmp_path, server):
    body = zipped(raw_m5.write(tmp_path / "m5"), tmp_path / "m5.zip").read_bytes()
    server.content["/m5.zip"], server.cuts = body, [len(body) // 2]
    settings = {"source": "m5", "urls": [f"{server.address}/m5.zip"]}
    with pytest.raises(RunFailure, match="the archive has SHA-256"):
        fetch({**settings, "sha256": "0" * 64}, tmp_path / "raw")
    assert not list((tmp_path / "raw").glob("*"))
    server.cuts = [len(body) // 2]
    fetch(settings, tmp_path / "raw")
    assert (tmp_path / "raw" / "m5.zip").read_bytes() == body


def test_fetch_when_no_mirror_answers_then_each_reason_and_the_way_out_are_named(tmp_path, server):
    addresses = [f"{server.address}/a.zip", f"{server.address}/b.zip"]
    with pytest.raises(RunFailure, match=r"2 mirrors.*a.zip: it answered 404.*b.zip.*presets/synthetic.yaml"):
        fetch({"source": "m5", "urls": addresses}, tmp_path / "raw")


def marked(path, local: int, central: int, bit: int):
    """Change one byte of every member's two headers: how a zip says how it is packed."""
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        at = content.find(signature)
        while at >= 0:
            content[at + offset] |= bit
            at = content.find(signature, at + 4)
    path.write_bytes(bytes(content))
    return path


@pytest.mark.parametrize(("local", "central", "bit"), [(6, 8, 1), (8, 10, 64)], ids=["password", "method"])
def test_fetch_when_the_zip_cannot_be_unpacked_then_it_is_said(raw_m5, tmp_path, local, central, bit):
    path = marked(zipped(raw_m5.write(tmp_path / "m5"), tmp_path / "x.zip"), local, central, bit)
    with pytest.raises(InputError, match=r"calendar\.csv that cannot be unpacked"):
        fetch({"source": "m5", "path": str(path)}, tmp_path / "raw")
