"""The size section's account of parameters, block by block."""

from __future__ import annotations

from panelbench.report.sections import parts, size
from tests.report.conftest import SIX, Project

ENCODER = {"embedding": 128, "encoder layer 1: self-attention projections": 16_640, "head": 65}


def test_when_blocks_are_recorded_then_their_sum_stands_beside_each_architecture_once(
    project: Project,
) -> None:
    record = {"parameters_by_part": ENCODER}
    for name in ("transformer", "no_positions"):
        project.tree.add(name, model="transformer", seeds=SIX, n_parameters=16_833, record=record)
    project.tree.add("rnn", seeds=SIX, n_parameters=99, record={"parameters_by_part": {"a <b>": 90}})
    data = project.finish(compare={"resamples": 100, "block_length": 3})
    assert [names for names, _ in parts.architectures(data)] == [["no_positions", "transformer"], ["rnn"]]
    text = parts.accounts(data)
    assert "| **no positions and transformer** | **16,833** |  |\n| Embedding | 128 | 1% |" in text
    assert "A \\<b\\>" in text
    assert "[not the model's 99]{.fail}" in text
    assert text in size.build(data).body


def test_when_nothing_is_recorded_then_there_is_no_account(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.tree.add("lstm", model="lstm", seeds=SIX)
    data = project.finish(compare={"resamples": 100, "block_length": 3})
    assert parts.accounts(data) == ""
    section = size.build(data)  # of one size: a picture would set them apart for nothing
    assert section.figures == ()
    assert "the same 4,545" in section.sentence
