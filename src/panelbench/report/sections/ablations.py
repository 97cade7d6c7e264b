"""Ablations: what one setting buys, compared seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure as Canvas

from panelbench.compare.schema import Ablation, Pair
from panelbench.report import theme, words
from panelbench.report.colours import FAINT, INK
from panelbench.report.data import ReportData
from panelbench.report.pairs import View, doubt, half, view
from panelbench.report.section import Figure, Section, details, table
from panelbench.report.theme import Layout

IN_CAPTION = 3
"""Differences that a caption can carry."""


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where params.yaml declares no ablation."""
    declared = data.comparison.ablations
    if not declared:
        return None
    drawn: dict[str, list[View]] = {}
    sentences = []
    for key, ablation in declared.items():
        views = [view(pair, pair.a if pair.b == ablation.baseline else pair.b) for pair in ablation.variants]
        sentences.append(_sentence(data, key, ablation, views, several=len(declared) > 1))
        paired = [found for found in views if found.pair.seeds.n]
        if paired:
            drawn[key] = paired
    only = next(iter(declared)) if len(declared) == 1 else None
    title = words.escape(title_of(only)) if only else "Ablations"
    body = (
        "A line joins two runs that share a seed and differ in nothing but the setting; lines that all "
        "lean the same way are evidence, lines that cross are luck. The interval over seeds is about "
        f"retraining, the one over {data.period}s about another stretch of this panel; neither is about "
        "other panels."
    )
    figures = (_figure(data, drawn, " ".join(sentences)),) if drawn else ()
    if not figures:
        return Section("ablations", title, "\n\n".join(sentences))
    among = [_among(data, key, one, several=len(declared) > 1) for key, one in declared.items()]
    body = "\n\n".join([body, *filter(None, among), *filter(None, [_intervals(data, drawn)])])
    return Section("ablations", title, "\n\n".join(sentences), body, figures)


def title_of(key: str) -> str:
    """Return an ablation's key as a title: "positional_encoding" gives "Positional encoding"."""
    return words.capital(key.replace("_", " ").strip()) or key


def _sentence(data: ReportData, key: str, ablation: Ablation, views: Sequence[View], *, several: bool) -> str:
    start = f"{words.escape(title_of(key))}: " if several else ""
    first = words.lower_first if several else words.capital
    missing = [data.name(name) for name in ablation.missing]
    gone = (
        f"{words.listing(missing)} {'has' if len(missing) == 1 else 'have'} no finished run"
        if missing
        else ""
    )
    if not views:
        return f"{start}{gone or first('there is no variant')}, so there is nothing to compare."
    baseline = data.name(ablation.baseline)
    certain = [
        f"{data.name(found.a)} is {'worse' if found.difference > 0 else 'better'} than {baseline} "
        f"({_difference(data, found)})"
        for found in views
        if found.separable
    ]
    open_ = [
        f"{data.name(found.a)} {_difference(data, found)} ({doubt(found, data.period)})"
        for found in views
        if not found.separable
    ]
    text = "; ".join(certain) if certain else first(f"No difference to {baseline} is certain")
    if open_:
        text += f"{'; not certain' if certain else ''}: {'; '.join(open_)}"
    return f"{start}{text}{'; ' + gone if gone else ''}."


def _among(data: ReportData, key: str, ablation: Ablation, *, several: bool) -> str:
    """Say which differences among all experiments of an ablation are real; empty where there are only two."""
    if len(ablation.groups) < 3:
        return ""
    certain = [pair for pair in ablation.pairs if pair.separable]
    start = f"{words.escape(title_of(key))}: among" if several else "Among"
    count = words.plural(len(ablation.pairs), "pair")
    text = f"**{start} all {len(ablation.groups)}, {len(certain)} of {count} can be told apart**"
    if certain:
        found = [f"{data.name(str(pair.better))} from {data.name(_worse(pair))}" for pair in certain]
        text += f": {words.listing(found, limit=6)}"
    rows = [
        [
            f"{data.name(pair.a)} {words.MINUS} {data.name(pair.b)}",
            words.gap(pair.difference, half(view(pair, pair.a).seeds)),
            words.interval(*ends, sign=True) if (ends := view(pair, pair.a).seeds) else words.MISSING,
            words.number(pair.seeds.n, 0),
            words.interval(*ends, sign=True) if (ends := view(pair, pair.a).periods) else words.MISSING,
            "told apart" if pair.separable else doubt(view(pair, pair.a), data.period),
        ]
        for pair in ablation.pairs
    ]
    level = words.percent(data.comparison.method.confidence)
    header = [
        "Pair", f"Difference ({words.escape(data.unit)})", f"{level} over seeds", "n",
        f"{level} over {data.period}s", "Verdict",
    ]  # fmt: skip
    letters = words.listing(
        f"{data.name(name)} {words.escape(letter)}" for name, letter in ablation.groups.items()
    )
    note = (
        "Intervals over seeds are paired: the same seed on both sides. The verdict is the comparison's rule, "
        f"adjusted for these {count}. Letters (a shared one: cannot be told apart): {letters}."
    )
    title = f"{title_of(key)}: every pair" if several else "Every pair"
    return f"{text}.\n\n" + details(title, table(header, rows, "lrrrrl", kind="scroll .pairs") + f"\n{note}")


