"""Every model by its name in params.yaml, without importing what it needs.

A new model is one module, one settings class and one line in `MODELS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from panelbench.config.strict import choices, describe, nearest, parse
from panelbench.config.words import on_one_line
from panelbench.errors import InputError
from panelbench.models import design_settings as designs
from panelbench.models import network_settings as networks
from panelbench.models import settings as kinds
from panelbench.models.settings import ExperimentSettings
from panelbench.models.tasks import check_tasks

if TYPE_CHECKING:
    from panelbench.config.settings import Settings
    from panelbench.models.base import Forecaster, Observer


@dataclass(frozen=True)
class Entry:
    """One model.

    Attributes
    ----------
    settings
        Its settings class, which also says whether it is deterministic.
    factory
        "module:function" under `panelbench.models`; called with (settings, seed, threads, observe).
    label
        What tables and figures call it.
    """

    settings: type[ExperimentSettings]
    factory: str
    label: str


MODELS: dict[str, Entry] = {
    "seasonal_naive": Entry(kinds.SeasonalNaiveSettings, "naive:seasonal_naive", "Seasonal naive"),
    "last_value": Entry(kinds.LastValueSettings, "naive:last_value", "Last value"),
    "ols": Entry(kinds.OlsSettings, "linear:ols", "Least squares"),
    "ridge": Entry(kinds.RidgeSettings, "linear:ridge", "Ridge"),
    "lasso": Entry(kinds.LassoSettings, "linear:lasso", "LASSO"),
    "random_forest": Entry(kinds.RandomForestSettings, "trees:random_forest", "Random forest"),
    "xgboost": Entry(kinds.XGBoostSettings, "trees:xgboost", "XGBoost"),
    "linear": Entry(designs.LinearSettings, "dlinear:linear", "Linear"),
    "dlinear": Entry(designs.DLinearSettings, "dlinear:dlinear", "DLinear"),
    "ffn": Entry(networks.FfnSettings, "feedforward:ffn", "Feed-forward network"),
    "rnn": Entry(networks.RnnSettings, "recurrent:rnn", "Vanilla RNN"),
    "lstm": Entry(networks.LstmSettings, "recurrent:lstm", "LSTM"),
    "cnn": Entry(networks.CnnSettings, "convolution:cnn", "1D CNN"),
    "transformer": Entry(networks.TransformerSettings, "transformer:transformer", "Transformer encoder"),
    "transformer_decoder": Entry(
        designs.TransformerDecoderSettings, "transformer.decoder:transformer_decoder", "Transformer decoder"
    ),
    "transformer_encoder_decoder": Entry(
        designs.TransformerEncoderDecoderSettings,
        "transformer.seq2seq:transformer_encoder_decoder",
        "Transformer encoder-decoder",
    ),
    "conv_transformer": Entry(
        designs.ConvTransformerSettings, "transformer:transformer", "Convolutional Transformer"
    ),
}

OWN_KEYS = ("model", "label", "seeds")
"""Keys that make no sense for all experiments at once; `seeds` has its own place at the top."""


def resolve(settings: Settings) -> dict[str, ExperimentSettings]:
    """Return every experiment's complete, typed settings.

    A default is taken by the models that have a setting of that name; an experiment's own value wins.
    An experiment without a label gets one from its model's and its own name.

    Raises
    ------
    InputError
        If a model or a key is unknown, a value is not allowed, a leaky split cannot leak, an ablation
        compares an experiment with one that has the same settings, or a question spans horizons.
    """
    _check_defaults(settings.defaults)
    resolved = {
        name: _resolve_one(name, own, settings.defaults) for name, own in settings.experiments.items()
    }
    _check_leaks(settings, resolved)
    check_tasks(settings, resolved)
    for title, ablation in settings.ablations.items():
        baseline = _compared(resolved[ablation.baseline])
        for variant in ablation.variants:
            if _compared(resolved[variant]) == baseline:
                raise InputError(
                    f"params.yaml: ablations.{title}: '{variant}' and '{ablation.baseline}' have the same "
                    "settings, so there is nothing to compare. Let them differ in one setting."
                )
    return {name: _cut(one, settings.quick.epochs) for name, one in resolved.items()}


def build(
    experiment: ExperimentSettings, seed: int, threads: int = 1, observe: Observer | None = None
) -> Forecaster:
    """Build an unfitted forecaster; imports only what its model needs.

    Parameters
    ----------
    seed
        Of everything the model draws: weights, dropout, batches, bootstrap rows.
    threads
        Threads the model may use.
    observe
        Told the epochs done and in all after each epoch.
    """
    module, *around = modules_of(experiment)
    function = MODELS[experiment.model].factory.partition(":")[2]
    if not around:
        factory = getattr(import_module(module), function)
        return cast("Forecaster", factory(experiment, seed, threads, observe))
    one_step = build(experiment.model_copy(update={"horizon": 1}), seed, threads, observe)
    return cast("Forecaster", import_module(around[0]).roll_out(experiment, one_step))


def modules_of(experiment: ExperimentSettings) -> tuple[str, ...]:
    """Return the modules that `build` calls: the model's, and what makes recursive forecasts with it."""
    module = f"panelbench.models.{MODELS[experiment.model].factory.partition(':')[0]}"
    fed_back = experiment.mode == "recursive" and not experiment.generates
    return (module, "panelbench.models.recursive") if fed_back else (module,)


