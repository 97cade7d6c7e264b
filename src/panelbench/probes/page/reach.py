"""The section on reach."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, NullLocator

from panelbench.models.network_settings import CnnSettings
from panelbench.probes.copying import IGNORANT
from panelbench.probes.page.summary import FIGURES, Mean, mean_of, name_of, said, told
from panelbench.probes.results import ReachRow, Result
from panelbench.probes.settings import ReachSettings, model_settings
from panelbench.report import theme, words
from panelbench.report.colours import MUTED, looks
from panelbench.report.section import Section, table
from panelbench.report.theme import Layout

TAUGHT = {
    "cnn": "its receptive field only",
    "rnn": "10 to 30 steps",
    "lstm": "hundreds of steps",
    "transformer": "any distance",
}
Curves = dict[str, dict[int, Mean]]
"""Error by model and k."""


def build(result: Result[ReachRow], settings: ReachSettings) -> Section:
    """Make the section."""
    loud, silent = (curves(result.rows, settings, quiet) for quiet in (False, True))
    sentence = _sentence(loud, silent, settings)
    training = settings.training
    caption = (
        f"Mean squared error on {words.number(settings.test_windows, 0)} fresh windows by k, the steps "
        "back at which the value to forecast stands (log scale). 1 (dashed): knows nothing; 0: knows the "
        f"value. {told(settings.seeds, settings.confidence)} Windows of k + {settings.margin} values, "
        f"{words.number(training.updates, 0)} updates of {training.batch_size} windows, none seen twice."
    )
    figure = theme.draw(
        "reach", sentence, caption, lambda layout: _paint(loud, silent, settings, layout), FIGURES
    )
    body = "\n\n".join(
        (
            said(
                "A CNN sees its receptive field only, an RNN remembers 10 to 30 steps, an LSTM hundreds, "
                "and a Transformer reaches any position at once."
            ),
            _table(result, settings, loud, silent),
            _reading(settings),
        )
    )
    return Section("reach", "How far back a network reaches", sentence, body, (figure,))


def curves(rows: Sequence[ReachRow], settings: ReachSettings, silent: bool) -> Curves:
    """Return the mean error of every model at every k; empty where nothing was tried."""
    names = settings.silent if silent else tuple(settings.models)
    return {
        name: {
            k: mean_of(
                (row.error for row in rows if (row.model, row.steps_back, row.silent) == (name, k, silent)),
                settings.confidence,
            )
            for k in sorted(settings.steps_back)
        }
        for name in names
    }


def reached(errors: dict[int, float], threshold: float) -> int:
    """Return the largest k up to which every error is below the threshold's share of 1; 0 for none."""
    found = 0
    for k in sorted(errors):
        if not errors[k] < threshold * IGNORANT:  # also where it is not a number
            break
        found = k
    return found


def _reach(curve: dict[int, Mean], settings: ReachSettings) -> int:
    return reached(
        {k: one.mean if not one.lost else float("nan") for k, one in curve.items()}, settings.threshold
    )


def _by_seed(rows: Sequence[ReachRow], name: str, silent: bool, settings: ReachSettings) -> list[int]:
    return [
        reached(
            {
                row.steps_back: float("nan") if row.error is None else row.error
                for row in rows
                if (row.model, row.silent, row.seed) == (name, silent, seed)
            },
            settings.threshold,
        )
        for seed in settings.seeds
    ]


def _label(settings: ReachSettings, name: str) -> str:
    return words.escape(name_of(settings.models[name], name))


def _sentence(loud: Curves, silent: Curves, settings: ReachSettings) -> str:
    groups: dict[int, list[str]] = {}
    for name, curve in loud.items():
        groups.setdefault(_reach(curve, settings), []).append(words.quoted(_label(settings, name)))
    furthest = max(settings.steps_back)
    parts = []
    for reach in sorted(groups, reverse=True):
        names = words.listing(groups[reach])
        if reach == 0:
            parts.append(f"not even the nearest one by {names}")
        else:
            end = ", the furthest that was asked for," if reach == furthest else ""
            parts.append(f"up to {words.plural(reach, 'step')} back{end} by {names}")
    sentence = (
        f"After {words.number(settings.training.updates, 0)} updates, a value among noise is found "
        f"{'; '.join(parts)}."
    )
    if silent:
        quiet = words.listing(
            f"{_label(settings, name)} up to {_reach(curve, settings)}" for name, curve in silent.items()
        )
        sentence += f" With silence around that value, so that there is one number to keep: {quiet}."
    return sentence


