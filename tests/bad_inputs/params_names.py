"""params.yaml whose names would be folders, commands or markup, or name what is not there."""

from __future__ import annotations

from tests.bad_inputs.case import Case
from tests.bad_inputs.params_values import SYNTHETIC, bad

RULE = "1 to 60 small letters"


def called(name: str, key: str, shown: str) -> Case:
    """An experiment by another name."""
    return bad(f"name: {name}", "experiments", shown, RULE, experiments={key: {"model": "last_value"}})


NAMES = [
    called("upwards", "../escape", r"'\.\./escape'"),
    called("from the root", "/etc/passwd", "'/etc/passwd'"),
    called("a command", "$(touch pwned)", r"\$\(touch pwned\)"),
    called("back quotes", "`touch pwned`", "`touch pwned`"),
    called("a second command", "a; touch pwned", "a; touch pwned"),
    called("a pipe", "a|tee pwned", "tee pwned"),
    called("a quote", "a'b", "a'b"),
    called("double quotes", 'a"b', 'a"b'),
    called("a blank", "a b", "'a b'"),
    called("a line break", "a\nb", r"a\\nb"),
    called("an option", "--debug", "'--debug'"),
    called("a template of DVC", "${panel}", r"\$\{panel\}"),
    called("HTML", "<script>", "'<script>'"),
    called("Markdown", "[a](http://b)", r"\[a\]"),
    called("capitals", "Rnn", "'Rnn'"),
    called("an accent", "caf\u00e9", "caf\u00e9"),
    called("another script", "\u043c\u043e\u0434\u0435\u043b\u044c", "\u043c\u043e\u0434"),
    called("a hidden folder", ".git", r"'\.git'"),
    called("digits", "2024", "'2024'"),
    called("a number to DVC", "1e5", "'1e5'"),
    called("an underscore first", "_x", "'_x'"),
    called("nothing", "", "''"),
    called("61 letters", "a" * 61, "aaa"),
    called("an at sign", "a@b", "'a@b'"),
    bad(
        "name: an ablation's",
        "ablations",
        r"'a/b'",
        RULE,
        ablations={"a/b": {"baseline": "naive", "variants": ["naive"]}},
    ),
]

NAIVE = {
    "naive": {"model": "last_value"},
    "season": {"model": "seasonal_naive"},
    "same": {"model": "last_value"},
}
REFERENCES = [
    bad(
        "an unknown reference",
        r"compare\.reference",
        "'naiv'",
        "Did you mean 'naive'",
        compare={"reference": "naiv"},
    ),
    bad(
        "an unknown baseline",
        r"ablations\.q",
        "'nope'",
        "Declared: naive",
        ablations={"q": {"baseline": "nope", "variants": ["naive"]}},
    ),
    bad(
        "no variant",
        r"ablations\.q\.variants",
        r"\[\]",
        "at least 1",
        ablations={"q": {"baseline": "naive", "variants": []}},
    ),
    bad(
        "compared with itself",
        r"ablations\.q",
        "naive, naive",
        "twice",
        ablations={"q": {"baseline": "naive", "variants": ["naive"]}},
    ),
    bad(
        "nothing to compare",
        r"ablations\.q",
        "'same'",
        "differ in one setting",
        experiments=NAIVE,
        ablations={"q": {"baseline": "naive", "variants": ["same"]}},
    ),
    bad("claims elsewhere", "claims", r"\.\./x\.yaml", "inside the repository", claims=["../x.yaml"]),
    bad("claims from the root", "claims", "/etc/x.yaml", "inside the repository", claims=["/etc/x.yaml"]),
    bad(
        "claims that are not there",
        "claims",
        "ledgers/no.yaml",
        "put the file|no such file",
        claims=["ledgers/no.yaml"],
    ),
    bad(
        "a protocol without roles",
        r"robustness",
        "'naive'",
        "Declared",
        robustness={"roles": [], "protocols": {"p": {"title": "t", "experiments": {"naive": "naive"}}}},
    ),
    bad(
        "an address that is not https",
        r"panel\.urls",
        "http://example.org",
        "https://",
        panel={"source": "m5", "urls": ["http://example.org/m5.zip"]},
    ),
    bad(
        "a file for an address",
        r"panel\.urls",
        "file:///etc/passwd",
        "https://",
        panel={"source": "m5", "urls": ["file:///etc/passwd"]},
    ),
    bad("half a hash", r"panel\.sha256", "'abc'", "match", panel={"source": "m5", "sha256": "abc"}),
    bad(
        "too many series",
        r"panel\.series",
        "1000000000",
        "at most 100,000",
        panel={**SYNTHETIC, "series": 10**9},
    ),
    bad(
        "periods after 2200",
        r"panel\.steps",
        "90000",
        "Use fewer",
        panel={**SYNTHETIC, "frequency": "YS", "steps": 90_000},
    ),
]

CASES = [*NAMES, *REFERENCES]
