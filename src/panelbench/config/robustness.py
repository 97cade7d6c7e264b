"""The group `robustness` of params.yaml: protocols that differ in one thing, verdicts looked at under each.

A *role* stands for a model in the question ("the RNN"); a *protocol* says which experiment plays it. A
role that a protocol does not name is played by the first protocol's experiment: the first one is the
baseline, and each of the others states only what it changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from panelbench.config.rules import distinct_seeds, plain_names
from panelbench.config.strict import Line, Strict, choices, nearest
from panelbench.errors import InputError

Text = Annotated[Line, Field(min_length=1, max_length=200)]
Metric = Literal["rmse", "mse", "mae", "wape", "rmsse"]
Margin = Annotated[float, Field(gt=0, lt=1)]


class ProtocolSettings(Strict):
    """One way of running the comparison."""

    title: Text
    experiments: dict[str, str] = Field(default_factory=dict)
    """Role: the experiment that plays it; left out: the baseline's."""
    seeds: Annotated[tuple[int, ...], Field(min_length=1)] | None = None
    """The seeds to look at, of those that were run; left out: all. A model without randomness ignores it."""
    metric: Metric = "rmse"

    _seeds_are_distinct = field_validator("seeds")(distinct_seeds)


class VerdictSettings(Strict):
    """One conclusion: either that `better` has the lower error than `worse`, or that two roles tie."""

    title: Text
    better: str | None = None
    worse: str | None = None
    tie: Annotated[tuple[str, ...], Field(min_length=2, max_length=2)] | None = None
    margin: Margin | None = None
    """How far apart two that tie may be, as a share of their mean error."""

    @model_validator(mode="after")
    def _one_kind(self) -> VerdictSettings:
        order = (self.better is not None, self.worse is not None)
        tie = (self.tie is not None, self.margin is not None)
        if not ((all(order) and not any(tie)) or (all(tie) and not any(order))):
            raise ValueError(
                "a verdict has either `better` and `worse`, or `tie: [one, other]` and a `margin` as in 0.03"
            )
        one, other = self.roles
        if one == other:
            raise ValueError(f"'{one}' cannot be compared with itself")
        return self

    @property
    def roles(self) -> tuple[str, str]:
        """The two roles that the verdict is about; the better one first where one is claimed to be."""
        one, other = self.tie if self.tie is not None else (self.better, self.worse)
        return str(one), str(other)


class RobustnessSettings(Strict):
    """Which verdicts survive a change of protocol; empty where nothing is asked."""

    roles: tuple[str, ...] = ()
    protocols: dict[str, ProtocolSettings] = Field(default_factory=dict)
    """In order; the first one is the baseline."""
    verdicts: dict[str, VerdictSettings] = Field(default_factory=dict)

    @field_validator("roles")
    @classmethod
    def _roles_are_distinct(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(roles)) < len(roles):
            raise ValueError("each role may appear once")
        return roles

    _names_are_plain = field_validator("protocols", "verdicts")(plain_names)

    def cast(self, protocol: str) -> dict[str, str]:
        """Return the experiment that plays each role under a protocol, the baseline's where it names none."""
        baseline = next(iter(self.protocols.values())).experiments
        own = self.protocols[protocol].experiments
        return {role: own.get(role, baseline[role]) for role in self.roles}


def check_robustness(
    robustness: RobustnessSettings, experiments: Mapping[str, object], seeds: Collection[int]
) -> None:
    """Refuse roles, experiments and seeds that are not declared, and a baseline that leaves a role open.

    Raises
    ------
    InputError
        With the key, the name found, the nearest one and the declared ones.
    """
    for name, protocol in robustness.protocols.items():
        where = f"robustness.protocols.{name}.experiments"
        _require(where, protocol.experiments, robustness.roles, "roles")
        _require(where, protocol.experiments.values(), experiments, "experiments")
        unknown = sorted(set(protocol.seeds or ()) - set(seeds))
        if unknown:
            raise InputError(
                f"params.yaml: robustness.protocols.{name}.seeds names {unknown}, with which no experiment "
                f"is run. Declared: {', '.join(map(str, sorted(seeds)))}."
            )
    for name, verdict in robustness.verdicts.items():
        _require(f"robustness.verdicts.{name}", verdict.roles, robustness.roles, "roles")
    if (robustness.roles or robustness.verdicts) and not robustness.protocols:
        raise InputError("params.yaml: robustness has roles or verdicts but no protocols; name at least one.")
    if robustness.protocols:
        baseline = next(iter(robustness.protocols))
        open_roles = [
            role for role in robustness.roles if role not in robustness.protocols[baseline].experiments
        ]
        if open_roles:
            raise InputError(
                f"params.yaml: robustness.protocols.{baseline} is the baseline (the first protocol), so it "
                f"must name an experiment for every role; missing: {', '.join(open_roles)}."
            )


def _require(where: str, names: Iterable[str], declared: Collection[str], what: str) -> None:
    for name in names:
        if name not in declared:
            group = "robustness.roles" if what == "roles" else "experiments"
            raise InputError(
                f"params.yaml: {where} names '{name}', which is not under {group}.{nearest(name, declared)} "
                f"Declared: {choices(declared) or 'none'}."
            )
