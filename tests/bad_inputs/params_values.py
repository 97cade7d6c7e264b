"""params.yaml that is YAML, and whose values, names or references cannot be meant."""

from __future__ import annotations

from datetime import date
from typing import Any

from tests.bad_inputs.case import Case
from tests.bad_inputs.params_yaml import WHOLE

FILE = r"params\.yaml"
SYNTHETIC = {"source": "synthetic", "series": 2, "steps": 20}


def bad(name: str, place: str, value: str, remedy: str, **groups: Any) -> Case:
    """Groups that take the place of right ones."""
    groups.setdefault("panel", SYNTHETIC)
    stages = ("validate", "fetch", "prepare")
    return Case(f"params: {name}", FILE, place, value, remedy, groups, {}, stages)


def own(name: str, place: str, value: str, remedy: str, model: str = "rnn", **keys: Any) -> Case:
    """Keys of one experiment."""
    experiments = {"mine": {"model": model, **keys}}
    return bad(name, rf"experiments\.mine\.{place}", value, remedy, experiments=experiments)


def written(name: str, line: str, place: str, value: str, remedy: str) -> Case:
    """One setting of a network in the words of the file, where YAML's reading of them is what matters."""
    params = WHOLE.replace("model: last_value", f"model: rnn\n    {line}")
    return Case(f"params: {name}", FILE, place, value, remedy, params, {}, ("validate",))


TYPES = [
    bad("a group is null", "split", "null", "a group of keys is needed", split=None),
    bad("a group is a list", "split", r"\[1\]", "a group of keys is needed", split=[1]),
    bad("a group is a number", "compare", "3", "a group of keys is needed", compare=3),
    bad("panel is text", "panel", "'rossmann'", "a group of keys is needed", panel="rossmann"),
    bad("no source", r"panel\.source", "missing", "Allowed: .*rossmann", panel={}),
    bad(
        "an unknown source",
        r"panel\.source",
        "'rosman'",
        "Did you mean 'rossmann'",
        panel={"source": "rosman"},
    ),
    bad("source is a list", r"panel\.source", r"\['m5'\]", "Allowed", panel={"source": ["m5"]}),
    bad("a negative seed", r"seeds\.0", "-1", "at least 0", seeds=[-1]),
    bad("a seed too large", r"seeds\.0", "4294967296", "at most 4,294,967,295", seeds=[2**32]),
    bad("a seed of text", r"seeds\.0", "'7'", "without quotes", seeds=["7"]),
    bad("a fraction for a seed", r"seeds\.0", r"0\.5", "whole number", seeds=[0.5]),
    bad("true for a seed", r"seeds\.0", "True", "whole number", seeds=[True]),
    bad("no seed", "seeds", r"\[\]", "at least 1", seeds=[]),
    bad("a seed alone", "seeds", "3", "a list is needed", seeds=3),
    bad("a seed twice", "seeds", r"\[1, 1\]", "each seed may appear once", seeds=[1, 1]),
    bad("1,001 seeds", "seeds", r"\[0, 1", "at most 1000", seeds=list(range(1001))),
    bad("no test block", r"split\.test_steps", "0", "at least 1", split={"test_steps": 0}),
    bad("a negative block", r"split\.validation_steps", "-3", "at least 0", split={"validation_steps": -3}),
    bad(
        "a misspelt key",
        r"split\.test_step",
        "'test_step'",
        "Did you mean 'test_steps'",
        split={"test_step": 1},
    ),
    bad("confidence of 95", r"compare\.confidence", "95", "below 1", compare={"confidence": 95.0}),
    bad("confidence of NaN", r"compare\.confidence", "nan", "finite", compare={"confidence": float("nan")}),
    bad(
        "confidence as text", r"compare\.confidence", "'0.9'", "without quotes", compare={"confidence": "0.9"}
    ),
    bad(
        "too many resamples",
        r"compare\.resamples",
        "1000000000",
        "at most 100,000",
        compare={"resamples": 10**9},
    ),
    own(
        "a misspelt choice",
        "positions",
        "'rotery'",
        "Did you mean 'rotary'",
        "transformer",
        positions="rotery",
    ),
    own("a piece of a name", "model", "'decoder'", "Did you mean 'transformer_decoder'", "decoder"),
    bad("an unknown renderer", r"report\.renderer", "'latex'", "'auto'", report={"renderer": "latex"}),
    bad(
        "a date for a title", r"report\.title", "2024-01-01", "in quotes", report={"title": date(2024, 1, 1)}
    ),
    bad("a title of two lines", r"report\.title", r"one\\ntwo", "one line", report={"title": "one\ntwo"}),
    bad(
        "a title that turns text round", r"report\.title", "u202e", "one line", report={"title": "\u202eabc"}
    ),
    bad("no workers", r"execution\.workers", "0", "write auto", execution={"threads": 1, "workers": 0}),
    bad("no experiment", "experiments", r"\{\}", "at least 1", experiments={}),
    bad("an experiment is null", r"experiments\.mine", "null", "a group of keys", experiments={"mine": None}),
    bad(
        "an experiment is text", r"experiments\.mine", "'rnn'", "a group of keys", experiments={"mine": "rnn"}
    ),
    bad("experiments as a list", "experiments", r"\['rnn'\]", "a group of keys", experiments=["rnn"]),
]

