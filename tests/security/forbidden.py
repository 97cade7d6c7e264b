"""Find in source code what can run, load or unpack what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MODULES = {
    *("pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "jsonpickle"),
    *("telnetlib", "ftplib", "xmlrpc", "http.server", "socketserver", "imp", "pty"),
}
"""Modules whose work is to load objects or to serve."""
CALLS = {
    *("eval", "exec", "__import__", "os.system", "os.popen", "os.execv", "os.spawnv", "subprocess.getoutput"),
    *("torch.load", "torch.save", "torch.hub.load", "tempfile.mktemp", "shutil.unpack_archive"),
    *(
        "yaml.load_all",
        "yaml.unsafe_load",
        "yaml.full_load",
        "yaml.dump",
        "pd.read_pickle",
        "ssl.create_default_context",
    ),
}
METHODS = {
    "extractall",
    "extract",
    "to_pickle",
    "read_pickle",
    "unsafe_load",
    "full_load",
    "_create_unverified_context",
}
"""Methods of any object."""
SAFE_LOADERS = {"_Loader", "yaml.SafeLoader", "SafeLoader"}


def found(source: str) -> Iterator[str]:
    """Yield "line 3: what" for everything in a module that does not belong there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call):
            yield from (f"line {node.lineno}: {what}" for what in _call(node))
            continue
        else:
            continue
        yield from (f"line {node.lineno}: {name}" for name in names if _forbidden_module(name))


def _forbidden_module(name: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in MODULES)


def _call(node: ast.Call) -> Iterator[str]:
    name = ast.unparse(node.func)
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if name in CALLS or name.rpartition(".")[2] in METHODS:
        yield name
    if name == "yaml.load" and not _is_safe(node, keywords):
        yield "yaml.load without a safe loader"
    if _is_true(keywords.get("shell")):
        yield f"{name}(shell=True)"
    if name in {"np.load", "numpy.load"} and not _is(keywords.get("allow_pickle"), False):
        yield f"{name} without allow_pickle=False"
    if _is_true(keywords.get("allow_pickle")):
        yield f"{name}(allow_pickle=True)"
    if _is(keywords.get("verify"), False):
        yield f"{name}(verify=False)"


def _is_safe(node: ast.Call, keywords: dict[str | None, ast.expr]) -> bool:
    loader = keywords.get("Loader", node.args[1] if len(node.args) > 1 else None)
    return loader is not None and ast.unparse(loader) in SAFE_LOADERS


def _is(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_true(node: ast.expr | None) -> bool:
    """Whether a flag may be set: anything but a plain False or 0."""
    return node is not None and not (isinstance(node, ast.Constant) and not node.value)
