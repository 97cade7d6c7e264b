"""params.yaml that is no settings file: absent, unreadable, or YAML with a surprise in it."""

from __future__ import annotations

import yaml

from tests.bad_inputs.case import PARAMS, Case

FILE = r"params\.yaml"
WHOLE = yaml.safe_dump(
    {**PARAMS, "panel": {"source": "synthetic", "series": 2, "steps": 20}}, sort_keys=False
)
VALIDATE = ("validate",)


def bad(name: str, text: str | bytes | None, place: str, value: str, remedy: str) -> Case:
    """The whole text of params.yaml."""
    return Case(f"yaml: {name}", FILE, place, value, remedy, text, {}, VALIDATE)


def added(name: str, line: str, value: str, remedy: str, place: str = r"line \d+") -> Case:
    """One more line, or several, at the end of a right file."""
    return bad(name, WHOLE + line + "\n", place, value, remedy)


def without(group: str, remedy: str) -> Case:
    """A right file that lacks one group."""
    content = {key: value for key, value in yaml.safe_load(WHOLE).items() if key != group}
    return bad(f"no {group}", yaml.safe_dump(content, sort_keys=False), group, "missing", remedy)


def _bomb() -> str:
    """Ten lines that would be a list of a thousand million entries."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines)


FILES = [
    bad("absent", None, "none in", "", r"cp presets/smoke\.yaml params\.yaml"),
    bad("empty", "", "the groups", "is empty", "presets/smoke"),
    bad("only a comment", "# nothing\n", "the groups", "is empty", "presets/smoke"),
    bad("a list", "- 1\n- 2\n", "the groups", r"\[1, 2\]", "presets/smoke"),
    bad("a word", "rossmann\n", "the groups", "'rossmann'", "presets/smoke"),
    bad("UTF-16", WHOLE.encode("utf-16"), "", "UTF-8", "Save it as UTF-8"),
    bad("Latin-1", WHOLE.encode() + "# S\xfcd".encode("latin-1"), "", "0xfc", "Save it as UTF-8"),
    bad("a NUL character", WHOLE + "\0", "line", r"U\+0000", "delete it"),
    bad("an escape character", WHOLE + "# \x1b[31m", "line", r"U\+001B", "delete it"),
    bad("two megabytes", WHOLE + "# " + "x" * 2_000_000, "", "1,000,000 bytes", "far smaller"),
    bad("nested 5,000 deep", "a: " + "[" * 5000, "", "nested too deeply", "settings file"),
    bad(
        "nested 5,000 deep and closed",
        WHOLE + "x: " + "[" * 5000 + "]" * 5000,
        "",
        "too deeply",
        "settings file",
    ),
    bad("nested 150 deep", WHOLE + "x: " + "[" * 150 + "]" * 150, "x", "'x'", "Allowed"),
]

SYNTAX = [
    bad("a tab", WHOLE.replace("  steps: 20", "\tsteps: 20"), r"line \d+, column 1", r"\\t", "blanks"),
    added("two documents", "---\nseeds: [1]", "another document", "take out the line ---"),
    added("a bracket not closed", "x: [1, 2", r"expected ','", "bracket is not closed"),
    added("a brace not closed", "x: {a: 1", r"expected ','", "bracket is not closed"),
    added("a quote not closed", 'x: "abc', "end of stream", "not closed"),
    added("a colon in text", "x: a: b", "mapping values", "needs quotes"),
    added("a line without colon", "seeds", "could not find expected ':'|expected", "colon"),
    added("wrong indentation", "x:\n  a: 1\n b: 2", "expected <block end>", "same column"),
    added("an @", "x: @a", "'@'", "in quotes"),
    added("an alias bomb", _bomb(), r"aliases \(\*name\)", "write the keys out"),
    added("one alias", "x: &x 1\ny: *x", "aliases", "write the keys out"),
    added("a merge", "x: {<<: {a: 1}}", "'<<'", "write the keys out"),
    added("a Python object", "x: !!python/object/apply:os.system [touch pwned]", "os.system", "without it"),
    added("a Python name", "x: !!python/name:os.system", "os.system", "without it"),
    added("a tag of its own", "x: !mine 1", "!mine", "without it"),
    added("a binary", "x: !!binary aGVsbG8=", "binary", "without it"),
    added("a set", "x: !!set {a, b}", "set", "without it"),
    added("an equals sign", "x: =", "'='", "in quotes"),
    added("a group twice", "seeds: [3]", "'seeds' is given twice", "take one of them out"),
    added("a number as key", "1: x", "the key 1 ", "in quotes"),
    added("a date as key", "2024-01-01: x", "the key 2024-01-01", "in quotes"),
    added("null as key", "null: x", "the key null", "in quotes"),
    added("yes as key", "yes: x", "'yes'", "in quotes"),
    added("a list as key", "? [a]\n: x", r"\['a'\]", "in quotes"),
    added("octal", "x: 010", "'010'", "plain decimal digits"),
    added("sixty-based", "x: 1:30", "'1:30'", "plain decimal digits"),
    added("hexadecimal", "x: 0x1F", "'0x1F'", "plain decimal digits"),
    added("underscores", "x: 1_000", "'1_000'", "plain decimal digits"),
    added("yes", "x: yes", "'yes'", "write true or false"),
    added("off", "x: off", "'off'", "write true or false"),
    added("a date that does not exist", "x: 2024-13-45", "2024-13-45", "cannot be read"),
    added("a number of 5,000 digits", f"x: {'9' * 5000}", "99999", "cannot be read"),
]

GROUPS = [
    *(without(group, "For the defaults write") for group in ("split", "defaults", "ablations", "compare")),
    *(without(group, "For the defaults write") for group in ("quick", "report", "claims", "robustness")),
    *(without(group, "presets/") for group in ("panel", "seeds", "experiments")),
    without("execution", "For the defaults write"),
    added("an unknown group", "sedes: [1]", "'sedes'", "Did you mean 'seeds'", place="sedes"),
]

CASES = [*FILES, *SYNTAX, *GROUPS]
