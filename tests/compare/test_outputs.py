"""Tables and digits: what a file may hold and how a figure is written."""

from __future__ import annotations

import numpy as np
import pandas as pd

from panelbench.compare.outputs import as_text, rounded


def test_when_content_is_rounded_then_floats_keep_ten_digits_and_the_rest_stays():
    content = {"a": [1 / 3, 2, None, True, "x"], "b": {"c": (1e20 / 3, 123456.7890123)}}
    assert rounded(content) == {
        "a": [0.3333333333, 2, None, True, "x"],
        "b": {"c": [3.333333333e19, 123456.789]},
    }


def test_when_a_sum_was_taken_in_another_order_then_the_written_figure_is_the_same():
    values = np.random.default_rng(0).random(10_000) * 1e6
    forward, backward = float(np.cumsum(values)[-1]), float(np.cumsum(values[::-1])[-1])
    assert forward != backward
    assert rounded(forward) == rounded(backward)


def test_when_a_frame_is_written_then_undefined_is_empty_and_other_columns_stay():
    frame = as_text(pd.DataFrame({"name": ["a", "b"], "n": [1, 2], "x": [1045.0, np.nan]}))
    assert frame["x"].tolist() == ["1045", ""]
    assert frame["n"].tolist() == [1, 2]
    assert as_text(frame.iloc[:0]).empty
