"""Robustness: which verdicts survive a change of protocol."""

from __future__ import annotations

from panelbench.compare.robustness_schema import FILE, JudgedVerdict, Robustness, RoleScore, load_robustness
from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.sections import robustness_figures as figures

OUTCOMES = {
    "holds": "holds",
    "reversed": "reversed",
    "not_separable": "cannot tell",
    "not_testable": "not testable",
}


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where params.yaml declares no protocol."""
    if not data.settings.robustness.protocols:
        return None
    found = load_robustness(data.root / "reports" / FILE)
    drawn = [figures.ranks(data, found)]
    if found.verdicts:
        drawn.append(figures.grid(found))
    return Section("robustness", "Robustness", _sentence(found), _body(data, found), tuple(drawn))


def in_short(data: ReportData) -> str:
    """Return the section's answer as a paragraph for the first screen; empty where nothing is looked at."""
    if not data.settings.robustness.verdicts or not data.settings.robustness.protocols:
        return ""
    found = load_robustness(data.root / "reports" / FILE)
    return f"**And under another protocol?** {_sentence(found)} See [robustness](#robustness)."


def _sentence(found: Robustness) -> str:
    if not found.verdicts:
        return f"The models were ranked under {words.plural(len(found.protocols), 'protocol')}."
    solid = [one for one in found.verdicts.values() if _testable(one) == one.counts["holds"] > 0]
    turned = {name: _turned_by(found, name) for name in found.verdicts}
    turned = {name: protocols for name, protocols in turned.items() if protocols}
    start = (
        f"Of {words.plural(len(found.verdicts), 'verdict')} looked at under "
        f"{words.plural(len(found.protocols), 'protocol')}, {_listed(solid)} every one"
    )
    if not turned:
        return f"{start}, and none is turned round by any."
    fragile = max(turned, key=lambda name: len(turned[name]))
    titles = [f"“{words.escape(found.protocols[name].title)}”" for name in turned[fragile]]
    return (
        f"{start} and {len(turned)} {'is' if len(turned) == 1 else 'are'} turned round by at least one; the "
        f"most fragile is that {words.escape(found.verdicts[fragile].title)}, turned round by "
        f"{words.listing(titles, limit=2)}."
    )


def _turned_by(found: Robustness, verdict: str) -> list[str]:
    """Return the protocols that reverse a verdict by runs of their own."""
    again = figures.repeats(found, verdict)
    return [name for name in found.verdicts[verdict].flipped_by if name not in again]


def _testable(one: JudgedVerdict) -> int:
    return sum(one.counts.values()) - one.counts["not_testable"]


def _listed(solid: list[JudgedVerdict]) -> str:
    if not solid:
        return "none holds under"
    named = words.listing([words.escape(one.title) for one in solid], limit=2)
    return f"{len(solid)} ({named}) {'holds' if len(solid) == 1 else 'hold'} under"


def _body(data: ReportData, found: Robustness) -> str:
    parts = [
        "Each protocol differs from the first in what its title says: a flip tells what a verdict hangs on. "
        "*Holds* and *reversed* mean that the paired interval over seeds lies on one side of zero (for a "
        "tie: inside or outside its margin); in between the runs cannot tell, which two seeds seldom can. "
        "A protocol that changes neither of a verdict's models shows the same runs again: it is drawn small "
        "and not counted in the table. "
        "Nothing is adjusted for the number of protocols: one surprising mark among many is weak evidence."
    ]
    if found.verdicts:
        rows = [_row(found, name) for name in found.verdicts]
        header = ["Verdict", "Turned round by", "Holds", "Cannot tell"]
        parts.append(table(header, rows, "llrr", kind="scroll .prose"))
        parts.append(details("Every verdict under every protocol", _cells(data, found)))
    parts.append(details("The errors behind the ranks", _scores(found)))
    return "\n\n".join(parts)


def _row(found: Robustness, name: str) -> list[str]:
    """Return a verdict's row: counts are over protocols with runs of their own."""
    one, again = found.verdicts[name], figures.repeats(found, name)
    outcomes = [cell.outcome for protocol, cell in one.cells.items() if protocol not in again]
    testable = sum(outcome != "not_testable" for outcome in outcomes)
    titles = [words.escape(found.protocols[protocol].title) for protocol in _turned_by(found, name)]
    return [
        words.escape(words.capital(one.title)),
        "; ".join(titles) or words.MISSING,
        f"{outcomes.count('holds')} of {testable}".replace(" ", words.NARROW_SPACE),
        str(outcomes.count("not_separable")),
    ]


def _cells(data: ReportData, found: Robustness) -> str:
    """Return one small table a verdict."""
    header = [
        "Protocol",
        "Outcome",
        "Difference",
        "Interval over seeds",
        "n",
        f"Interval over {data.period}s",
    ]
    parts = []
    for verdict, one in found.verdicts.items():
        again = figures.repeats(found, verdict)
        rows = [
            [
                words.escape(found.protocols[name].title),
                OUTCOMES[cell.outcome] + (" (same runs)" if name in again else ""),
                words.MISSING if cell.share is None else words.signed(100 * cell.share, 1) + "%",
                _interval(cell.low, cell.high),
                words.number(cell.n, 0),
                _interval(cell.period_low, cell.period_high),
            ]
            for name, cell in one.cells.items()
        ]
        parts += [f"**{words.escape(words.capital(one.title))}.**", table(header, rows, "llrrrr")]
    parts.append(
        "Difference of the first-named minus the other, as a share of their mean error; intervals "
        f"({words.percent(found.confidence)}) in the protocol's metric, below zero where the first-named is "
        f"better. The last column holds seeds fixed and resamples target {data.period}s; it does not decide."
    )
    return "\n\n".join(parts)


def _interval(low: float | None, high: float | None) -> str:
    return words.MISSING if low is None or high is None else words.interval(low, high, sign=True)


def _scores(found: Robustness) -> str:
    roles = found.roles
    baseline = found.protocols[str(found.baseline)]
    header = ["Protocol", *(words.escape(words.shorten(baseline.scores[role].label, 24)) for role in roles)]
    rows = []
    for protocol in found.protocols.values():
        cells = []
        for role in roles:
            score = protocol.scores[role]
            text = words.MISSING if score.mean is None else words.with_spread(score.mean, score.sd)
            text += f" {words.PLUS_MINUS} {words.spread(score.sd)}" if score.sd else ""
            cells.append(f"{text} {_places(score)}".strip())
        rows.append([words.escape(protocol.title), *cells])
    return table(header, rows, "l" + "r" * len(roles)) + (
        "\nMean over seeds and its standard deviation, in the protocol's metric; in brackets the rank, "
        "or the ranks that retraining allows."
    )


def _places(score: RoleScore) -> str:
    if score.rank_low is None or score.rank_high is None:
        return ""
    if score.rank_low == score.rank_high:
        return f"({score.rank_low})"
    return f"({score.rank_low} to {score.rank_high})"
