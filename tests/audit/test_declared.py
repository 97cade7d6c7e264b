"""The positive control: a leak that is declared is found, and one that is not is no less a leak beside it."""

from __future__ import annotations

import pytest

from panelbench.audit import blocks, shapes
from panelbench.audit import declared as declared_module
from panelbench.audit.run import run_checks
from tests.helpers.audited import SPLIT, declared, failed
from tests.helpers.panels import make_panel


@pytest.fixture
def panel():
    return make_panel(series=3, steps=130)


LEAKY = {"model": "ols", "features": "window", "horizon": 4, "boundary": "windows", "validation_steps": 0}


def test_when_a_leak_is_declared_then_it_is_found_and_the_audit_passes(panel):
    chosen = declared(sound={**LEAKY, "boundary": "targets"}, leaky=LEAKY)
    found = run_checks(panel, SPLIT, chosen)
    assert not failed(found)
    check = next(one for one in found if one.id == "declared_leaks")
    assert check.detail == "leaky: leaks, as declared: 9 training windows hold 9 test targets."


def found_in(panel, leaky):
    (check,) = declared_module.declared_leaks(panel, SPLIT, shapes.shapes({"leaky": leaky}))
    return check


def cut_by(monkeypatch, module, boundary):
    """Plant: whatever was declared, tasks are cut by this boundary."""
    build = module.build_task

    def other(panel, split, settings):
        return build(panel, split, settings.model_copy(update={"boundary": boundary}))

    monkeypatch.setattr(module, "build_task", other)


def test_when_a_validation_block_takes_the_leak_then_it_is_missed_and_the_audit_fails(panel):
    leaky = declared(leaky=LEAKY)["leaky"].model_copy(update={"validation_steps": 3})
    check = found_in(panel, leaky)
    assert not check.passed
    assert "is declared to leak, and 0 training windows" in check.detail


def test_when_the_pipeline_cuts_by_target_after_all_then_the_declared_leak_is_missed(panel, monkeypatch):
    cut_by(monkeypatch, declared_module, "targets")
    check = found_in(panel, declared(leaky=LEAKY)["leaky"])
    assert not check.passed
    assert "0 training windows hold a test target by date, 0 by disturbance" in check.detail


def test_when_an_undeclared_experiment_leaks_beside_a_declared_one_then_the_audit_fails(panel, monkeypatch):
    cut_by(monkeypatch, blocks, "windows")
    chosen = declared(sound={**LEAKY, "boundary": "targets"}, leaky=LEAKY)
    check = blocks.blocks(panel, SPLIT, shapes.shapes(chosen))
    assert not check.passed
    assert "sound: a training target lies on or after" in check.detail
    assert "leaky:" not in check.detail
