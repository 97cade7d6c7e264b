"""bfloat16 and compiled code: near the usual numbers, never in the way of a run."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from panelbench.models import acceleration, registry
from tests.models.small import settings, task


def fitted(model, **own):
    experiment = settings(model, **own)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    record = forecaster.fit(blocks.train, blocks.valid)
    return forecaster, record, forecaster.predict(blocks.test)


@pytest.mark.parametrize("model", ["ffn", "rnn", "lstm", "cnn", "transformer"])
def test_when_products_are_rounded_to_bfloat16_then_forecasts_move_a_little(model):
    _, _, exact = fitted(model)
    forecaster, record, rounded = fitted(model, precision="bf16")

    assert not np.array_equal(exact, rounded)
    np.testing.assert_allclose(rounded, exact, rtol=0.02)
    assert {part.dtype.itemsize for part in forecaster.module.parameters()} == {4}
    assert np.isfinite(record.history[-1].valid_loss)


def test_when_onednn_lacks_bfloat16_then_an_lstm_is_rounded_by_torchs_own_kernels(monkeypatch):
    monkeypatch.setattr(acceleration, "_onednn_has_bfloat16", lambda: False)
    _, _, exact = fitted("lstm")
    _, _, rounded = fitted("lstm", precision="bf16")

    np.testing.assert_allclose(rounded, exact, rtol=0.02)
    assert torch.backends.mkldnn.enabled


def test_when_a_network_is_prepared_then_float32_is_not_cut_to_tf32(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)  # torch's default

    fitted("cnn")

    assert not torch.backends.cudnn.allow_tf32
    assert not torch.backends.cuda.matmul.allow_tf32


def test_when_a_network_is_compiled_then_it_draws_and_learns_the_same(monkeypatch):
    monkeypatch.setattr(acceleration, "BACKEND", "aot_eager")  # traced as always, without the C++ compiler
    _, record, usual = fitted("ffn", dropout=0.5)
    _, traced, found = fitted("ffn", dropout=0.5, compile=True)

    assert traced.notes["compiled"] is True
    np.testing.assert_allclose(found, usual, rtol=1e-5)
    assert traced.history[-1].train_loss == pytest.approx(record.history[-1].train_loss, rel=1e-5)


def test_when_it_cannot_be_compiled_then_the_run_goes_on_and_says_why(monkeypatch):
    def broken(graph, example):
        raise OSError("no compiler here")

    monkeypatch.setattr(acceleration, "BACKEND", broken)
    _, _, usual = fitted("ffn")
    _, record, found = fitted("ffn", compile=True)

    assert record.notes["compiled"] is False
    assert "no compiler here" in record.notes["compile_problem"]
    np.testing.assert_array_equal(found, usual)


@pytest.mark.slow
def test_when_code_is_made_for_a_network_then_its_forecasts_are_the_usual_ones():
    _, _, usual = fitted("ffn")
    _, record, found = fitted("ffn", compile=True)

    assert record.notes["compiled"] is True
    np.testing.assert_allclose(found, usual, rtol=1e-4)
