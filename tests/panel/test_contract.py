from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.errors import InputError
from panelbench.panel import PanelInfo
from panelbench.panel.contract import Need, check, check_length
from panelbench.panel.draft import Draft


def make_draft(series: int = 3, steps: int = 10, frequency: str = "W-MON", **changes: object) -> Draft:
    dates = pd.date_range("2024-01-01", periods=steps, freq=frequency)
    frame = pd.DataFrame(
        {
            "unique_id": np.repeat([f"s{number}" for number in range(series)], steps),
            "ds": np.tile(dates.to_numpy(), series),
            "y": np.arange(series * steps, dtype=float),
            "promo": np.arange(series * steps) % 2.0,
            "kind": np.repeat([f"k{number}" for number in range(series)], steps),
        }
    )
    draft = Draft(frame, "Test panel", "sales", "units", frequency, future=("promo",), static=("kind",))
    return replace(draft, **changes)  # type: ignore[arg-type]


def changed(draft: Draft, row: int, **values: object) -> Draft:
    frame = draft.frame.copy()
    for name, value in values.items():
        frame[name] = frame[name].astype(object) if isinstance(value, str) and name != "ds" else frame[name]
        frame.loc[row, name] = value
    return replace(draft, frame=frame)


@settings(deadline=None)
@given(series=st.integers(1, 4), steps=st.integers(1, 12), seed=st.integers(0, 999))
def test_check_when_rows_come_in_any_order_then_the_frame_is_the_same(series, steps, seed):
    draft = make_draft(series, steps)
    shuffled = replace(draft, frame=draft.frame.sample(frac=1, random_state=seed))
    pd.testing.assert_frame_equal(check(shuffled)[0], check(draft)[0])


@settings(deadline=None)
@given(series=st.integers(2, 4), steps=st.integers(3, 12), data=st.data())
def test_check_when_any_inner_row_is_missing_then_it_is_refused_or_its_series_left_out(series, steps, data):
    draft = make_draft(series, steps)
    which = data.draw(st.integers(0, series - 1))
    row = which * steps + data.draw(st.integers(1, steps - 2))
    holed = replace(draft, frame=draft.frame.drop(index=row))
    with pytest.raises(InputError, match=rf"'s{which}' has no row for {draft.frame['ds'][row]:%Y-%m-%d}"):
        check(holed)
    frame, notes = check(replace(holed, incomplete="drop"))
    assert f"s{which}" not in set(frame["unique_id"])
    assert frame["unique_id"].nunique() == series - 1
    assert f"s{which}" in notes[0]


def test_check_when_the_panel_is_right_then_columns_have_their_types_and_order():
    frame, notes = check(make_draft())
    assert list(frame.columns) == ["unique_id", "ds", "y", "promo", "kind"]
    assert [str(kind) for kind in frame.dtypes] == ["str", "datetime64[ns]", "float64", "float64", "str"]
    assert notes == ()


def test_check_when_a_row_is_repeated_then_series_period_and_count_are_named():
    draft = make_draft()
    twice = replace(draft, frame=pd.concat([draft.frame, draft.frame.iloc[[13, 14]]]))
    with pytest.raises(InputError, match=r"'s1' has more than one row for 2024-01-22; 2 rows"):
        check(twice)


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "missing"), (np.inf, "inf"), (-np.inf, "-inf"), (1e31, "1e")]
)
@pytest.mark.parametrize("column", ["y", "promo"])
def test_check_when_a_value_is_not_usable_then_series_and_period_are_named(column, value, word):
    with pytest.raises(InputError, match=rf"is {word}.*'s1' at 2024-01-22; 1 of 30 rows"):
        check(changed(make_draft(), 13, **{column: value}))


def test_check_when_all_weeks_start_on_another_day_then_the_right_frequency_is_named():
    with pytest.raises(InputError, match=r"a Wednesday.*30 of 30 rows.*frequency: W-WED"):
        check(replace(make_draft(frequency="W-WED"), frequency="W-MON"))


def test_check_when_the_data_are_daily_then_the_daily_frequency_is_named():
    with pytest.raises(InputError, match="regular with frequency: D"):
        check(replace(make_draft(frequency="D"), frequency="W-MON"))


