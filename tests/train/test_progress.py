from __future__ import annotations

import io

from rich.console import Console

from panelbench.train.job import Job
from panelbench.train.progress import SeedProgress
from tests.train.test_record import make_runs


def job(seed: int) -> Job:
    return Job.model_construct(experiment="rnn", seed=seed)


def test_when_a_seed_was_stored_then_its_line_says_so() -> None:
    text = io.StringIO()
    stored = make_runs().runs[0].model_copy(update={"from_store": True})
    with SeedProgress("all experiments", 1, Console(file=text)) as progress:
        progress.ended(job(0), stored)

    assert text.getvalue() == "rnn: seed 0 taken from the store (1/1)\n"


def test_when_there_is_no_terminal_then_each_seed_leaves_one_plain_line() -> None:
    text = io.StringIO()
    good, bad = make_runs().runs
    with SeedProgress("rnn", 2, Console(file=text, width=40)) as progress:
        for run in (good, bad):
            progress.started(job(run.seed))
            progress.epoch(job(run.seed), 1, 2)
            progress.ended(job(run.seed), run)

    assert text.getvalue().splitlines() == [
        "rnn: seed 0 fitted in 0.1 s (1/2)",
        "rnn: seed 1 failed: Diverged: <b> (2/2)",
    ]


def test_when_there_is_a_terminal_then_seeds_and_epochs_are_shown() -> None:
    text = io.StringIO()
    with SeedProgress("rnn", 2, Console(file=text, force_terminal=True, width=100)) as progress:
        progress.started(job(0))
        progress.epoch(job(0), 3, 30)
        progress._bars.refresh()

    assert "seed 0" in text.getvalue()
    assert "3/30" in text.getvalue()


def test_when_an_error_looks_like_markup_then_it_is_shown_as_it_is() -> None:
    text = io.StringIO()
    bad = make_runs().runs[1].model_copy(update={"error": "ValueError: [red]boo[/nothing]"})
    with SeedProgress("rnn", 1, Console(file=text)) as progress:
        progress.started(job(1))
        progress.ended(job(1), bad)

    assert "[red]boo[/nothing]" in text.getvalue()
