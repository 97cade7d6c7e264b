"""A report at the edge of arithmetic: every section is made, and no number in words is nan or inf."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from panelbench.files import write_json
from panelbench.report.load import load_report_data
from panelbench.report.sections import SECTIONS
from tests.helpers.in_process import compare_all, make_settings, train, write_panel

STEPS = 60
MODELS = {
    "ols": {"model": "ols", "features": "window"},
    "rnn": {"model": "rnn", "hidden": 4},
    "cnn": {"model": "cnn", "filters": [4], "kernels": [3]},
    "last": {"model": "last_value"},
    "wild": {"model": "ffn", "widths": [8], "learning_rate": 1e12, "clip_norm": None},
}
NOISE = np.random.default_rng(1).normal(size=(3, STEPS))
PANELS = {
    "zero": np.zeros((3, STEPS)),
    "constant": np.full((3, STEPS), 5.0),
    "one series": 100 + NOISE[:1],
    "huge": 1e15 * (0.5 + 0.1 * NOISE),
    "negative": -100 + NOISE,
}


@pytest.mark.parametrize("name", PANELS)
def test_when_a_panel_is_extreme_then_every_section_is_made_of_numbers(name: str, tmp_path: Path) -> None:
    write_panel(tmp_path, PANELS[name])
    settings = make_settings(MODELS)
    train(tmp_path, settings)
    compare_all(tmp_path, settings)
    for path, content in (("claims", []), ("robustness", {})):
        target = tmp_path / f"reports/{path}.json"
        if not target.exists():
            write_json(target, content)
    data = load_report_data(settings, tmp_path)
    (tmp_path / "reports/figures").mkdir(parents=True, exist_ok=True)
    written = ""
    for section, build in SECTIONS.items():
        if section == "audit":  # the audit did not run here
            continue
        made = build(data)
        written += "" if made is None else made.write(tmp_path / "reports") or str(made)
    words = re.sub(r"the (validation|training) loss is \w+", "", written)
    assert not re.findall(r"(?<![\w])[-+]?(?:nan|inf)(?![\w])", words, re.IGNORECASE)
    notes = json.loads((tmp_path / "reports/comparison.json").read_text())["notes"]
    assert any("wild" in note for note in notes)
