from __future__ import annotations

from pathlib import Path

import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.files import read_json, sha256
from panelbench.panel.fetch import fetch, fetched
from panelbench.panel.prepare import prepare

CONTENT = "t,v\n2024-01-01,1\n2024-01-08,2\n2024-01-15,4\n"


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, object]:
    (tmp_path / "mine.csv").write_text(CONTENT)
    return {"source": "csv", "path": str(tmp_path / "mine.csv"), "time": "t", "target": "v"}


def test_fetch_when_the_file_is_copied_then_its_hash_is_recorded(settings, tmp_path):
    raw = tmp_path / "raw"
    fetch(settings, raw)
    copied = raw / "panel.csv"
    assert copied.read_text() == CONTENT
    assert read_json(raw / "source.json") == {
        "source": "csv",
        "files": [{"name": "panel.csv", "sha256": sha256(copied), "url": None}],
    }


def test_fetch_when_the_user_edits_the_file_then_the_copy_follows(settings, tmp_path):
    fetch(settings, tmp_path / "raw")
    (tmp_path / "mine.csv").write_text(CONTENT + "2024-01-22,5\n")
    fetch(settings, tmp_path / "raw")
    assert (tmp_path / "raw" / "panel.csv").read_text().endswith("2024-01-22,5\n")


def test_fetch_when_nothing_changed_then_the_copy_is_not_written_again(settings, tmp_path):
    fetch(settings, tmp_path / "raw")
    before = (tmp_path / "raw" / "panel.csv").stat().st_ino
    fetch(settings, tmp_path / "raw")
    assert (tmp_path / "raw" / "panel.csv").stat().st_ino == before


def test_fetch_when_the_source_changes_then_its_files_go_and_others_stay(settings, tmp_path):
    raw = tmp_path / "raw"
    fetch(settings, raw)
    (raw / "notes.txt").write_text("mine")
    fetch({"source": "synthetic"}, raw)
    assert sorted(path.name for path in raw.iterdir()) == ["notes.txt", "source.json"]
    with pytest.raises(InputError, match="files of the source 'synthetic', not 'csv'"):
        fetched(raw, "csv")


def test_fetch_when_the_record_names_a_path_outside_then_nothing_outside_is_deleted(tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    (tmp_path / "precious.txt").write_text("keep")
    (raw / "source.json").write_text(
        '{"source": "csv", "files": [{"name": "../precious.txt", "sha256": "0"}]}'
    )
    fetch({"source": "synthetic"}, raw)
    assert (tmp_path / "precious.txt").exists()


@pytest.mark.parametrize(
    "record", ["{", "[]", '{"source": "csv"}', '{"source": "csv", "files": [{"name": 3}]}']
)
def test_fetched_when_the_record_is_damaged_then_it_is_an_input_error_and_fetch_repairs_it(
    record, settings, tmp_path
):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "source.json").write_text(record)
    with pytest.raises(InputError, match=r"source\.json"):
        fetched(raw, "csv")
    fetch(settings, raw)
    assert len(fetched(raw, "csv")) == 1


def test_prepare_when_a_raw_file_was_changed_by_hand_then_it_is_refused(settings, tmp_path):
    raw = tmp_path / "raw"
    fetch(settings, raw)
    (raw / "panel.csv").write_text(CONTENT + "2024-01-22,5\n")
    with pytest.raises(InputError, match="was changed by hand"):
        prepare(settings, raw, tmp_path / "p.parquet", tmp_path / "p.json")


def test_prepare_when_nothing_was_fetched_then_the_command_is_named(settings, tmp_path):
    with pytest.raises(InputError, match="dvc repro"):
        prepare(settings, tmp_path / "raw", tmp_path / "p.parquet", tmp_path / "p.json")


def test_prepare_when_the_panel_has_zeros_then_they_are_counted_and_noted(settings, tmp_path):
    (tmp_path / "mine.csv").write_text(CONTENT.replace(",2\n", ",0\n"))
    fetch(settings, tmp_path / "raw")
    info = prepare(settings, tmp_path / "raw", tmp_path / "p.parquet", tmp_path / "p.json")
    assert info.zero_rows == 1
    assert info.notes == ("1 of 3 rows have zero v; they stay.",)


def test_prepare_when_the_target_cannot_be_written_then_it_is_a_run_failure(settings, tmp_path):
    fetch(settings, tmp_path / "raw")
    (tmp_path / "blocked").write_text("a file where a folder is needed")
    with pytest.raises(RunFailure, match="cannot be written"):
        prepare(settings, tmp_path / "raw", tmp_path / "blocked" / "p.parquet", tmp_path / "p.json")