MODELS = [
    own("no model", "model", "null|missing", "Allowed: .*rnn", model=None),  # type: ignore[arg-type]
    own("an unknown model", "model", "'lstmm'", "Did you mean 'lstm'", model="lstmm"),
    own("a misspelt setting", "hiden", "'hiden'", "Did you mean 'hidden'", hiden=8),
    own("negative epochs", "epochs", "-5", "at least 1", epochs=-5),
    own("half an epoch", "epochs", r"1\.5", "whole number", epochs=1.5),
    own("epochs as text", "epochs", "'30'", "without quotes", epochs="30"),
    own("epochs null", "epochs", "null", "whole number", epochs=None),
    own("a huge lookback", "lookback", "1000000000", "at most 100,000", lookback=10**9),
    own("a lookback of 0", "lookback", "0", "at least 1", lookback=0),
    own("a huge network", "hidden", "1000000", "at most 65,536", hidden=10**6),
    own("a negative rate", "learning_rate", r"-0\.1", "above 0", learning_rate=-0.1),
    own("an infinite rate", "learning_rate", "inf", "finite", learning_rate=float("inf")),
    own("a rate of text", "learning_rate", "'fast'", "a number is needed", learning_rate="fast"),
    own("shuffle as text", "shuffle", "'true'", "without quotes", shuffle="true"),
    own("shuffle as 1", "shuffle", "1", "true or false", shuffle=1),
    own("a label of two lines", "label", r"a\\nb", "one line", label="a\nb"),
    own("a label of 81 letters", "label", "xxx", "at most 80", label="x" * 81),
    own("no label", "label", "''", "at least 1", label=""),
    own("heads that do not divide", "heads", "3", "multiple", model="transformer", width=16, heads=3),
    own(
        "a kernel longer than the window",
        "kernels",
        r"\[50\]",
        "lookback",
        model="cnn",
        lookback=4,
        filters=[8],
        kernels=[50],
    ),
    bad(
        "a default nobody has", r"defaults\.hiden", "'hiden'", "Did you mean 'hidden'", defaults={"hiden": 1}
    ),
    bad("a model among the defaults", r"defaults\.model", "'model'", "belongs to", defaults={"model": "rnn"}),
    bad("a default of text", r"defaults\.lookback", "'12'", "without quotes", defaults={"lookback": "12"}),
    written("1e-3", "learning_rate: 1e-3", "learning_rate", "'1e-3'", r"0\.001 or 1\.0e-3"),
    written("1.0e9", "weight_decay: 1.0e9", "weight_decay", r"'1\.0e9'", r"1\.0e\+9"),
    bad(
        "many mistakes",
        "experiments.mine",
        "'b0'",
        "more values are wrong",
        experiments={"mine": {"model": "rnn", **{f"b{n}": n for n in range(500)}}},
    ),
]

CASES = [*TYPES, *MODELS]
