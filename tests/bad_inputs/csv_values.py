"""CSV files whose numbers or dates cannot be meant, and settings that do not fit the file."""

from __future__ import annotations

from datetime import date, timedelta

from tests.bad_inputs.case import PANEL, Case
from tests.bad_inputs.csv_files import PATH, bad
from tests.bad_inputs.tables import HEADER, WEEKS, cell, column, rows, text

GUESS = "Nothing is filled in by guessing"
LOOK = "Numbers look like"
DATES = "Dates look like"


def number(name: str, value: str, place: str, shown: str, remedy: str, **panel: object) -> Case:
    """One number of the target in row 8 (line 10) is another text."""
    return bad(f"number: {name}", cell(8, "sold", value), place, shown, remedy, **panel)


def day(name: str, value: str, shown: str, remedy: str, place: str = "line 10", **panel: object) -> Case:
    """One date in row 8 (line 10) is another text."""
    return bad(f"date: {name}", cell(8, "week", value), place, shown, remedy, **panel)


def setting(name: str, place: str, value: str, remedy: str, **panel: object) -> Case:
    """A key of the group panel that does not go with the file."""
    params = {"panel": {**PANEL, **panel}}
    return Case(
        f"csv settings: {name}", r"params\.yaml|mine\.csv", place, value, remedy, params, {PATH: text(rows())}
    )


def _moved(first: int, step: int) -> str:
    """Return the right file with other dates: from the given day of January 2024 on, `step` days apart."""
    table = rows()
    for place, row in enumerate(table):
        row[2] = str(date(2024, 1, 1) + timedelta(days=first + step * (place % WEEKS)))
    return text(table)


NUMBERS = [
    number("missing", "", "line 10", "'sold' is ''", GUESS),
    number("NaN", "NaN", "line 10", "'NaN'", GUESS),
    number("NA", "NA", "line 10", "'NA'", GUESS),
    number("a dash", "-", "line 10", "'-'", GUESS),
    number("infinite", "inf", "line 10", "'inf'", GUESS),
    number("minus infinity", "-Infinity", "line 10", "infinite", GUESS),
    bad("number: 1e999", cell(8, "sold", "1e999"), "north_b.* at 2024-01-15", "inf", GUESS),
    bad("number: 1e300", cell(8, "sold", "1e300"), "north_b.* at 2024-01-15", r"1e\+300", GUESS),
    bad("number: -1e31", cell(8, "promo", "-1e31"), "'promo'.*north_b", r"-1e\+31", GUESS),
    number("decimal comma in quotes", '"12,5"', "line 10", "'12,5'", LOOK),
    number("thousands", '"1,234,567"', "line 10", "1,234,567", LOOK),
    number("thousands with blanks", "1 234", "line 10", "1 234", LOOK),
    number("a unit", "12 kg", "line 10", "12 kg", LOOK),
    number("money", "$12", "line 10", r"\$12", LOOK),
    number("percent", "12%", "line 10", "12%", LOOK),
    number("true", "TRUE", "line 10", "TRUE", LOOK),
    number("a formula", "=1+1", "line 10", "=1", LOOK),
    number("hexadecimal", "0x10", "line 10", "0x10", LOOK),
    number("underscores", "1_000", "line 10", "1_000", LOOK),
    number("digits of another script", "\u0661\u0662", "line 10", "\u0661", LOOK),
    number("a long minus", "\u22125", "line 10", "\u22125", LOOK),
    bad(
        "number: a point where commas are decimal",
        text(rows(), separator=";").replace("2024-01-15;25", "2024-01-15;2.5"),
        "line 4|line 10",
        "'2.5'",
        "1234,5",
        decimal=",",
        delimiter=";",
    ),
    bad("number: a covariate is text", cell(8, "promo", "yes"), "line 10", "'promo' is 'yes'", LOOK),
    bad("number: a covariate is missing", cell(8, "promo", ""), "line 10", "'promo' is ''", GUESS),
]

TIMES = [
    day("missing", "", "''", DATES),
    day("day first", "15/01/2024", "15/01/2024", "panel.time_format"),
    day("a year of two digits", "24-01-15", "24-01-15", "panel.time_format"),
    day("a number of a spreadsheet", "45306", "45306", "panel.time_format"),
    day("seconds since 1970", "1705276800", "1705276800", "panel.time_format"),
    day("a word", "yesterday", "yesterday", "panel.time_format"),
    day("30 February", "2024-02-30", "2024-02-30", "must exist"),
    day("month 13", "2024-13-01", "2024-13-01", "must exist"),
    day("a zone", "2024-01-15T00:00+01:00", "time zone", "without a zone"),
    day("Z", "2024-01-15T00:00Z", "time zone", "without a zone"),
    day("a zone's name", "2024-01-15 00:00 CET", "CET", "panel.time_format"),
    day("the year 9024", "9024-01-15", "9024", "1700 to 2200"),
    day("the year 0001", "0001-01-15", "0001", "1700 to 2200"),
    day("a week's number", "2024-W03", "2024-W03", "panel.time_format"),
    day("a Tuesday among Mondays", "2024-01-16", "2024-01-16", "start of its period", place="north_b"),
    day("a time of day among days", "2024-01-15T13:00", "13:00", "start of its period", place="north_b"),
    bad("date: all are Tuesdays", _moved(1, 7), "north_a", "Tuesday", "frequency: W-TUE"),
    bad("date: daily, called weekly", _moved(0, 1), "north_a", "2024-01-02", "frequency: D"),
    bad(
        "date: weekly, called daily", text(rows()), "north_a", "2024-01-02", "panel.frequency", frequency="D"
    ),
    bad(
        "date: mixed forms", column("week", "2024-01-01", "08.01.2024"), "line 3", "08.01.2024", "time_format"
    ),
    bad(
        "date: the form does not fit",
        text(rows()),
        "line 2",
        "2024-01-01",
        "%d.%m.%Y",
        time_format="%d.%m.%Y",
    ),
    bad(
        "date: months before days",
        column("week", "01/29/2024"),
        "line 2",
        "01/29/2024",
        "%d/%m/%Y",
        time_format="%d/%m/%Y",
    ),
]

