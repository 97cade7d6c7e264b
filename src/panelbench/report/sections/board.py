"""The leaderboard: one row an experiment, all strips on one axis; many experiments are folded by a rule."""

from __future__ import annotations

from panelbench.compare.schema import Experiment
from panelbench.report import choice, pairs, strip, words
from panelbench.report.data import ReportData
from panelbench.report.section import Figure, details, table

LETTERS = 5
"""Group letters shown; nobody reads more."""


def strips(data: ReportData) -> dict[str, Figure]:
    """Return the axis (under the empty name) and one strip an experiment that is shown."""
    rows = {name: _row(data, name) for name in choice.finished(data)}
    axis = strip.make_axis(list(rows.values()), [data.mean(name) for name in data.baselines])
    unit = data.unit
    low, high = (
        words.tick(value) for value in (axis.ticks or (axis.low, axis.high))[:: max(1, len(axis.ticks) - 1)]
    )
    figures = {
        "": Figure(
            f"strip-axis{data.suffix}",
            f"RMSE of every seed, axis from {low} to {high} {unit}",
            "",
            {"": strip.header(axis, f"RMSE ({unit}), every seed")},
        )
    }
    for name in choice.shown(data):
        if name in rows:
            image = strip.strip(rows[name], axis, data.looks[name])
            alt = _strip_alt(data, name, rows[name])
        else:
            image, alt = strip.failed(), f"{data.label(name)}: no seed finished"
        figures[name] = Figure(f"strip-{name}", alt, "", {"": image})
    return figures


def _row(data: ReportData, name: str) -> strip.Row:
    spread = data.experiments[name].metrics["rmse"]
    return strip.Row(data.mean(name), data.rmse(name).tolist(), spread.low, spread.high)


def _strip_alt(data: ReportData, name: str, row: strip.Row) -> str:
    text = f"{data.label(name)}: {words.plain(mean(data, name))} {data.unit}"
    if len(row.seeds) < 2:
        return f"{text}, one run"
    low, high = (words.with_spread(value, data.sd(name)) for value in (min(row.seeds), max(row.seeds)))
    return f"{text}, seeds from {low} to {high}"


def mean(data: ReportData, name: str) -> str:
    """Return an experiment's mean RMSE as far as its spread over seeds supports it."""
    return words.with_spread(data.mean(name), data.sd(name))


def leaderboard(data: ReportData, figures: dict[str, Figure]) -> str:
    """Return the table, how to read it, and where the rest is if not all experiments are in it."""
    groups = choice.groups(data)
    header = ["Model", "Mean RMSE", figures[""].inline(), "sd", "Parameters", "Fit", "Group"]
    rows = [
        _board_row(data, name, data.experiments[name], figures[name], groups.get(name, ""))
        for name in choice.shown(data)
    ]
    parts = [table(header, rows, "lrlrrrl", kind="leaderboard"), _reading(data)]
    if choice.folded(data):
        parts.append(details(f"All {len(data.experiments)} experiments", _all(data)))
    return "\n\n".join(parts)


def _board_row(data: ReportData, name: str, entry: Experiment, figure: Figure, group: str) -> list[str]:
    label = data.md(name)
    told: list[str] = [entry.mode] if len(data.comparison.task.modes) > 1 and entry.mode not in label else []
    if entry.n_ok and not entry.deterministic and len(data.repeated(choice.finished(data))) > 1:
        told.append(words.plural(entry.n_ok, "seed"))
    if told:
        label += f" [{', '.join(told)}]{{.mode}}"
    if not entry.n_ok:
        return [label, "failed", figure.inline(), words.MISSING, words.MISSING, words.MISSING, words.MISSING]
    if entry.n_failed:
        label += f" [{entry.n_failed} of {entry.n_ok + entry.n_failed} seeds failed]{{.note}}"
    return [
        label,
        f"**{mean(data, name)}**",
        figure.inline(),
        sd(entry),
        _parameters(entry),
        _fit(data, name),
        words.escape(words.shorten(group, LETTERS)) or words.MISSING,
    ]


def sd(entry: Experiment) -> str:
    """Return the standard deviation over seeds, or that the model has no randomness."""
    return "fixed" if entry.deterministic else words.spread(entry.metrics["rmse"].sd)


def _parameters(entry: Experiment) -> str:
    return words.number(entry.n_parameters, 0) if entry.n_parameters is not None else words.MISSING


def _fit(data: ReportData, name: str) -> str:
    return words.duration(data.seconds(name)).replace("under ", "\\<" + words.NARROW_SPACE)


def _all(data: ReportData) -> str:
    """Return every experiment in one plain table."""
    best = str(data.best)
    beside = set(pairs.tied_with(data, best))
    rows = []
    for name, entry in data.experiments.items():
        if not entry.n_ok:
            rows.append([data.md(name), "failed", *[words.MISSING] * 2, "0", *[words.MISSING] * 2])
            continue
        against = words.MISSING if name == best else "cannot tell" if name in beside else "worse"
        seeds = words.number(entry.n_ok, 0)
        seeds += f" ({entry.n_failed} failed)" if entry.n_failed else ""
        rows.append(
            [
                data.md(name),
                mean(data, name),
                against,
                sd(entry),
                seeds,
                _parameters(entry),
                _fit(data, name),
            ]
        )
    header = ["Model", "Mean RMSE", f"Against {data.md(best)}", "sd", "Seeds", "Parameters", "Fit"]
    return table(header, rows, "lrlrrrr") + f"\nRMSE and its sd over seeds in {words.escape(data.unit)}."


def _reading(data: ReportData) -> str:
    names = choice.finished(data)
    counts = data.repeated(names)
    fixed = [name for name in names if data.experiments[name].deterministic]
    level = words.percent(data.comparison.method.confidence)
    if counts:
        seeds = f"{counts[0]} to {counts[-1]} seeds" if len(counts) > 1 else words.plural(counts[0], "seed")
        first = (
            f"Dot: mean error; faint ticks: every seed; bar: {level} t interval of the mean over {seeds}, "
            "which is about retraining only. "
        )
    elif len(fixed) == len(names):
        first = "Every model here gives the same forecasts each time. "
    else:
        first = "Every model was trained once, so nothing here says how much of an error is luck. "
    single = "Diamond: a single run" + (" (*fixed*: the model has no randomness)" if fixed else "")
    lines = "; dashed lines: the rules that learn nothing" if data.baselines else ""
    return (
        f"{words.capital(data.kind)}. {first}{single}{lines}; an arrow: beyond the axis. Models that share a "
        f"group letter cannot be told apart on this test block. {choice.rule(data)}"
    ).strip()
