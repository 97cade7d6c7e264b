"""What the benchmarks make of their measurements, and that a command is measured with all it starts."""

from __future__ import annotations

import sys

import pytest

from benchmarks import measure, scaling, training

CHILD = "block = bytearray(60 * 2**20); print(sum(range(4 * 10**7)))"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}], check=True)"


def test_when_a_command_starts_another_then_both_are_measured(tmp_path):
    usage = measure.run([sys.executable, "-c", PARENT], tmp_path)

    assert usage.output == "799999980000000\n"
    assert usage.cpu > 0
    assert usage.wall > 0
    if usage.peak_mib is not None:
        assert usage.peak_mib > 60


def test_when_a_command_fails_then_what_it_said_is_shown(tmp_path):
    failing = "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"

    with pytest.raises(SystemExit, match=r"(?s)ended with 3:.*no such thing"):
        measure.run([sys.executable, "-c", failing], tmp_path)


def test_when_recurrent_results_differ_by_more_than_the_tolerance_then_it_is_noticed():
    plain = {0: 100.0, 1: 200.0}

    assert training.agreement("rnn", plain, {0: 100.001, 1: 200.0})[1]
    assert not training.agreement("lstm", plain, {0: 100.1, 1: 200.0})[1]


def test_when_a_transformers_seeds_are_two_samples_of_one_distribution_then_they_agree():
    plain = {0: 100.0, 1: 110.0, 2: 90.0}

    assert training.agreement("transformer", plain, {0: 95.0, 1: 106.0, 2: 103.0})[1]
    assert not training.agreement("transformer", plain, {0: 195.0, 1: 206.0, 2: 203.0})[1]


def test_when_seconds_grow_with_the_rows_then_the_cost_a_row_stays():
    found = {n: {"lasso": {"cpu": 2 + 0.01 * n, "fit": 0.01 * n}} for n in (30, 300, 3000)}

    assert scaling.cost_ratio(found, "lasso", "fit") == pytest.approx(1)
    assert scaling.cost_ratio(found, "lasso", "cpu") < 1
    found[3000]["lasso"]["fit"] *= 3
    assert scaling.cost_ratio(found, "lasso", "fit") == pytest.approx(3)
    del found[300]
    assert scaling.cost_ratio(found, "lasso", "fit") is None
