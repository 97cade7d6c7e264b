from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.config.settings import SplitSettings
from panelbench.data import build_task
from panelbench.data.windows import cut_windows, select_channels
from panelbench.errors import InputError
from panelbench.models.settings import ExperimentSettings
from tests.helpers.panels import make_panel


def experiment(**changes):
    return ExperimentSettings(model="last_value", **changes)


shapes = st.fixed_dictionaries(
    {
        "series": st.integers(1, 4),
        "steps": st.integers(40, 90),
        "lookback": st.integers(1, 12),
        "horizon": st.integers(1, 4),
        "test": st.integers(4, 10),
        "valid": st.integers(0, 8),
        "covariates": st.sampled_from(["ahead", "past"]),
    }
)


@settings(max_examples=60, deadline=None)
@given(shape=shapes)
def test_when_blocks_are_cut_then_targets_are_disjoint_ordered_and_complete(shape):
    panel = _panel(shape)
    split = SplitSettings(test_steps=shape["test"], validation_steps=shape["valid"] and shape["valid"] + 4)
    task = build_task(panel, split, experiment(**_sizes(shape)))
    blocks = [task.train, *([task.valid] if task.valid else []), task.test]
    latest = None
    for windows in blocks:
        dates = windows.target_dates()
        assert latest is None or dates.min() > latest
        latest = dates.max()
    assert latest == panel.dates[-1]
    scored = list(zip(task.test.series, task.test.origin, strict=True))
    assert len(scored) == len(set(scored)) == shape["series"] * (shape["test"] - shape["horizon"] + 1)
    assert task.test.y is None


@settings(max_examples=60, deadline=None)
@given(shape=shapes)
def test_when_windows_are_gathered_then_each_is_the_panels_own_history(shape):
    panel = _panel(shape)
    windows = cut_windows(panel, 0, panel.n_steps, **_sizes(shape))
    inputs = windows.inputs()
    shift = shape["horizon"] if shape["covariates"] == "ahead" else 0
    for row in np.random.default_rng(1).integers(0, len(windows), 12):
        s, o, length = windows.series[row], windows.origin[row], shape["lookback"]
        past = slice(o - length + 1, o + 1)
        np.testing.assert_array_equal(inputs[row, :, 0], panel.y[s, past].astype(np.float32))
        np.testing.assert_array_equal(inputs[row, :, 1], panel.past[s, past, 0].astype(np.float32))
        ahead = slice(past.start + shift, past.stop + shift)
        np.testing.assert_array_equal(inputs[row, :, 2], panel.future[s, ahead, 0].astype(np.float32))
        np.testing.assert_array_equal(windows.y[row], panel.y[s, o + 1 : o + 1 + shape["horizon"]])
        np.testing.assert_array_equal(windows.history(length)[row], panel.y[s, past])


@settings(max_examples=40, deadline=None)
@given(shape=shapes, at=st.floats(0.3, 1.0))
def test_when_the_future_changes_then_a_blocks_knowledge_does_not(shape, at):
    panel = _panel(shape)
    end = max(int(at * panel.n_steps), shape["lookback"] + shape["horizon"] + 1)
    noisy = replace(panel, y=panel.y.copy(), past=panel.past.copy(), future=panel.future.copy())
    for values in (noisy.y, noisy.past, noisy.future):
        values[:, end:] = np.nan
    before, after = (cut_windows(source, 0, end, **_sizes(shape)) for source in (panel, noisy))
    np.testing.assert_array_equal(before.values, after.values)
    np.testing.assert_array_equal(before.y, after.y)
    assert np.isfinite(after.values).all()
    assert after.known.y.shape[1] == end - shape["horizon"]


def test_when_windows_are_viewed_then_no_number_is_copied(panel):
    windows = cut_windows(panel, 0, panel.n_steps, 26, 1, "ahead")
    assert np.shares_memory(windows.view(), windows.values)
    assert windows.view().shape == (3, 119 - 26 + 1, 26, 4)


def test_when_rows_are_taken_then_their_targets_come_along(panel):
    windows = cut_windows(panel, 0, panel.n_steps, 26, 1, "past")
    chosen = windows.take(np.array([5, 2]))
    np.testing.assert_array_equal(chosen.y, windows.y[[5, 2]])
    np.testing.assert_array_equal(chosen.inputs(), windows.inputs(np.array([5, 2])))


@pytest.mark.parametrize(("lookback", "horizon"), [(120, 1), (1, 120), (500, 1)])
def test_when_no_window_fits_then_the_message_names_the_numbers(panel, lookback, horizon):
    with pytest.raises(InputError, match=rf"lookback {lookback} and horizon {horizon}.*panel with 120"):
        cut_windows(panel, 0, 120, lookback, horizon, "past")


def test_when_the_test_block_eats_the_panel_then_it_is_refused(panel):
    with pytest.raises(InputError, match=r"test_steps \(100\).*120 periods"):
        build_task(panel, SplitSettings(test_steps=100, validation_steps=20), experiment())


def test_when_history_is_longer_than_observed_then_it_is_refused(panel):
    windows = cut_windows(panel, 0, 60, 10, 1, "past")
    with pytest.raises(InputError, match="52 periods of history"):
        windows.history(52)


def test_when_an_experiment_has_its_own_validation_then_only_it_moves(panel):
    split = SplitSettings(test_steps=20, validation_steps=10)
    usual = build_task(panel, split, experiment())
    own = build_task(panel, split, experiment(validation_steps=0))
    assert own.valid is None
    assert own.split.train_end == usual.split.train_end + 10
    np.testing.assert_array_equal(own.test.origin, usual.test.origin)
    np.testing.assert_array_equal(own.truth, usual.truth)


def test_when_channels_are_chosen_then_their_order_is_the_one_given():
    names = ("y", "past_0", "promo", "holiday")
    assert select_channels(names, None) == [0, 1, 2, 3]
    assert select_channels(names, ("holiday", "y")) == [3, 0]


@pytest.mark.parametrize("wanted", [("promo",), ("y", "promotion")])
def test_when_channels_make_no_sense_then_the_panels_are_listed(wanted):
    with pytest.raises(InputError, match="y, promo"):
        select_channels(("y", "promo"), wanted)


def _sizes(shape):
    return {key: shape[key] for key in ("lookback", "horizon", "covariates")}


def _panel(shape):
    return make_panel(shape["series"], shape["steps"])


def test_when_the_horizon_is_longer_than_a_block_then_a_larger_block_is_advised():
    with pytest.raises(InputError, match=r"horizon 5 does not fit into a block of 4 periods .*larger"):
        cut_windows(make_panel(steps=60), 50, 54, 8, 5, "ahead")
