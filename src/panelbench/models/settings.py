"""What each model can be told in params.yaml, one settings class a model; networks: `network_settings`.

Importing these modules costs nothing: no numpy, no torch, no scikit-learn.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from panelbench.config.rules import distinct_seeds
from panelbench.config.settings import Seed
from panelbench.config.strict import Line, Strict
from panelbench.config.words import number_hint


def _number(value: Any) -> Any:
    """Refuse text with a hint: YAML 1.1 reads 1e-3, which has no dot, as text."""
    if isinstance(value, str):
        raise ValueError(number_hint(value))
    return value


Positive = Annotated[float, BeforeValidator(_number), Field(gt=0, le=1e12)]
NotNegative = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1e12)]
Share = Annotated[float, BeforeValidator(_number), Field(gt=0, le=1)]
Probability = Annotated[float, BeforeValidator(_number), Field(ge=0, lt=1)]
Steps = Annotated[int, Field(ge=1, le=100_000)]
Width = Annotated[int, Field(ge=1, le=65_536)]
Features = Literal["lags46", "lags27", "window"]
LABEL = 80
"""Most characters of a label."""
LEAKY = "(leaky split)"
"""How the label of an experiment ends that trains on targets it is scored on."""
Mode = Literal["rolling", "direct", "recursive"]
MODES: dict[Mode, str] = {
    "rolling": "rolling one-step",
    "direct": "direct multi-step",
    "recursive": "recursive multi-step",
}
"""How forecasts are made, in words; docs/evaluation-modes.md says what each may know."""


class ExperimentSettings(Strict):
    """What every experiment has, whatever its model.

    Attributes
    ----------
    decided
        Settings that the model's design decides: `defaults` are not taken for them.
    generates
        Whether the model makes its recursive forecasts itself; otherwise `models/recursive.py` does.
    """

    decided: ClassVar[frozenset[str]] = frozenset()
    generates: ClassVar[bool] = False

    model: str
    """Name of the model in the registry."""
    label: Annotated[Line, Field(min_length=1, max_length=LABEL)] | None = None
    """The experiment's name in tables and figures; left out: the model's."""
    lookback: Steps = 26
    """Periods of history in a window."""
    horizon: Annotated[int, Field(ge=1, le=1000)] = 1
    """Periods to forecast."""
    covariates: Literal["ahead", "past"] = "ahead"
    """Whether known-ahead covariates are read `horizon` periods ahead or as of the origin."""
    strategy: Literal["direct", "recursive"] = "direct"
    """How more than one period is forecast: each from the same window, or one after the other, every forecast
    fed back as if it had been observed."""
    validation_steps: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Periods of the validation block; left out: the split's."""
    train_fraction: Share = 1.0
    """Share of the training windows to learn from: the latest ones, from the same periods in every series."""
    boundary: Literal["targets", "windows"] = "targets"
    """What divides training from test: `targets`, the periods that are forecast, or `windows`, their position
    in the list of all windows. The latter leaks `horizon` - 1 test periods into training; it is there to
    show what that does, and marks the experiment as leaking everywhere."""
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, max_length=1000)] | None = None
    """This experiment's own seeds; left out: those at the top of params.yaml."""

    @property
    def mode(self) -> Mode:
        """How forecasts are made; what differs in it is not compared."""
        return "rolling" if self.horizon == 1 else self.strategy

    @property
    def reads(self) -> tuple[str, ...] | None:
        """Names of the columns that the model reads; None for all."""
        return None

    @property
    def leaks(self) -> bool:
        """Whether the experiment is declared to train on targets that it is scored on."""
        return self.boundary == "windows"

    @model_validator(mode="after")
    def _label_says_that_it_leaks(self) -> Self:
        """Mark the label, whoever wrote it, so that no table or figure shows the experiment as sound."""
        # Not a validator of what comes in: that would see JSON as Python, where a list is not a tuple.
        if self.leaks and self.label is not None and not self.label.endswith(LEAKY):
            self.__dict__["label"] = f"{self.label[: LABEL - len(LEAKY) - 1]} {LEAKY}"
        return self

    @field_validator("boundary")
    @classmethod
    def _windows_reach_over_the_boundary(cls, boundary: str, info: ValidationInfo) -> str:
        if boundary == "windows" and info.data.get("horizon") == 1:
            raise ValueError(
                "with horizon 1 a window has one target, so nothing reaches over the boundary and nothing "
                "leaks; write targets"
            )
        if boundary == "windows" and info.data.get("strategy") == "recursive" and not cls.generates:
            raise ValueError(
                "with strategy: recursive one period is learned at a time, so nothing reaches over the "
                "boundary and nothing leaks; write targets"
            )
        return boundary

    @property
    def deterministic(self) -> bool:
        """Whether the seed changes nothing, so that one run says all there is to say."""
        return False

    _seeds_are_distinct = field_validator("seeds")(distinct_seeds)


