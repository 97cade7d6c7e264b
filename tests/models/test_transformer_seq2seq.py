"""The encoder-decoder Transformer: teacher forcing in training, its own output in forecasting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.design_settings import TransformerEncoderDecoderSettings
from panelbench.models.transformer.decoder_layer import DecoderLayer
from panelbench.models.transformer.masks import causal_mask
from panelbench.models.transformer.seq2seq import EncoderDecoder
from tests.models.small import panel, settings, task

SMALL = {"lookback": 10, "width": 16, "heads": 2, "feed_forward": 24, "dropout": 0.0}
POSITIONS = ["sinusoidal", "learned", "none", "rotary", "alibi"]


def encoder_decoder(ahead=(2,), horizon=4, **own) -> EncoderDecoder:
    torch.manual_seed(0)
    kind = TransformerEncoderDecoderSettings(model="e", horizon=horizon, **{**SMALL, **own})
    return EncoderDecoder(kind, 3, list(ahead))


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_when_a_decoder_layer_has_the_librarys_weights_then_it_gives_the_librarys_output(norm, activation):
    kind = TransformerEncoderDecoderSettings(
        model="e", **{**SMALL, "positions": "none", "norm": norm, "activation": activation}
    )
    ours = DecoderLayer(kind, 4).double()
    theirs = nn.TransformerDecoderLayer(
        16, 2, 24, dropout=0.0, activation=activation, batch_first=True, norm_first=norm == "pre"
    ).double()
    ours.load_state_dict(theirs.state_dict())
    x, memory = torch.randn(3, 4, 16).double(), torch.randn(3, 10, 16).double()

    found, _ = ours(x, ours.remember(memory), blocked=causal_mask(4))

    torch.testing.assert_close(found, theirs(x, memory, tgt_mask=causal_mask(4)), rtol=0, atol=1e-10)


@pytest.mark.parametrize("own", [{"norm": "post"}, {"norm": "pre"}, {"patch_length": 4, "patch_stride": 3}])
@pytest.mark.parametrize("positions", POSITIONS)
def test_when_forecasts_are_fed_back_one_by_one_then_it_is_teacher_forcing_with_them(positions, own):
    model = encoder_decoder(positions=positions, **own).double()
    nn.init.normal_(model.start)
    x = torch.randn(5, 10, 3).double()

    forecasts = model(x)

    assert forecasts.shape == (5, 4)
    torch.testing.assert_close(forecasts, model.supervised(x, forecasts)[0], rtol=0, atol=1e-10)


def test_when_later_true_values_change_then_teacher_forced_forecasts_before_them_do_not():
    model = encoder_decoder()
    x, y = torch.randn(5, 10, 3), torch.randn(5, 4)
    before = model.supervised(x, y)[0]
    y[:, 1] += 100

    after = model.supervised(x, y)[0]

    assert torch.equal(before[:, :2], after[:, :2])  # steps 1 and 2 are made before step 2 is known
    assert (before[:, 2:] != after[:, 2:]).all()


def test_when_what_is_known_of_a_later_step_changes_then_the_decoders_earlier_steps_do_not():
    model = encoder_decoder()
    memory, known = model._read(x := torch.randn(5, 10, 3))
    assert torch.equal(known, x[:, 6:, [2]])
    tokens = model._tokens(torch.zeros(5, 4), known, 0)
    changed = model._tokens(torch.zeros(5, 4), known + torch.tensor([0.0, 0, 9, 0])[:, None], 0)

    before, after = (model.decoder(each, memory, blocked=model.blocked)[0] for each in (tokens, changed))

    assert torch.equal(before[:, :2], after[:, :2])
    assert (before[:, 2:] != after[:, 2:]).any(dim=2).all()


def test_when_test_windows_are_forecast_then_no_target_is_there_to_be_read():
    experiment = settings("transformer_encoder_decoder", horizon=3)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, None)
    assert blocks.test.y is None

    told = replace(blocks.test, y=np.full(blocks.truth.shape, np.nan))

    assert np.array_equal(forecaster.predict(blocks.test), forecaster.predict(told))


def test_when_the_decoder_knows_the_coming_periods_then_it_uses_them():
    """The target is the promotion of its own period: known ahead, and unpredictable from the past."""
    source = panel(series=4, steps=120, past=0)
    source.y[:] = 10 * source.future[:, :, 0]
    experiment = settings("transformer_encoder_decoder", horizon=3, epochs=20, learning_rate=0.01)
    blocks = task(experiment, source)
    forecaster = registry.build(experiment, 0)

    forecaster.fit(blocks.train, None)

    error = np.sqrt(np.mean((forecaster.predict(blocks.test) - blocks.truth) ** 2, axis=0))
    assert (error < 0.5 * blocks.truth.std(axis=0)).all()


def test_when_a_window_cannot_hold_the_coming_periods_then_it_is_refused_unless_they_are_not_read():
    short = {"horizon": 6, "lookback": 4}
    experiment = settings("transformer_encoder_decoder", **short)
    with pytest.raises(InputError, match=r"lookback 4 and horizon 6.*`covariates: past`"):
        registry.build(experiment, 0).fit(task(experiment).train, None)

    for own in ({"covariates": "past"}, {"channels": ["y"]}):
        experiment = settings("transformer_encoder_decoder", **short, **own)
        blocks = task(experiment)
        forecaster = registry.build(experiment, 0)
        forecaster.fit(blocks.train, None)
        assert forecaster.predict(blocks.test).shape == (len(blocks.test), 6)


def test_when_windows_have_another_shape_then_the_expected_one_is_named():
    for x in (torch.randn(5, 9, 3), torch.randn(5, 10, 2), torch.randn(10, 3)):
        with pytest.raises(ValueError, match=r"\(batch, 10, 3\), got"):
            encoder_decoder()(x)
