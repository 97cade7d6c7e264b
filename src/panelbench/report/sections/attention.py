"""Where attention looked: which periods the Transformer consulted."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from panelbench.report import theme, words
from panelbench.report.colours import MUTED
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details
from panelbench.report.sections import attention_maps, entropy
from panelbench.report.sections.attention_maps import HEADS_DRAWN
from panelbench.report.stored import Attention
from panelbench.report.theme import Layout

Array = NDArray[np.float32]
RECENT = 4
HEADS = ("#0b3a5e", "#0072b2", "#5ba3d0", "#5b6570")
"""Shades of the Transformer's own colour and grey: other hues stand for other models on this page."""


def build(data: ReportData) -> Section:
    """Make the section; one sentence where no Transformer finished."""
    title = "Where attention looked"
    for task in (data, *data.others):
        for name in task.finished:
            found = task.attention(name)
            if found is not None and found.weights.size:
                return _section(task, name, found, title)
    where = "that is ranked here finished" if data.leaky else "finished in this study"
    return Section("attention", title, f"No Transformer {where}, so there is no attention to look at.")


def _section(data: ReportData, name: str, found: Attention, title: str) -> Section:
    settings = data.run_settings(name)
    pool, patch = str(settings.get("pool", "last")), settings.get("patch_length")
    inner = data.experiments[name].model == "transformer_encoder_decoder"
    if inner:  # its decoder reads the encoder's output at every position
        pool = "all"
    token = "patch" if patch else data.period
    mean = read_out(found.weights, pool)
    sentence = _sentence(data, name, mean, pool, token)
    heads, length = found.weights.shape[2], found.weights.shape[-1]
    shown = min(heads, HEADS_DRAWN)
    more = f" (the first {shown} of {heads} heads)" if shown < heads else ""
    several = (
        " Seeds are not averaged in the maps, since head 1 of one seed has nothing to do with head 1 of "
        "another."
        if len(found.seeds) > 1
        else ""
    )
    below = "the mean over the encoder's positions" if inner else "the weights that the forecast is read from"
    caption = (
        "Each map: how much attention a position (row, from) gives to a position (column, to) of the "
        f"{_tokens(data, length, patch)} in a window, oldest first; "
        f"one map a layer and head{more}, mean over all test windows, seed {int(found.seeds[0])} of "
        f"{data.name(name)}. White is none, the darkest is the "
        f"largest weight of that map. Below: {below}, in the last layer"
        f"{_example(data, found)}; 0 is the last observed {token}, the dotted line attention spread "
        f"evenly.{several}"
    )
    figure = theme.draw("attention", sentence, caption, lambda layout: _paint(found, pool, token, layout))
    body = (
        "Attention says where a layer takes its inputs from. It does not say what was made of them, nor "
        "that the forecast would change without them: "
        "values can be carried past attention, and different weights can give the same forecast."
    )
    spread = entropy.build(found, token)
    if spread:
        body += f"\n\n{spread}"
    if len(found.seeds) > 1:
        recent = f"recent {words.plural_of(token)}"
        body += "\n\n" + details(f"Each seed's attention on {recent}", _by_seed(found, mean, token))
    single = attention_maps.one_forecast(data, found)
    if single:
        body += "\n\n" + details("The maps of one forecast", single.to_markdown())
    return Section("attention", title, sentence, body, (figure,), (single,) if single else ())


def _tokens(data: ReportData, length: int, patch: int | None) -> str:
    """Return what attention is between, counted."""
    if not patch:
        return data.periods(length)
    return f"{words.plural(length, 'patch', 'patches')} of {data.periods(patch)}"


