"""Provenance: what it takes to get the same report again."""

from __future__ import annotations

from collections.abc import Iterable

from panelbench.compare.schema import Provenance
from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table

COMMAND = "dvc repro"
LEFT_OUT = {
    "validation_steps": "as the split",
    "season": "the panel's",
    "alpha": "by cross-validation",
    "channels": "all",
}
"""What a setting without a value stands for, where that is not "none"."""


def build(data: ReportData) -> Section:
    """Make the section."""
    origin = data.comparison.provenance
    runs = sum(len(data.records(name)) for name in data.declared)
    seconds = sum(record.seconds_fit or 0.0 for name in data.declared for record in data.records(name))
    same = max(len(origin.code_sha256), len(origin.threads), len(origin.platforms)) <= 1
    basis = (
        "from one version of the code on one kind of machine"
        if same
        else "**not** all from the same code, threads and platform (listed below)"
    )
    sentence = f"{words.plural(runs, 'run')} with {words.duration(seconds)} of fitting in all, {basis}."
    body = [
        table(["What", "Value"], _facts(data, origin), "ll"),
        f"To get this page again: check out the revision, then `{COMMAND}`; the same machine, versions and "
        "thread count give the same numbers to the last digit.",
        _failures(data),
        details("Library versions", _versions(origin)),
        details("Settings and cost of every experiment", _experiments(data)),
        details("Files behind the panel", _files(data)),
    ]
    return Section("provenance", "Provenance", sentence, "\n\n".join(part for part in body if part))


def _facts(data: ReportData, origin: Provenance) -> list[list[str]]:
    method, settings = data.comparison.method, data.settings
    return [
        ["Panel (SHA-256)", _hashes([origin.panel_sha256])],
        ["Code (SHA-256)", _hashes(origin.code_sha256)],
        ["Git revision", _several(revision[:12] + revision[40:] for revision in origin.git_revisions)],
        ["Threads a run", _several(origin.threads)],
        ["Device", _several(origin.devices)],
        ["Platform", _several(origin.platforms)],
        ["Seeds", words.escape(words.listing(map(str, settings.seeds), limit=12))],
        [
            "Split",
            f"test {data.periods(settings.split.test_steps)}, validation "
            f"{data.periods(settings.split.validation_steps)}",
        ],
        [
            "Intervals",
            f"{words.percent(method.confidence)}; blocks of {data.periods(method.block_length)}, "
            f"{words.number(method.resamples, 0)} resamples, seed {method.seed}",
        ],
    ]


def _several(values: Iterable[str]) -> str:
    return words.escape(words.listing(values, limit=6)) or "not recorded"


def _hashes(values: Iterable[str]) -> str:
    return (
        ", ".join(words.code(value[:16] + "…" if len(value) > 16 else value) for value in values)
        or "not recorded"
    )


def _failures(data: ReportData) -> str:
    failures = data.comparison.failures
    if not failures:
        return ""
    rows = [
        [data.md(one.experiment), str(one.seed), words.escape(words.shorten(one.error, 160))]
        for one in failures[:50]
    ]
    more = f"\n{len(failures) - 50} more are in `data/runs/*/runs.json`." if len(failures) > 50 else ""
    return (
        f"**{words.plural(len(failures), 'run')} failed.** The scores leave them out; full tracebacks are "
        "in `data/runs/`.\n\n" + table(["Experiment", "Seed", "Error"], rows, "lrl") + more
    )


def _versions(origin: Provenance) -> str:
    rows = [
        [words.escape(name), words.escape(", ".join(found))]
        for name, found in sorted(origin.versions.items())
    ]
    return table(["Library", "Version"], rows, "ll") if rows else "Not recorded."


def _experiments(data: ReportData) -> str:
    own = {name: _settings(data, name) for name in data.declared}
    first = next(iter(own.values()))
    shared = {key for key, value in first.items() if all(one.get(key) == value for one in own.values())}
    rows = []
    for name, settings in own.items():
        records = data.records(name)
        peak = [record.peak_memory_mib for record in records if record.peak_memory_mib is not None]
        fit = [record.seconds_fit for record in records if record.seconds_fit is not None]
        rows.append(
            [
                words.code(name),
                _list({key: value for key, value in settings.items() if key not in shared}),
                words.duration(sum(fit)) if fit else words.MISSING,
                f"{words.number(max(peak), 0)} MiB" if peak else words.MISSING,
            ]
        )
    common = _list({key: value for key, value in first.items() if key in shared})
    head = f"Shared by all: {common}.\n\n" if common else ""
    header = ["Experiment", "Its own settings", "Fit, all seeds", "Peak memory"]
    return head + table(header, rows, "llrr", kind="scroll .prose")


def _settings(data: ReportData, name: str) -> dict[str, str]:
    """Return an experiment's resolved settings as text, without what the page shows elsewhere."""
    hidden = {"label", "seeds"}
    return {key: _value(key, value) for key, value in data.run_settings(name).items() if key not in hidden}


def _list(settings: dict[str, str]) -> str:
    return words.escape(", ".join(f"{key} {value}" for key, value in settings.items()))


def _value(key: str, value: object) -> str:
    if value is None:
        return LEFT_OUT.get(key, "none")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "/".join(str(item) for item in value)
    return str(value)


def _files(data: ReportData) -> str:
    rows = [
        [words.escape(file.name), words.code(file.sha256), words.escape(file.url or words.MISSING)]
        for file in data.panel.info.files
    ]
    return (
        table(["File", "SHA-256", "From"], rows, "lll", kind="scroll .prose")
        if rows
        else "Made here, from no file."
    )