def _check_leaks(settings: Settings, resolved: Mapping[str, ExperimentSettings]) -> None:
    """Refuse a leaky split whose training windows would reach into a validation block, not into the test."""
    for name, one in resolved.items():
        own = one.validation_steps
        steps = settings.split.validation_steps if own is None else own
        if one.leaks and steps:
            raise InputError(
                f"params.yaml: experiments.{name}.boundary is windows, but a validation block of {steps} "
                "periods lies between training and test, so what is scored does not leak. Give the "
                "experiment validation_steps: 0."
            )


def _check_defaults(defaults: Mapping[str, Any]) -> None:
    known = {key for entry in MODELS.values() for key in entry.settings.model_fields} - set(OWN_KEYS)
    for key in defaults:
        if key in OWN_KEYS:
            place = "the top of params.yaml" if key == "seeds" else "each experiment"
            raise InputError(f"params.yaml: defaults.{key}: '{key}' belongs to {place}, not to the defaults.")
        if key not in known:
            shown = on_one_line(key)
            raise InputError(
                f"params.yaml: defaults.{shown}: no model has a setting '{shown}'.{nearest(key, known)} "
                f"Allowed: {choices(known)}."
            )


def _resolve_one(name: str, own: Mapping[str, Any], defaults: Mapping[str, Any]) -> ExperimentSettings:
    model = own.get("model")
    if not isinstance(model, str) or model not in MODELS:
        found = "missing" if model is None else f"{describe(model)}, which is not a model"
        raise InputError(
            f"params.yaml: experiments.{name}.model is {found}.{nearest(str(model), MODELS)} "
            f"Allowed: {choices(MODELS)}."
        )
    entry = MODELS[model]
    allowed = entry.settings.model_fields.keys() - entry.settings.decided
    taken = {key: value for key, value in defaults.items() if key in allowed}
    where = f"experiments.{name}"
    try:
        return parse(entry.settings, {"label": _label(name, model), **taken, **own}, where)
    except InputError as error:
        # The value may have been written under defaults; point there.
        cause = error.__cause__
        problems = cause.errors() if isinstance(cause, ValidationError) else []
        message = str(error)
        wrong = {str(problem["loc"][0]) for problem in problems if problem["loc"]}
        for key in sorted(wrong & (set(taken) - set(own))):
            message = message.replace(f"{where}.{key} ", f"defaults.{key} (for {where}) ")
        raise InputError(message) from cause


def _cut(experiment: ExperimentSettings, epochs: int | None) -> ExperimentSettings:
    """Return the experiment with at most `epochs` epochs, if it has any."""
    wanted = getattr(experiment, "epochs", None)
    if epochs is None or wanted is None or wanted <= epochs:
        return experiment
    return experiment.model_copy(update={"epochs": epochs})


def _label(name: str, model: str) -> str:
    """Return "LSTM" for lstm: {model: lstm}, "LSTM, 9 epochs" for lstm_9_epochs; else the name in words."""
    if name != model and not name.startswith(f"{model}_"):
        return name.replace("_", " ")
    rest = name[len(model) + 1 :].replace("_", " ")
    return f"{MODELS[model].label}, {rest}" if rest else MODELS[model].label


def _compared(settings: ExperimentSettings) -> dict[str, Any]:
    """Return what makes an experiment another experiment: all but its label."""
    return settings.model_dump(exclude={"label"})
