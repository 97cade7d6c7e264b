"""What a claim of each kind says: one settings class a kind, its keys as they stand in the file."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, SerializeAsAny, field_validator, model_validator

from panelbench.compare.claims.figures import Figure, Seeds
from panelbench.config.robustness import Margin, Metric
from panelbench.config.strict import Strict

Line = Annotated[str, Field(min_length=1, max_length=400, pattern=r"^[^\r\n]+$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]
Tolerance = Annotated[float, Field(ge=0)]
Runs = Annotated[int, Field(ge=1, le=10_000)]
Two = Annotated[tuple[str, ...], Field(min_length=2, max_length=2)]


class Claim(Strict):
    """What every claim has."""

    id: Name
    claim: Line
    """The statement, as a sentence in our own words."""
    source: Line
    """Where it was made."""
    kind: str
    why: Line | None = None
    """Why the tolerance or margin is what it is, and whatever a reader must know."""
    headline: bool = False
    """Whether the report names the claim in its first paragraph."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiments that the claim is about."""
        return ()

    @property
    def measured_as(self) -> tuple[str, str | None]:
        """What is measured (the source of a figure, or the kind), and in which metric if it is an error."""
        figure = getattr(self, "measure", None)
        if figure is None:
            return self.kind, getattr(self, "metric", None)
        return figure.source, figure.error


class _FigureClaim(Claim):
    """A claim that publishes a figure."""

    measure: SerializeAsAny[Figure]
    published: float
    tolerance: Tolerance
    """How far a measured figure may be from the published one and still count as the same."""
    runs: Runs = 1
    """How many runs (seeds) the published figure is the mean of."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiments that the figure is taken from."""
        return self.measure.subjects

    @model_validator(mode="after")
    def _tolerance_has_a_reason(self) -> _FigureClaim:
        if self.why is None:
            raise ValueError("a tolerance needs a reason: add `why`")
        return self


class ValueClaim(_FigureClaim):
    """A figure in its own unit."""

    kind: Literal["value"]


class ShareClaim(_FigureClaim):
    """A share or relative change, 0.29 for 29 %."""

    kind: Literal["share"]


class CountClaim(Claim):
    """A whole number, which is right or wrong."""

    kind: Literal["count"]
    measure: SerializeAsAny[Figure]
    published: int

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiments that are counted."""
        return self.measure.subjects


class DifferenceClaim(Claim):
    """The error of one experiment minus that of another, over common seeds."""

    kind: Literal["difference"]
    of: str
    minus: str
    metric: Metric = "rmse"
    seeds: Seeds | None = None
    """The seeds that were published, for a like-for-like mean; left out: all."""
    published: float
    tolerance: Tolerance
    runs: Runs = 1
    why: Line

    @property
    def subjects(self) -> tuple[str, ...]:
        """The two experiments."""
        return (self.of, self.minus)


class OrderClaim(Claim):
    """One experiment has a lower error than others, or several stand in a stated order."""

    kind: Literal["order"]
    better: str | None = None
    worse: str | Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    ranking: Annotated[tuple[str, ...], Field(min_length=2)] | None = None
    """Best first: each is claimed to be better than the next."""
    metric: Metric = "rmse"

    @model_validator(mode="after")
    def _one_form(self) -> OrderClaim:
        named = (self.better is not None, self.worse is not None)
        if all(named) == (self.ranking is not None) or any(named) != all(named):
            raise ValueError(
                "an order has either `better` and `worse`, or a `ranking` of two or more, best first"
            )
        if any(one == other for one, other in self.pairs) or len(set(self.pairs)) < len(self.pairs):
            raise ValueError("an experiment is compared with itself, or twice")
        return self

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every (better, worse) that the claim asserts."""
        if self.ranking is not None:
            return tuple(pairwise(self.ranking))
        others = (self.worse,) if isinstance(self.worse, str) else self.worse or ()
        return tuple((str(self.better), other) for other in others)

    @property
    def subjects(self) -> tuple[str, ...]:
        """The experiments, each once, in the order they are named."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair))


class TieClaim(Claim):
    """Two experiments are so close that the difference does not matter."""

    kind: Literal["tie"]
    tie: Two
    margin: Margin
    """How far apart they may be, as a share of their mean error."""
    metric: Metric = "rmse"
    why: Line

    @field_validator("tie")
    @classmethod
    def _two_different(cls, tie: tuple[str, ...]) -> tuple[str, ...]:
        if tie[0] == tie[1]:
            raise ValueError(f"'{tie[0]}' cannot tie with itself")
        return tie

    @property
    def subjects(self) -> tuple[str, ...]:
        """The two experiments."""
        return self.tie


class InvarianceClaim(Claim):
    """Something must not (or must) change an output; the audit tests it exactly."""

    kind: Literal["invariance"]
    check: Name
    """Id of a check in reports/audit.json."""
    passing_means: Literal["reproduced", "contradicted"] = "reproduced"
    """What it means for the claim when the check passes; a claim can be wrong because a check passes."""


class UntestableClaim(Claim):
    """A claim of any kind that nothing here can decide."""

    kind: Literal["value", "count", "order", "tie", "difference", "share", "invariance"]
    published: float | int | str | None = None
    not_testable: Line
    """The reason."""


KINDS: dict[str, type[Claim]] = {
    "value": ValueClaim,
    "count": CountClaim,
    "order": OrderClaim,
    "tie": TieClaim,
    "difference": DifferenceClaim,
    "share": ShareClaim,
    "invariance": InvarianceClaim,
}


def kind_of(content: dict[str, Any]) -> type[Claim] | None:
    """Return the class for a claim as it stands in the file; None for an unknown kind."""
    if "not_testable" in content:
        return UntestableClaim
    return KINDS.get(str(content.get("kind")))
