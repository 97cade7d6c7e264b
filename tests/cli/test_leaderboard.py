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
    "mae_mean,wape_mean,rmsse_mean,n_parameters,group,horizon,mode,leaks\n"
)


def shown(root: Path, rows: str, width: int = 100) -> list[str]:
    write_text(root / "reports/leaderboard.csv", HEADER + rows)
    out = io.StringIO()
    show(root, Console(file=out, width=width, highlight=False))
    return out.getvalue().splitlines()


def test_when_models_were_compared_then_each_has_its_figures(tmp_path: Path) -> None:
    lines = shown(
        tmp_path,
        "lasso,LASSO,lasso,True,1,0,744.1,,744.1,744.1,512.3,0.0512,0.61,46,a,1,rolling,False\n"
        "rnn,Vanilla RNN,rnn,False,6,0,11842.4,25.31,800,880,600.0,0.06,0.7,4545,b,1,rolling,False\n",
    )
    lasso = next(line for line in lines if "LASSO" in line)
    assert lasso.split() == ["LASSO", "744.1", "-", "512.3", "0.051", "0.610", "1", "fixed", "46"]
    rnn = next(line for line in lines if "RNN" in line)
    assert rnn.split()[2:] == ["11,842", "25.31", "600", "0.060", "0.700", "6", "4,545"]
    assert lines[-1] == "Report: reports/benchmark.html"


@pytest.mark.parametrize("figure", [8.2e16, 8.2e8, 12345678.9, 1e300])
def test_when_a_run_diverged_then_the_names_are_still_readable(tmp_path: Path, figure: float) -> None:
    row = f"boom,Boom,rnn,False,1,0{f',{figure}' * 7},4545,b,1,rolling,False\n"
    lines = shown(tmp_path, row, width=80)
    found = next(line for line in lines if "Boom" in line).split()
    assert found[1:6] == [f"{figure:.1e}"] * 5
    assert all(len(one) <= 8 for one in found[1:6])
    assert max(map(len, lines)) <= 80


def test_when_every_seed_failed_then_the_row_stays_and_says_so(tmp_path: Path) -> None:
    lines = shown(tmp_path, "rnn,Vanilla RNN,rnn,False,0,2,,,,,,,,,,1,rolling,False\n")
    assert "0 (2 failed)" in next(line for line in lines if "RNN" in line)


def test_when_nothing_was_compared_then_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dvc repro"):
        show(tmp_path)


def test_when_horizons_differ_then_each_has_a_table_with_its_name(tmp_path: Path) -> None:
    row = "{0},{1},rnn,False,6,0,1023,123.4,9,11,1023,0.1,0.7,110808,{2},3,{3},{4}\n"
    other = row.format("far", "RNN far", "a", "direct", "False")
    other += row.format("back", "RNN [b]back[/b]", "a", "recursive", "False")
    other += row.format("bad", "RNN bad", "", "direct", "True")
    write_text(tmp_path / "reports/tasks/multi_step_3/leaderboard.csv", HEADER + other)
    lines = shown(tmp_path, "rnn,RNN,rnn,False,6,0,5,1,4,6,8,0.1,0.7,45,a,1,rolling,False\n", width=80)
    text = "\n".join(lines)
    assert text.index("Rolling one-step forecasts") < text.index("Direct and recursive multi-step")
    assert next(line for line in lines if "back" in line).strip().startswith("RNN [b]back[/b]")
    assert next(line for line in lines if "RNN far" in line).split()[2] == "direct"
    assert text.count("110,808") == 3
    assert "RNN bad (leaks)" in text
    assert "not ranked" in text


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", HEADER + "rnn,RNN\n", "\0\n"])
def test_when_the_file_is_damaged_then_it_is_named(tmp_path: Path, content: str) -> None:
    write_text(tmp_path / "reports/leaderboard.csv", content)
    with pytest.raises(InputError, match=r"leaderboard\.csv .*dvc repro -f compare"):
        show(tmp_path)
