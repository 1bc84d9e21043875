"""Globs for the paths that a foreign rule means: texts in a path, simple patterns, lines as of a .gitignore."""

import posixpath
import re

from synaptic.hooks.rules_import.pattern_parts import END, GAP, START, Parts, list_alternatives

GLOB_SIGNS = frozenset("*?[]{}!")
MAX_GLOBS = 12
HIDDEN_FILE = re.compile(r"\.env|\.\w+rc")
"""Names with a dot in front that are files: most others are folders, such as `.ssh`."""


def find_globs_with_text(text: str, *, is_start: bool = False, is_end: bool = False) -> list[str]:
    """Globs for every absolute path that holds the text, begins or ends with it. Raises ValueError where none does."""
    if not text or not GLOB_SIGNS.isdisjoint(text):
        raise ValueError(f"`{text}` is no text that a path can hold")
    if is_start and not text.startswith(("/", "~/")):
        raise ValueError(f"no path begins with `{text}`: they are absolute")
    begun = text if is_start else _begin_anywhere(text)
    if is_end:
        return [begun]
    if text.endswith("/"):
        return [f"{begun}**"]
    # The text may end in a folder's name as well as in the file's.
    return [f"{begun}*", f"{begun if '/' in begun else f'**/{begun}'}*/**"]


def find_globs_of_pattern(pattern: str) -> list[str]:
    """Globs for the paths in which a pattern is found. Raises ValueError where it says more than globs do."""
    alternatives = list_alternatives(pattern)
    # `(^|/)name`: no absolute path begins with a name, so this half says nothing and the other one all.
    possible = [parts for parts in alternatives if parts[:1] != (START,) or parts[1:2] in (("/",), ("~",), (GAP,))]
    found = [glob for parts in possible or alternatives for glob in _find_globs_of_parts(parts)]
    if len(found) > MAX_GLOBS:
        raise ValueError("it stands for too many paths")
    return list(dict.fromkeys(found))


def find_globs_of_ignore_line(line: str, root: str = "") -> list[str]:
    """Globs for a path as Claude Code's permissions have it; `root` is where a path with one slash begins."""
    if line.startswith("!"):
        raise ValueError("it takes paths out again, and rules only tighten")
    path = _anchor_line(line, root)
    if not path or path.endswith("**"):
        return [path or "**"]
    if path.endswith("/"):
        return [f"{path if '/' in path[:-1] else f'**/{path}'}**"]
    last = posixpath.basename(path)
    # A line that names a folder means everything in it. What has an ending is a file.
    may_be_folder = "*" not in last and "." not in last.lstrip(".") and not HIDDEN_FILE.fullmatch(last)
    return [path, f"{path if '/' in path else f'**/{path}'}/**"] if may_be_folder else [path]


def make_path_of_glob(glob: str) -> str:
    """A path that the glob matches: the example of a rule. Empty where none can be told."""
    if "[" in glob or "?" in glob:
        return ""
    return glob.replace("**/", "", 1).replace("**", "x").replace("*", "x").removeprefix("./")


def _begin_anywhere(text: str) -> str:
    if text.startswith("/"):
        inner = text[1:]
        return inner if "/" not in inner and inner else f"**{text}"
    return f"**/*{text}" if "/" in text else f"*{text}"


def _find_globs_of_parts(parts: Parts) -> list[str]:
    is_start, is_end = parts[:1] == (START,), parts[-1:] == (END,)
    inner = parts[is_start : len(parts) - is_end]
    while inner[:1] == (GAP,):
        inner, is_start = inner[1:], False
    while inner[-1:] == (GAP,):
        inner, is_end = inner[:-1], False
    if any(len(part) > 1 and part != GAP for part in inner):
        raise ValueError("it says more than a path with gaps does")
    first, *rest = "".join("\n" if part == GAP else part for part in inner).split("\n")
    if not rest:
        return find_globs_with_text(first, is_start=is_start, is_end=is_end)
    if len(rest) > 1 or not first.endswith("/") or "/" in rest[0]:
        raise ValueError("anything may stand between its folders")
    (begun,) = find_globs_with_text(first, is_start=is_start, is_end=True)
    (ended,) = find_globs_with_text(rest[0], is_end=True) if is_end else [f"*{rest[0]}*"]
    return [f"{begun if '/' in begun[:-1] else f'**/{begun}'}**/{ended}"]


def _anchor_line(line: str, root: str) -> str:
    """The path as a rule has it: absolute, in the home, in the project's root, or anywhere for a bare name."""
    if line.startswith("//"):
        return line[1:]
    if line.startswith("~/"):
        return line
    if line.startswith("/"):
        return posixpath.join(root, line[1:]) if root else _keep_in_root(line[1:])
    if line.startswith("./"):
        return _keep_in_root(line[2:])
    return line.removeprefix("**/") if "/" not in line.removeprefix("**/").rstrip("/") else line


def _keep_in_root(path: str) -> str:
    """A name without a slash would be found in every folder."""
    return path if "/" in path.rstrip("/") else f"./{path}"
