"""Learning: whether the budget of epochs was fair."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from panelbench.report import theme, words
from panelbench.report.colours import INK
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.theme import Layout

DRAWN = 12
LATE = 0.1
"""A run whose lowest error lies in this last share of its epochs could have gone on learning."""


def build(data: ReportData) -> Section:
    """Make the section."""
    trained = [name for name in data.finished if data.has_history(name)]
    if not trained:
        which = "that is ranked here" if data.leaky else "in this study"
        sentence = f"No model {which} is trained by epochs, so there is no learning curve to look at."
        return Section("learning", "Learning", sentence)
    held_out = [name for name in trained if data.history(name)["valid_rmse"].notna().any()]
    names, column = (held_out, "valid_rmse") if held_out else (trained, "train_rmse")
    sentence = _sentence(data, names, column)
    drawn = names[:DRAWN]
    more = f" The {DRAWN} most accurate of {len(names)} are drawn." if len(names) > DRAWN else ""
    if held_out and len(held_out) < len(trained):
        more += f" The other {len(trained) - len(held_out)} networks hold no {data.period}s back."
    block = "validation" if column == "valid_rmse" else "training"
    caption = (
        f"RMSE on the {block} block ({words.escape(data.unit)}) after each epoch, "
        f"{_lines(data, drawn)}. "
        f"All panels share one scale; errors above it, in the first epochs, are cut off.{more}"
    )
    figure = theme.draw("learning", sentence, caption, lambda layout: _paint(data, drawn, column, layout))
    return Section("learning", "Learning", sentence, _help(column), (figure,))


def _lines(data: ReportData, names: list[str]) -> str:
    if not data.repeated(names):
        return "one run each"
    counts = sorted({data.experiments[name].n_ok for name in names})
    return f"one line a seed ({words.of_seeds(counts)}), black: their mean"


def best_epochs(history: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return one row a seed: `best`, the epoch with the lowest error, and `last`, the last epoch."""
    usable = history.dropna(subset=[column])
    best = usable.loc[usable.groupby("seed")[column].idxmin()].set_index("seed")["epoch"]
    return pd.DataFrame({"best": best, "last": usable.groupby("seed")["epoch"].max()})


def _sentence(data: ReportData, names: list[str], column: str) -> str:
    late: dict[str, int] = {}
    runs = 0
    for name in names:
        found = best_epochs(data.history(name), column)
        runs += len(found)
        late[name] = int((found["best"] > (1 - LATE) * found["last"]).sum())
    total = sum(late.values())
    block = "validation" if column == "valid_rmse" else "training"
    span = f"the last {words.percent(LATE)} of their epochs"
    if not total:
        return (
            f"The budget was long enough: none of {words.plural(runs, 'network run')} had its lowest {block} "
            f"error in {span}."
        )
    worst = [name for name in names if late[name] == max(late.values())]
    examples = words.listing([data.name(name) for name in worst], limit=2)
    sentence = (
        f"{total} of {words.plural(runs, 'network run')} had {'its' if total == 1 else 'their'} lowest "
        f"{block} error in {span}, most "
        f"often {examples} ({late[worst[0]]} of {data.experiments[worst[0]].n_ok})"
    )
    by_chance = LATE * runs
    if column == "train_rmse":
        return (
            f"{sentence}: they still fitted their training data better when they were stopped, which is "
            "usual and does not say that more epochs would forecast better."
        )
    if total <= 2 * by_chance:
        usual = words.number(by_chance, 0 if by_chance >= 1.5 else 1)
        than = "no" if total <= by_chance else "hardly"
        return f"{sentence}: {than} more than the {usual} expected of curves that have settled."
    return f"{sentence}: those may gain from more epochs."


def _paint(data: ReportData, names: list[str], column: str, layout: Layout) -> Canvas:
    columns = layout.columns(len(names), 2 if len(names) <= 2 else 3)
    if layout.narrow and len(names) > 2:
        columns = 2
    rows = -(-len(names) // columns)
    figure, grid = theme.canvas(
        layout, rows * (165 if not layout.narrow else 150) + 16, rows, columns, sharey=True
    )
    for axes in grid.flat[len(names) :]:
        axes.set_visible(False)
    histories = [data.history(name) for name in names]
    low = min(float(history[column].min()) for history in histories)
    high = max(float(history[column].max()) for history in histories)
    single = all(int(history["epoch"].max()) == 1 for history in histories)
    for axes, name, history in zip(grid.flat, names, histories, strict=False):
        colour = data.looks[name].colour
        for _, run in history.groupby("seed"):
            axes.plot(run["epoch"], run[column], "o-" if single else "-", color=colour, lw=1, alpha=0.6)
        if len(set(history["seed"])) > 1:
            mean = history.groupby("epoch")[column].mean()
            axes.plot(mean.index, mean.to_numpy(), color=INK, lw=1.6)
        axes.set_title(words.wrap(data.label(name, 60), 17 if layout.narrow else 27, 3))
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
        if single:
            axes.set_xticks([1])
        axes.set_ylim(
            max(0.0, low - 0.1 * (high - low) if high < 3 * low else 0.8 * low),
            min(high * 1.05, 3 * low) if low > 0 else None,
        )
        theme.few_ticks(axes, theme.NARROW, "y")
    for axes in grid[:, 0]:
        axes.set_ylabel(f"RMSE ({data.unit})")
    for axes in np.atleast_1d(grid[-1]):
        axes.set_xlabel("Epoch")
    return figure


def _help(column: str) -> str:
    if column == "valid_rmse":
        return (
            "A line that still falls at the right edge was stopped too early, one that rises was trained "
            "too long; the model is the one after "
            "the last epoch, not the lowest point. Nothing here was chosen on the test block."
        )
    return (
        "There is no validation block in this study, so these are errors on what the models were trained "
        "on: they show whether training had "
        "settled, not how well it carries over."
    )