def recent_count(length: int) -> int:
    """Return how many of the last positions count as recent: four, or a third where there are few."""
    return max(1, min(RECENT, length // 3))


def read_out(weights: Array, pool: str) -> Array:
    """Return the last layer's weights from which the forecast is read.

    Parameters
    ----------
    weights
        (R, layers, heads, L, L).
    pool
        "last": the row of the last position; otherwise the mean of all rows.

    Returns
    -------
    (R, heads, L) weights on the L positions, which sum to one.
    """
    last = weights[:, -1]
    return np.asarray(last[:, :, -1] if pool == "last" else last.mean(axis=2))


def _sentence(data: ReportData, name: str, mean: Array, pool: str, token: str) -> str:
    length = mean.shape[-1]
    recent = recent_count(length)
    share = mean[..., -recent:].sum(axis=-1).mean(axis=1)
    even = recent / length
    who = "the last position" if pool == "last" else "the average position"
    spread = (
        f" (seeds: {words.percent(float(share.min()))} to {words.percent(float(share.max()))})"
        if share.size > 1
        else ""
    )
    middle = float(share.mean())
    verdict = "more than" if middle > 1.25 * even else "less than" if middle < 0.75 * even else "about"
    return (
        f"In {data.name(name)}, {who} puts {words.percent(middle)} of its last layer's attention on the "
        f"latest {words.plural(recent, token, words.plural_of(token))}{spread}, "
        f"{verdict} the {words.percent(even)} of attention spread evenly."
    )


def _example(data: ReportData, found: Attention) -> str:
    if not found.example_weights.size:
        return ", one line a head, mean over all test windows"
    return (
        ", one line a head: mean over all test windows, and for one forecast "
        f"({words.escape(words.shorten(found.example_series[0]))}, "
        f"last observed {data.period} {attention_maps.origin(data, found.example_origin[0])})"
    )


def _paint(found: Attention, pool: str, token: str, layout: Layout) -> Canvas:
    heads, length = min(found.weights.shape[2], HEADS_DRAWN), found.weights.shape[-1]
    example = bool(found.example_weights.size)
    map_rows, per_row, side = attention_maps.arrangement(found.weights, layout)
    tail = 180 if not layout.narrow else 300
    tall = map_rows * (side + 16) + tail + 30
    figure, blank = theme.canvas(layout, tall)
    blank[0, 0].remove()
    upper, lower = figure.subfigures(  # type: ignore[misc]
        2, 1, height_ratios=[map_rows * (side + 16), tail + 30]
    )
    maps = upper.subplots(map_rows, per_row, squeeze=False)
    attention_maps.paint(maps, found.weights[0])
    shape = (2, 1) if layout.narrow and example else (1, 2 if example else 1)
    lines = lower.subplots(*shape, squeeze=False, sharey=True).ravel()
    lags = np.arange(-length + 1, 1)
    sources = [(found.weights[:1], "Mean of all test windows")]
    if example:
        sources.append(
            (found.example_weights[:1], f"One forecast: {words.shorten(found.example_series[0], 22)}")
        )
    top = 105 * max(float(read_out(weights, pool)[0][:heads].max()) for weights, _ in sources)
    for axes, (weights, title) in zip(lines, sources, strict=True):
        for head, row in enumerate(read_out(weights, pool)[0][:heads]):
            axes.plot(
                lags,
                100 * row,
                lw=1.4,
                label=f"head {head + 1}",
                color=HEADS[head % 4],
                ls=("-", "--", "-.", ":")[head % 4],
            )
        axes.axhline(100 / length, color=MUTED, lw=0.8, ls=":")
        axes.set_ylim(0, top)
        axes.set_title(title)
        axes.set_xlabel(f"{words.capital(words.plural_of(token))} before the forecast's origin")
        every = max(1, round((length - 1) / 5))
        axes.set_xticks(range(0, -length, -every))
        axes.xaxis.set_major_formatter(lambda value, _: words.number(abs(value), 0))
    lines[0].set_ylabel("Attention (%)")
    theme.legend_above(lower, lines[0], 4, handlelength=1.8, columnspacing=1.2)
    return figure


def _by_seed(found: Attention, mean: Array, token: str) -> str:
    recent = recent_count(mean.shape[-1])
    share = mean[..., -recent:].sum(axis=-1)
    rows = [
        f"- seed {int(seed)}: "
        + ", ".join(f"head {head + 1} {words.percent(float(value))}" for head, value in enumerate(row))
        for seed, row in zip(found.seeds, share, strict=True)
    ]
    latest = words.plural(recent, token, words.plural_of(token))
    return f"Share of the read-out's attention on the latest {latest}, last layer:\n\n" + "\n".join(rows)