SETTINGS = [
    setting("no path", "panel.path", "null", "text is needed", path=None),
    setting(
        "nothing at the path",
        "panel.path",
        "no.csv",
        "data/user/ is the usual place",
        path="data/user/no.csv",
    ),
    setting("a path of 400 letters", "panel.path", "nnnn", "Name a file", path="n" * 400),
    setting(
        "the pipeline's own folder",
        "panel.path",
        "data/raw",
        "Move it|nothing is there",
        path="data/raw/source.json",
    ),
    setting("a path of two lines", "panel.path", r"a\\nb", "one line", path="a\nb"),
    setting(
        "an unknown user's home",
        "panel.path",
        "no_such_user",
        "Name a file|usual place",
        path="~no_such_user/x.csv",
    ),
    setting("a key of another source", "panel", "'urls'", "Allowed", urls=["https://example.org"]),
    setting("a role twice", "panel", "'promo'", "one role", past=["promo"]),
    setting("an id twice", "panel", "shop", "twice", id=["shop", "shop"]),
    setting("an event that is no covariate", "panel", "holiday", "not under future", event="holiday"),
    setting("a reserved name", "panel", "'y'", "cannot be names", past=["y"]),
    setting(
        "delimiter is decimal", "panel", "same character", "another delimiter", decimal=",", delimiter=","
    ),
    setting("delimiter of two characters", "panel.delimiter", "'::'", "at most 1 character", delimiter="::"),
    setting("delimiter is a letter", "panel.delimiter", "'a'", "usual are", delimiter="a"),
    setting("decimal is a semicolon", "panel.decimal", "';'", r"'\.' or ','", decimal=";"),
    setting("no such frequency", "panel.frequency", "'weekly'", "allowed are W-MON", frequency="weekly"),
    setting("W alone", "panel.frequency", "'W'", "write W-MON", frequency="W"),
    setting("a form without a year", "panel.time_format", "%d.%m", "such as %d.%m.%Y", time_format="%d.%m."),
    setting("a form without a date", "panel.time_format", "mixed", "such as %d.%m.%Y", time_format="mixed"),
    setting(
        "a form that does not exist",
        "panel.time_format|line 2",
        "%Y-%Q",
        "bad directive|form",
        time_format="%Y-%Q",
    ),
    setting("season of 0", "panel.season", "0", "at least 1", season=0),
    setting("a column that is not there", "column 'rain'", "1 of 7", "Columns there", past=["rain"]),
    setting("columns as text", "panel.past", "'promo'", "a list is needed", past="promo"),
    setting("a title of two lines", "panel.title", r"a\\nb", "one line", title="a\nb"),
]

SIZES = [
    bad("number: all tiny", column("sold", "1e-12"), "the target", "1e-12", "multiply it"),
    bad("number: a covariate all tiny", column("promo", "0", "-1e-9"), "'promo'", "1e-09", "multiply it"),
]

SHORT = [
    Case(
        "csv: too few weeks for the folds",
        r"params\.yaml",
        r"experiments\.lasso",
        "2 periods",
        "Use fewer `splits`",
        {"experiments": {"lasso": {"model": "lasso", "features": "window"}}},
        {PATH: text(rows())},
        ("validate", "fetch", "prepare", "audit"),
    ),
    Case(
        "csv: one row",
        "panel 'mine.csv'",
        "experiments.naive",
        "1 periods",
        "longer panel",
        {},
        {PATH: text(rows()[:1])},
        ("validate", "fetch", "prepare", "audit"),
    ),
    Case(
        "csv: shorter than the lookback",
        "panel 'mine.csv'",
        "experiments.naive",
        "lookback 99999",
        "longer panel",
        {"defaults": {"lookback": 99_999}},
        {PATH: text(rows())},
        ("validate", "fetch", "prepare", "audit"),
    ),
    Case(
        "csv: shorter than the test block",
        "panel 'mine.csv'",
        "experiments.naive",
        "test 26",
        "longer panel",
        {"split": {"test_steps": 26, "validation_steps": 0}},
        {PATH: text(rows())},
        ("validate", "fetch", "prepare", "audit"),
    ),
]

CASES = [*NUMBERS, *SIZES, *TIMES, *SETTINGS, *SHORT]
assert len(HEADER) == 7, "the cases count fields"
