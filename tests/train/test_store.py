from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from panelbench.config import Settings
from panelbench.train import place as places
from panelbench.train import store as stores
from panelbench.train.place import Place, device_here, this_place
from panelbench.train.run import Outcome, train, train_all

MakeSettings = Callable[..., Settings]
NAIVE = {"naive": {"model": "seasonal_naive", "season": 4}}


def quietly(name: str, settings: Settings, root: Path) -> tuple[Outcome, str]:
    text = io.StringIO()
    return train(name, settings, root, Console(file=text, width=300)), text.getvalue()


def from_store(outcome: Outcome) -> list[bool]:
    return [run.from_store for run in outcome.runs.runs]


def entry(project: Path) -> Path:
    (manifest,) = (project / "data/store").glob("*/*/manifest.json")
    return manifest.parent


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_when_nothing_changed_then_the_stored_seed_gives_the_same_files(
    project: Path, settings: Settings
) -> None:
    first, _ = quietly("naive", settings, project)
    before = content(first.folder)
    second, told = quietly("naive", settings, project)

    assert from_store(second) == [True]
    assert "taken from the store" in told
    after = content(second.folder)
    record = json.loads(after.pop("runs.json"))
    assert json.loads(before.pop("runs.json"))["runs"][0] == record["runs"][0] | {"from_store": False}
    assert after == before


def test_when_a_seed_is_added_then_only_it_is_trained(project: Path, settings_with: MakeSettings) -> None:
    forest = {"forest": {"model": "random_forest", "trees": 2, "features": "window"}}
    quietly("forest", settings_with(seeds=[3], experiments=forest), project)
    outcome, _ = quietly("forest", settings_with(seeds=[3, 1], experiments=forest), project)
    assert [(run.seed, run.from_store) for run in outcome.runs.runs] == [(1, False), (3, True)]


def test_when_the_number_of_threads_changes_then_it_is_trained_again(
    project: Path, settings_with: MakeSettings
) -> None:
    quietly("naive", settings_with(), project)
    outcome, _ = quietly("naive", settings_with(execution={"threads": 2}), project)
    assert from_store(outcome) == [False]
    assert outcome.runs.runs[0].threads == 2


def test_when_it_is_only_renamed_then_nothing_is_trained(project: Path, settings_with: MakeSettings) -> None:
    quietly("naive", settings_with(), project)
    settings = settings_with(experiments={"other": NAIVE["naive"] | {"label": "Renamed"}})
    outcome, _ = quietly("other", settings, project)
    assert from_store(outcome) == [True]
    assert (outcome.runs.experiment, outcome.runs.label) == ("other", "Renamed")


def test_when_a_seed_fails_then_it_is_not_stored(project: Path, settings: Settings) -> None:
    quietly("diverging", settings, project)
    assert not (project / "data/store").exists()


def flip(path: Path) -> None:
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda one: flip(one / "predictions.parquet"), r"predictions.parquet has changed"),
        (lambda one: flip(one / "record.json"), r"record.json has changed"),
        (lambda one: (one / "history.csv").unlink(), r"its files are predictions.parquet, record.json"),
        (lambda one: (one / "manifest.json").write_text("{"), r"manifest.json or record.json cannot be read"),
        (lambda one: (one / "extra.npz").write_bytes(b""), r"its files are extra.npz"),
    ],
    ids=["forecasts", "record", "missing", "manifest", "extra"],
)
def test_when_an_entry_is_damaged_then_it_is_said_and_trained_again(
    project: Path, settings: Settings, damage: Callable[[Path], object], told: str
) -> None:
    first, _ = quietly("naive", settings, project)
    before = content(first.folder)["predictions.parquet"]
    damage(entry(project))

    second, text = quietly("naive", settings, project)
    assert f"the stored seed 0 is damaged ({told}" in text
    assert from_store(second) == [False]
    assert content(second.folder)["predictions.parquet"] == before
    assert from_store(quietly("naive", settings, project)[0]) == [True]


