from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from panelbench.data.seal import Forbidden, sealed

INOTIFY = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data" / "raw").mkdir(parents=True)
    pd.DataFrame({"y": [1.0, 2.0]}).to_parquet(tmp_path / "data" / "panel.parquet")
    (tmp_path / "data" / "raw" / "sales.csv").write_text("y\n1\n")
    (tmp_path / "beside.txt").write_text("nothing of interest")
    return tmp_path / "data"


def test_when_nothing_is_opened_then_nothing_is_noted(folder):
    with sealed(folder, refuse=False) as opened:
        (folder.parent / "beside.txt").read_text()
        assert len(list(folder.iterdir())) == 2
    assert opened.paths == []


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: pd.read_parquet(folder / "panel.parquet"),
        lambda folder: (folder / "panel.parquet").read_bytes(),
        lambda folder: pq.read_table(folder / "panel.parquet"),
        pytest.param(lambda folder: pa.memory_map(str(folder / "panel.parquet")), marks=INOTIFY),
        pytest.param(
            lambda folder: subprocess.run(["cat", folder / "panel.parquet"], capture_output=True, check=True),
            marks=INOTIFY,
        ),
    ],
)
def test_when_the_panel_is_opened_by_whatever_means_then_it_is_noted(folder, read):
    with sealed(folder, refuse=False) as opened:
        read(folder)
    assert opened.paths == ["panel.parquet"]


def test_when_a_file_is_opened_by_a_relative_path_or_a_link_then_it_is_noted(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    (folder.parent / "link.csv").symlink_to("data/raw/sales.csv")
    with sealed(folder, refuse=False) as relative:
        Path("data/panel.parquet").read_bytes()
    with sealed(folder, refuse=False) as linked:
        Path("link.csv").read_text()
    assert (relative.paths, linked.paths) == (["panel.parquet"], ["raw/sales.csv"])


@pytest.mark.parametrize("read", [pd.read_parquet, pq.read_table, pq.ParquetFile, Path.read_bytes])
def test_when_it_is_refused_then_the_file_is_not_opened(folder, read):
    with pytest.raises(Forbidden, match=r"opened panel\.parquet in .*by itself"), sealed(folder, refuse=True):
        read(folder / "panel.parquet")


def test_when_a_refusal_is_swallowed_then_it_is_raised_at_the_end(folder):
    def swallow():
        with sealed(folder, refuse=True), suppress(OSError):
            (folder / "raw" / "sales.csv").read_text()

    with pytest.raises(Forbidden, match="sales"):
        swallow()


def test_when_a_folder_is_allowed_then_it_can_be_used(folder):
    with sealed(folder, refuse=True, allowed=[folder / "raw"]) as opened:
        (folder / "raw" / "own.txt").write_text("own")
    assert opened.paths == []


def test_when_the_block_is_over_then_files_can_be_opened_again(folder):
    with sealed(folder, refuse=True):
        pass
    assert len(pd.read_parquet(folder / "panel.parquet")) == 2
