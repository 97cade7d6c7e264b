"""Dropout."""

from __future__ import annotations

from torch import nn

Dropout = nn.Dropout
