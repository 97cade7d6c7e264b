"""Leak audit: whether the scores could come from seeing the future."""

from __future__ import annotations

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table

TITLE = "Leak audit"


def build(data: ReportData) -> Section:
    """Make the section."""
    if data.audit is None:
        return Section(
            "audit", TITLE, "The audit has not run, so nothing here says that the scores are free of leaks."
        )
    checks = data.audit["checks"]
    failed = [check for check in checks if not check["passed"]]
    if failed:
        names = words.listing([words.escape(check["title"]) for check in failed], limit=4)
        sentence = (
            f"{len(failed)} of {words.plural(len(checks), 'check')} failed ({names}): the scores above may "
            "rest on a leak."
        )
    else:
        leaks = any(entry.leaks for entry in data.declared.values())
        declared = ", apart from where a leak is declared" if leaks else ""
        sentence = (
            f"All {words.plural(len(checks), 'check')} passed: nothing that a model sees moved when the "
            f"future was changed{declared}."
        )
    rows = [
        [
            words.escape(check["title"]),
            f"[{'held' if check['passed'] else 'MOVED'}]{{.{'pass' if check['passed'] else 'fail'}}}",
            words.escape(check["disturbed"]),
            words.escape(check["must_hold"]),
            words.number(check.get("n"), 0),
        ]
        for check in checks
    ]
    found = "\n".join(
        f"- **{words.escape(check['title'])}**: {words.escape(check['detail'])}"
        for check in checks
        if check.get("detail")
    )
    body = table(
        ["Check", "Result", "What was disturbed", "What must hold", "Compared"],
        rows,
        "llllr",
        kind="stack",
    )
    body += (
        "\nMost checks change on purpose something that no honest forecast could know, and look whether "
        "anything that the models are given, or forecast, changes with it; the others look up what they say. "
        "*Compared* counts the numbers, windows or forecasts looked at."
    )
    if found:
        body += "\n\n" + details("What each check found", found)
    return Section("audit", TITLE, sentence, body)
