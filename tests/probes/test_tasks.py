from __future__ import annotations

import numpy as np
import pytest

from panelbench.models import registry
from panelbench.probes.copying import copying
from panelbench.probes.depth import gradient_norms
from panelbench.probes.fitting import epochs_for
from panelbench.probes.lengths import crossing, multiply_adds
from panelbench.probes.made_up import task_of
from panelbench.probes.settings import PanelTask, model_settings
from panelbench.probes.size import equal_updates


@pytest.mark.parametrize("k", [1, 4, 9])
def test_when_a_value_is_asked_for_then_it_stands_k_steps_back_and_tells_nothing_else(k: int) -> None:
    windows = copying(4000, k, 10, 0)

    seen = windows.inputs()[..., 0]
    assert windows.y is not None
    np.testing.assert_allclose(seen[:, -k], windows.y[:, 0], rtol=1e-6)
    others = np.delete(seen, 10 - k, axis=1)
    assert np.abs(others.T @ windows.y[:, 0] / 4000).max() < 5 / np.sqrt(4000)
    assert windows.y.var() == pytest.approx(1, abs=0.1)


def test_when_the_task_is_silent_then_only_the_value_asked_for_is_there() -> None:
    seen = copying(50, 3, 8, 0, silent=True).inputs()[..., 0]

    assert (np.delete(seen, 5, axis=1) == 0).all()
    assert (seen[:, 5] != 0).all()


def test_when_a_model_sees_less_than_the_window_then_it_sees_the_latest_values_of_the_same_window() -> None:
    whole, part = copying(20, 9, 12, 3), copying(20, 9, 12, 3, sees=7)

    np.testing.assert_array_equal(part.inputs(), whole.inputs()[:, -7:])
    assert whole.y is not None
    np.testing.assert_array_equal(part.y, whole.y)


def test_when_panels_are_larger_then_they_hold_the_panel_and_the_test_block_is_the_panels() -> None:
    wanted, rnn = PanelTask(series=3, steps=90), model_settings({"model": "rnn"})

    small, large = task_of(wanted, rnn, 1, 4), task_of(wanted, rnn, 4, 4)

    assert len(large.train) == 4 * len(small.train)
    np.testing.assert_array_equal(large.train.values[:3], small.train.values)
    np.testing.assert_array_equal(large.truth, small.truth)
    np.testing.assert_array_equal(large.test.inputs(), small.test.inputs())


@pytest.mark.parametrize("windows", [5, 100, 153, 5000])
def test_when_amounts_of_data_differ_then_networks_take_nearly_equal_numbers_of_updates(windows: int) -> None:
    rnn = model_settings({"model": "rnn"}, batch_size=8)
    train = copying(windows, 1, 26, 0)

    used, settings = equal_updates(train, rnn, 100, 0)

    taken = settings.epochs * -(-len(used) // 8)
    assert abs(taken - 100) <= -(-len(used) // 8) / 2
    assert len(used) == min(windows, 800)


def test_when_a_model_takes_no_updates_then_it_learns_from_all_windows() -> None:
    train, lasso = copying(5000, 1, 26, 0), model_settings({"model": "lasso"})

    assert equal_updates(train, lasso, 10, 0) == (train, lasso)


def test_when_one_pass_is_longer_than_wanted_then_there_is_one() -> None:
    assert epochs_for(10, 10_000, 8) == 1


def test_when_gradients_are_measured_then_the_weights_are_those_that_training_begins_with() -> None:
    settings = model_settings(
        {"model": "transformer", "width": 8, "heads": 2, "feed_forward": 8, "dropout": 0.0, "layers": 2},
        lookback=6, epochs=1, batch_size=32, scaling="none", learning_rate=1e-12,
    )  # fmt: skip
    batch = copying(32, 2, 6, 0)
    model = registry.build(settings, 5)
    model.fit(batch, None)  # its one update is too small to move a weight
    module = model.module
    module.zero_grad()
    inputs = model._batches(batch)
    ((module.train()(inputs.inputs(slice(None))) - inputs.targets) ** 2).mean().backward()
    wanted = [
        sum(float(one.grad.square().sum()) for one in layer.parameters()) ** 0.5
        for layer in module.encoder.layers
    ]

    assert gradient_norms(settings, 5, batch) == pytest.approx(wanted, rel=1e-4)


def test_when_the_window_has_the_length_of_the_crossing_then_both_parts_of_a_layer_cost_the_same() -> None:
    linear, quadratic = multiply_adds(crossing())

    assert linear == quadratic
    assert multiply_adds(2 * crossing())[1] == 4 * quadratic
