"""What the documents say exists: commands, files, keys, links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from panelbench.cli.main import app
from panelbench.compare.claims.ledger import load_ledger
from panelbench.config import load
from panelbench.models import registry as models
from panelbench.panel import registry as panels
from tests.bad_inputs.corpus import CASES
from tests.helpers.project import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {str(path.relative_to(ROOT)): path.read_text() for path in DOCUMENTS}
SNIPPETS = [
    pytest.param(snippet, id=f"{name}-{number}")
    for name, text in TEXTS.items()
    if name != "docs/adding-a-model.md"  # its model is an example that does not exist
    for number, snippet in enumerate(re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
]
MADE_BY_THE_PIPELINE = ("data/", "reports/", ".dvc/cache", ".dvc/tmp")


@pytest.mark.parametrize("name", TEXTS)
def test_when_a_command_is_mentioned_then_it_exists(name: str) -> None:
    commands = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    mentioned = re.findall(r"(?:`|^)panelbench(?: --debug)? ([a-z]+)", TEXTS[name], re.MULTILINE)
    assert set(mentioned) <= commands


@pytest.mark.parametrize("name", TEXTS)
def test_when_a_make_target_is_mentioned_then_it_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", TEXTS[name], re.MULTILINE)) <= targets


@pytest.mark.parametrize("name", TEXTS)
def test_when_a_file_is_mentioned_then_it_exists(name: str) -> None:
    folder = (ROOT / name).parent
    linked = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", TEXTS[name])]
    assert not [
        target for target in linked if not target.startswith("http") and not (folder / target).exists()
    ]
    named = re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:yaml|txt|toml))`", TEXTS[name])
    places = (ROOT, ROOT / "src/panelbench", ROOT / "presets")
    absent = [
        target
        for target in named
        if not target.startswith(MADE_BY_THE_PIPELINE)
        and not any((place / target).exists() for place in places)
    ]
    assert not [target for target in absent if name != "docs/adding-a-model.md"]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_when_settings_are_shown_then_they_are_valid(snippet: str, tmp_path: Path) -> None:
    whole: dict[str, Any] = yaml.safe_load((ROOT / "presets/rossmann.yaml").read_text())
    shown = yaml.safe_load(snippet)
    if "about" in shown:  # a file of claims, not params.yaml
        (tmp_path / "shown.yaml").write_text(snippet)
        assert load_ledger(("shown.yaml",), tmp_path).entries
        return
    whole.update(shown)
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
    settings = load(tmp_path / "params.yaml")
    panels.resolve(settings.panel)
    models.resolve(settings)


def test_when_dvc_stages_are_counted_then_the_documents_agree() -> None:
    stages = list(yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"])
    assert len(stages) == 8, "README.md and docs/architecture.md say eight"
    line = " -> ".join("train@<experiment>" if stage == "train" else stage for stage in stages)
    assert line in TEXTS["docs/architecture.md"]


@pytest.mark.parametrize("model", models.MODELS)
def test_when_a_model_has_a_setting_then_the_documents_explain_it(model: str) -> None:
    text = TEXTS["docs/settings.md"] + TEXTS["docs/transformer.md"]
    assert f"`{model}`" in text
    assert [key for key in models.MODELS[model].settings.model_fields if not explained(key, text)] == []


@pytest.mark.parametrize("source", panels.SOURCES)
def test_when_a_panel_source_has_a_setting_then_the_documents_explain_it(source: str) -> None:
    fields = panels.SOURCES[source].settings.model_fields
    assert [key for key in fields if not explained(key, TEXTS["docs/settings.md"])] == []


def explained(key: str, text: str) -> bool:
    """Return whether a key stands in a text as code, alone or with its default."""
    return re.search(rf"`{key}[`:]", text) is not None


def test_when_bad_inputs_are_counted_then_the_document_agrees() -> None:
    rows = re.findall(r"^\| (.*) \| (\d+) \| (\d+) \|$", TEXTS["docs/hard-to-break.md"], re.MULTILINE)
    counted = {what: int(cases) for what, cases, _ in rows}
    assert counted.pop("all") == sum(counted.values()) == len(CASES)