def _table(result: Result[ReachRow], settings: ReachSettings, loud: Curves, silent: Curves) -> str:
    rows = []
    for name in settings.models:
        model = str(settings.models[name]["model"])
        taught = TAUGHT.get(model, words.MISSING)
        if model == "cnn":
            taught += f" ({_field(settings, name)})"
        cells = [_label(settings, name), taught]
        for found, quiet in ((loud, False), (silent, True)):
            if name not in found:
                cells.append(words.MISSING)
                continue
            seeds = _by_seed(result.rows, name, quiet, settings)
            cells.append(f"{_reach(found[name], settings)} ({min(seeds)} to {max(seeds)})")
        rows.append(cells)
    return table(["Network", "Taught", "Found among noise", "Found in silence"], rows, "llrr") + (
        "\nLargest k of those tried up to which the mean error stays below "
        f"{words.number(settings.threshold, 2)}; in brackets the lowest and the highest of "
        f"{words.plural(len(settings.seeds), 'seed')}."
    )


def _field(settings: ReachSettings, name: str) -> int:
    own = model_settings(settings.models[name], lookback=max(settings.steps_back) + settings.margin)
    return own.receptive_field if isinstance(own, CnnSettings) else 0


def _reading(settings: ReachSettings) -> str:
    return (
        "A receptive field says what one output position of the convolutions sees; what the network can "
        "use depends on its head. A flattened head reads every position with weights of its own, so it "
        "reaches the whole window. A pooled head adds the positions up and forgets where something stood, "
        "so it can tell k only as far as few positions are added. Only a network that reads one position "
        "is bound to its receptive field.\n\nAmong noise a recurrent network has to hold the last k values "
        "at once, since any of them becomes the one that is asked for; in silence it has to hold one. "
        f"Reach here is what was learned in {words.number(settings.training.updates, 0)} updates: more "
        "training can extend it."
    )


def _paint(loud: Curves, silent: Curves, settings: ReachSettings, layout: Layout) -> Canvas:
    panels = [("Among noise", loud)] + ([("In silence", silent)] if silent else [])
    columns = layout.columns(len(panels), 2)
    rows = -(-len(panels) // columns)
    figure, grid = theme.canvas(
        layout, (300 if layout.narrow else 340) * rows + 60, rows, columns, sharey=True
    )
    look = looks({name: str(own["model"]) for name, own in settings.models.items()})
    for axes, (title, found) in zip(grid.flat, panels, strict=True):
        axes.axhline(IGNORANT, color=MUTED, lw=1, ls="--", zorder=0)
        for name, curve in found.items():
            ks = [k for k in curve if curve[k].n]
            style = look[name]
            axes.fill_between(
                ks,
                [max(0.0, curve[k].ends[0]) for k in ks],
                [min(1.35, curve[k].ends[1]) for k in ks],
                color=style.colour,
                alpha=0.15,
                lw=0,
            )
            label = name_of(settings.models[name], name) if found is loud else None
            axes.plot(
                ks, [min(1.35, curve[k].mean) for k in ks], style.line, color=style.colour,
                marker=style.marker, ms=4.5, mec="white", mew=0.5, label=label,
            )  # fmt: skip
        axes.set_title(title)
        axes.set_xscale("log")
        axes.set_ylim(-0.03, 1.35)
        every = sorted(settings.steps_back)
        axes.xaxis.set_major_locator(FixedLocator([k for k in every if k in (1, 3, 7, 20, 50, 200)] or every))
        axes.xaxis.set_minor_locator(NullLocator())
        theme.thousands(axes.xaxis)
        axes.set_xlabel("k, steps back")
    grid[0, 0].set_ylabel("Mean squared error")
    figure.legend(loc="outside lower center", ncols=2 if layout.narrow else 3)
    return figure
