"""Claims: what somebody published, and what holds here."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from panelbench.compare.claims.rules import Verdict
from panelbench.compare.claims.schema import FILE, JudgedClaim, JudgedLedger, load_claims
from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.sections import claims_figure

TITLES: dict[Verdict, str] = {
    "contradicted": "Contradicted",
    "within_spread": "Undecided, within run-to-run spread",
    "reproduced": "Reproduced",
    "not_testable": "Not testable here",
}
"""In the order in which a reader wants to see them in full."""
MARKS: dict[Verdict, tuple[str, str]] = {
    "reproduced": ("Holds", "holds"),
    "contradicted": ("Does not hold", "fails"),
    "within_spread": ("Undecided", "open"),
    "not_testable": ("Not testable here", "open"),
}
"""How a leading claim's verdict is said on the first screen, and the class of that word."""


@dataclass(frozen=True)
class Opening:
    """What the first screen says of a ledger; Markdown.

    Attributes
    ----------
    about
        What is claimed, in the ledger's own words.
    found
        How many claims hold, in one sentence.
    headlines
        The leading claims, a line each, by verdict.
    """

    about: str
    found: str
    headlines: str


def opening(data: ReportData) -> Opening | None:
    """Return what the first screen says of the ledger, or None where params.yaml names none."""
    if not data.settings.claims:
        return None
    ledger = load_claims(data.root / "reports" / FILE)
    about = " ".join(words.escape(text) for text in ledger.about)
    return Opening(about, _found_in_all(ledger), _headlines(ledger, data.leaky))


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where params.yaml names no file of claims."""
    if not data.settings.claims:
        return None
    ledger = load_claims(data.root / "reports" / FILE)
    figures = claims_figure.build(data, ledger)
    return Section("claims", "Claims", _found_in_all(ledger), _body(ledger, data.period), figures)


def _found_in_all(ledger: JudgedLedger) -> str:
    total = len(ledger.claims)
    testable = total - ledger.counts["not_testable"]
    files = words.listing([words.code(name) for name in ledger.files], limit=3)
    listed = f"{words.plural(total, 'claim')} listed in the ledger ({files})"
    if not testable:
        return f"None of {listed} can be tested with the declared experiments."
    counted = [
        text.format(count)
        for verdict, one, many in (
            ("reproduced", "{} holds", "{} hold"),
            ("contradicted", "{} is contradicted", "{} are contradicted"),
            ("within_spread", "{} is undecided", "{} are undecided"),
        )
        if (count := ledger.counts[verdict])
        for text in (one if count == 1 else many,)
    ]
    return f"Of {listed}, {testable} can be tested here: {words.listing(counted)}."


def _headlines(ledger: JudgedLedger, leaky: Container[str]) -> str:
    """List the leading claims by verdict, a line each; those marked that rest on a leaky split."""
    lines = [
        f"- [{word}]{{.{kind}}} {_marked(one, leaky)}"
        for verdict, (word, kind) in MARKS.items()
        for one in ledger.claims
        if one.headline and one.verdict == verdict
    ]
    if not lines:
        return ""
    undecided = (
        " *Undecided*: retraining alone could turn it round."
        if any("{.open}" in line for line in lines)
        else ""
    )
    return (
        "::: {.headlines}\n\n" + "\n".join(lines) + "\n\n:::\n\n"
        f"Every claim, with what was found, is under [claims](#claims).{undecided}"
    )


def _marked(one: JudgedClaim, leaky: Container[str]) -> str:
    """Return a claim, with a mark where it rests on a leaky split; both are one cell of the line's grid."""
    text = words.escape(one.claim)
    return f"[{text} [leaks]{{.leak}}]{{.claim}}" if any(name in leaky for name in one.subjects) else text


def _body(ledger: JudgedLedger, period: str) -> str:
    parts = []
    for verdict, title in TITLES.items():
        chosen = [one for one in ledger.claims if one.verdict == verdict]
        if chosen:
            parts.append(details(f"{title}: {words.plural(len(chosen), 'claim')}", _table(chosen)))
    level = words.percent(ledger.confidence)
    parts.append(
        f"Figures are like for like where the published seeds ran here too; intervals are {level} and over "
        f"seeds (for two models without randomness: over test {period}s). A claim of an order holds only if "
        "the interval of the paired difference lies on its side of zero, a claim of a tie only if the whole "
        "interval lies inside its margin: that nothing is significant does not make a tie. A published "
        "figure counts as contradicted only if retraining does not explain the difference."
    )
    return "\n\n".join(parts)


def _table(claims: Sequence[JudgedClaim]) -> str:
    rows = [[words.escape(one.claim), words.escape(one.source), words.escape(_found(one))] for one in claims]
    return table(["Claim", "Source", "Found here"], rows, "lll", kind="scroll .prose .claims")


def _short(value: float) -> str:
    """Return a tolerance as it was set, very small ones as 5e−7."""
    return re.sub(r"e-0*", f"e{words.MINUS}", f"{value:g}")


def _found(one: JudgedClaim) -> str:
    """Return the finding without the verdict it starts with, which the group's title says."""
    start, _, rest = one.sentence.partition(": ")
    text = words.capital(rest) if rest and len(start) < 40 else one.sentence
    parts = [text]
    if one.tolerance is not None:
        share = one.kind == "share"
        parts.append(
            f"Tolerance {_short(100 * one.tolerance)}%." if share else f"Tolerance {_short(one.tolerance)}."
        )
    return " ".join([*parts, one.why] if one.why else parts)
