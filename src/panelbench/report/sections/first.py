"""First screen: which model to use, how sure that is, what it cost, and the leaderboard."""

from __future__ import annotations

from panelbench.report import choice, pairs, words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.sections import board, caution, claims, leaky, robustness

METRICS = {"mse": "MSE", "mae": "MAE", "wape": "WAPE", "rmsse": "RMSSE", "bias": "Bias"}


def build(data: ReportData) -> Section:
    """Make the section. A study with a ledger of claims opens with what is claimed and what holds."""
    best = data.best
    if best is None:
        parts = (_warnings(data), leaky.table_of(data), _elsewhere(data))
        text = "\n\n".join(part for part in parts if part)
        return Section("answer", "The answer", leaky.nothing_ranked(data), text)
    figures = board.strips(data)
    opening = claims.opening(data)
    best_model = which(data, best)
    body = [
        _warnings(data),
        opening.headlines if opening else "",
        robustness.in_short(data),
        f"**Which model is best here?** {best_model}" if opening else "",
        _sure(data, best),
        _cost(data, best),
        board.leaderboard(data, figures),
        leaky.table_of(data),
        _elsewhere(data),
        _more_metrics(data),
        _letters(data),
    ]
    return Section(
        id="answer",
        title="The answer",
        sentence=opening.found if opening else best_model,
        lead=opening.about if opening else "",
        body="\n\n".join(part for part in body if part),
        inline=tuple(figures.values()),
    )


def which(data: ReportData, best: str) -> str:
    """Say which model has the lowest error, against the best baseline."""
    error = f"{board.mean(data, best)} {words.escape(data.unit)}"
    where = _where(data)
    baselines = data.baselines
    if best in baselines:
        return (
            f"No trained model beats {data.name(best)}, a rule that learns nothing: "
            f"its forecasts miss by {error} (RMSE; {where})."
            if data.learned
            else f"{data.name(best)} has the lowest error: its forecasts miss by {error} (RMSE; {where})."
        )
    claim = "has the lowest error" if pairs.tied_with(data, best) else "is the most accurate"
    sentence = f"{data.name(best)} {claim}: its forecasts miss by {error} (RMSE; {where})"
    if baselines and data.mean(baselines[0]) > 0:  # zero: both are right on a panel that never changes
        naive = baselines[0]
        less = 1 - data.mean(best) / data.mean(naive)
        sentence += f", {words.percent(less)} less than {data.name(naive)}, the best rule that learns nothing"
        if naive in pairs.tied_with(data, best):
            sentence += "; this test block cannot tell the two apart"
    return f"{sentence}."


def _where(data: ReportData) -> str:
    """Say what was forecast, and how large it is: an error means nothing without that."""
    test = data.comparison.test
    level = float(data.panel.y[:, data.split.valid_end :].mean())
    size = (
        f", {words.number(level, words.decimals_for(level, 3))} {words.escape(data.unit)} on average"
        if level > 0
        else ""
    )
    ahead = f", {data.periods(test.horizon)} ahead" if test.horizon > 1 else ""
    return (
        f"{words.escape(data.target)} of {words.plural(test.n_series, 'series', 'series')}, "
        f"last {data.periods(test.n_periods)}{ahead}{size}"
    )


def _sure(data: ReportData, best: str) -> str:
    """Say from which models the best one can be told apart."""
    others = [name for name in data.finished if name != best]
    if not others:
        return "**How sure?** It is the only model that finished, so it has been compared with nothing."
    tied = pairs.tied_with(data, best)
    count = words.plural(len(others), "other model")
    alone = "the other model" if len(others) == 1 else ""
    if not tied:
        return (
            f"**How sure?** Measurably better than {alone or f'all {count}'} on this test block; the "
            f"nearest is {_gap(data, others[0], best)}.{_flattered(data)}"
        )
    runs = max((entry.n_ok for entry in data.finished.values() if not entry.deterministic), default=0)
    seeds = f" and {words.plural(runs, 'seed')}" if runs else ""
    basis = f"{data.periods(data.comparison.test.n_periods)}{seeds}"
    closest = _gap(data, tied[0], best)
    if len(tied) == len(others):
        whom = alone or f"any of the {count}"
        text = f"Not at all: {basis} cannot tell it from {whom}; the closest is {closest}."
    else:
        rest = len(others) - len(tied)
        text = (
            f"{basis} cannot tell it from {len(tied)} of the {count}; the closest is {closest}. The other "
            f"{'one is' if rest == 1 else f'{rest} models are'} measurably worse."
        )
    return f"**How sure?** {words.capital(text)}{_open(data, best, tied)}{_flattered(data)}"


def _flattered(data: ReportData) -> str:
    """Warn where the best was picked from very many on the block that scores it."""
    if not choice.folded(data):
        return ""
    return f" Being the lowest of {len(data.finished)} on the block that scores it flatters it."


