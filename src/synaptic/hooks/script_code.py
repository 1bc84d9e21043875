"""What files of other languages load, as far as a search of their text can tell."""

import re
from collections.abc import Iterator

JAVASCRIPT_LOAD = re.compile(
    r"""\brequire\s*\(\s*(['"`])([^'"`$]+)\1\s*\)|\bimport\s*\(\s*(['"`])([^'"`$]+)\3\s*\)"""
    r"""|\b(?:from|import)\s*(['"])([^'"]+)\5"""
)
JAVASCRIPT_MAKER = re.compile(
    r"\brequire\b(?!\s*\(\s*['\"`][^'\"`$]+['\"`]\s*\))|\bimport\s*\((?!\s*['\"`][^'\"`$]+['\"`]\s*\))"
    r"|\beval\b|\bFunction\s*\(|\bcreateRequire\b|\bprocess\s*\.\s*(?:binding|dlopen|mainModule)|\bglobalThis\b|\.\s*constructor\b"
)
JAVASCRIPT_LOADERS = frozenset({"child_process", "vm", "module", "worker_threads", "cluster", "inspector", "repl"})
JAVASCRIPT_MODULES = frozenset(
    {"assert", "async_hooks", "buffer", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns",
     "events", "fs", "fs/promises", "http", "http2", "https", "net", "os", "path", "perf_hooks", "process",
     "punycode", "querystring", "readline", "readline/promises", "stream", "stream/promises", "string_decoder",
     "timers", "timers/promises", "tls", "tty", "url", "util", "v8", "zlib", "test"}
)  # fmt: skip
JAVASCRIPT_ENDINGS = ("", ".js", ".cjs", ".mjs", ".json", ".node", ".ts", "/index.js", "/package.json")
LOADING_WORD = re.compile(
    r"\b(require\w*|include\w*|import|load\w*|use|eval\w*|exec\w*|system|popen\w*|spawn\w*|source|do|dofile|autoload|"
    r"passthru|shell_exec|proc_open|qx|readpipe|open|Kernel)\b|`"
)
"""Words by which a text of any other language may load or start something."""


def find_javascript_files(text: str, folder: str) -> Iterator[str]:
    """Every path at which a relative import may find its file."""
    for name in _iter_modules(text):
        if name.startswith("."):
            yield from (f"{folder}/{name}{ending}" for ending in JAVASCRIPT_ENDINGS)


def find_javascript_gaps(text: str) -> Iterator[str]:
    """What a JavaScript text loads or runs that is not listed."""
    for name in dict.fromkeys(_iter_modules(text)):
        plain = name.removeprefix("node:")
        if plain in JAVASCRIPT_LOADERS:
            yield f"uses {plain}, which can run what it names"
        elif not name.startswith(".") and plain not in JAVASCRIPT_MODULES:
            yield f"loads the package {name}"
    if found := JAVASCRIPT_MAKER.search(text):
        yield f"may load what it makes up itself ({found[0].strip()})"


def find_other_gaps(text: str) -> Iterator[str]:
    """Why a text of another language may run more than itself."""
    if found := LOADING_WORD.search(text):
        yield f"may load or start other files ({found[0]})"


def _iter_modules(text: str) -> Iterator[str]:
    for found in JAVASCRIPT_LOAD.finditer(text):
        yield found[2] or found[4] or found[6]
