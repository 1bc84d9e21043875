"""What a Python file loads and starts, as far as its text says so."""

import ast
import re
import sys
from collections.abc import Iterator

import msgspec

from synaptic.shell.read.writing import quote_word

CODING_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
PLAIN_CODINGS = frozenset({"utf-8", "utf8", "utf_8", "ascii", "us-ascii", "latin-1", "iso-8859-1"})
"""Encodings in which a text says what it seems to say."""
CODE_MAKERS = frozenset({"exec", "eval", "compile", "__import__", "getattr", "globals", "vars"})
"""Built-in functions through which a text can run what does not stand in it."""
LOADER_MODULES = frozenset(
    {"importlib", "runpy", "imp", "pkgutil", "zipimport", "ctypes", "cffi", "code", "codeop", "site", "pickle",
     "marshal", "shelve", "multiprocessing", "pty", "builtins", "unittest", "doctest", "pydoc",
     "pdb", "bdb", "cProfile", "profile", "trace", "timeit"}
)  # fmt: skip
"""Modules of Python that load or run what their caller names."""
STARTERS = {
    "subprocess": frozenset({"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput"}),
    "os": frozenset({"system", "popen"}),
    "asyncio": frozenset({"create_subprocess_shell", "create_subprocess_exec"}),
}
"""Functions that start a program, by module."""
STARTING_MODULES = frozenset({*STARTERS, "sys"})
OTHER_STARTERS = ("exec", "spawn", "posix_spawn")
"""Beginnings of functions of `os` that start a program, and are not followed."""
SEARCH_PATHS = frozenset({"path", "modules", "meta_path", "path_hooks"})
"""Attributes of `sys` that change what is imported."""
UNKNOWN_WORD = '"$SYNAPTIC_UNKNOWN"'
"""Stands in a command for a value that the text does not say."""


class PythonCode(msgspec.Struct, frozen=True):
    """What one file loads and starts."""

    modules: tuple[str, ...] = ()
    """Dotted names of imports; relative ones begin with a dot for each level."""
    commands: tuple[str, ...] = ()
    """Shell text of what it starts."""
    gaps: tuple[str, ...] = ()