def test_when_an_entry_lies_under_another_s_name_then_it_is_not_taken(
    project: Path, settings_with: MakeSettings
) -> None:
    quietly("naive", settings_with(), project)
    first = entry(project)
    settings = settings_with(experiments={"naive": {"model": "seasonal_naive", "season": 5}})
    quietly("naive", settings, project)
    (second,) = set((project / "data/store").glob("*/*")) - {first}
    shutil.rmtree(second)
    shutil.copytree(first, second)

    outcome, text = quietly("naive", settings, project)
    assert "it belongs to another run" in text
    assert from_store(outcome) == [False]


def test_when_another_kind_of_machine_computed_it_then_only_a_cluster_takes_it(
    project: Path, settings_with: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_with(experiments=NAIVE)
    monkeypatch.setattr(places, "processor", lambda: "another one")
    quietly("naive", settings, project)
    monkeypatch.undo()

    on_cluster = settings_with(experiments=NAIVE, execution={"backend": "dask", "scheduler": "tcp://127.0.0.1:9"})
    assert from_store(quietly("naive", on_cluster, project)[0]) == [True]
    assert from_store(quietly("naive", settings, project)[0]) == [False]
    assert len(list((project / "data/store").glob("*/*"))) == 2


def test_when_the_store_cannot_be_written_then_the_result_is_not_lost(
    project: Path, settings: Settings
) -> None:
    (project / "data/store").write_text("a file in the way")
    outcome, text = quietly("naive", settings, project)
    assert outcome.runs.runs[0].ok
    assert "seed 0 could not be stored" in text


def test_when_all_are_trained_then_each_experiment_is_only_collected(
    project: Path, settings_with: MakeSettings
) -> None:
    settings = settings_with(experiments=NAIVE | {"last": {"model": "last_value", "seeds": [5]}})
    finished = train_all(settings, project, Console(file=io.StringIO()))
    assert [(one.record.seed, one.record.from_store) for one in finished] == [(0, False), (5, False)]
    assert not (project / "data/runs").exists()
    assert list((project / "data/.unfinished").iterdir()) == []
    assert from_store(quietly("last", settings, project)[0]) == [True]


def test_when_the_store_is_pruned_then_what_the_settings_use_stays(
    project: Path, settings_with: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from panelbench.cli.store import describe

    quietly("naive", settings_with(), project)
    settings = settings_with(experiments={"naive": {"model": "seasonal_naive", "season": 5}})
    quietly("naive", settings, project)

    assert "data/store holds 2 finished seeds, 0.0 MB; 1 of" in describe(settings, project, prune=False)
    assert describe(settings, project, prune=True).endswith("were removed.")
    assert from_store(quietly("naive", settings, project)[0]) == [True]
    assert describe(settings, project, prune=False).startswith("data/store holds 1 finished seeds")


def test_when_the_store_is_on_another_file_system_then_entries_are_copied(
    project: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name == "0" and "store" in target.parts:
            raise OSError(18, "Invalid cross-device link")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    quietly("naive", settings, project)
    assert from_store(quietly("naive", settings, project)[0]) == [True]
    assert stores.MANIFEST in content(entry(project))


def test_when_a_device_is_asked_for_then_it_is_the_place_and_auto_is_looked_up() -> None:
    assert device_here(None) == "cpu"
    assert device_here("cuda") == "cuda"
    assert device_here("auto") in {"cpu", "cuda", "mps"}


@pytest.mark.parametrize("variable", ["ATEN_CPU_CAPABILITY", "TORCHDYNAMO_DISABLE"])
def test_when_a_library_is_steered_then_it_is_another_place(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    before = this_place("cpu")
    monkeypatch.setenv(variable, "1")
    assert this_place("cpu").digest != before.digest
    assert Place.model_validate_json(before.model_dump_json()).digest == before.digest
