"""Compare the runs of a tree as the stage does."""

from __future__ import annotations

import re

from panelbench.compare import Comparison, compare, load_comparison
from panelbench.compare.outputs import FILES
from tests.helpers.runs_tree import RunsTree


def run(tree: RunsTree, **groups) -> Comparison:
    """Compare, see that no file holds what is no number, and return comparison.json as it is read back."""
    comparison = compare(tree.settings(**groups), tree.root)
    again = load_comparison(tree.reports / "comparison.json")
    assert again.model_dump().keys() == comparison.model_dump().keys()
    for name in FILES:
        assert not re.search(r"\b(nan|inf|infinity)\b", (tree.reports / name).read_text(), re.IGNORECASE)
    return again
