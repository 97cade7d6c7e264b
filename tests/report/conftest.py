"""Projects with stored runs and a comparison, from which a report can be made without training anything."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from panelbench.compare import compare
from panelbench.config import Settings, load
from panelbench.files import write_json, write_text
from panelbench.report.data import ReportData
from panelbench.report.load import load_report_data
from panelbench.report.render import RenderResult, render
from tests.helpers.runs_tree import RunsTree

SIX = (0, 1, 2, 3, 4, 5)
ABLATIONS = {
    "positional_encoding": {"baseline": "transformer", "variants": ["learned_positions", "no_positions"]}
}
CLAIMS = """
about: A friend says that the linear model wins & that *attention* is overrated.
claims:
  - {id: score, claim: The RNN scores 50., source: a friend, kind: value, headline: true, published: 50,
     measure: {score: rmse, experiment: rnn}, tolerance: 40, why: He rounds.}
  - {id: gap, claim: It is 200 behind., source: a friend, kind: difference, of: rnn, minus: xgboost,
     published: 200, tolerance: 5, why: He rounds., headline: true}
  - {id: order, claim: The linear model wins., source: a friend, kind: order, better: lasso, worse: xgboost,
     headline: true}
  - {id: tie, claim: Positions tie., source: a friend, kind: tie, tie: [transformer, learned_positions],
     margin: 0.05, why: Enough.}
  - {id: absent, claim: The GRU is <b>best</b>., source: a | friend, kind: order, better: gru, worse: rnn}
"""
ROBUSTNESS = {
    "roles": ["lasso", "rnn", "transformer"],
    "protocols": {
        "base": {
            "title": "As it is",
            "experiments": {"lasso": "lasso", "rnn": "rnn", "transformer": "transformer"},
        },
        "two": {"title": "Two seeds", "seeds": [0, 1]},
        "other": {
            "title": "No <positions>",
            "experiments": {"transformer": "no_positions", "rnn": "last_value"},
        },
        "scaled": {"title": "Scaled", "metric": "rmsse"},
    },
    "verdicts": {
        "rnn_wins": {"title": "the RNN beats the Transformer", "better": "rnn", "worse": "transformer"},
        "naive": {"title": "the RNN & LASSO tie", "tie": ["rnn", "lasso"], "margin": 0.5},
    },
}
CHECKS = [
    {
        "id": "future",
        "title": "Values after the cutoff",
        "disturbed": "every value after the cutoff",
        "must_hold": "windows, features, scaler",
        "passed": True,
        "detail": "no number moved",
        "n": 123456,
    },
    {
        "id": "batch",
        "title": "Batch size",
        "disturbed": "the batch size of prediction",
        "must_hold": "test metrics",
        "passed": True,
        "detail": "equal",
        "n": 96,
    },
]


@dataclass
class Project:
    """A folder as the stages before `report` leave it."""

    tree: RunsTree
    root: Path

    def finish(self, audit: bool | None = True, **groups: Any) -> ReportData:
        """Compare, write params.yaml and the audit, put the document in place; return the report's data."""
        settings = self.tree.settings(seeds=list(SIX), **groups)
        write_text(self.root / "params.yaml", yaml.safe_dump(_plain(settings)))
        compare(settings, self.root)
        if audit is not None:
            checks = [{**check, "passed": audit or check["id"] != "future"} for check in CHECKS]
            write_json(self.root / "reports" / "audit.json", {"passed": audit, "checks": checks})
        source = Path(__file__).resolve().parents[2] / "reports"
        for name in ("benchmark.qmd", "theme.css"):
            shutil.copy(source / name, self.root / "reports" / name)
        return load_report_data(self.settings, self.root)

    @property
    def settings(self) -> Settings:
        return load(self.root / "params.yaml")

    def add_usual(self) -> None:
        """Add baselines, a linear model, trees, a network, a Transformer and its two variants."""
        add = self.tree.add
        add(
            "seasonal_naive",
            seeds=SIX,
            model="seasonal_naive",
            noise=60,
            deterministic=True,
            n_parameters=None,
        )
        add("last_value", seeds=SIX, model="last_value", noise=400, deterministic=True, n_parameters=None)
        add("lasso", seeds=SIX, model="lasso", noise=40, deterministic=True, n_parameters=46)
        add("xgboost", seeds=SIX, model="xgboost", noise=20, n_parameters=None, epochs=0)
        add("rnn", seeds=SIX, model="rnn", noise=50, seed_noise=9)
        heavy = {"model": "transformer", "seeds": SIX, "attention": True, "seed_noise": 6}
        add("transformer", noise=30, n_parameters=67_329, **heavy)
        add("learned_positions", noise=31, n_parameters=68_993, **heavy)
        add("no_positions", noise=25, n_parameters=67_329, **heavy)


def _plain(settings: Settings) -> Any:
    return settings.model_dump(mode="json")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project over four series and twelve test weeks."""
    return Project(RunsTree(tmp_path), tmp_path)


@pytest.fixture
def project_over(tmp_path: Path) -> Callable[..., Project]:
    """Make an empty project over given values `y` (series, periods)."""
    return lambda y, **options: Project(RunsTree(tmp_path, y=np.asarray(y, float), **options), tmp_path)


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished project with the usual experiments; not to be changed."""
    root = tmp_path_factory.mktemp("usual")
    made = Project(RunsTree(root), root)
    made.add_usual()
    write_text(root / "ledgers" / "friend.yaml", CLAIMS)
    made.finish(
        ablations=ABLATIONS,
        report={"renderer": "builtin", "title": "Which model: *this* or <that>?"},
        claims=["ledgers/friend.yaml"],
        robustness=ROBUSTNESS,
    )
    return made


@pytest.fixture(scope="session")
def data(usual: Project) -> ReportData:
    """The usual project's report data."""
    return load_report_data(usual.settings, usual.root)


@pytest.fixture(scope="session")
def rendered(usual: Project) -> RenderResult:
    """The usual project's report, rendered by the built-in renderer."""
    return render(usual.settings, usual.root)
