"""The code one model really runs: modules reached by imports, and a hash of what they do."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import panelbench

PACKAGE = "panelbench"
WORKER = "panelbench.train.worker"
"""What every run starts with."""
LEFT_OUT = ("panelbench.config", "panelbench.errors", "panelbench.models.registry")
"""Modules, beside `settings` and `*_settings`, that act on a result through the resolved settings only.

Those are hashed as values, with the properties that classes derive from them. A new model adds a line to
the registry and a class to the settings; hashing their text would retrain every other model. The registry's
only other act is to call the model's factory, whose name is hashed too. The package's own `__init__` states
its version, and a release retrains nothing whose code is the same.
"""


@dataclass(frozen=True)
class Closure:
    """What some modules import, directly or not, inside this package and outside it.

    Attributes
    ----------
    modules
        (name, SHA-256 of its code) sorted by name.
    libraries
        Top-level names of all other packages, the standard library's among them.
    """

    modules: tuple[tuple[str, str], ...]
    libraries: frozenset[str]

    @property
    def sha256(self) -> str:
        """Return one hash over the names and hashes of the modules."""
        text = "".join(f"{name}\0{digest}\n" for name, digest in self.modules)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class _Module:
    """One file: the hash of its code and every dotted name it may import."""

    sha256: str
    imports: frozenset[str]


def closure(*entries: str, source: Path | None = None) -> Closure:
    """Follow the imports of the modules `entries` through the package's source, without running it.

    Imports inside functions count, those for the type checker alone do not. A package's `__init__` belongs
    to every module inside it, because importing the module runs it.

    Parameters
    ----------
    entries
        Dotted names such as "panelbench.models.recurrent".
    source
        The package's folder; None for the one that is running.
    """
    root = source or Path(panelbench.__file__).parent
    found: dict[str, str] = {}
    libraries: set[str] = set()
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        for one in _with_parents(name):
            file = _file(root, one)
            if one in found or file is None or _acts_by_settings(one):
                continue
            module = _read(file.read_bytes(), one, file.name == "__init__.py")
            found[one] = module.sha256
            waiting += [wanted for wanted in module.imports if wanted.partition(".")[0] == PACKAGE]
            libraries |= {wanted.partition(".")[0] for wanted in module.imports} - {PACKAGE}
    return Closure(tuple(sorted(found.items())), frozenset(libraries))


def _acts_by_settings(name: str) -> bool:
    last = name.rpartition(".")[2]
    listed = any(name == one or name.startswith(f"{one}.") for one in LEFT_OUT)
    return listed or name == PACKAGE or last == "settings" or last.endswith("_settings")


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        yield ".".join(parts[:end])


def _file(root: Path, name: str) -> Path | None:
    """Return the file of a module of this package; None for a name inside a module, or another package."""
    package, _, rest = name.partition(".")
    if package != PACKAGE:
        return None
    path = root.joinpath(*rest.split(".")) if rest else root
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


@cache
def _read(content: bytes, name: str, package: bool) -> _Module:
    try:
        tree = ast.parse(content)
    except SyntaxError:  # it will fail by itself, with Python's own words
        return _Module(hashlib.sha256(content).hexdigest(), frozenset())
    found = frozenset(_imports(tree, name if package else name.rpartition(".")[0]))
    _drop_docstrings(tree)
    return _Module(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), found)


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield every dotted name that may be a module; `from a import b` gives both a and a.b."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and _is_for_type_checker(node.test):
            yield from _imports(ast.Module(node.orelse, []), package)
        else:
            yield from _imports(node, package)


def _is_for_type_checker(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _drop_docstrings(tree: ast.AST) -> None:
    """Take strings that stand as statements out: they compute nothing."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [
                one
                for one in body
                if not (
                    isinstance(one, ast.Expr)
                    and isinstance(one.value, ast.Constant)
                    and isinstance(one.value.value, str)
                )
            ]
