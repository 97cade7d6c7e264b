"""Least squares, ridge and LASSO against scikit-learn and against their own folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import ElasticNetCV, Lasso, LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from panelbench.data import feature_table
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.folds import period_folds
from panelbench.models.linear import LASSO_ALPHAS, RIDGE_ALPHAS
from tests.models.small import settings, task


def sample(experiment):
    blocks = task(experiment)
    train, test = (feature_table(block, experiment.features) for block in (blocks.train, blocks.test))
    rows = train.complete()
    return blocks, train.steps[0][rows], blocks.train.y[rows, 0], blocks.train.origin[rows], test.steps[0]


def test_when_least_squares_is_fitted_then_it_equals_the_library_on_raw_features():
    experiment = settings("ols")
    blocks, x, y, _, later = sample(experiment)
    forecaster = registry.build(experiment, 0)

    forecaster.fit(blocks.train, None)

    expected = LinearRegression().fit(x, y).predict(later)
    np.testing.assert_allclose(forecaster.predict(blocks.test)[:, 0], expected, rtol=1e-8)
    assert forecaster.n_parameters() == x.shape[1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("model", "estimator", "alphas"),
    [("ridge", Ridge(), RIDGE_ALPHAS), ("lasso", Lasso(max_iter=20_000), LASSO_ALPHAS)],
)
def test_when_the_penalty_is_chosen_over_weeks_then_it_is_that_of_a_pipeline_refitted_in_each_fold(
    model, estimator, alphas
):
    experiment = settings(model)
    blocks, x, y, origin, later = sample(experiment)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), estimator),
        {f"{model}__alpha": alphas},
        cv=period_folds(origin, 5),
        scoring="neg_mean_squared_error",
    ).fit(x, y)
    forecaster = registry.build(experiment, 0)

    record = forecaster.fit(blocks.train, None)

    assert record.notes["alpha"] == pytest.approx(search.best_params_[f"{model}__alpha"])
    np.testing.assert_allclose(forecaster.predict(blocks.test)[:, 0], search.predict(later), rtol=1e-3)


def test_when_the_penalty_is_chosen_over_rows_then_it_is_the_courses():
    experiment = settings("lasso", cv="rows")
    blocks, x, y, _, _ = sample(experiment)
    course = ElasticNetCV(l1_ratio=1.0, alphas=LASSO_ALPHAS, cv=TimeSeriesSplit(5), max_iter=20_000)
    course.fit(StandardScaler().fit_transform(x), y)

    record = registry.build(experiment, 0).fit(blocks.train, None)

    assert record.notes["alpha"] == pytest.approx(course.alpha_)
    assert record.notes["nonzero"] == np.count_nonzero(course.coef_)


def test_when_coordinate_descent_is_cut_short_then_the_notes_say_so():
    blocks = task(settings("lasso"))

    short = registry.build(settings("lasso", alpha=0.01, max_iterations=10), 0).fit(blocks.train, None)
    full = registry.build(settings("lasso", alpha=10), 0).fit(blocks.train, None)

    assert short.notes["converged"] is False
    assert short.notes["iterations"] == 10
    assert full.notes["converged"] is True


def test_when_the_penalty_is_fixed_then_it_is_used_and_nothing_is_searched():
    record = registry.build(settings("lasso", alpha=3), 0).fit(task(settings("lasso")).train, None)

    assert record.notes["alpha"] == 3
    assert "cv_fits" not in record.notes


def test_when_the_horizon_is_longer_then_each_step_has_its_own_model_and_notes():
    experiment = settings("lasso", horizon=2)
    forecaster = registry.build(experiment, 0)

    record = forecaster.fit(task(experiment).train, None)

    assert {"alpha", "alpha_step_2"} <= set(record.notes)
    assert forecaster.n_parameters() == 2 * record.notes["features"]


def test_when_the_features_are_the_flattened_window_then_every_channel_and_period_counts():
    experiment = settings("ols", features="window", lookback=6)
    forecaster = registry.build(experiment, 0)

    forecaster.fit(task(experiment).train, None)

    assert forecaster.n_parameters() == 6 * 4


def test_when_no_row_has_all_features_then_the_error_says_what_to_do():
    experiment = settings("ols")
    train = task(experiment).train

    with pytest.raises(InputError, match="No training window has all of the features 'lags46'"):
        registry.build(experiment, 0).fit(train.take(train.origin < 10), None)


def test_when_a_window_to_forecast_lacks_a_feature_then_it_is_refused_instead_of_dropped():
    experiment = settings("ols")
    train = task(experiment).train
    forecaster = registry.build(experiment, 0)
    forecaster.fit(train, None)

    with pytest.raises(InputError, match="windows to forecast lack a feature"):
        forecaster.predict(train)
