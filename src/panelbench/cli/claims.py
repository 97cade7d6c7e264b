"""Print the ledger of claims: what was published, what was measured here, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from panelbench.compare.claims.schema import FILE, JudgedClaim, load_claims
from panelbench.errors import InputError

HEADER = ("Claim", "Published", "Measured", "Interval", "n", "Verdict")
WORDS = {
    "reproduced": "reproduced",
    "within_spread": "within run-to-run spread",
    "contradicted": "contradicted",
    "not_testable": "not testable here",
}


def table(root: Path, metric: str | None = None) -> str:
    """Return the ledger as a Markdown table, which reads well in a terminal and pastes into a document.

    Parameters
    ----------
    root
        The repository's root, where `reports/claims.json` lies.
    metric
        Only claims that state one value of this metric, such as "rmse"; None for all.

    Raises
    ------
    InputError
        If nothing was judged yet, or params.yaml names no claims.
    """
    ledger = load_claims(root / "reports" / FILE)
    if not ledger.claims:
        raise InputError(
            "the last run judged no claims, since params.yaml names no file of them. Write "
            "`claims: [ledgers/example.yaml]` there and run `dvc repro`; docs/claims.md explains them."
        )
    rows = [_row(claim) for claim in ledger.claims if metric is None or _states(claim, metric)]
    count = ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in ledger.counts.items())
    return "\n".join([*_markdown([HEADER, *rows]), "", f"All {len(ledger.claims)} claims: {count}."])


def _states(claim: JudgedClaim, metric: str) -> bool:
    return claim.kind == "value" and claim.metric == metric


def _row(claim: JudgedClaim) -> tuple[str, ...]:
    number = _share if claim.kind == "share" else _number
    interval = (
        "" if claim.low is None or claim.high is None else f"{number(claim.low)} to {number(claim.high)}"
    )
    published = claim.published if isinstance(claim.published, str) else number(claim.published)
    return (
        " ".join(claim.claim.split()).replace("|", "/"),
        published,
        number(claim.measured),
        interval,
        "" if claim.n is None else str(claim.n),
        WORDS[claim.verdict],
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 or float(value).is_integer() else f"{value:,.3g}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _markdown(rows: list[tuple[str, ...]]) -> Iterable[str]:
    """Yield the lines of a pipe table whose columns are padded to one width, numbers to the right."""
    widths = [max(2, *(len(row[column]) for row in rows)) for column in range(len(rows[0]))]  # 2: "-:"
    align: list[Callable[[str, int], str]] = [str.ljust, *[str.rjust] * 4, str.ljust]
    for position, row in enumerate(rows):
        cells = (side(cell, width) for side, cell, width in zip(align, row, widths, strict=True))
        yield f"| {' | '.join(cells)} |"
        if position == 0:
            rules = (
                "-" * width if side is str.ljust else "-" * (width - 1) + ":"
                for side, width in zip(align, widths, strict=True)
            )
            yield f"| {' | '.join(rules)} |"
