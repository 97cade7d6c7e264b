from __future__ import annotations

import subprocess

import pypandoc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelbench.report import words

HOSTILE = [
    "<script>alert(1)</script>",
    "**bold** _em_ ~sub~ ^sup^",
    "a | b",
    "[x](javascript:alert(1))",
    "![x](http://example.org/x.png)",
    "$x^2$ \\alpha",
    "`code` {.class}",
    "::: {.warning}",
    "{{< include /etc/passwd >}}",
    "# heading",
    "1. one",
    "- item",
    "@citation",
    "&amp; \"quotes\" 'and' --- ...",
    "https://example.org",
    "Zürich 東京 Ünïcode",
]


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (1044.75, 85.2, "1,045"),
        (4768.3, 852.0, "4,770"),
        (4768.3, 99.7, "4,770"),
        (0.51234, 0.0213, "0.512"),
        (-3.456, 0.42, "\N{MINUS SIGN}3.46"),
        (2152.118, None, "2,152"),
        (0.0, None, "0"),
        (0.0001234, None, "0.000123"),
        (-0.001, 1.0, "0.0"),
    ],
)
def test_a_value_is_rounded_to_what_its_spread_supports(
    value: float, spread: float | None, text: str
) -> None:
    assert words.with_spread(value, spread) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, words.MISSING),
        (float("nan"), words.MISSING),
        (float("inf"), "infinite"),
        (1234567.0, "1,234,567"),
        (12.3456, "12.35"),
    ],
)
def test_a_number_without_a_spread_keeps_four_digits(value: float | None, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(10.0, "10"), (2500.0, "2,500"), (0.25, "0.25"), (0.0, "0"), (1e6, "1,000,000")]
)
def test_a_tick_shows_only_the_decimals_it_has(value: float, text: str) -> None:
    assert words.tick(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (0.0001, "under 1%"),
        (0.9999, "over 99%"),
        (1.0, "100%"),
        (0.414, "41%"),
        (-0.05, "\N{MINUS SIGN}5%"),
    ],
)
def test_a_share_never_reads_as_nothing_or_all_without_being_so(share: float, text: str) -> None:
    assert words.percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, words.MISSING),
        (0.01, "under 0.1 s"),
        (3.24, "3.2 s"),
        (95.2, "95 s"),
        (270.0, "270 s"),
        (450.0, "7.5 min"),
        (7300.0, "2.0 h"),
    ],
)
def test_a_duration_has_the_unit_a_person_would_use(seconds: float | None, text: str) -> None:
    assert words.duration(seconds).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_difference_shows_its_sign_and_zero_has_none() -> None:
    assert [words.signed(value, 0) for value in (12.0, -12.0, 0.2)] == ["+12", "\N{MINUS SIGN}12", "0"]


def test_an_interval_is_rounded_by_its_width() -> None:
    assert words.interval(-312.4, 845.9, sign=True) == "\N{MINUS SIGN}310 to +850"


def test_an_end_beside_zero_keeps_its_side() -> None:
    assert words.interval(1.7, 1232.0, sign=True) == "+2 to +1,230"
    assert words.interval(-0.3, 66.0) == "\N{MINUS SIGN}0.3 to 66"
    assert words.interval(0.0, 66.0) == "0 to 66"


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [(368.2, 54.0, "+368"), (169.4, 1570.0, "+170"),
     (-11.1, 1300.0, "\N{MINUS SIGN}11"), (0.0012, 300.0, "0.0"),
     (12.34, None, "+12.34"), (0.0, 300.0, "0")],
)  # fmt: skip
def test_a_difference_is_rounded_to_its_interval_but_keeps_two_digits(
    value: float, half: float | None, text: str
) -> None:
    assert words.gap(value, half) == text


def test_a_name_with_a_comma_stands_in_quotation_marks() -> None:
    assert words.quoted("LSTM") == "LSTM"
    both = [words.quoted("Transformer, no positions"), "LSTM", "RNN"]
    assert words.listing(both) == "“Transformer, no positions”, LSTM and RNN"


def test_a_list_counts_what_it_leaves_out() -> None:
    assert words.listing("abcdef", limit=3) == "a, b, c and 3 more"
    assert words.listing("abcd", limit=3) == "a, b, c and d"
    assert words.listing("ab") == "a and b"
    assert words.listing([]) == ""


def test_names_with_commas_are_set_apart_by_semicolons() -> None:
    assert words.listing(["Transformer, no positions", "LSTM"]) == "Transformer, no positions; and LSTM"


def test_a_title_is_broken_into_lines_and_its_end_marked() -> None:
    assert (
        words.wrap("Transformer encoder, learned positions", 20) == "Transformer encoder,\nlearned positions"
    )
    assert words.wrap("a b c d e f g h", 3) == "a b\nc…"


def test_the_first_letter_is_lowered_unless_the_word_is_an_abbreviation() -> None:
    assert words.lower_first("The best") == "the best"
    assert words.lower_first("RMSE is") == "RMSE is"


def test_invisible_and_control_characters_are_taken_out() -> None:
    assert words.printable("a\u202eb\x00c\nd\u200b") == "ab c d"


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, words.MISSING), (0.0001, "under 0.001"), (0.0312, "0.031"), (0.5, "0.50"), (1.0, "1.00")],
)
def test_a_p_value_is_never_zero(p: float | None, text: str) -> None:
    assert words.p_value(p) == text


@given(st.text(max_size=60))
def test_escaped_text_reads_the_same_without_its_backslashes(text: str) -> None:
    assert words.plain(words.escape(text)) == words.printable(text)


@given(st.floats(min_value=1e-6, max_value=1e9), st.floats(min_value=1e-6, max_value=1e6))
def test_rounding_moves_a_value_by_less_than_its_spread(value: float, spread: float) -> None:
    shown = float(words.with_spread(value, spread).replace(",", "").replace("\N{MINUS SIGN}", "-"))
    assert abs(shown - value) <= max(0.06 * spread, 5.1e-4 * value)  # four digits are always enough


def test_pandoc_shows_hostile_text_literally_in_a_table_and_an_alt_text() -> None:
    rows = "\n".join(f"| {words.escape(text)} | ![{words.escape(text)}](x.svg) |" for text in HOSTILE)
    html = _pandoc(f"| a | b |\n|:--|:--|\n{rows}\n", "html")
    assert html.count("<tr>") == len(HOSTILE) + 1
    assert html.count("<td") == 2 * len(HOSTILE)
    assert "<script" not in html
    assert "<a " not in html
    assert "<em>" not in html
    back = _pandoc("\n\n".join(f"Q {words.escape(text)} Q" for text in HOSTILE), "plain")
    found = [line.strip("Q ").strip() for line in back.split("\n\n")]
    assert [line.replace("\n", " ") for line in found] == HOSTILE


def test_a_code_span_cannot_be_ended_by_its_content() -> None:
    html = _pandoc(words.code("a``b`c <b>"), "html")
    assert html == "<p><code>a``b`c &lt;b&gt;</code></p>"


def _pandoc(markdown: str, to: str) -> str:
    command = [pypandoc.get_pandoc_path(), "--from=markdown", f"--to={to}", "--wrap=none", "--columns=9999"]
    return subprocess.run(command, input=markdown, capture_output=True, text=True, check=True).stdout.strip()
