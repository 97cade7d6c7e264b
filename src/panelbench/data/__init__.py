"""From a panel to what a model sees: split by target time, windows, features, scaling."""

from __future__ import annotations

from panelbench.data.features import FeatureTable, feature_table
from panelbench.data.scaling import Scaler
from panelbench.data.split import Split
from panelbench.data.task import Task, build_task
from panelbench.data.windows import Known, Windows

__all__ = ["FeatureTable", "Known", "Scaler", "Split", "Task", "Windows", "build_task", "feature_table"]
