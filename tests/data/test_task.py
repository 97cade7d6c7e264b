from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.config.settings import SplitSettings
from panelbench.data import Scaler, build_task
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings
from tests.helpers.panels import make_panel

CHAPTER = SplitSettings(test_steps=800, validation_steps=0)


def experiment(**changes):
    return ExperimentSettings(model="last_value", **changes)


@pytest.mark.parametrize(("boundary", "n_train", "leaking"), [("targets", 3081, 0), ("windows", 3104, 23)])
def test_when_the_chapters_series_is_cut_then_its_windows_are_counted(boundary, n_train, leaking):
    """Windows first, then 80 % of them: 3,104 and 777. By target, 777 are scored too and 23 do not train."""
    panel = make_panel(series=1, steps=4000)
    task = build_task(panel, CHAPTER, experiment(lookback=96, horizon=24, boundary=boundary))
    assert (len(task.train), len(task.test)) == (n_train, 777)
    first_scored = task.test.target_dates().min()
    assert (task.train.target_dates()[:, -1] >= first_scored).sum() == leaking
    assert int(0.8 * (4000 - 96 - 24 + 1)) == 3104


@settings(max_examples=40, deadline=None)
@given(
    horizon=st.integers(2, 6),
    lookback=st.integers(1, 10),
    valid=st.sampled_from([0, 7]),
    series=st.integers(1, 3),
)
def test_when_windows_are_divided_by_position_then_exactly_the_last_ones_reach_over(
    horizon, lookback, valid, series
):
    panel = make_panel(series=series, steps=60)
    split = SplitSettings(test_steps=12, validation_steps=valid)
    sizes = {"lookback": lookback, "horizon": horizon}
    sound = build_task(panel, split, experiment(**sizes))
    leaky = build_task(panel, split, experiment(**sizes, boundary="windows"))
    np.testing.assert_array_equal(leaky.test.origin, sound.test.origin)
    np.testing.assert_array_equal(leaky.truth, sound.truth)
    after = leaky.valid if leaky.valid is not None else leaky.test
    assert leaky.train.origin.max() == after.origin.min() - 1
    reaching = leaky.train.origin + horizon >= leaky.split.train_end
    assert reaching.sum() == series * (horizon - 1)
    np.testing.assert_array_equal(leaky.train.y[~reaching], sound.train.y)
    # Only targets leak: what a window reads ends where it did before.
    assert leaky.train.known.y.shape[1] == leaky.train.origin.max() + 1


def test_when_one_period_is_forecast_then_a_leaky_split_is_refused():
    with pytest.raises(ValueError, match="nothing leaks; write targets"):
        experiment(horizon=1, boundary="windows")


def test_when_a_leaky_split_is_labelled_otherwise_then_the_label_still_says_so():
    declared = {"model": "last_value", "horizon": 3, "boundary": "windows", "label": "A fine model"}
    one = registry.MODELS["last_value"].settings.model_validate(declared)
    assert (one.label, one.leaks) == ("A fine model (leaky split)", True)
    again = type(one).model_validate_json(one.model_dump_json())
    assert again == one
    assert not experiment(horizon=3).leaks


@settings(max_examples=40, deadline=None)
@given(fraction=st.floats(0.001, 1.0), series=st.integers(1, 3))
def test_when_a_share_is_asked_for_then_it_is_the_latest_origins_of_every_series(fraction, series):
    panel = make_panel(series=series, steps=70)
    split = SplitSettings(test_steps=10, validation_steps=5)
    whole = build_task(panel, split, experiment(lookback=6)).train
    part = build_task(panel, split, experiment(lookback=6, train_fraction=fraction)).train
    count = max(1, int(np.ceil(round(fraction * len(np.unique(whole.origin)), 9))))
    latest = np.unique(whole.origin)[-count:]
    np.testing.assert_array_equal(np.unique(part.origin), latest)
    assert len(part) == series * count
    np.testing.assert_array_equal(part.y, whole.y[whole.origin >= latest[0]])


@pytest.mark.parametrize(("fraction", "count"), [(0.07, 7), (0.55, 55), (0.29, 29), (0.001, 1), (0.071, 8)])
def test_when_a_share_is_a_whole_number_of_origins_then_it_is_that_number(fraction, count):
    panel = make_panel(series=1, steps=121)
    split = SplitSettings(test_steps=10, validation_steps=5)
    asked = experiment(lookback=6, train_fraction=fraction)
    assert len(build_task(panel, split, experiment(lookback=6)).train) == 100
    assert len(build_task(panel, split, asked).train) == count


@pytest.mark.parametrize("scaling", ["global", "series", "window"])
def test_when_a_share_is_learned_from_then_the_scale_knows_nothing_older(scaling):
    panel = make_panel(series=2, steps=70)
    asked = experiment(lookback=6, train_fraction=0.25)
    split = SplitSettings(test_steps=10, validation_steps=5)
    task = build_task(panel, split, asked)
    first_read = int(task.train.position.min())
    panel.y[:, :first_read] *= 1000.0
    other = build_task(panel, split, asked)
    for before, after in zip(scale(task, scaling), scale(other, scaling), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-12)


def scale(task, scaling):
    scaler = Scaler.fit(task.train, scaling, "level")
    return scaler.mean, scaler.sd, scaler.y_mean, scaler.y_sd


def test_when_a_leaky_split_has_no_room_then_the_block_is_named():
    split = SplitSettings(test_steps=3, validation_steps=0)
    with pytest.raises(InputError, match="horizon 8 does not fit"):
        build_task(make_panel(steps=60), split, experiment(horizon=8, boundary="windows"))
