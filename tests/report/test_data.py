from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from panelbench.errors import InputError
from panelbench.files import write_text
from panelbench.report.data import ReportData
from panelbench.report.load import load_report_data
from tests.report.conftest import SIX, Project


def test_experiments_come_in_order_of_error(data: ReportData) -> None:
    means = [data.mean(name) for name in data.finished]
    assert means == sorted(means)
    assert data.best == next(iter(data.finished))


def test_groups_of_experiments_do_not_mix(data: ReportData) -> None:
    assert set(data.baselines) == {"seasonal_naive", "last_value"}
    assert set(data.networks) == {"rnn", "transformer", "learned_positions", "no_positions"}
    assert set(data.baselines) | set(data.learned) == set(data.finished)


def test_scores_are_those_of_the_stored_forecasts(data: ReportData) -> None:
    rows, y_hat = data.results.forecasts("rnn")
    np.testing.assert_allclose(data.rmse("rnn"), np.sqrt(((y_hat - rows.y) ** 2).mean(axis=1)))


def test_tables_and_lines_are_those_of_the_stored_forecasts(data: ReportData) -> None:
    rows, y_hat = data.results.forecasts("rnn")
    squared = ((y_hat - rows.y) ** 2).reshape(6, 4, 12)
    np.testing.assert_allclose(data.by_series(["rnn"])["rnn"], np.sqrt(squared.mean(axis=2)).mean(axis=0))
    np.testing.assert_allclose(data.by_period(["rnn"])["rnn"], np.sqrt(squared.mean(axis=1)).mean(axis=0))
    found = data.lines("rnn", [3, 1])
    np.testing.assert_allclose(found.y_hat, y_hat.mean(axis=0).reshape(4, 12)[[3, 1]])
    np.testing.assert_array_equal(found.dates, rows.dates)


def test_several_steps_ahead_are_read_from_origins_a_horizon_apart(
    project_over: Callable[..., Project],
) -> None:
    project = project_over(np.arange(120.0).reshape(2, 60), horizon=5)
    project.tree.add("rnn", seeds=SIX, noise=0.0, seed_noise=0.0)
    data = project.finish()
    found = data.lines("rnn", [1])
    assert found.dates.size == 10  # two whole forecasts fit into twelve periods
    np.testing.assert_allclose(found.y_hat[0], np.arange(108.0, 118.0))


def test_a_table_that_lacks_rows_is_an_input_error_with_the_remedy(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    data = project.finish()
    path = project.root / "reports" / "by_series.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match=r"by_series\.csv has 3 rows of 'rnn' and should have 4.*compare"):
        data.by_series(["rnn"])


def test_attention_is_read_where_it_was_stored(data: ReportData) -> None:
    found = data.attention("transformer")
    assert found.weights.shape[:3] == (6, 2, 4)
    assert data.attention("rnn") is None


def test_periods_are_called_by_the_panels_frequency(data: ReportData) -> None:
    assert data.periods(1) == "1 week"
    assert data.periods(1234) == "1,234 weeks"


def test_a_missing_comparison_is_an_input_error_with_the_remedy(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish()
    (project.root / "reports" / "comparison.json").unlink()
    with pytest.raises(InputError, match=r"comparison\.json is not there.*dvc repro"):
        load_report_data(project.settings, project.root)


def test_a_comparison_of_other_experiments_is_an_input_error_that_names_them(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish()
    project.tree.add("lstm", seeds=SIX, model="lstm")
    settings = project.tree.settings(seeds=list(SIX))
    with pytest.raises(InputError, match=r"compares rnn, but params\.yaml declares lstm, rnn"):
        load_report_data(settings, project.root)


def test_a_malformed_comparison_is_an_input_error(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish()
    write_text(project.root / "reports" / "comparison.json", '{"test": 1}')
    with pytest.raises(InputError, match="is not a comparison"):
        load_report_data(project.settings, project.root)


def test_damaged_attention_weights_are_an_input_error_that_names_the_file(project: Project) -> None:
    project.tree.add("transformer", seeds=SIX, model="transformer", attention=True)
    data = project.finish()
    write_text(project.root / "data" / "runs" / "transformer" / "attention.npz", "broken")
    with pytest.raises(InputError, match=r"transformer/attention\.npz cannot be read"):
        data.attention("transformer")
