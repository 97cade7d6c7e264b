"""Every variant of the Transformer as a forecaster keeps the contract of every model."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.models import registry
from tests.models.small import settings, task

VARIANTS = {
    "rotary": {"positions": "rotary"},
    "alibi": {"positions": "alibi", "norm": "pre"},
    "patches": {"patch_length": 3, "patch_stride": 2, "pool": "flatten"},
    "independent": {"mixing": "independent", "revin": True, "pool": "mean"},
    "causal": {"causal": True, "positions": "none"},
    "unscaled": {"scaled": False, "final_norm": True},
    "library": {"implementation": "library", "causal": True},
    "leveled": {"revin": True, "scaling": "none"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_when_a_variant_is_trained_then_it_keeps_the_contract_of_every_model(variant):
    experiment = settings("transformer", horizon=2, **VARIANTS[variant])
    blocks = task(experiment)
    first, again, other = (registry.build(experiment, seed) for seed in (1, 1, 2))
    for forecaster in (first, again, other):
        record = forecaster.fit(blocks.train, blocks.valid)

    predicted = first.predict(blocks.test)

    assert predicted.shape == (len(blocks.test), 2)
    assert np.isfinite(predicted).all()
    assert record.history[-1].train_loss < record.history[0].train_loss
    assert predicted.tobytes() == again.predict(blocks.test).tobytes()
    assert not np.array_equal(predicted, other.predict(blocks.test))
    alone = [first.predict(blocks.test.take(slice(row, row + 1))) for row in range(4)]
    np.testing.assert_allclose(np.concatenate(alone), predicted[:4], rtol=1e-4)
    weights, each = first.attention(blocks.test), first.attention_of_each(blocks.test.take(slice(0, 3)))
    assert weights.shape == (2, 2, experiment.tokens, experiment.tokens) == each.shape[1:]
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
