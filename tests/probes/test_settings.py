from __future__ import annotations

import re
from pathlib import Path

import pytest

from panelbench.errors import InputError
from panelbench.models.network_settings import CnnSettings
from panelbench.probes.settings import PROBES, load
from tests.helpers.project import ROOT
from tests.probes.conftest import write_settings


@pytest.mark.parametrize("name", PROBES)
def test_when_the_repositorys_settings_are_read_then_they_are_allowed_and_every_group_is_explained(
    name: str,
) -> None:
    load(name, ROOT / "probes")

    assert (ROOT / "probes" / f"{name}.yaml").read_text().startswith("# ")


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("reach", {"steps_bak": [1]}, r"reach\.yaml: steps_bak: .* not a setting here.*steps_back"),
        ("reach", {"silent": ["gru"]}, r"silent.*'gru' is not among the models"),
        ("reach", {"models.rnn": {"model": "rn"}}, r"models\.rnn\.model is 'rn'.*rnn"),
        ("reach", {"models.rnn": {"model": "rnn", "hiden": 3}}, r"models\.rnn\.hiden.*hidden"),
        ("reach", {"margin": 2}, r"models\.cnn_\w+\.kernels.*span 7 periods.*lookback of 3"),
        ("depth", {"norms": ["mid"]}, r"norms\.0 is 'mid'"),
        ("depth", {"transformer.heads": 5}, r"transformer\.heads.*heads must divide width"),
        ("size", {"fractions": [0]}, r"fractions\.0 .*above 0"),
        ("size", {"seeds": [1, 1]}, r"seeds.*each seed may appear once"),
        ("heads", {"heads": [1]}, r"heads.*at least 2"),
        ("lengths", {"models": ["lstm"]}, r"models.*transformer must be among them"),
    ],
)
def test_when_a_setting_is_wrong_then_it_is_refused_with_its_place(
    tmp_path: Path, name: str, changes: dict[str, object], said: str
) -> None:
    write_settings(tmp_path, name, changes)

    with pytest.raises(InputError) as refused:
        load(name, tmp_path)

    assert re.search(said, str(refused.value))


def test_when_there_is_no_such_probe_then_the_nearest_is_named() -> None:
    with pytest.raises(InputError, match=r"no probe 'reech'.*reach"):
        load("reech")


@pytest.mark.parametrize(
    ("kernels", "field"), [((5, 3), 7), ((3,), 3), ((1, 1), 1), ((3,) * 8, 17), ((5, 3, 3), 9)]
)
def test_when_kernels_are_stacked_then_each_adds_all_but_one_of_its_periods(
    kernels: tuple[int, ...], field: int
) -> None:
    settings = CnnSettings(model="cnn", kernels=kernels, filters=(4,) * len(kernels))

    assert settings.receptive_field == field
