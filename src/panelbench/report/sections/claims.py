"""Claims: what somebody published, and what holds here."""

from __future__ import annotations

from collections.abc import Sequence

from panelbench.compare.claims.rules import Verdict
from panelbench.compare.claims.schema import FILE, JudgedClaim, JudgedLedger, load_claims
from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.sections import claims_figure

WORDS: dict[Verdict, tuple[str, str]] = {
    "reproduced": ("hold", "reproduced"),
    "within_spread": ("lie within run-to-run spread (undecided)", "undecided, within run-to-run spread"),
    "contradicted": ("are contradicted", "contradicted"),
    "not_testable": ("cannot be tested here", "not testable here"),
}
_ONE = {"hold": "holds", "lie": "lies", "are": "is"}
ORDER: tuple[Verdict, ...] = ("contradicted", "within_spread", "reproduced", "not_testable")
"""What a reader wants to see first."""


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where params.yaml names no file of claims."""
    if not data.settings.claims:
        return None
    ledger = load_claims(data.root / "reports" / FILE)
    sentence = _sentence(ledger)
    figures = claims_figure.build(data, ledger)
    return Section("claims", "Claims", sentence, _body(ledger), figures)


def _sentence(ledger: JudgedLedger) -> str:
    testable = len(ledger.claims) - ledger.counts["not_testable"]
    about = " ".join(words.escape(text) for text in ledger.about)
    counted = [
        f"{ledger.counts[verdict]} {_agree(WORDS[verdict][0], ledger.counts[verdict])}"
        for verdict in ("reproduced", "within_spread", "contradicted")
        if ledger.counts[verdict]
    ]
    if not testable:
        found = "None of the claims can be tested with the declared experiments."
    else:
        found = f"Of {words.plural(testable, 'claim')} that can be tested here, {words.listing(counted)}."
    return f"{about}\n\n{found}" if about else found


def _agree(phrase: str, count: int) -> str:
    """Return a verb phrase for one claim or for several."""
    if count != 1:
        return phrase
    first, _, rest = phrase.partition(" ")
    return f"{_ONE[first]} {rest}".strip()


def _body(ledger: JudgedLedger) -> str:
    parts = [_headlines(ledger)]
    for verdict in ORDER:
        chosen = [one for one in ledger.claims if one.verdict == verdict]
        if chosen:
            title = f"{words.capital(WORDS[verdict][1])}: {words.plural(len(chosen), 'claim')}"
            parts.append(details(title, _table(chosen)))
    level = words.percent(ledger.confidence)
    parts.append(
        f"Figures are like for like where the published seeds ran here too; intervals are {level} and over "
        "seeds (for two models without randomness: over target periods). A claim of an order holds only if "
        "the interval of the paired difference lies on its side of zero, a claim of a tie only if the whole "
        "interval lies inside its margin: that nothing is significant does not make a tie. A published "
        "figure counts as contradicted only if retraining does not explain the difference."
    )
    return "\n\n".join(part for part in parts if part)


def _headlines(ledger: JudgedLedger) -> str:
    """List the leading claims by verdict, a line each."""
    lines = []
    for verdict, start in (
        ("reproduced", "Holds"),
        ("within_spread", "Undecided"),
        ("contradicted", "Does not hold"),
        ("not_testable", "Not testable here"),
    ):
        lines += [
            f"- **{start}**: {words.escape(one.claim)}"
            for one in ledger.claims
            if one.headline and one.verdict == verdict
        ]
    return "\n".join(lines)


def _table(claims: Sequence[JudgedClaim]) -> str:
    rows = [[words.escape(one.claim), words.escape(one.source), words.escape(_found(one))] for one in claims]
    return table(["Claim", "Source", "Found here"], rows, "lll", kind="scroll .prose")


def _found(one: JudgedClaim) -> str:
    """Return the finding without the verdict it starts with, which the group's title says."""
    start, _, rest = one.sentence.partition(": ")
    text = words.capital(rest) if rest and len(start) < 40 else one.sentence
    parts = [text]
    if one.tolerance is not None:
        share = one.kind == "share"
        parts.append(f"Tolerance {100 * one.tolerance:g}%." if share else f"Tolerance {one.tolerance:g}.")
    return " ".join([*parts, one.why] if one.why else parts)
