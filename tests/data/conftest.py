from __future__ import annotations

import pytest

from panelbench.panel import Panel
from tests.helpers.panels import make_panel


@pytest.fixture
def panel() -> Panel:
    return make_panel()