def test_check_when_weekly_data_are_called_daily_then_the_step_is_named():
    with pytest.raises(InputError, match=r"lacks 54 periods.*mostly 7 periods apart"):
        check(replace(make_draft(), frequency="D"))


def test_check_when_one_series_has_another_frequency_then_it_is_refused():
    weekly, monthly = make_draft(series=2, steps=9), make_draft(series=1, steps=3, frequency="MS")
    other = monthly.frame.assign(unique_id="monthly")
    with pytest.raises(InputError, match=r"'monthly' the date 2024-02-01 \(a Thursday\) is not the start"):
        check(replace(weekly, frame=pd.concat([weekly.frame, other])))


@pytest.mark.parametrize("frequency", ["D", "B", "h", "15min", "MS", "QS", "YS", "W-SUN"])
def test_check_when_the_frequency_is_regular_then_it_passes(frequency):
    frame, _ = check(make_draft(steps=8, frequency=frequency))
    assert len(frame) == 24


def test_check_when_a_daily_date_has_a_time_of_day_then_it_is_refused():
    with pytest.raises(InputError, match="2024-01-04 06:00:00"):
        check(changed(make_draft(frequency="D"), 13, ds=pd.Timestamp("2024-01-04 06:00")))


def test_check_when_a_series_starts_later_then_it_is_refused_or_left_out():
    draft = make_draft()
    late = replace(draft, frame=draft.frame.drop(index=[20, 21]))
    with pytest.raises(InputError, match=r"'s2' runs from 2024-01-15 to 2024-03-04, while 2 of 3"):
        check(late)
    frame, notes = check(replace(late, incomplete="drop"))
    assert set(frame["unique_id"]) == {"s0", "s1"}
    assert "s2" in notes[0]


def test_check_when_a_series_is_longer_than_most_then_drop_cuts_it_and_says_so():
    draft = make_draft()
    frame = draft.frame.drop(index=[0, 10])
    kept, notes = check(replace(draft, frame=frame, incomplete="drop"))
    assert len(kept) == 27
    assert "Cut off: 1 rows" in notes[0]


def test_check_when_no_series_is_complete_then_drop_is_an_error():
    draft = make_draft(series=1)
    with pytest.raises(InputError, match="no series has all 10 periods"):
        check(replace(draft, frame=draft.frame.drop(index=4), incomplete="drop"))


def test_check_when_a_static_column_changes_then_it_is_refused():
    with pytest.raises(InputError, match=r"'kind' changes within the series 's1' \(k1, other\)"):
        check(changed(make_draft(), 13, kind="other"))


def test_check_when_a_series_is_constant_then_it_is_noted_and_kept():
    draft = make_draft()
    frame, notes = check(
        replace(draft, frame=draft.frame.assign(y=lambda f: f["y"].where(f["unique_id"] != "s1", 5.0)))
    )
    assert len(frame) == 30
    assert "Constant target in 1 series (s1)" in notes[0]


def test_check_when_there_is_one_series_then_it_passes():
    assert len(check(make_draft(series=1))[0]) == 10


def test_check_when_there_is_no_row_then_it_is_refused():
    draft = make_draft()
    with pytest.raises(InputError, match="no row"):
        check(replace(draft, frame=draft.frame.iloc[:0]))


def test_check_when_a_year_is_a_typing_error_then_it_is_refused():
    draft = make_draft()
    frame = draft.frame.astype({"ds": "datetime64[s]"})
    frame.loc[13, "ds"] = pd.Timestamp("9024-01-01")
    with pytest.raises(InputError, match="'s1' has the date 9024-01-01"):
        check(replace(draft, frame=frame))


def info(steps: int) -> PanelInfo:
    return PanelInfo(
        source="test", title="t", target_name="sales", unit="EUR", frequency="W-MON", season=52, n_series=1,
        n_steps=steps, n_rows=steps, start="2024-01-01", end="2024-03-04",
    )  # fmt: skip


def test_check_length_when_one_window_fits_exactly_then_it_passes_and_one_fewer_fails():
    needs = {"short": Need(4, 1, 2), "long": Need(26, 2, 5)}
    check_length(info(26 + 2 + 5 + 10), 10, needs)
    with pytest.raises(InputError, match=r"has 42 periods .* experiments.long needs at least 43.*1 of 2"):
        check_length(info(42), 10, needs)