class Unseeded(ExperimentSettings):
    """An experiment whose model draws nothing at random."""

    @property
    def deterministic(self) -> bool:
        """Return True: every seed gives the same forecasts."""
        return True


class TargetOnly(Unseeded):
    """A rule on the target's own past; covariates are not read."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the target alone."""
        return ("y",)


class SeasonalNaiveSettings(TargetOnly):
    """The value one season earlier."""

    season: Steps | None = None
    """Periods in a season; left out: the panel's."""


class LastValueSettings(TargetOnly):
    """The last observed value (persistence)."""


class TabularSettings(ExperimentSettings):
    """What every model on a table of features has."""

    features: Features = "lags46"
    """`lags46`, `lags27`: the course's recipes; `window`: the flattened lookback a network sees."""


class OlsSettings(TabularSettings, Unseeded):
    """Ordinary least squares."""


class PenalisedSettings(TabularSettings, Unseeded):
    """A linear model whose penalty is chosen by cross-validation inside the training block."""

    alpha: Positive | None = None
    """A fixed penalty; left out: chosen by cross-validation."""
    cv: Literal["weeks", "rows"] = "weeks"
    """`weeks`: expanding folds over periods, all series in each, scaler refitted in each fold. `rows`: the
    course's folds over series-sorted rows, scaler fitted once: they hold out series, not time."""
    splits: Annotated[int, Field(ge=2, le=50)] = 5
    """Number of folds."""


class LassoSettings(PenalisedSettings):
    """L1-penalised least squares."""

    max_iterations: Annotated[int, Field(ge=10, le=1_000_000)] = 20_000
    """Sweeps of coordinate descent; whether they were enough is in the run's notes."""


class RidgeSettings(PenalisedSettings):
    """L2-penalised least squares."""


class RandomForestSettings(TabularSettings):
    """Bagged trees with random feature subsets."""

    features: Features = "lags27"
    trees: Steps = 200
    """Number of trees."""
    max_features: Literal["sqrt", "log2", "all"] = "sqrt"
    """Features tried at each split."""
    min_leaf: Steps = 1
    """Fewest training rows in a leaf."""


class XGBoostSettings(TabularSettings):
    """Gradient-boosted trees."""

    trees: Steps = 200
    """Boosting rounds (300 while tuning, as published)."""
    eta: Share = 0.1
    """Shrinkage of each tree; not called learning_rate, which in `defaults` is Adam's."""
    depth: Annotated[int, Field(ge=1, le=30)] = 5
    """Largest depth of a tree."""
    row_sample: Share = 0.8
    """Share of the rows drawn for each tree."""
    column_sample: Share = 0.8
    """Share of the features drawn for each tree."""
    reg_lambda: NotNegative = 1.0
    """L2 penalty on leaf values."""
    tune: bool = False
    """Choose eta and depth, then reg_lambda, by the course's grid with folds in time order."""

    @property
    def deterministic(self) -> bool:
        """Return whether every tree gets all rows and features, so that nothing is drawn."""
        return self.row_sample == 1 and self.column_sample == 1


def own_seeds(experiment: ExperimentSettings, common: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seeds to run, ascending: the experiment's own or the common ones.

    A deterministic model runs once, with the first seed named: its repetitions would be no evidence.
    """
    seeds = experiment.seeds if experiment.seeds is not None else common
    return seeds[:1] if experiment.deterministic else tuple(sorted(seeds))
