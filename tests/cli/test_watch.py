"""The user's file is linked where DVC watches."""

from __future__ import annotations

from pathlib import Path

import pytest

from panelbench.cli.watch import LINKS, watch
from panelbench.errors import InputError, RunFailure


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder


def linked(root: Path) -> dict[str, Path]:
    return {link.name: link.resolve() for link in (root / LINKS).glob("*")}


def test_when_the_file_is_elsewhere_then_a_link_leads_to_it(root: Path, tmp_path: Path) -> None:
    table = tmp_path / "sales.csv"
    table.write_text("a\n")
    for path in (str(table), "../sales.csv"):
        watch(path, root)
        assert linked(root) == {"sales.csv": table}
    assert (root / LINKS / "sales.csv").is_symlink()


def test_when_a_folder_is_named_then_each_of_its_files_is_linked(root: Path, tmp_path: Path) -> None:
    raw = tmp_path / "m5"
    raw.mkdir()
    for name in ("calendar.csv", "sell_prices.csv"):
        (raw / name).write_text(name)
    watch(str(raw), root)
    assert linked(root) == {"calendar.csv": raw / "calendar.csv", "sell_prices.csv": raw / "sell_prices.csv"}


def test_when_the_file_is_in_the_watched_folder_then_no_link_is_needed(root: Path) -> None:
    own = root / "data" / "user" / "sales.csv"
    own.parent.mkdir(parents=True)
    own.write_text("a\n")
    watch("data/user/sales.csv", root)
    assert linked(root) == {}


def test_when_the_panel_has_no_file_then_older_links_go_and_what_they_point_to_stays(
    root: Path, tmp_path: Path
) -> None:
    table = tmp_path / "sales.csv"
    table.write_text("a\n")
    watch(str(table), root)
    watch(None, root)
    assert linked(root) == {}
    assert table.read_text() == "a\n"


def test_when_nothing_is_there_then_the_place_is_named(root: Path) -> None:
    with pytest.raises(InputError, match=r"panel\.path is 'absent\.csv', and nothing is there"):
        watch("absent.csv", root)


def test_when_a_link_cannot_be_made_then_the_remedy_is_named(root: Path, tmp_path: Path) -> None:
    table = tmp_path / "sales.csv"
    table.write_text("a\n")
    (root / "data").write_text("a file where a folder should be")
    with pytest.raises(RunFailure, match="Copy the data into data/user/"):
        watch(str(table), root)
