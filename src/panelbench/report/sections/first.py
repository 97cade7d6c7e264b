"""First screen: which model to use, how sure that is, what it cost, and the leaderboard."""

from __future__ import annotations

from panelbench.compare.schema import Experiment
from panelbench.report import pairs, strip, words
from panelbench.report.data import ReportData
from panelbench.report.section import Figure, Section, details, table

LETTERS = 5
"""Group letters shown; of forty models in as many groups nobody reads more."""

METRICS = {"mae": "MAE", "wape": "WAPE", "rmsse": "RMSSE", "bias": "Bias"}


def build(data: ReportData) -> Section:
    """Make the section."""
    best = data.best
    if best is None:
        return Section(
            "answer", "The answer", "No run finished, so there is nothing to compare.", _failures(data)
        )
    figures = _strips(data)
    body = [
        _sure(data, best),
        _cost(data, best),
        _warnings(data),
        _leaderboard(data, figures),
        _reading(data),
    ]
    body += [_more_metrics(data), _letters(data)]
    return Section(
        id="answer",
        title="The answer",
        sentence=_which(data, best),
        body="\n\n".join(part for part in body if part),
        inline=tuple(figures.values()),
    )


def _which(data: ReportData, best: str) -> str:
    """Say which model has the lowest error, against the best baseline."""
    test = data.comparison.test
    error = f"{_mean(data, best)} {words.escape(data.unit)}"
    where = (
        f"{words.escape(data.target)} of {words.plural(test.n_series, 'series', 'series')}, "
        f"last {data.periods(test.n_periods)}"
    )
    baselines = data.baselines
    if best in baselines:
        return (
            f"No trained model beats {data.md(best)}, a rule that learns nothing: "
            f"its forecasts miss by {error} (RMSE; {where})."
            if data.learned
            else f"{data.md(best)} has the lowest error: its forecasts miss by {error} (RMSE; {where})."
        )
    claim = "has the lowest error" if pairs.tied_with(data, best) else "is the most accurate"
    sentence = f"{data.md(best)} {claim}: its forecasts miss by {error} (RMSE; {where})"
    if baselines:
        naive = baselines[0]
        less = 1 - data.mean(best) / data.mean(naive)
        sentence += f", {words.percent(less)} less than {data.md(naive)}, the best rule that learns nothing"
    return f"{sentence}."


def _sure(data: ReportData, best: str) -> str:
    """Say from which models the best one can be told apart."""
    others = [name for name in data.finished if name != best]
    if not others:
        return "**How sure?** It is the only model that finished, so it has been compared with nothing."
    tied = pairs.tied_with(data, best)
    count = words.plural(len(others), "other model")
    if not tied:
        near = data.md(others[0])
        return (
            f"**How sure?** Measurably better than {'the' if len(others) == 1 else 'all'} {count} on this "
            f"test block; the nearest is {near} ({_gap(data, others[0], best)})."
        )
    closest = f"{data.md(tied[0])} ({_gap(data, tied[0], best)})"
    if len(tied) == len(others):
        return f"**How sure?** Not at all: none of the {count} is measurably worse; the closest is {closest}."
    rest = f"the other {words.plural(len(others) - len(tied), 'model is', 'models are')} measurably worse"
    if len(tied) == 1:
        return f"**How sure?** Too close to call against {closest}; {rest}."
    return f"**How sure?** {len(tied)} of the {count} are too close to call, the closest {closest}; {rest}."


def _gap(data: ReportData, other: str, best: str) -> str:
    """Return the difference to the best model with the interval that decides."""
    found = pairs.find(data, other, best)
    if found is None:
        return "no comparison"
    unit = words.escape(data.unit)
    if found.family is None:
        return f"{words.signed(found.difference)} {unit}; {pairs.doubt(found, data.period)}"
    level = words.percent(data.comparison.method.confidence)
    decimals = words.decimals_for((found.family[1] - found.family[0]) / 2)
    text = (
        f"{words.signed(found.difference, decimals)} {unit}, {level} interval over {data.period}s "
        f"{words.interval(*found.family, sign=True)}"
    )
    zero_inside = found.family[0] <= 0 <= found.family[1]
    return text if found.separable or zero_inside else f"{text}, but {pairs.doubt(found, data.period)}"


def _cost(data: ReportData, best: str) -> str:
    """Say what one fit took."""
    seconds = data.seconds(best)
    parts = [f"**What did it cost?** One fit of {data.md(best)} takes {words.duration(seconds)}"]
    count = data.experiments[best].n_parameters
    if count:
        parts.append(f" for {words.plural(count, 'parameter')}")
    timed = {name: data.seconds(name) or 0.0 for name in data.finished}
    slowest = max(timed, key=lambda name: timed[name])
    if slowest != best and seconds is not None and timed[slowest] > 1.2 * seconds:
        parts.append(f"; the slowest model, {data.md(slowest)}, takes {words.duration(timed[slowest])}")
    return "".join(parts) + "."


def _warnings(data: ReportData) -> str:
    """Return what must be known before any number is believed, in a box of its own."""
    lines = [_failures(data)]
    if data.audit is None:
        lines.append("The leak audit has not run; nothing here is protected against a leak.")
    elif not data.audit["passed"]:
        failed = [words.escape(check["title"]) for check in data.audit["checks"] if not check["passed"]]
        lines.append(
            f"The leak audit **failed** ({words.listing(failed)}): do not believe these numbers yet."
        )
    text = "\n\n".join(line for line in lines if line)
    return f"::: {{.warning}}\n\n{text}\n\n:::" if text else ""


