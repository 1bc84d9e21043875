"""Which files are source, which are nobody's business, which are tests: one answer for every policy."""

import posixpath
import re

SOURCE_EXTENSIONS = (
    "ts", "tsx", "js", "jsx", "py", "rs", "go", "java", "kt", "swift", "c", "cpp", "h", "hpp", "cs", "rb", "php", "sh",
    "bash", "zsh",
)  # fmt: skip
SKIPPED_WORDS = (".config.", ".test.", ".spec.", ".generated.", ".min.")
SKIPPED_FOLDERS = frozenset(
    ("__tests__", "node_modules", "vendor", "dist", "build", ".next", "__pycache__", ".git")
)  # fmt: skip
VENDORED_FOLDERS = SKIPPED_FOLDERS - {"__tests__"}
"""What others wrote or a program made."""
SCRIPT_EXTENSIONS = ("mjs", "cjs", "mts", "cts")
"""Of JavaScript, beside the source extensions: no gate looks at such files, but a change is a reason for tests."""
TEST_FOLDERS = frozenset({"tests", "test", "__tests__"})
TEST_NAME = re.compile(r"test_.+\.py|conftest\.py|.+_test\.(?:go|py)|.+\.(?:test|spec)\..+")
WORKTREE = re.compile(r"(?:.*/)?\.claude/worktrees/[^/]+/", re.DOTALL)
"""Where an agent puts worktrees: their files are the project's, not the agent's. Only matched from a path's start:
a search from every letter takes minutes for a path of 200 KB."""
PLAN_NAME = "MASTER_PLAN.md"


def to_project_path(path: str, root: str) -> str:
    """A path below the project, or below a worktree in it: where a project lies says nothing about its files."""
    # `tests/../src/a.py` is no test: folders that the path leaves again are none of its folders.
    plain = posixpath.normpath(path) if "/." in path or "//" in path or path[:1] == "." else path
    # A project that lies in a folder named `build` or `tests` must not have all its files skipped.
    inner = plain.removeprefix(f"{root.rstrip('/')}/") if root else plain
    worktree = WORKTREE.match(inner)
    return inner[worktree.end() :] if worktree else inner


def get_extension(path: str) -> str:
    """The last extension of a path, with its case; empty for a name without one."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return last if dot and stem else ""


def is_source(path: str) -> bool:
    """Whether a file is source code, by its extension."""
    return get_extension(path) in SOURCE_EXTENSIONS


def is_skippable(path: str) -> bool:
    """Whether a file is configuration, test, vendored or generated. Folders count as whole segments."""
    *folders, name = path.split("/")
    return any(word in name for word in SKIPPED_WORDS) or not SKIPPED_FOLDERS.isdisjoint(folders)


def is_test(path: str) -> bool:
    """Whether a file is a test, by its name or its folder."""
    *folders, name = path.split("/")
    return not TEST_FOLDERS.isdisjoint(folders) or bool(TEST_NAME.fullmatch(name))


def is_in_agent_folder(path: str) -> bool:
    """Whether a file belongs to the agent's own folder."""
    return ".claude" in path.split("/")[:-1]


def is_guarded(path: str) -> bool:
    """Whether the gates look at a file: source that is neither skippable nor the agent's own."""
    return is_source(path) and not is_skippable(path) and not is_in_agent_folder(path)


def triggers_tests(path: str) -> bool:
    """Whether a change of a file is a reason to run the tests: source, and tests by whatever name."""
    if get_extension(path) not in (*SOURCE_EXTENSIONS, *SCRIPT_EXTENSIONS) or is_in_agent_folder(path):
        return False
    if not VENDORED_FOLDERS.isdisjoint(path.split("/")[:-1]):
        return False
    return is_test(path) or not is_skippable(path)


def count_lines(text: str) -> int:
    """Lines of content: a newline at the end starts none."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0
