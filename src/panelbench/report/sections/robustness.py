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


def _sentence(found: Robustness) -> str:
    if not found.verdicts:
        return f"The models were ranked under {words.plural(len(found.protocols), 'protocol')}."
    solid = [one for one in found.verdicts.values() if _testable(one) == one.counts["holds"] > 0]
    turned = {name: one for name, one in found.verdicts.items() if one.flipped_by}
    start = (
        f"Of {words.plural(len(found.verdicts), 'verdict')} looked at under "
        f"{words.plural(len(found.protocols), 'protocol')}, {_listed(solid)} every one"
    )
    if not turned:
        return f"{start}, and none is turned round by any."
    fragile = max(turned.values(), key=lambda one: (len(one.flipped_by), -one.counts["holds"]))
    titles = [found.protocols[name].title for name in fragile.flipped_by]
    return (
        f"{start} and {len(turned)} {'is' if len(turned) == 1 else 'are'} turned round by at least one; the "
        f"most fragile is that {words.escape(fragile.title)} "
        f"({words.listing([words.escape(title) for title in titles], limit=2)})."
    )


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
        "Nothing is adjusted for the number of protocols: one surprising cell among many is weak evidence."
    ]
    if found.verdicts:
        rows = [
            [
                words.escape(words.capital(one.title)),
                f"{one.counts['holds']} of {_testable(one)}".replace(" ", words.NARROW_SPACE),
                words.listing([words.escape(found.protocols[name].title) for name in one.flipped_by])
                or words.MISSING,
                str(one.counts["not_separable"]),
            ]
            for one in found.verdicts.values()
        ]
        header = ["Verdict", "Holds", "Turned round by", "Cannot tell"]
        parts.append(table(header, rows, "lrlr", kind="scroll .prose"))
        parts.append(details("Every verdict under every protocol", _cells(data, found)))
    parts.append(details("The errors behind the ranks", _scores(found)))
    return "\n\n".join(parts)


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
    for one in found.verdicts.values():
        rows = [
            [
                words.escape(found.protocols[name].title),
                OUTCOMES[cell.outcome],
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
