from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.config import load
from panelbench.errors import InputError
from panelbench.models.registry import resolve
from tests.helpers.params import MINIMAL

ROOT = Path(__file__).resolve().parents[2]


def written(folder: Path, **changes) -> Path:
    path = folder / "params.yaml"
    path.write_text(yaml.safe_dump({**MINIMAL, **changes}))
    return path


def test_when_params_are_minimal_then_the_rest_has_defaults(tmp_path):
    settings = load(written(tmp_path))
    assert settings.seeds == (0, 1)
    assert settings.split.test_steps == 26
    assert settings.execution.threads == 1


def test_when_a_group_is_empty_then_none_of_its_keys_need_be_there(tmp_path):
    assert load(written(tmp_path, execution={})).execution.threads == 1


def test_when_the_shipped_params_are_read_then_they_are_valid(root):
    assert "transformer" in load(root / "params.yaml").experiments


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sedes": [1]}, r"'sedes' is not a setting here\. Did you mean 'seeds'\?"),
        (
            {"split": {"test_step": 3}},
            r"split\.test_step: .*Did you mean 'test_steps'\? Allowed: test_steps, val",
        ),
        (
            {"split": {"test_steps": "26"}},
            r"split\.test_steps is '26' \(text\): a whole number is needed, without quotes\.",
        ),
        ({"split": {"test_steps": 0}}, r"split\.test_steps is 0"),
        ({"split": {"test_steps": True}}, r"split\.test_steps is True"),
        ({"split": 3}, r"split"),
        ({"split": None}, r"split"),
        ({"seeds": []}, r"seeds"),
        ({"seeds": [1, 1]}, r"\[1\] do not"),
        ({"seeds": [-1]}, r"seeds\.0 is -1"),
        ({"seeds": [1.5]}, r"seeds\.0 is 1\.5"),
        ({"seeds": None}, r"seeds"),
        ({"experiments": {}}, r"experiments"),
        ({"experiments": {"a": None}}, r"experiments\.a is null \(no value\): a group of keys is needed\."),
        ({"experiments": []}, r"experiments is \[\] \(list\): a group of keys is needed\."),
        ({"seeds": 3}, r"seeds is 3 \(number\): a list is needed"),
        ({"experiments": {"../x": {"model": "rnn"}}}, r"experiments: the name '\.\./x' is not allowed"),
        ({"experiments": {"a b": {"model": "rnn"}}}, r"'a b' is not allowed"),
        ({"experiments": {"$(id)": {"model": "rnn"}}}, r"is not allowed"),
        ({"experiments": {"Rnn": {"model": "rnn"}}}, r"'Rnn' is not allowed"),
        ({"compare": {"reference": "naiv"}}, r"compare\.reference names 'naiv'.*Did you mean 'naive'\?"),
        ({"compare": {"confidence": 1.0}}, r"compare\.confidence is 1\.0"),
        ({"compare": {"confidence": float("nan")}}, r"compare\.confidence"),
        ({"ablations": {"q": {"baseline": "naive", "variants": ["nope"]}}}, r"ablations\.q names 'nope'"),
        ({"ablations": {"q": {"baseline": "naive", "variants": ["naive"]}}}, r"names an experiment twice"),
        (
            {"execution": {"workers": "all", "threads": 1}},
            r"^params.yaml: execution\.workers is 'all' \(text\): write auto, or a whole number[^.]*\.$",
        ),
        ({"execution": {"workers": 0, "threads": 1}}, r"write auto"),
        ({"execution": {"workers": True, "threads": 1}}, r"write auto"),
        ({"seeds": ["a"]}, r"^params.yaml: seeds\.0 is 'a' \(text\): a whole number is needed\.$"),
        ({"claims": ["ledgers/\0.yaml"]}, r"claims"),
        ({"report": {"title": "one\ntwo"}}, r"report\.title .*one line"),
        ({"report": {"title": "\u202eturned"}}, r"report\.title .*one line"),
        ({"report": {"renderer": "latex"}}, r"report\.renderer"),
    ],
)
def test_when_a_setting_is_wrong_then_one_paragraph_names_place_and_value(tmp_path, changes, expected):
    with pytest.raises(InputError, match=expected) as caught:
        load(written(tmp_path, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seeds: [1]\nseeds: [2]\n", "line 2.*'seeds' is given twice"),
        ("a: &x [1]\nb: *x\n", "line 2.*aliases"),
        ("a: [1\n", "line 2"),
        ("1: 2\n", "the key 1 is not text"),
        ("- 1\n", "must hold the groups"),
        ("", "must hold the groups"),
        ("a: !!python/object/apply:os.system [ls]\n", "the tag .* is not used here"),
        ("? [a]\n: 1\n", "is not text"),
        ("a: 1\nb: \0\n", r"line 2: the character U\+0000 may not stand"),
        ("a: 1\nb: \a\n", r"line 2: the character U\+0007 may not stand"),
        (f"a: {'9' * 5000}\n", "line 1.*cannot be read"),
        ("a: 2020-13-45\n", "line 1.*cannot be read"),
        ("a: 010\n", "line 1.*plain decimal"),
        ("a: 1:30\n", "line 1.*plain decimal"),
        ("a: 0x10\n", "line 1.*plain decimal"),
        ("a: 1_000\n", "line 1.*plain decimal"),
        ("a: " + "[" * 5000, "nested too deeply"),
    ],
)
def test_when_the_file_is_not_plain_yaml_then_the_line_is_named(tmp_path, text, expected):
    path = tmp_path / "params.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=expected) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def _named_by_dvc() -> list[str]:
    """Every top-level key, and every single key of a group, that a stage of dvc.yaml depends on."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"].values()
    bodies = [stage.get("do", stage) for stage in stages]
    names = {name for body in bodies for name in body.get("params", []) if "${" not in name}
    return sorted(names)


@pytest.mark.parametrize("name", _named_by_dvc())
def test_when_what_dvc_reads_is_missing_then_it_is_refused_before_anything_runs(tmp_path, name):
    content = yaml.safe_load((ROOT / "presets" / "smoke.yaml").read_text())
    group, _, key = name.partition(".")
    content["ablations"] = {}
    if key:
        del content[group][key]
    else:
        del content[group]
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(InputError, match=rf"{name} is missing"):
        load(path)


def test_when_seeds_are_no_list_then_a_quick_look_refuses_them_as_a_long_one_does(tmp_path):
    experiments = {"naive": {"model": "last_value", "seeds": 3}}
    settings = load(written(tmp_path, quick={"seeds": 1}, experiments=experiments))
    with pytest.raises(InputError, match=r"experiments\.naive\.seeds is 3"):
        resolve(settings)


def test_when_the_file_is_not_text_then_it_is_refused(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_bytes(b"seeds: [1]\n# \xff\xfe\n")
    with pytest.raises(InputError, match="UTF-8"):
        load(path)


def test_when_the_file_is_absent_then_it_is_named(tmp_path):
    with pytest.raises(InputError, match=r"params\.yaml cannot be read"):
        load(tmp_path / "params.yaml")


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    key=st.sampled_from(["panel", "split", "seeds", "defaults", "experiments", "ablations", "compare"]),
    value=junk,
)
def test_when_any_value_stands_anywhere_then_it_loads_or_is_refused_in_one_paragraph(
    tmp_path_factory, key, value
):
    path = written(tmp_path_factory.mktemp("junk"), **{key: value})
    try:
        load(path)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017 - both outcomes are fine


def test_when_a_quick_look_is_asked_for_then_seeds_are_cut_and_the_title_says_so(tmp_path):
    own = {"a": {"model": "last_value", "seeds": [42, 7, 8]}, "b": {"model": "last_value"}}
    settings = load(written(tmp_path, experiments=own, quick={"seeds": 1, "epochs": 2}))
    assert settings.seeds == (0,)
    assert settings.experiments["a"]["seeds"] == (42,)
    assert "seeds" not in settings.experiments["b"]
    assert settings.report.title.startswith("Quick look, at most 1 seed and at most 2 epochs: ")


def test_when_no_quick_look_is_asked_for_then_nothing_is_cut(tmp_path):
    settings = load(written(tmp_path, quick={"seeds": None, "epochs": None}))
    assert settings.seeds == (0, 1)
    assert "uick" not in settings.report.title
