"""What reports/claims.json holds: the typed form that the judge writes and the report reads."""

from __future__ import annotations

from pathlib import Path

from panelbench.compare.claims.rules import Verdict
from panelbench.config import Strict
from panelbench.files import read_model

FILE = "claims.json"


class JudgedClaim(Strict):
    """One claim with its verdict."""

    id: str
    file: str
    claim: str
    source: str
    kind: str
    measure: str
    """What is measured: a source of figures (score, parameters, ...), or the kind of a comparison."""
    metric: str | None = None
    """Where it is an error or made of errors."""
    headline: bool = False
    subjects: tuple[str, ...]
    """Experiments; an invariance names its check instead."""
    published: float | int | str | None = None
    tolerance: float | None = None
    margin: float | None = None
    """Of a tie, as a share of the two models' mean error."""
    runs: int | None = None
    """Runs behind the published figure."""
    why: str | None = None
    verdict: Verdict
    measured: float | None = None
    """In the metric's unit, a share from 0 to 1; for an order or a tie the difference of one pair."""
    low: float | None = None
    high: float | None = None
    interval_of: str = ""
    n: int | None = None
    sentence: str
    """The outcome in one plain sentence."""


class JudgedLedger(Strict):
    """The whole of reports/claims.json."""

    confidence: float
    unit: str
    files: tuple[str, ...]
    about: tuple[str, ...]
    """What each file that says so is about, in its own words."""
    counts: dict[str, int]
    """Claims by verdict; all four verdicts are there."""
    claims: tuple[JudgedClaim, ...]
    """In the order of the files."""


def load_claims(path: Path = Path("reports") / FILE) -> JudgedLedger:
    """Read claims.json back as it was written.

    Raises
    ------
    InputError
        If the file is absent or was not written by this version.
    """
    return read_model(JudgedLedger, path, "is not a ledger of this version", "Run `dvc repro compare`.")
