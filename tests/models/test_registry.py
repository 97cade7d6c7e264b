"""Experiments become typed settings, and what is wrong is named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from panelbench.config.settings import Settings
from panelbench.config.strict import parse
from panelbench.errors import InputError
from panelbench.models import registry


def resolve(experiments, **groups):
    whole = parse(Settings, {"panel": {}, "seeds": [0], "experiments": experiments, **groups}, "")
    return registry.resolve(whole)


def test_when_defaults_are_given_then_only_models_with_the_setting_take_them():
    resolved = resolve(
        {"a": {"model": "rnn"}, "b": {"model": "last_value"}, "c": {"model": "rnn", "epochs": 7}},
        defaults={"epochs": 5, "lookback": 12},
    )

    assert (resolved["a"].epochs, resolved["c"].epochs) == (5, 7)
    assert resolved["b"].lookback == 12
    assert not hasattr(resolved["b"], "epochs")


def test_when_defaults_hold_adams_learning_rate_then_boosting_keeps_its_own_shrinkage():
    assert resolve({"a": {"model": "xgboost"}}, defaults={"learning_rate": 0.001})["a"].eta == 0.1


@pytest.mark.parametrize(
    ("name", "own", "label"),
    [
        ("lstm", {}, "LSTM"),
        ("lstm_100_epochs", {}, "LSTM, 100 epochs"),
        ("my_best", {}, "my best"),
        ("my_best", {"label": "Mine"}, "Mine"),
    ],
)
def test_when_no_label_is_given_then_one_is_made_from_model_and_name(name, own, label):
    assert resolve({name: {"model": "lstm", **own}})[name].label == label


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        ({"model": "lsmt"}, r"experiments\.a\.model is 'lsmt'.*Did you mean 'lstm'\?.*Allowed: cnn, "),
        ({"model": ["rnn"]}, r"experiments\.a\.model is \['rnn'\] \(list\).*not a model"),
        ({}, r"experiments\.a\.model is missing"),
        ({"model": "rnn", "hiden": 3}, r"experiments\.a\.hiden: .*Did you mean 'hidden'\?"),
        ({"model": "rnn", "hidden": 0}, r"experiments\.a\.hidden is 0 .*at least 1"),
        ({"model": "rnn", "hidden": True}, r"experiments\.a\.hidden is True \(true or false\)"),
        ({"model": "rnn", "learning_rate": "1e-3"}, r"learning_rate is '1e-3' .*write 0\.001 or 1\.0e-3"),
        ({"model": "rnn", "learning_rate": False}, r"learning_rate is False \(true or false\)"),
        ({"model": "rnn", "learning_rate": 0}, r"learning_rate is 0 .*above 0"),
        ({"model": "rnn", "seeds": []}, r"experiments\.a\.seeds"),
        ({"model": "rnn", "seeds": [2, 2]}, r"experiments\.a\.seeds .*each seed may appear once"),
        ({"model": "rnn", "device": "gpu"}, r"device is 'gpu' .*'auto', 'cpu', 'cuda' or 'mps'"),
        ({"model": "cnn", "lookback": 6}, r"span 7 periods, more than the lookback of 6"),
        ({"model": "cnn", "kernels": [3]}, r"one kernel for each of the 2 filters"),
        ({"model": "transformer", "heads": 5}, r"heads must divide width, and 64"),
        ({"model": "transformer", "width": 10}, r"heads is 4 .*10 is not a multiple of 4"),
        ({"model": "lasso", "label": "two\nlines"}, r"experiments\.a\.label"),
    ],
)
def test_when_an_experiment_is_wrong_then_the_message_names_place_value_and_remedy(experiment, message):
    with pytest.raises(InputError, match=message):
        resolve({"a": experiment})


@pytest.mark.parametrize(
    ("defaults", "message"),
    [
        ({"epoch": 3}, r"defaults\.epoch: no model has a setting 'epoch'\. Did you mean 'epochs'\?"),
        ({"model": "rnn"}, r"defaults\.model: 'model' belongs to each experiment"),
        ({"seeds": [1]}, r"defaults\.seeds: 'seeds' belongs to the top"),
        ({"epochs": 0}, r"defaults\.epochs \(for experiments\.a\) is 0"),
    ],
)
def test_when_a_default_is_wrong_then_the_message_points_to_the_defaults(defaults, message):
    with pytest.raises(InputError, match=message):
        resolve({"a": {"model": "rnn"}}, defaults=defaults)


def test_when_a_wrong_default_is_overridden_then_it_does_no_harm():
    assert resolve({"a": {"model": "rnn", "epochs": 2}}, defaults={"epochs": 0})["a"].epochs == 2


def test_when_whole_numbers_are_written_for_a_share_or_rate_then_they_are_taken():
    assert resolve({"a": {"model": "rnn", "learning_rate": 1, "clip_norm": None}})["a"].learning_rate == 1.0


def test_when_an_ablation_compares_equal_settings_then_it_is_refused():
    with pytest.raises(InputError, match="'b' and 'a' have the same settings"):
        resolve(
            {"a": {"model": "rnn"}, "b": {"model": "rnn", "label": "other"}},
            ablations={"q": {"baseline": "a", "variants": ["b"]}},
        )


@pytest.mark.parametrize("model", sorted(registry.MODELS))
def test_when_a_model_is_registered_then_it_builds_from_its_name_alone(model):
    experiment = resolve({"a": {"model": model}})["a"]

    assert registry.build(experiment, 0, 1, None).deterministic == experiment.deterministic


def test_when_settings_are_resolved_then_no_heavy_library_is_loaded():
    code = (
        "import sys; from panelbench.models import registry, settings, base; "
        "print({'numpy', 'torch', 'sklearn', 'xgboost', 'pandas'} & set(sys.modules))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_when_settings_go_through_json_then_they_come_back_equal():
    for model, entry in registry.MODELS.items():
        experiment = resolve({"a": {"model": model, "seeds": [1, 2]}})["a"]
        assert entry.settings.model_validate_json(experiment.model_dump_json()) == experiment


def test_when_a_quick_look_caps_epochs_then_longer_trainings_are_cut_and_shorter_ones_are_not():
    three = {"a": {"model": "rnn", "epochs": 100}, "b": {"model": "rnn", "epochs": 1}, "c": {"model": "ols"}}
    resolved = resolve(three, quick={"epochs": 2})

    assert (resolved["a"].epochs, resolved["b"].epochs) == (2, 1)


def test_when_a_quick_look_makes_an_ablations_arms_equal_then_it_is_still_run():
    two = {"a": {"model": "rnn", "epochs": 100}, "b": {"model": "rnn", "epochs": 50}}
    ablations = {"budget": {"baseline": "a", "variants": ["b"]}}

    assert resolve(two, quick={"epochs": 2}, ablations=ablations)["b"].epochs == 2


def test_when_a_leaky_split_has_a_validation_block_then_it_is_refused():
    leaky = {"model": "last_value", "horizon": 3, "boundary": "windows"}
    with pytest.raises(InputError, match=r"experiments\.leaky\.boundary is windows.*validation_steps: 0"):
        resolve({"leaky": leaky})
    resolved = resolve({"leaky": leaky}, split={"validation_steps": 0})
    assert resolved["leaky"].label == "leaky (leaky split)"


def test_when_a_model_is_wrapped_to_feed_its_forecasts_back_then_that_code_counts_as_its_own():
    two = {"a": {"model": "ols", "horizon": 2, "strategy": "recursive"}, "b": {"model": "ols", "horizon": 2}}
    own = {"c": {"model": "transformer_encoder_decoder", "horizon": 2}}
    modules = {name: registry.modules_of(one) for name, one in resolve({**two, **own}).items()}

    assert modules == {
        "a": ("panelbench.models.linear", "panelbench.models.recursive"),
        "b": ("panelbench.models.linear",),
        "c": ("panelbench.models.transformer.seq2seq",),
    }


def test_when_a_design_decides_a_setting_then_the_defaults_pass_it_by():
    defaults = {"strategy": "direct", "implementation": "library"}
    both = {"a": {"model": "transformer_decoder", "horizon": 2}, "b": {"model": "conv_transformer"}}
    resolved = resolve(both, defaults=defaults)

    assert resolved["a"].strategy == "recursive"
    assert resolved["b"].implementation == "scratch"
