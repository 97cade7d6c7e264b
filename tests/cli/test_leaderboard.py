"""The leaderboard in the terminal is that of the file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from panelbench.cli.leaderboard import show
from panelbench.errors import InputError
from panelbench.files import write_text

HEADER = (
    "experiment,label,model,deterministic,n_ok,n_failed,rmse_mean,rmse_sd,rmse_min,rmse_max,"
    "mae_mean,wape_mean,rmsse_mean,n_parameters,group\n"
)


def shown(root: Path, rows: str, width: int = 100) -> list[str]:
    write_text(root / "reports/leaderboard.csv", HEADER + rows)
    out = io.StringIO()
    show(root, Console(file=out, width=width, highlight=False))
    return out.getvalue().splitlines()


def test_when_models_were_compared_then_each_has_its_figures(tmp_path: Path) -> None:
    lines = shown(
        tmp_path,
        "lasso,LASSO,lasso,True,1,0,744.1,,744.1,744.1,512.3,0.0512,0.61,46,a\n"
        "rnn,Vanilla RNN,rnn,False,6,0,11842.4,25.31,800,880,600.0,0.06,0.7,4545,b\n",
    )
    lasso = next(line for line in lines if "LASSO" in line)
    assert lasso.split() == ["LASSO", "744.1", "-", "512.3", "0.051", "0.610", "1", "fixed", "46"]
    rnn = next(line for line in lines if "RNN" in line)
    assert rnn.split()[2:] == ["11,842", "25.31", "600", "0.060", "0.700", "6", "4,545"]
    assert lines[-1] == "Report: reports/benchmark.html"


def test_when_a_run_diverged_then_the_names_are_still_readable(tmp_path: Path) -> None:
    row = "boom,Boom,rnn,False,1,0,8.2e16,8.2e16,8.2e16,8.2e16,8.2e16,8.2e11,8.2e12,4545,b\n"
    line = next(line for line in shown(tmp_path, row, width=80) if "Boom" in line)
    assert line.split()[1] == "8.2e+16"


def test_when_every_seed_failed_then_the_row_stays_and_says_so(tmp_path: Path) -> None:
    lines = shown(tmp_path, "rnn,Vanilla RNN,rnn,False,0,2,,,,,,,,,\n")
    assert "0 (2 failed)" in next(line for line in lines if "RNN" in line)


def test_when_nothing_was_compared_then_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dvc repro"):
        show(tmp_path)
