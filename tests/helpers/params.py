"""The least that params.yaml may say: every group that DVC reads a key of, and one experiment."""

from __future__ import annotations

from typing import Any

MINIMAL: dict[str, Any] = {
    "panel": {"source": "synthetic"},
    "split": {},
    "seeds": [0, 1],
    "defaults": {},
    "experiments": {"naive": {"model": "last_value"}},
    "ablations": {},
    "execution": {"threads": 1},
    "quick": {},
    "compare": {},
    "report": {},
    "claims": [],
    "robustness": {},
}
