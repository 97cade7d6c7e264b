from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path

import pytest

from panelbench.errors import InputError
from panelbench.probes import results
from panelbench.probes.page import depth, heads, reach, size
from panelbench.probes.page.page import Page, render
from panelbench.probes.page.summary import mean_of
from panelbench.probes.results import DepthRow, HeadsRow
from panelbench.probes.settings import PROBES
from tests.helpers.project import ROOT


@pytest.fixture(scope="module")
def html(miniature: Path) -> str:
    return render(miniature, "builtin").path.read_text("utf-8")


def test_when_every_probe_has_run_then_the_page_shows_each_with_its_sentence_figure_and_what_is_taught(
    html: str,
) -> None:
    assert re.findall(r'<h2[^>]*id="([^"]*)"', html) == list(PROBES)
    for part in re.split(r"<h2", html)[1:]:
        assert re.search(r'class="answer".*?<strong>[A-Z0-9].*?\.</strong>', part, re.DOTALL)
        assert part.count("<figure>") == 1
        assert "What is taught." in part
        assert re.search(r"\bn = \d", part)


def test_when_the_page_is_made_then_it_refers_to_nothing_outside_itself(html: str) -> None:
    assert all(source.startswith("data:") for source in re.findall(r'(?:src|href)="([^"#][^"]*)"', html))
    body = re.sub(r"<[^>]*>", " ", html)
    assert "nan" not in body.split()
    assert ":::" not in body


def test_when_a_probe_has_not_run_then_the_page_says_how(miniature: Path, tmp_path: Path) -> None:
    shutil.copytree(miniature, tmp_path, dirs_exist_ok=True)
    (tmp_path / "reports/probes/depth.json").unlink()

    with pytest.raises(InputError, match=r"depth\.json is not there.*make probes"):
        render(tmp_path, "builtin")


def test_when_a_result_is_not_a_probes_then_it_is_refused(miniature: Path, tmp_path: Path) -> None:
    path = shutil.copy(miniature / "reports/probes/heads.json", tmp_path)
    Path(path).write_text(json.dumps({"probe": "heads"}))

    with pytest.raises(InputError, match="not a result of the probe"):
        results.read("heads", tmp_path)


def test_when_every_seed_of_a_model_diverged_then_its_section_is_still_made(miniature: Path) -> None:
    page = Page(miniature, miniature / "reports")
    path = miniature / "reports/probes/reach.json"
    before = path.read_text("utf-8")
    content = json.loads(before)
    for row in content["rows"]:
        row["error"] = None if row["model"] == "lstm" else row["error"]
    try:
        path.write_text(json.dumps(content))
        assert "LSTM" in page.section("reach").to_markdown()
    finally:
        path.write_text(before)


def test_when_errors_rise_and_fall_then_the_reach_ends_at_the_first_that_is_too_large() -> None:
    assert reach.reached({1: 0.1, 3: 0.2, 5: 0.9, 8: 0.1}, 0.5) == 3
    assert reach.reached({1: 0.9, 3: 0.2}, 0.5) == 0
    assert reach.reached({1: 0.1, 3: math.nan}, 0.5) == 1


def test_when_a_seed_diverged_then_it_did_not_train() -> None:
    rows = [
        DepthRow(
            norm="pre", layers=1, warmup_steps=0, gradients=(1.0,), seed=seed, error=error, seconds=1.0,
            parameters=9,
        )
        for seed, error in enumerate([0.1, None, 0.6])
    ]

    assert depth.trained(rows, "pre", 1, 0, 0.5) == (1, 3)


def test_when_models_change_places_then_only_pairs_apart_at_both_ends_turn() -> None:
    def curve(*pairs: tuple[float, float]) -> dict[float, object]:
        return {float(place): mean_of(pair, 0.95) for place, pair in enumerate(pairs)}

    found = {
        "lasso": curve((10, 10.1), (10, 10.1)),
        "lstm": curve((20, 20.1), (5, 5.1)),
        "rnn": curve((9, 13), (8, 9)),
    }

    assert size.turned(found, 0.0, 1.0) == [("lasso", "lstm")]
    assert size.best(found, 0.0) == "lasso"


def test_when_heads_are_compared_then_the_change_is_taken_seed_by_seed() -> None:
    rows = [
        HeadsRow(heads=h, seed=seed, error=error, seconds=1.0, parameters=5)
        for h, errors in ((1, [10.0, 100.0, None]), (8, [11.0, 110.0, 3.0]))
        for seed, error in enumerate(errors)
    ]

    found = heads.paired(rows, 8, 1, "error", 0.95)

    assert found.values == pytest.approx((0.1, 0.1))
    assert found.lost == 1


def test_when_the_probes_pipeline_is_read_then_each_probe_is_a_stage_apart_from_the_benchmarks() -> None:
    import yaml

    stages = yaml.safe_load((ROOT / "probes/dvc.yaml").read_text())["stages"]

    assert list(stages) == [*PROBES, "page"]
    for name in PROBES:
        assert stages[name]["cmd"] == f"panelbench probe {name}"
        assert stages[name]["outs"] == [f"reports/probes/{name}.json"]
        assert all((ROOT / one).exists() for one in stages[name]["deps"])
    assert not set(stages) & set(yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"])
