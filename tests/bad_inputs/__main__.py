"""Print the table of the corpus: `python -m tests.bad_inputs`, in the repository's root."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.bad_inputs.case import judge
from tests.bad_inputs.corpus import CASES, GROUPS


def main() -> int:
    """Run every case; print cases and clear errors a group, then what was not clear."""
    lines = []
    unclear = []
    with tempfile.TemporaryDirectory() as folder:
        for group, cases in GROUPS.items():
            judged = [(case, *judge(case, Path(folder))) for case in cases]
            wrong = [(case, outcome, found) for case, outcome, found in judged if found]
            codes = sorted({outcome.code for _, outcome, _ in judged})
            lines.append((group, len(cases), len(cases) - len(wrong), ", ".join(map(str, codes))))
            unclear += [f"{case.name}: {'; '.join(found)}\n    {out.error}" for case, out, found in wrong]
    clear = sum(line[2] for line in lines)
    rows = [("inputs", "cases", "clear errors", "exit codes"), *lines, ("all", len(CASES), clear, "")]
    for group, cases, good, codes in rows:
        sys.stdout.write(f"{group:<36} {cases:>6} {good:>13}  {codes}\n")
    for line in unclear:
        sys.stdout.write(f"\n{line}\n")
    return int(bool(unclear))


if __name__ == "__main__":
    sys.exit(main())
