from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from panelbench.config import Strict
from panelbench.models import registry
from panelbench.train.closure import Closure, closure
from panelbench.train.request import code_of

FILES = {
    "__init__.py": "__version__ = '1'",
    "errors.py": "",
    "models/__init__.py": "",
    "models/base.py": "class Base: ...",
    "models/rnn.py": "import torch\nfrom panelbench.models.base import B\ndef f(): import panelbench.late",
    "models/lstm.py": "from .base import Base\nfrom panelbench.data import cut",
    "models/registry.py": "from panelbench.models import everything",
    "models/rnn_settings.py": "x = 1",
    "data/__init__.py": "from panelbench.data.windows import cut",
    "data/windows.py": "def cut(): ...",
    "late.py": "",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def sha(source: Path, module: str) -> str:
    return closure(f"panelbench.models.{module}", source=source).sha256


def test_when_imports_are_followed_then_lazy_and_relative_ones_and_packages_are_found(source: Path) -> None:
    names = [name for name, _ in closure("panelbench.models.rnn", source=source).modules]
    assert names == [f"panelbench.{name}" for name in ("late", "models", "models.base", "models.rnn")]
    names = [name for name, _ in closure("panelbench.models.lstm", source=source).modules]
    assert names[:2] == ["panelbench.data", "panelbench.data.windows"]
    assert closure("panelbench.models.rnn", source=source).libraries == {"torch"}


@pytest.mark.parametrize("name", ["models/base.py", "late.py", "models/__init__.py"])
def test_when_code_that_a_model_runs_changes_then_its_hash_does(source: Path, name: str) -> None:
    before = sha(source, "rnn")
    (source / name).write_text(FILES[name] + "\nadded = 1")
    assert sha(source, "rnn") != before


@pytest.mark.parametrize("name", ["models/lstm.py", "data/windows.py", "models/registry.py", "__init__.py"])
def test_when_other_code_changes_then_the_hash_stays(source: Path, name: str) -> None:
    before = sha(source, "rnn")
    (source / name).write_text(FILES[name] + "\nadded = 1")
    assert sha(source, "rnn") == before


def test_when_only_words_change_then_the_hash_stays(source: Path) -> None:
    before = sha(source, "lstm")
    (source / "data/windows.py").write_text('"""Cut."""\n\ndef cut():  # a remark\n  "Cut windows."\n  ...')
    assert sha(source, "lstm") == before
    (source / "data/windows.py").write_text("def cut(): return 'words'")
    assert sha(source, "lstm") != before


def test_when_only_the_type_checker_imports_then_it_is_left_out(source: Path) -> None:
    (source / "models/rnn.py").write_text(
        "import typing\nif typing.TYPE_CHECKING:\n    from panelbench.data import cut\nelse: import numpy"
    )
    found = closure("panelbench.models.rnn", source=source)
    assert "panelbench.data" not in dict(found.modules)
    assert found.libraries == {"typing", "numpy"}


def test_when_a_file_is_no_python_then_its_bytes_count(source: Path) -> None:
    (source / "models/base.py").write_text("def (")
    before = sha(source, "rnn")
    (source / "models/base.py").write_text("def )")
    assert sha(source, "rnn") != before


def code_of_model(name: str) -> Closure:
    return code_of(registry.MODELS[name].settings(model=name))


def test_when_models_are_told_apart_then_each_has_its_own_code() -> None:
    rnn, naive = dict(code_of_model("rnn").modules), dict(code_of_model("seasonal_naive").modules)
    assert {"panelbench.models.loop", "panelbench.data.windows", "panelbench.train.fit"} <= set(rnn)
    assert "panelbench.models.loop" not in naive
    assert not {name for name in rnn if name.startswith(("panelbench.report", "panelbench.config"))}
    assert "torch" in code_of_model("rnn").libraries
    assert "torch" not in code_of_model("lasso").libraries


def test_when_settings_are_not_hashed_then_they_do_nothing_but_hold_values() -> None:
    """A public method could compute a result by code that no key knows."""
    kinds = {kind for entry in registry.MODELS.values() for kind in entry.settings.__mro__}
    own = {kind for kind in kinds if issubclass(kind, Strict) and kind.__module__ != Strict.__module__}
    methods = [
        f"{kind.__name__}.{name}"
        for kind in own
        for name, value in vars(kind).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, classmethod | staticmethod))
    ]
    assert not methods
