"""The order of feature columns, which trees depend on."""

from __future__ import annotations

from panelbench.data.features import feature_table
from panelbench.data.windows import cut_windows
from tests.helpers.panels import make_panel


def test_when_features_are_made_then_they_stand_in_the_courses_order():
    windows = cut_windows(make_panel(), 0, 120, 26, 1, "ahead")
    known, calendar, identity = ["promo", "holiday"], ["month", "week_of_year", "year"], ["kind=a", "kind=b"]
    fourier = [f"{wave}_{k}" for k in (1, 2, 3) for wave in ("sin", "cos")]

    full, small = (list(feature_table(windows, name).names) for name in ("lags46", "lags27"))

    assert full[19:] == [*fourier, *identity, *known, *calendar]
    assert small[6:] == [*known, *calendar, *identity]
