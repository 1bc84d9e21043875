"""Which linter and which test runner a project uses, from the names and texts of its own files."""

import re
from collections.abc import Callable, Iterator, Mapping

import msgspec

from synaptic.policies.source_files import get_extension

ProjectFiles = Mapping[str, str]
"""Names at a project's top: files with their text, folders as `name/` with none."""
FoundTool = tuple[str, tuple[str, ...]]
"""The tool's name and its command line, the program first."""

READ_FILES = ("pyproject.toml", "setup.cfg", ".flake8", "package.json", "Cargo.toml", "go.mod", "Makefile", "makefile")
"""Files whose text counts; of all others the name is enough."""
LANGUAGES = {
    "py": "python",
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), "javascript"),
    "rs": "rust",
    "go": "go",
}
LINT_TARGET = re.compile(r"^lint\s*:(?!=)", re.MULTILINE)
NO_TEST_SCRIPT = "no test specified"
PACKAGE_MANAGERS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}
"""Which program a lock file belongs to."""
TEST_SCRIPTS: Mapping[str, FoundTool] = {
    "npm": ("npm test", ("npm", "test", "--silent")),
    "pnpm": ("pnpm test", ("pnpm", "test")),
    "yarn": ("yarn test", ("yarn", "test")),
    "bun": ("bun test", ("bun", "run", "test")),
}


class _Package(msgspec.Struct, frozen=True):
    scripts: dict[str, object] = {}
    packageManager: str = ""


def find_language(path: str) -> str:
    """The family a file belongs to; its extension where it has none of its own."""
    return LANGUAGES.get(get_extension(path), get_extension(path))


def find_linter(path: str, files: ProjectFiles) -> FoundTool | None:
    """The linter for one file. None: the project has none for it."""
    chosen = next(LINTERS.get(find_language(path), _find_no_linter)(path, files), None)
    if chosen is None and any(LINT_TARGET.search(files.get(name, "")) for name in ("Makefile", "makefile")):
        return "make lint", ("make", "lint")
    return chosen


def find_suite(path: str, files: ProjectFiles) -> FoundTool | None:
    """The tests to run after a change of one file, if all of the tools are installed."""
    return next(iter_suites(path, files), None)


def iter_suites(path: str, files: ProjectFiles) -> Iterator[FoundTool]:
    """Ways to run the tests after a change of one file: those of its own language first, best first."""
    own = SUITES.get(find_language(path))
    ordered = [own, *SUITES.values()] if own else [*SUITES.values()]
    if find_language(path) == "python" and ("tests/" in files or "test/" in files):
        # A tests folder is enough for Python; only a configured pytest comes before it.
        ordered.insert(1, lambda _: iter((PYTEST,)))
    for detect in ordered:
        found = tuple(detect(files))
        yield from found
        # Another language's tests say nothing about this file while it has tests of its own.
        if found:
            return


def _find_python_linter(path: str, files: ProjectFiles) -> Iterator[FoundTool]:
    project = files.get("pyproject.toml", "")
    if "[tool.ruff" in project or "ruff.toml" in files or ".ruff.toml" in files:
        yield "ruff", ("ruff", "check", "--fix", "--quiet", path)
    if "[tool.black" in project:
        yield "black", ("black", "--quiet", path)
    if "[flake8]" in files.get("setup.cfg", "") or ".flake8" in files:
        yield "flake8", ("flake8", path)


def _find_script_linter(path: str, files: ProjectFiles) -> Iterator[FoundTool]:
    package = files.get("package.json", "")
    if "biome.json" in files or "biome.jsonc" in files:
        yield "biome", ("biome", "check", "--write", path)
    if '"eslint"' in package or '"eslintConfig"' in package or _has_file(files, ".eslintrc", "eslint.config."):
        yield "eslint", ("eslint", "--fix", path)
    if '"prettier"' in package or _has_file(files, ".prettierrc", "prettier.config."):
        yield "prettier", ("prettier", "--write", path)


def _find_rust_linter(path: str, files: ProjectFiles) -> Iterator[FoundTool]:
    if "Cargo.toml" in files:
        yield "clippy", ("cargo", "clippy", "--quiet", "--", "-D", "warnings")


def _find_go_linter(path: str, files: ProjectFiles) -> Iterator[FoundTool]:
    if _has_file(files, ".golangci."):
        yield "golangci-lint", ("golangci-lint", "run", path)
    if "go.mod" in files:
        yield "go vet", ("go", "vet", path)


def _find_no_linter(path: str, files: ProjectFiles) -> Iterator[FoundTool]:
    return iter(())


LINTERS: Mapping[str, Callable[[str, ProjectFiles], Iterator[FoundTool]]] = {
    "python": _find_python_linter,
    "javascript": _find_script_linter,
    "rust": _find_rust_linter,
    "go": _find_go_linter,
}

PYTEST: FoundTool = ("pytest", ("pytest", "-q", "--tb=short"))


def _find_pytest(files: ProjectFiles) -> Iterator[FoundTool]:
    configured = "[tool.pytest" in files.get("pyproject.toml", "") or "[tool:pytest]" in files.get("setup.cfg", "")
    if configured or "pytest.ini" in files:
        yield PYTEST


def _find_script_tests(files: ProjectFiles) -> Iterator[FoundTool]:
    if _has_file(files, "vitest.config."):
        yield "vitest", ("vitest", "run")
    elif _has_file(files, "jest.config."):
        yield "jest", ("jest",)
    package = _read_package(files.get("package.json", ""))
    script = package.scripts.get("test")
    if isinstance(script, str) and script.strip() and NO_TEST_SCRIPT not in script:
        named = package.packageManager.partition("@")[0]
        locked = next((manager for name, manager in PACKAGE_MANAGERS.items() if name in files), named)
        yield from (TEST_SCRIPTS[name] for name in dict.fromkeys((locked, "npm")) if name in TEST_SCRIPTS)


def _read_package(text: str) -> _Package:
    try:
        return msgspec.json.decode(text, type=_Package) if text else _Package()
    except (msgspec.DecodeError, RecursionError):
        return _Package()


def _find_cargo_tests(files: ProjectFiles) -> Iterator[FoundTool]:
    if "Cargo.toml" in files:
        yield "cargo test", ("cargo", "test", "--quiet")


def _find_go_tests(files: ProjectFiles) -> Iterator[FoundTool]:
    if "go.mod" in files:
        yield "go test", ("go", "test", "./...")


SUITES: Mapping[str, Callable[[ProjectFiles], Iterator[FoundTool]]] = {
    "python": _find_pytest,
    "javascript": _find_script_tests,
    "rust": _find_cargo_tests,
    "go": _find_go_tests,
}


def _has_file(files: ProjectFiles, *starts: str) -> bool:
    return any(name.startswith(starts) for name in files)
