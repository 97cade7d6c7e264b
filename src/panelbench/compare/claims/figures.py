"""Where a claim's measured figure comes from: one small settings class a source.

In the file it is the group `measure`; which source it is follows from its first key, so
`{score: rmse, experiment: rnn}` is a score and `{parameters: rnn}` a count.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from panelbench.compare.claims.arithmetic import evaluate
from panelbench.config.robustness import Metric
from panelbench.config.strict import Strict

Seeds = Annotated[tuple[int, ...], Field(min_length=1)]
Step = Annotated[int, Field(ge=0, le=100_000)]


class Figure(Strict):
    """Any source of a figure."""

    @property
    def source(self) -> str:
        """The key that tells which source this is."""
        return next(key for key, kind in FIGURES.items() if kind is type(self))

    @property
    def error(self) -> str | None:
        """The metric, where the figure is an error or made of errors."""
        return next(
            (str(value) for key in ("score", "range", "metric") if (value := getattr(self, key, None))), None
        )

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiments that the figure is taken from."""
        return ()


class Score(Figure):
    """Mean over seeds of an experiment's error on the test block."""

    score: Metric
    experiment: str
    seeds: Seeds | None = None
    """The seeds that were published, for a like-for-like mean; left out: all."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment."""
        return (self.experiment,)


class RangeOfScores(Figure):
    """Largest minus smallest error over an experiment's seeds."""

    range: Metric
    experiment: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment."""
        return (self.experiment,)


class Change(Figure):
    """Relative change of the error from one experiment to another: `change` over `relative_to`, minus one."""

    change: str
    relative_to: str
    metric: Metric = "rmse"
    seeds: Seeds | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment that is compared, and the one it is compared to."""
        return (self.change, self.relative_to)


class Improvement(Figure):
    """How much lower one experiment's error is than another's, as a share of it: 0.72 for 72 % less."""

    improvement: str
    relative_to: str
    metric: Metric = "rmse"
    seeds: Seeds | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment that is better, and the one it is better than."""
        return (self.improvement, self.relative_to)


class Parameters(Figure):
    """Number of learned coefficients, or how it compares with another experiment's."""

    parameters: str
    over: str | None = None
    """As a multiple of this one's."""
    minus: str | None = None
    """Less this one's: a published 0 says that the two have equally many."""

    @field_validator("minus")
    @classmethod
    def _one_relation(cls, minus: str | None, info: ValidationInfo) -> str | None:
        if minus is not None and info.data.get("over") is not None:
            raise ValueError("write `over` or `minus`, not both")
        return minus

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment or experiments that are counted."""
        return tuple(name for name in (self.parameters, self.over, self.minus) if name is not None)


class Rows(Figure):
    """Number of training, validation or test rows of an experiment."""

    rows: Literal["train", "valid", "test"]
    experiment: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment."""
        return (self.experiment,)


class NoteOfRun(Figure):
    """Something a model noted while it was fitted, such as `alpha` or `nonzero`; a mean over seeds."""

    note: str
    experiment: str
    seeds: Seeds | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiment."""
        return (self.experiment,)


class Fact(Figure):
    """A fact about the panel."""

    fact: Literal[
        "between_series_share", "autocorrelation", "lead_correlation", "largest_lead_correlation", "series",
        "steps", "mean_of_test_block",
    ]  # fmt: skip
    lag: Step | None = None
    """Of `autocorrelation`."""
    covariate: str | None = None
    """Of the lead correlations."""
    lead: Step | None = None
    """Of `lead_correlation`."""
    leads: Annotated[tuple[Step, ...], Field(min_length=1)] | None = None
    """Of `largest_lead_correlation`."""

    def missing(self) -> list[str]:
        """Return the keys that this fact needs and does not have."""
        needed = {
            "autocorrelation": ("lag",),
            "lead_correlation": ("covariate", "lead"),
            "largest_lead_correlation": ("covariate", "leads"),
        }
        return [key for key in needed.get(self.fact, ()) if getattr(self, key) is None]


class Arithmetic(Figure):
    """The value of an expression."""

    arithmetic: str

    @field_validator("arithmetic")
    @classmethod
    def _has_a_value(cls, text: str) -> str:
        evaluate(text)
        return text


FIGURES: dict[str, type[Figure]] = {
    "score": Score,
    "range": RangeOfScores,
    "change": Change,
    "improvement": Improvement,
    "parameters": Parameters,
    "rows": Rows,
    "note": NoteOfRun,
    "fact": Fact,
    "arithmetic": Arithmetic,
}
"""By the key that tells which source a `measure` group is."""