def read_python_code(text: str) -> PythonCode:
    """Read a file. One that is no Python loads nothing, and says so as a gap."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return PythonCode(gaps=("is no Python that can be read",))
    search = _PythonSearch()
    if (found := CODING_COOKIE.search("\n".join(text.split("\n", 2)[:2]))) and found[1].lower() not in PLAIN_CODINGS:
        search.gaps[f"is written in {found[1]}"] = None
    try:
        for node in ast.walk(tree):
            search.take(node)
    except RecursionError:
        search.gaps["is nested too deeply to be read"] = None
    return PythonCode(tuple(search.modules), tuple(search.commands), tuple(search.gaps))


class _PythonSearch:
    def __init__(self) -> None:
        self.modules: dict[str, None] = {}
        self.commands: dict[str, None] = {}
        self.gaps: dict[str, None] = {}
        self._names: dict[str, tuple[str, str]] = {}
        """What a name stands for: a module, and a function of it or nothing."""
        self._bases: set[int] = set()
        """Nodes that only stand before a dot."""

    def take(self, node: ast.AST) -> None:
        # Breadth first: the imports of a module are seen before the calls inside its functions.
        if isinstance(node, ast.Import):
            for item in node.names:
                self._take_module(item.name)
                self._names[item.asname or item.name.partition(".")[0]] = (item.name, "")
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for item in node.names:
                self._take_module(base, item.name)
                self._names[item.asname or item.name] = (base, item.name)
        elif isinstance(node, ast.Call):
            self._take_call(node)
        elif isinstance(node, ast.Attribute):
            self._bases.add(id(node.value))
            self._take_attribute(node)
        elif isinstance(node, ast.Name) and id(node) not in self._bases:
            module, name = self._names.get(node.id, ("", ""))
            if module in STARTING_MODULES and not name:
                self.gaps[f"hands the module {module} on (line {node.lineno})"] = None

    def _take_module(self, name: str, item: str = "") -> None:
        self.modules[name] = None
        if item == "*" and name in STARTING_MODULES:
            self.gaps[f"takes every name of {name}"] = None
        if item and item != "*":
            self.modules[f"{name}{'' if name.endswith('.') else '.'}{item}"] = None
        first = name.partition(".")[0]
        if first in LOADER_MODULES:
            self.gaps[f"imports {first}, which can load or run what it names"] = None

    def _take_attribute(self, node: ast.Attribute) -> None:
        owner = self._names.get(node.value.id, ("", "")) if isinstance(node.value, ast.Name) else ("", "")
        if owner[0] in STARTING_MODULES and not owner[1] and node.attr.startswith("__"):
            self.gaps[f"looks into the module {owner[0]} (line {node.lineno})"] = None
        if owner == ("sys", "") and node.attr in SEARCH_PATHS:
            self.gaps[f"changes or reads sys.{node.attr} (line {node.lineno})"] = None
        if owner == ("os", "") and node.attr.startswith(OTHER_STARTERS):
            self.gaps[f"starts a program with os.{node.attr} (line {node.lineno})"] = None

    def _take_call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in CODE_MAKERS and function.id not in self._names:
            if function.id != "getattr" or not _is_literal_getattr(node):
                self.gaps[f"calls {function.id} (line {node.lineno})"] = None
            return
        module, name = self._find_function(function)
        if name in STARTERS.get(module, ()):
            command = _format_command(node, name)
            if command:
                self.commands[command] = None
            else:
                self.gaps[f"starts a program that its text does not name (line {node.lineno})"] = None
        elif module == "os" and name.startswith(OTHER_STARTERS):
            self.gaps[f"starts a program with os.{name} (line {node.lineno})"] = None

    def _find_function(self, function: ast.expr) -> tuple[str, str]:
        if isinstance(function, ast.Name):
            return self._names.get(function.id, ("", ""))
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            module, name = self._names.get(function.value.id, ("", ""))
            return (module, function.attr) if not name else ("", "")
        return "", ""


def _is_literal_getattr(node: ast.Call) -> bool:
    """`getattr(x, "name")` reads as `x.name` does, unless what it reads could be a starter of programs."""
    names = [one.value for one in node.args[1:2] if isinstance(one, ast.Constant)]
    known = {name for found in STARTERS.values() for name in found} | SEARCH_PATHS | CODE_MAKERS
    return bool(names) and isinstance(names[0], str) and names[0] not in known


def _format_command(node: ast.Call, name: str) -> str:
    """The command of a call as shell text; empty when the text does not say what is started."""
    if not node.args:
        return ""
    if name == "create_subprocess_exec":
        return _join_words(node.args)
    first = node.args[0]
    if isinstance(first, ast.List | ast.Tuple):
        return _join_words(first.elts)
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return ""
    is_line = name in ("system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell") or any(
        one.arg == "shell" for one in node.keywords
    )
    return first.value if is_line else quote_word(first.value)


def _join_words(nodes: list[ast.expr]) -> str:
    return " ".join(_format_word(node) for node in nodes)


def _format_word(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return quote_word(node.value)
    if isinstance(node, ast.Attribute) and node.attr == "executable":
        return "python3"  # `sys.executable` is the Python that runs the file
    return UNKNOWN_WORD


def iter_module_files(module: str, folders: tuple[str, ...], here: str) -> Iterator[str]:
    """Every path at which an import may find a module of the project, packages on the way included."""
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module.lstrip(".").split(".") if part]
    if dots:
        base = here
        for _ in range(dots - 1):
            base = base.rpartition("/")[0]
        folders = (base,)
    for folder in folders:
        yield from (f"{folder}/__init__.py",) if dots else ()
        path = folder
        for part in parts:
            path = f"{path}/{part}"
            yield from (f"{path}.py", f"{path}/__init__.py", f"{path}.so", f"{path}.pyc")


def is_of_python(module: str) -> bool:
    """Whether a module belongs to Python itself."""
    return module.partition(".")[0] in sys.stdlib_module_names
