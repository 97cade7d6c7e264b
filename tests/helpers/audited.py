"""What tests of the audit share: a panel, its split, experiments, and the checks that did not pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from panelbench.audit.result import Check
from panelbench.config.settings import Settings, SplitSettings
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings

SPLIT = SplitSettings(test_steps=20, validation_steps=8)


def declared(**experiments: dict[str, Any]) -> dict[str, ExperimentSettings]:
    """Return the resolved settings of experiments that look 8 periods back."""
    settings = Settings(
        panel={"source": "synthetic"}, seeds=(0,), defaults={"lookback": 8}, experiments=experiments
    )
    return registry.resolve(settings)


def failed(found: Iterable[Check]) -> set[str]:
    """Return the ids of the checks that did not pass."""
    return {check.id for check in found if not check.passed}
