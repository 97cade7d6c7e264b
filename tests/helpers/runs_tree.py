"""Write a small synthetic project tree: a panel and stored runs, without training anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from panelbench.config import Settings, parse
from panelbench.files import sha256, write_csv, write_json, write_npz, write_parquet
from panelbench.panel.panel import PanelInfo
from tests.helpers import run_files

VERSIONS = {"python": "3.11.0", "torch": "2.13.0", "numpy": "2.2.0", "pandas": "3.0.0", "panelbench": "0.1.0"}


@dataclass
class RunsTree:
    """A panel of `n_series` x `n_steps` whose last `test_steps` periods are the test block.

    `tree.add("rnn", noise=5.0, seeds=(0, 1, 2))` makes runs whose forecasts are the actual value plus
    `bias` plus normal noise; `forecasts` gives them outright, as (seeds, series, test_steps).
    `tree.settings()` declares exactly the experiments that were added.
    """

    root: Path
    n_series: int = 4
    n_steps: int = 60
    test_steps: int = 12
    horizon: int = 1
    seed: int = 0
    y: np.ndarray | None = None
    frequency: str = "W-MON"
    target_name: str = "weekly sales"
    experiments: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        if self.y is None:
            level = 100.0 * 2.0 ** np.arange(self.n_series)
            season = 1 + 0.2 * np.sin(2 * np.pi * np.arange(self.n_steps) / 52)
            self.y = level[:, None] * (season + 0.1 * rng.normal(size=(self.n_series, self.n_steps)))
        self.n_series, self.n_steps = self.y.shape
        self.names = [f"store_{i:02d}" for i in range(self.n_series)]
        self.dates = pd.date_range("2020-01-06", periods=self.n_steps, freq=self.frequency)
        self.write_panel()

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    def run_folder(self, name: str) -> Path:
        return self.root / "data" / "runs" / name

    def write_panel(self) -> None:
        frame = pd.DataFrame(
            {
                "unique_id": np.repeat(self.names, self.n_steps),
                "ds": np.tile(self.dates, self.n_series),
                "y": self.y.ravel(),
                "promo_days": np.tile(np.arange(self.n_steps) % 3 * 2.0, self.n_series),
            }
        )
        path = self.root / "data" / "panel.parquet"
        write_parquet(path, frame)
        self.panel_sha256 = sha256(path)
        info = PanelInfo(
            source="synthetic",
            title="Four made-up stores",
            target_name=self.target_name,
            unit="EUR",
            frequency=self.frequency,
            season=52,
            n_series=self.n_series,
            n_steps=self.n_steps,
            n_rows=len(frame),
            start=str(self.dates[0].date()),
            end=str(self.dates[-1].date()),
            future=("promo_days",),
            zero_rows=int((self.y == 0).sum()),
            sha256=self.panel_sha256,
        )
        write_json(self.root / "data" / "panel.json", info.model_dump(mode="json"))

    def add(
        self,
        name: str,
        *,
        seeds: tuple[int, ...] = (0, 1, 2),
        noise: float = 5.0,
        bias: float = 0.0,
        seed_noise: float = 1.0,
        failed: dict[int, str] | None = None,
        deterministic: bool = False,
        forecasts: np.ndarray | None = None,
        model: str = "rnn",
        n_parameters: int | None = 4545,
        epochs: int = 3,
        attention: bool = False,
        record: dict[str, Any] | None = None,
        own: dict[str, Any] | None = None,
    ) -> None:
        """Write one experiment: `noise` is shared by its seeds, `seed_noise` differs between them."""
        failed = failed or {}
        ok = [seed for seed in seeds if seed not in failed]
        ok = ok[:1] if deterministic else ok
        rng = np.random.default_rng([self.seed, len(self.experiments)])
        shape = (self.n_series, self.test_steps)
        if forecasts is None:
            common = self.y[:, -self.test_steps :] + bias + noise * rng.normal(size=shape)
            forecasts = np.stack([common + seed_noise * rng.normal(size=shape) for _ in ok]) if ok else None
        folder = self.run_folder(name)
        folder.mkdir(parents=True, exist_ok=True)
        if ok:
            horizon = (own or {}).get("horizon", self.horizon)
            write_parquet(folder / "predictions.parquet", self._predictions(ok, forecasts, horizon))
        recorded = [*ok, *failed] if deterministic else list(seeds)
        common_record = {
            "seconds_fit": 1.5,
            "seconds_predict": 0.1,
            "peak_memory_mib": 300.0,
            "n_parameters": n_parameters,
            "deterministic": deterministic,
            "n_train": 100,
            "n_valid": 20,
            "n_test": self.n_series * self.test_steps,
            "panel_sha256": self.panel_sha256,
            "code_sha256": "c" * 64,
            "git_revision": "abc1234",
            "versions": VERSIONS,
            "threads": 1,
            "device": "cpu",
            "platform": "Linux",
            "cpu_count": 2,
        }
        runs = [
            {
                "seed": seed,
                "status": "failed" if seed in failed else "ok",
                "error": failed.get(seed),
                **common_record,
                "traceback": "Traceback (most recent call last): ..." if seed in failed else None,
                **(record or {}),
            }
            for seed in recorded
        ]
        settings = {
            "model": model,
            "lookback": 13,
            "horizon": self.horizon,
            "covariates": "ahead",
            **(own or {}),
        }
        write_json(
            folder / "runs.json",
            {
                "experiment": name,
                "label": name.replace("_", " "),
                "model": model,
                "settings": settings,
                "runs": runs,
            },
        )
        write_csv(folder / "history.csv", run_files.history(ok, 0 if deterministic else epochs))
        if attention and ok:
            written = run_files.attention(ok, self.names, self.dates, self.seed)
            write_npz(folder / "attention.npz", written)
        self.experiments[name] = {
            "model": model,
            **({"seeds": list(seeds)} if seeds != (0, 1, 2) else {}),
            **(own or {}),
        }

    def settings(self, **groups: Any) -> Settings:
        """Return settings that declare what was added; `compare={"resamples": 200}` and the like override."""
        content: dict[str, Any] = {
            "panel": {"source": "synthetic"},
            "split": {"test_steps": self.test_steps, "validation_steps": 8},
            "seeds": [0, 1, 2],
            "defaults": {"lookback": 13, "horizon": self.horizon},
            "experiments": self.experiments,
            "compare": {"resamples": 200, "block_length": 3},
        }
        return parse(Settings, {**content, **groups}, "")

    def _predictions(self, seeds: list[int], forecasts: np.ndarray, horizon: int) -> pd.DataFrame:
        """Rows by seed, series, target period, step, of every origin whose targets all lie in the block."""
        start = self.n_steps - self.test_steps
        frames = []
        for place, seed in enumerate(seeds):
            s, w, h = np.meshgrid(
                np.arange(self.n_series),
                np.arange(self.test_steps),
                np.arange(1, horizon + 1),
                indexing="ij",
            )
            whole = (w - h >= -1) & (w - h + horizon < self.test_steps)
            s, w, h = s[whole], w[whole], h[whole]
            frames.append(
                pd.DataFrame(
                    {
                        "unique_id": np.asarray(self.names)[s],
                        "ds": self.dates[start + w],
                        "origin": self.dates[start + w - h],
                        "step": h,
                        "seed": seed,
                        "y": self.y[s, start + w],
                        "y_hat": forecasts[place][s, w],
                    }
                )
            )
        return pd.concat(frames, ignore_index=True)
