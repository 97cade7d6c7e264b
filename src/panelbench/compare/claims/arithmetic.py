"""Arithmetic that a claim can be checked against: numbers, + - * / **, brackets, and nothing else."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

LONGEST = 300
LARGEST_EXPONENT = 10_000

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def evaluate(text: str) -> float:
    """Return the value of an expression such as "0.7 ** 26".

    The text is parsed, never executed: names, calls and everything but arithmetic are refused.

    Raises
    ------
    ValueError
        If it is not arithmetic, too long, or has no finite value.
    """
    if len(text) > LONGEST:
        raise ValueError(f"the expression has more than {LONGEST} characters")
    try:
        value = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"'{text}' is not arithmetic") from error
    except (ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"'{text}' has no finite value") from error
    if not math.isfinite(value):
        raise ValueError(f"'{text}' has no finite value")
    return value


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        if isinstance(node.value, bool):
            raise ValueError("True and False are not numbers here")
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow) and (abs(right) > LARGEST_EXPONENT or left < 0):
            raise ValueError("a power needs a base of at least zero and an exponent of at most 10,000")
        return float(_BINARY[type(node.op)](left, right))
    raise ValueError("only numbers, + - * / ** and brackets are arithmetic here")
