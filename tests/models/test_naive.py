"""Benchmarks that learn nothing."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.errors import InputError
from panelbench.models import registry
from tests.models.small import panel, settings, task


def predict(experiment):
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    record = forecaster.fit(blocks.train, None)
    return blocks.test, forecaster.predict(blocks.test), record, forecaster


@pytest.mark.parametrize(("own", "season"), [({}, 13), ({"season": 4}, 4)])
def test_when_the_horizon_is_longer_than_a_season_then_the_season_repeats(own, season):
    test, predicted, record, forecaster = predict(settings("seasonal_naive", horizon=6, **own))
    y = panel().y

    for step in range(1, 7):
        back = season * -(-step // season)
        assert np.array_equal(predicted[:, step - 1], y[test.series, test.origin + step - back])
    assert record.notes["season"] == season
    assert forecaster.n_parameters() == 0


def test_when_the_last_value_is_repeated_then_every_step_is_the_origins_value():
    test, predicted, _, _ = predict(settings("last_value", horizon=3))

    assert np.array_equal(predicted, np.tile(panel().y[test.series, test.origin, None], 3))


def test_when_the_season_is_longer_than_what_was_observed_then_it_is_refused():
    with pytest.raises(InputError, match="100 periods of history"):
        predict(settings("seasonal_naive", season=100))
