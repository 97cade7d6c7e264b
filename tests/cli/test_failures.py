"""A message is one paragraph that a terminal shows and does not obey."""

from __future__ import annotations

import pytest

from panelbench.cli.failures import print_paragraph


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("two\nlines", "two lines"),
        ("a\ttab", "a tab"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("turned \u202eround", "turned \\u202eround"),
        ("grüße, 日本, two  blanks", "grüße, 日本, two  blanks"),
    ],
)
def test_when_a_message_holds_what_a_user_wrote_then_it_stays_one_line_of_text(
    message: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_paragraph(message)
    assert capsys.readouterr().err == shown + "\n"
