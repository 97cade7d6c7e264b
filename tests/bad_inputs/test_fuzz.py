"""Whatever stands in params.yaml or in a CSV file, it is taken or refused in one paragraph.

`pytest tests/bad_inputs/test_fuzz.py --hypothesis-profile=nightly` looks two hundred times longer.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.bad_inputs.case import PARAMS
from tests.bad_inputs.fuzz import read_csv, read_params
from tests.bad_inputs.tables import HEADER, rows, text

WHOLE = yaml.safe_dump({**PARAMS, "panel": {"source": "synthetic"}}, sort_keys=False)
SIGNS = st.sampled_from(
    ["\t", "\n", "  ", ": ", "- ", "&a ", "*a", "!!", "|", ">", "{", "}", "[", "]", '"', "'", "#"]
)
WORDS = st.sampled_from(
    ["<<", "~", "yes", "0x1", ".inf", "1e5", "---", "%YAML", "\ufeff", "\0", "\x85", "=", "?"]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.dates(), st.text(max_size=12),
    st.sampled_from([10**9, -1, 0, "../x", "$(x)", "${a}", "<b>", float("nan"), "1e-3", 2**64]),
)  # fmt: skip
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
CELLS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["", " ", "nan", "-inf", "1e300", "1e-300", "0x1", "1,5", "1.5", "=1+1", "\0", "\u202e"]),
    st.sampled_from(['"', '"a', "a,b", "a\nb", '"a""b"', "a\rb"]),
    st.sampled_from(["2024-01-01", "2024-01-01T00:00Z", "01.02.2024", "9999-12-31", "0000-00-00"]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), SIGNS | WORDS), min_size=1, max_size=4))
def test_when_params_are_cut_and_stuffed_then_they_are_taken_or_refused(
    folder: Path, edits: list[tuple[float, int, str]]
) -> None:
    content = WHOLE
    for where, length, added in edits:
        place = int(where * len(content))
        content = content[:place] + added + content[place + length :]
    read_params(content.encode("utf-8", "surrogatepass"), folder)


@given(st.data())
def test_when_any_value_of_params_is_junk_then_it_is_taken_or_refused(
    folder: Path, data: st.DataObject
) -> None:
    content: dict[str, Any] = copy.deepcopy(PARAMS)
    group: Any = content
    key = data.draw(st.sampled_from(sorted(group)))
    while isinstance(group[key], dict) and group[key] and data.draw(st.booleans()):
        group = group[key]
        key = data.draw(st.sampled_from(sorted(group)) | st.text(max_size=8))
        group.setdefault(key, None)
    group[key] = data.draw(JUNK)
    read_params(yaml.safe_dump(content, allow_unicode=True).encode("utf-8", "surrogatepass"), folder)


@given(st.binary(max_size=200))
def test_when_files_are_bytes_then_they_are_refused(folder: Path, content: bytes) -> None:
    assert not read_params(content, folder)
    assert not read_csv(content, folder)


@given(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 6), CELLS), min_size=1, max_size=3))
def test_when_cells_of_a_csv_are_junk_then_it_is_taken_or_refused(
    folder: Path, edits: list[tuple[int, int, str]]
) -> None:
    table = [list(HEADER), *rows()]
    for row, column, value in edits:
        table[row][column] = value
    read_csv(text(table[1:], table[0]).encode("utf-8", "surrogatepass"), folder)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "delimiter": st.sampled_from([",", ";", "\t", "|", " ", ".", "-", "\u00e9"]),
            "decimal": st.sampled_from([".", ","]),
            "time_format": st.text("%YmdHMSGVujyzZB.-/ T", min_size=2, max_size=10),
            "frequency": st.sampled_from(["W-MON", "W-SUN", "D", "B", "h", "15min", "MS", "QS", "YS"]),
            "incomplete": st.sampled_from(["refuse", "drop"]),
            "id": st.lists(st.sampled_from(HEADER), max_size=3),
            "static": st.lists(st.sampled_from(HEADER), max_size=2),
            "past": st.lists(st.sampled_from(HEADER), max_size=2),
        },
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_when_settings_do_not_fit_the_csv_then_it_is_taken_or_refused(
    folder: Path, keys: dict[str, Any], separator: str
) -> None:
    read_csv(text(rows(), separator=separator).encode(), folder, **keys)


def test_when_nothing_is_wrong_then_both_are_taken(folder: Path) -> None:
    assert read_params(WHOLE.encode(), folder)
    assert read_csv(text(rows()).encode(), folder)