def _failures(data: ReportData) -> str:
    failures = data.comparison.failures
    if not failures:
        return ""
    total = sum(entry.n_ok + entry.n_failed for entry in data.experiments.values())
    named = words.listing(sorted({data.md(failure.experiment) for failure in failures}), limit=5)
    return (
        f"{len(failures)} of {words.plural(total, 'run')} **failed** ({named}) and were not replaced; "
        "means are over the seeds that finished. See [provenance](#provenance)."
    )


def _strips(data: ReportData) -> dict[str, Figure]:
    """Return the axis and one strip an experiment."""
    rows = {name: _row(data, name) for name in data.finished}
    axis = strip.make_axis(list(rows.values()), [data.mean(name) for name in data.baselines])
    unit = data.unit
    low, high = (
        words.tick(value) for value in (axis.ticks or (axis.low, axis.high))[:: max(1, len(axis.ticks) - 1)]
    )
    figures = {
        "": Figure(
            "strip-axis",
            f"RMSE of every seed, axis from {low} to {high} {unit}",
            "",
            {"": strip.header(axis, f"RMSE ({unit}), every seed")},
        )
    }
    for name in data.experiments:
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
    mean = f"{data.label(name)}: {words.plain(_mean(data, name))} {data.unit}"
    if len(row.seeds) < 2:
        return f"{mean}, one run"
    low, high = (words.with_spread(value, data.sd(name)) for value in (min(row.seeds), max(row.seeds)))
    return f"{mean}, seeds from {low} to {high}"


def _mean(data: ReportData, name: str) -> str:
    return words.with_spread(data.mean(name), data.sd(name))


def _leaderboard(data: ReportData, figures: dict[str, Figure]) -> str:
    header = ["Model", "Mean RMSE", figures[""].inline(), "sd", "Parameters", "Fit", "Group"]
    rows = [_board_row(data, name, entry, figures[name]) for name, entry in data.experiments.items()]
    return table(header, rows, "lrlrrrl", kind="leaderboard")


def _board_row(data: ReportData, name: str, entry: Experiment, figure: Figure) -> list[str]:
    label = data.md(name)
    if not entry.n_ok:
        return [label, "failed", figure.inline(), words.MISSING, words.MISSING, words.MISSING, words.MISSING]
    if entry.n_failed:
        label += f" [{entry.n_failed} of {entry.n_ok + entry.n_failed} seeds failed]{{.note}}"
    sd = "fixed" if entry.deterministic else words.spread(entry.metrics["rmse"].sd)
    parameters = words.number(entry.n_parameters, 0) if entry.n_parameters is not None else words.MISSING
    group = words.escape(words.shorten(entry.group, LETTERS)) or words.MISSING
    return [
        label,
        f"**{_mean(data, name)}**",
        figure.inline(),
        sd,
        parameters,
        words.duration(data.seconds(name)),
        group,
    ]


def _reading(data: ReportData) -> str:
    method = data.comparison.method
    counts = sorted({entry.n_ok for entry in data.finished.values() if not entry.deterministic})
    seeds = (
        words.plural(counts[0], "seed")
        if len(counts) == 1
        else f"{counts[0]} to {counts[-1]} seeds"
        if counts
        else ""
    )
    level = words.percent(method.confidence)
    first = (
        f"Dot: mean error; faint ticks: every seed; bar: {level} t interval of the mean over {seeds}, "
        "which is about "
        "retraining only. "
        if seeds
        else "Every model here gives the same forecasts each time. "
    )
    return (
        f"{first}Diamond: a single run (*fixed*: the model has no randomness); dashed lines: the rules "
        "that learn "
        "nothing; an arrow: beyond the axis. Models that share a group letter cannot be told apart on "
        "this test block."
    )


def _more_metrics(data: ReportData) -> str:
    columns = [_column(data, metric) for metric in METRICS]
    rows = [[data.md(name), *cells] for name, *cells in zip(data.finished, *columns, strict=True)]
    unit = words.escape(data.unit)
    header = ["Model", f"MAE ({unit})", "WAPE", "RMSSE", f"Bias ({unit})"]
    known = data.comparison.method.metrics
    meaning = "\n".join(
        f"- **{METRICS.get(key, key.upper())}**: {words.escape(text)}" for key, text in known.items()
    )
    formula = (
        "$$\\mathrm{RMSE}=\\sqrt{\\frac{1}{n}\\sum_{i,t}\\left(\\hat{y}_{i,t}-y_{i,t}\\right)^2}$$\n\n"
        "for series $i$ and target period $t$: the square root of the mean squared miss, so one large miss "
        "counts for more than many small ones, and large series count for more than small ones."
    )
    return details(
        "Other error measures, and what each means",
        f"{table(header, rows, 'lrrrr')}\n\n{formula}\n\n{meaning}",
    )


def _column(data: ReportData, metric: str) -> list[str]:
    """Return one metric of every finished experiment.

    A model without a spread of its own gets as many decimals as the others typically have.
    """
    factor, sign = (100.0, "%") if metric == "wape" else (1.0, "")
    spreads = [entry.metrics[metric] for entry in data.finished.values()]
    supported = sorted(words.decimals_for(factor * one.sd) for one in spreads if one.sd)
    usual = supported[len(supported) // 2] if supported else 1 if sign else None
    cells = []
    for one in spreads:
        if one.mean is None:
            cells.append(words.MISSING)
        elif one.sd:
            cells.append(words.with_spread(factor * one.mean, factor * one.sd) + sign)
        else:
            cells.append(words.number(factor * one.mean, usual) + sign)
    return cells


def _letters(data: ReportData) -> str:
    notes = "\n".join(f"- {words.escape(note)}" for note in data.comparison.notes)
    text = words.escape(data.comparison.method.group_rule)
    return details("How the group letters are made", f"{text}\n\n{notes}" if notes else text)