def _open(data: ReportData, best: str, tied: list[str]) -> str:
    """Say how many models only more seeds would have to tell from the best one."""
    found = [pairs.find(data, name, best) for name in tied]
    seeds = sum(one is not None and pairs.open_by(one) == "seeds" for one in found)
    if not seeds:
        return ""
    whom = "that one" if len(tied) == 1 else f"{seeds} of the {len(tied)} that cannot be told from it"
    return f" For {whom}, the {data.period}s are clear and only the number of seeds leaves doubt."


def _gap(data: ReportData, other: str, best: str) -> str:
    """Return a model's name and its distance to the best one, with the interval that decides."""
    found = pairs.find(data, other, best)
    name = data.name(other)
    if found is None:
        return name
    unit = words.escape(data.unit)
    behind = f"{words.gap(found.difference, pairs.half(found.family))} {unit}"
    if found.family is None:
        return f"{name} ({behind}; {pairs.doubt(found, data.period)})"
    level = words.percent(data.comparison.method.confidence)
    count = len(data.comparison.pairs)
    together = f" for all {words.number(count, 0)} pairs at once" if count > 1 else ""
    text = (
        f"{behind}; {level} interval over {data.period}s{together}: "
        f"{words.interval(*found.family, sign=True)}"
    )
    zero_inside = found.family[0] <= 0 <= found.family[1]
    doubt = "" if found.separable or zero_inside else f"; {pairs.doubt(found, data.period)}"
    return f"{name} ({text}{doubt})"


def _cost(data: ReportData, best: str) -> str:
    """Say what one fit took."""
    seconds = data.seconds(best)
    parts = [f"**What did it cost?** One fit of {data.name(best)} takes {words.duration(seconds)}"]
    count = data.experiments[best].n_parameters
    if count:
        parts.append(f" for {words.plural(count, 'parameter')}")
    timed = {name: data.seconds(name) or 0.0 for name in data.finished}
    slowest = max(timed, key=lambda name: timed[name])
    if slowest != best and seconds is not None and timed[slowest] > 1.2 * seconds:
        parts.append(f"; of the slowest model, {data.name(slowest)}, {words.duration(timed[slowest])}")
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
    first = f"::: {{.warning}}\n\n{text}\n\n:::" if text else ""
    return "\n\n".join(part for part in (first, caution.box(data)) if part)


def _elsewhere(data: ReportData) -> str:
    """Point to the other tasks."""
    if not data.others:
        return ""
    listed = words.listing(
        f"{one.kind} ({words.plural(len(one.experiments), 'experiment')})" for one in data.others
    )
    return f"Ranked by themselves, since their errors are of another kind: [{listed}](#tasks)."


def _failures(data: ReportData) -> str:
    failures = data.comparison.failures
    if not failures:
        return ""
    total = sum(entry.n_ok + entry.n_failed for entry in data.declared.values())
    named = words.listing(sorted({data.md(failure.experiment) for failure in failures}), limit=5)
    return (
        f"{len(failures)} of {words.plural(total, 'run')} **failed** ({named}) and were not replaced; "
        "means are over the seeds that finished. See [provenance](#provenance)."
    )


def _more_metrics(data: ReportData) -> str:
    columns = [_column(data, metric) for metric in METRICS]
    rows = [[data.md(name), *cells] for name, *cells in zip(data.finished, *columns, strict=True)]
    unit = words.escape(data.unit)
    header = ["Model", f"MSE ({unit}²)", f"MAE ({unit})", "WAPE", "RMSSE", f"Bias ({unit})"]
    known = data.comparison.method.metrics
    meaning = "\n".join(
        f"- **{METRICS.get(key, key.upper())}**: {data.say(text)}" for key, text in known.items()
    )
    formula = (
        "$$\\mathrm{RMSE}=\\sqrt{\\frac{1}{n}\\sum_{i,t}\\left(\\hat{y}_{i,t}-y_{i,t}\\right)^2}$$\n\n"
        "for series $i$ and target period $t$: the square root of the mean squared miss, so one large miss "
        "counts for more than many small ones, and large series count for more than small ones."
    )
    return details(
        "Other error measures, and what each means",
        f"{table(header, rows, 'lrrrrr')}\n\n{formula}\n\n{meaning}",
    )


def _column(data: ReportData, metric: str) -> list[str]:
    """Return one metric of every finished experiment.

    A model gets no more decimals than the others typically have, so that the column reads as one; one
    without a spread of its own gets just as many.
    """
    factor, sign = (100.0, "%") if metric == "wape" else (1.0, "")
    spreads = [entry.metrics[metric] for entry in data.finished.values()]
    supported = sorted(words.decimals_for(factor * one.sd) for one in spreads if one.sd)
    usual = supported[len(supported) // 2] if supported else 1 if sign else None
    cells = []
    for one in spreads:
        if one.mean is None:
            cells.append(words.MISSING)
            continue
        own = words.decimals_for(factor * one.sd) if one.sd else usual
        decimals = usual if usual is None or own is None else min(own, usual)
        cells.append(words.number(factor * one.mean, decimals) + sign)
    return cells


def _letters(data: ReportData) -> str:
    notes = "\n".join(f"- {data.say(note)}" for note in data.comparison.notes)
    text = data.say(data.comparison.method.group_rule)
    return details("How the group letters are made", f"{text}\n\n{notes}" if notes else text)
