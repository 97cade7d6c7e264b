from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from panelbench.config import load
from panelbench.errors import InputError

BASE: dict[str, Any] = {
    "panel": {"source": "synthetic"},
    **{name: {} for name in ("split", "defaults", "ablations", "quick", "compare", "report", "robustness")},
    "execution": {"threads": 1},
    "claims": [],
    "seeds": [0, 1],
    "experiments": {"a": {"model": "rnn"}, "a_long": {"model": "rnn"}, "b": {"model": "lasso"}},
}
GOOD: dict[str, Any] = {
    "roles": ["a", "b"],
    "protocols": {
        "published": {"title": "As published", "experiments": {"a": "a", "b": "b"}, "seeds": [0]},
        "long": {"title": "Longer", "experiments": {"a": "a_long"}},
    },
    "verdicts": {
        "b_wins": {"title": "b beats a", "better": "b", "worse": "a"},
        "level": {"title": "a ties b", "tie": ["a", "b"], "margin": 0.03},
    },
}


def settings(tmp_path, **groups):
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump({**BASE, **groups}, sort_keys=False))
    return load(path)


def test_when_a_protocol_leaves_a_role_out_then_the_baseline_plays_it(tmp_path):
    robustness = settings(tmp_path, robustness=GOOD).robustness
    assert robustness.cast("long") == {"a": "a_long", "b": "b"}
    assert robustness.cast("published") == {"a": "a", "b": "b"}
    assert robustness.verdicts["b_wins"].roles == ("b", "a")


def test_when_nothing_is_asked_then_the_groups_are_empty(tmp_path):
    loaded = settings(tmp_path)
    assert loaded.claims == ()
    assert not loaded.robustness.protocols


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("protocols", "long", "experiments", "a"), "a_lon", "Did you mean 'a_long'"),
        (("protocols", "long", "experiments", "c"), "a", "not under robustness.roles"),
        (("protocols", "published", "experiments"), {"a": "a"}, "missing: b"),
        (("protocols", "long", "metric"), "rmsle", "metric"),
        (("protocols", "long", "seed"), [1], "Did you mean 'seeds'"),
        (("protocols", "long", "seeds"), [0, 0], "each seed may appear once"),
        (("protocols", "long", "seeds"), [0, 77], "[77], with which no experiment is run. Declared: 0, 1"),
        (("protocols", "../x"), {"title": "t", "experiments": {}}, "name '../x' is not allowed"),
        (("verdicts", "<b>"), {"title": "t", "better": "b", "worse": "a"}, "name '<b>' is not allowed"),
        (("verdicts", "b_wins", "better"), "bb", "not under robustness.roles"),
        (("verdicts", "b_wins", "better"), "a", "with itself"),
        (("verdicts", "b_wins"), {"title": "t", "better": "b"}, "either `better` and `worse`"),
        (("verdicts", "level"), {"title": "t", "tie": ["a", "b"]}, "margin"),
        (("verdicts", "level", "margin"), 3.0, "margin"),
        (("verdicts", "level", "better"), "a", "either"),
        (("roles",), ["a", "a", "b"], "once"),
        (("protocols",), {}, "no protocols"),
    ],
)
def test_when_a_name_or_value_is_wrong_then_the_message_says_where(tmp_path, path, value, message):
    group = yaml.safe_load(yaml.safe_dump(GOOD))
    place = group
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError, match=re.escape(message)):
        settings(tmp_path, robustness=group)


@pytest.mark.parametrize(
    "path", ["../x.yaml", "/etc/x.yaml", "ledgers/x.json", "a\\b.yaml", "ledgers/../../x.yaml"]
)
def test_when_a_claims_file_lies_outside_the_repository_then_it_is_refused(tmp_path, path):
    with pytest.raises(InputError, match="inside the repository"):
        settings(tmp_path, claims=[path])


def test_when_a_claims_file_is_named_twice_then_it_is_refused(tmp_path):
    with pytest.raises(InputError, match="once"):
        settings(tmp_path, claims=["ledgers/a.yaml", "ledgers/a.yaml"])
