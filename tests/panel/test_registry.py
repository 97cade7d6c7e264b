from __future__ import annotations

import subprocess
import sys

import pytest

from panelbench.errors import InputError
from panelbench.panel.registry import SOURCES, resolve, source
from panelbench.panel.settings import CsvSettings, M5Settings

CSV = {"source": "csv", "path": "data/user/a.csv", "time": "t", "target": "y_", "id": ["a"]}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_source_when_it_is_registered_then_it_has_fetch_and_build(name):
    module = source(name)
    assert callable(module.fetch)
    assert callable(module.build)


def test_resolve_when_keys_are_left_out_then_the_defaults_are_complete():
    settings = resolve({"source": "m5"})
    assert isinstance(settings, M5Settings)
    assert settings.path is None
    assert settings.urls[0].endswith("datasets/m5.zip")
    assert settings.urls[1].endswith("/")


def test_resolve_when_id_is_one_name_then_it_is_a_tuple_of_one():
    settings = resolve({**CSV, "id": "a"})
    assert isinstance(settings, CsvSettings)
    assert settings.id == ("a",)


@pytest.mark.parametrize(
    ("panel", "message"),
    [
        ({}, r"panel.source is missing.*chapter, csv, m5, rossmann, synthetic"),
        ({"source": "rosmann"}, r"'rosmann'.*Did you mean 'rossmann'"),
        ({"source": 3}, r"panel.source is 3 \(number\)"),
        ({"source": "rossmann", "pth": "x"}, r"panel.pth: 'pth' is not a setting here. Did you mean 'path'"),
        ({"source": "rossmann", "season": 0}, r"panel.season is 0"),
        ({"source": "m5", "urls": []}, r"panel.urls"),
        ({"source": "m5", "urls": ["file:///etc/passwd"]}, r"is not an https:"),
        ({"source": "m5", "sha256": "abc"}, r"panel.sha256"),
        ({"source": "synthetic", "frequency": "W"}, r"write W-MON"),
        ({"source": "synthetic", "frequency": "fortnight"}, r"not known; allowed are W-MON"),
        ({"source": "synthetic", "series": True}, r"panel.series is True"),
        ({"source": "csv"}, r"panel.path is missing"),
        ({**CSV, "past": ["p"], "future": ["p"]}, r"'p' is named under both past and future"),
        ({**CSV, "time": "y_"}, r"named under both time and target"),
        ({**CSV, "id": ["t"]}, r"named under both time and id"),
        ({**CSV, "id": ["y_"]}, r"named under both target and id"),
        ({**CSV, "future": ["ds"]}, r"\['ds'\] cannot be names of covariates"),
        ({**CSV, "event": "promo"}, r"event names 'promo', which is not under future"),
        ({**CSV, "decimal": ","}, r"delimiter and decimal"),
        ({**CSV, "incomplete": "fill"}, r"panel.incomplete is 'fill'"),
    ],
)
def test_resolve_when_a_setting_is_wrong_then_key_value_and_remedy_are_named(panel, message):
    with pytest.raises(InputError, match=message) as caught:
        resolve(panel)
    assert "\n" not in str(caught.value)


def test_resolve_when_imported_alone_then_sources_are_not():
    code = (
        "import sys; from panelbench.panel.registry import resolve; resolve({'source': 'm5'});"
        "print([name for name in ('requests', 'torch', 'pandas', 'numpy', 'panelbench.panel.m5') if name in "
        "sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