def _worse(pair: Pair) -> str:
    return pair.b if pair.better == pair.a else pair.a


def _difference(data: ReportData, found: View) -> str:
    return f"{words.gap(found.difference, half(found.seeds))} {words.escape(data.unit)}"


def _figure(data: ReportData, drawn: Mapping[str, Sequence[View]], alt: str) -> Figure:
    flat = [found for views in drawn.values() for found in views]
    counts = sorted({found.pair.seeds.n for found in flat})
    level = words.percent(data.comparison.method.confidence)
    caption = (
        f"RMSE ({words.escape(data.unit)}) of the baseline at the left and of the variant at the right, one "
        f"line a seed ({words.of_seeds(counts)}), black for the mean; {data.kind_of(_names(flat))}. "
    )
    if len(flat) > IN_CAPTION:
        caption += "The differences with their intervals are in the folded table below."
    else:
        caption += (
            f"Differences are variant minus baseline, {level}, with paired t intervals over seeds and "
            f"block-bootstrap intervals over {data.period}s (n = {data.comparison.test.n_periods}): "
            + "; ".join(_caption(data, found) for found in flat)
            + "."
        )
    return theme.draw(f"ablations{data.suffix}", alt, caption, lambda layout: _paint(data, flat, layout))


def _names(views: Sequence[View]) -> list[str]:
    return [name for found in views for name in (found.a, found.b)]


def _caption(data: ReportData, found: View) -> str:
    """Return a variant's difference with both its intervals and the number of seeds."""
    seeds = _interval(found.seeds)
    text = f"{data.name(found.a)} {_difference(data, found)}, over seeds {seeds} (n = {found.pair.seeds.n})"
    return text if found.periods is None else f"{text}, over {data.period}s {_interval(found.periods)}"


def _interval(ends: tuple[float, float] | None) -> str:
    return words.interval(*ends, sign=True) if ends else "none"


def _intervals(data: ReportData, drawn: Mapping[str, Sequence[View]]) -> str:
    """Return the folded table of all differences, where they are too many for a caption."""
    flat = [(key, found) for key, views in drawn.items() for found in views]
    if len(flat) <= IN_CAPTION:
        return ""
    rows = [
        [
            f"{words.escape(title_of(key))}: {data.name(found.a)} {words.MINUS} {data.name(found.b)}",
            words.gap(found.difference, half(found.seeds)),
            _interval(found.seeds),
            str(found.pair.seeds.n),
            _interval(found.periods),
        ]
        for key, found in flat
    ]
    level = words.percent(data.comparison.method.confidence)
    header = [
        "Variant minus baseline", f"Difference ({words.escape(data.unit)})",
        f"{level} over seeds", "n", f"{level} over {data.period}s",
    ]  # fmt: skip
    note = (
        f"Paired t intervals over n common seeds; block-bootstrap intervals over {data.period}s "
        f"(n = {data.comparison.test.n_periods}), seeds held fixed."
    )
    return details("Every difference, with its intervals", table(header, rows, "lrrrr") + f"\n{note}")


def _paint(data: ReportData, views: Sequence[View], layout: Layout) -> Canvas:
    most = 2 if layout.narrow or len(views) == 4 else 3  # four stand better in two rows of two
    columns = max(1 if layout.narrow else 2, min(len(views), most))
    rows = -(-len(views) // columns)
    figure, grid = theme.canvas(layout, rows * 285 + 10, rows, columns, sharey=True)
    for axes in grid.flat[len(views) :]:
        axes.set_visible(False)
    room = 18 if layout.narrow else max(16, 72 // columns)
    for axes, found in zip(grid.flat, views, strict=False):
        left, right = _paired(data, found)
        look = data.looks[found.a]
        for a, b in zip(left, right, strict=True):
            axes.plot([0, 1], [a, b], "-o", color=look.colour, alpha=0.55, lw=1.2, ms=4)
        axes.plot([0, 1], [sum(left) / len(left), sum(right) / len(right)], "-o", color=INK, lw=2.4, ms=5)
        axes.set_title(words.wrap(data.label(found.a, 60), room, 3))
        axes.set_xlim(-0.25, 1.25)
        axes.set_xticks([0, 1], [words.wrap(data.label(found.b), 17, 3), "variant"])
        axes.grid(axis="x", visible=False)
        axes.vlines([0, 1], 0, 1, transform=axes.get_xaxis_transform(), color=FAINT, lw=0.8, zorder=0)
        theme.few_ticks(axes, layout, "y")
    for axes in grid[:, 0]:
        axes.set_ylabel(f"RMSE ({data.unit})")
    return figure


def _paired(data: ReportData, found: View) -> tuple[list[float], list[float]]:
    """Return the RMSE of the baseline and of the variant over their common seeds."""

    def values(name: str) -> list[float]:
        entry = data.experiments[name]
        by_seed = dict(zip(entry.seeds, data.rmse(name).tolist(), strict=True))
        alone = next(iter(by_seed.values()))
        return [
            by_seed.get(seed, alone) if entry.deterministic else by_seed[seed]
            for seed in found.pair.seeds.seeds
        ]

    return values(found.b), values(found.a)
