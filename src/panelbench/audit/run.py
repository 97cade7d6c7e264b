"""Run every check, write audit.json, and fail the pipeline if one does not pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from panelbench.audit.blocks import blocks
from panelbench.audit.causality import causal_networks
from panelbench.audit.checks import each_origin, training_block
from panelbench.audit.declared import declared_leaks
from panelbench.audit.fitted import fitted_linear, fitted_models, validation_unused
from panelbench.audit.permutation import permutations
from panelbench.audit.recursion import recursive_forecasts
from panelbench.audit.result import Check
from panelbench.audit.sample import said, sampled
from panelbench.audit.shapes import shapes
from panelbench.config import Settings
from panelbench.config.settings import SplitSettings
from panelbench.errors import RunFailure
from panelbench.files import write_json
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel, load_panel
from panelbench.panel.contract import Need, check_length


def run_checks(
    panel: Panel,
    split: SplitSettings,
    experiments: Mapping[str, ExperimentSettings],
    folder: Path = Path("data"),
) -> list[Check]:
    """Run all checks on a panel, each distinct way of reading it once.

    Parameters
    ----------
    folder
        The project's data folder, which models are not to open.

    Notes
    -----
    Models are fitted only if what they read is sound: on leaking features a fit says nothing, or fails.
    """
    distinct = shapes(experiments)
    reading = [
        training_block(panel, split, distinct),
        each_origin(panel, split, distinct),
        blocks(panel, split, distinct),
        *declared_leaks(panel, split, distinct),
    ]
    if not all(check.passed for check in reading):
        return reading
    return [
        *reading,
        # First of all that fits: a model's module is imported here, and may open a file then.
        *fitted_models(panel, split, experiments, folder),
        *fitted_linear(panel, split, experiments),
        *recursive_forecasts(panel, split, experiments),
        *causal_networks(panel, split, experiments),
        *validation_unused(panel, split, experiments),
        *permutations(panel, split, experiments),
    ]


def audit(settings: Settings, root: Path) -> list[Check]:
    """Audit the prepared panel, or a sample of a large one, and write `reports/audit.json`.

    Raises
    ------
    InputError
        If the panel is too short for an experiment.
    RunFailure
        If a check does not pass; the file is written first, so the report can show it.
    """
    panel = load_panel(root / "data/panel.parquet", root / "data/panel.json")
    experiments = registry.resolve(settings)
    check_length(panel.info, settings.split.test_steps, _needs(settings.split, experiments))
    audited = sampled(panel)
    checks = said(run_checks(audited, settings.split, experiments, root / "data"), audited, panel)
    failed = [check for check in checks if not check.passed]
    write_json(
        root / "reports/audit.json",
        {"passed": not failed, "checks": [asdict(check) for check in checks]},
    )
    if failed:
        found = " ".join(f"{check.title}: {check.detail}" for check in failed)
        raise RunFailure(f"The leak audit failed, so nothing is trained. {found} See reports/audit.json.")
    return checks


def _needs(split: SplitSettings, experiments: Mapping[str, ExperimentSettings]) -> dict[str, Need]:
    """Return the periods each experiment asks for, its validation block included."""
    return {
        name: Need(
            one.lookback,
            one.horizon,
            split.validation_steps if one.validation_steps is None else one.validation_steps,
        )
        for name, one in experiments.items()
    }
