"""Which linter and which test runner a project uses, from the names and texts of its own files."""

import re
from collections.abc import Callable, Iterator, Mapping

from synaptic.policies.source_files import extension

Files = Mapping[str, str]
"""Names at a project's top: files with their text, folders as `name/` with none."""
Found = tuple[str, tuple[str, ...]]
"""The tool's name and its command line, the program first."""

READ = ("pyproject.toml", "setup.cfg", ".flake8", "package.json", "Cargo.toml", "go.mod", "Makefile", "makefile")
"""Files whose text counts; of all others the name is enough."""
LANGUAGES = {
    "py": "python",
    **dict.fromkeys(("js", "jsx", "ts", "tsx"), "javascript"),
    "rs": "rust",
    "go": "go",
}
LINT_TARGET = re.compile(r"^lint\s*:(?!=)", re.MULTILINE)
NPM_TEST = re.compile(r'"test"\s*:\s*"((?:[^"\\]|\\.)*)"')
NO_TEST = "no test specified"


def language(path: str) -> str:
    """The family a file belongs to; its extension where it has none of its own."""
    return LANGUAGES.get(extension(path), extension(path))


def linter(path: str, files: Files) -> Found | None:
    """The linter for one file. None: the project has none for it."""
    chosen = next(LINTERS.get(language(path), _no_linter)(path, files), None)
    if chosen is None and any(LINT_TARGET.search(files.get(name, "")) for name in ("Makefile", "makefile")):
        return "make lint", ("make", "lint")
    return chosen


def suite(path: str, files: Files) -> Found | None:
    """The tests to run after a change of one file: those of its own language first."""
    own = SUITES.get(language(path))
    ordered = [own, *SUITES.values()] if own else [*SUITES.values()]
    if language(path) == "python" and ("tests/" in files or "test/" in files):
        # A tests folder is enough for Python; only a configured pytest comes before it.
        ordered.insert(1, lambda _: PYTEST)
    return next((found for detect in ordered if (found := detect(files))), None)


def _python_linter(path: str, files: Files) -> Iterator[Found]:
    project = files.get("pyproject.toml", "")
    if "[tool.ruff" in project or "ruff.toml" in files or ".ruff.toml" in files:
        yield "ruff", ("ruff", "check", "--fix", "--quiet", path)
    if "[tool.black" in project:
        yield "black", ("black", "--quiet", path)
    if "[flake8]" in files.get("setup.cfg", "") or ".flake8" in files:
        yield "flake8", ("flake8", path)


def _script_linter(path: str, files: Files) -> Iterator[Found]:
    package = files.get("package.json", "")
    if "biome.json" in files or "biome.jsonc" in files:
        yield "biome", ("biome", "check", "--write", path)
    if '"eslint"' in package or '"eslintConfig"' in package or _any(files, ".eslintrc", "eslint.config."):
        yield "eslint", ("eslint", "--fix", path)
    if '"prettier"' in package or _any(files, ".prettierrc", "prettier.config."):
        yield "prettier", ("prettier", "--write", path)


def _rust_linter(path: str, files: Files) -> Iterator[Found]:
    if "Cargo.toml" in files:
        yield "clippy", ("cargo", "clippy", "--quiet", "--", "-D", "warnings")


def _go_linter(path: str, files: Files) -> Iterator[Found]:
    if _any(files, ".golangci."):
        yield "golangci-lint", ("golangci-lint", "run", path)
    if "go.mod" in files:
        yield "go vet", ("go", "vet", path)


def _no_linter(path: str, files: Files) -> Iterator[Found]:
    return iter(())


LINTERS: Mapping[str, Callable[[str, Files], Iterator[Found]]] = {
    "python": _python_linter,
    "javascript": _script_linter,
    "rust": _rust_linter,
    "go": _go_linter,
}

PYTEST: Found = ("pytest", ("pytest", "-q", "--tb=short"))


def _pytest(files: Files) -> Found | None:
    configured = "[tool.pytest" in files.get("pyproject.toml", "") or "[tool:pytest]" in files.get("setup.cfg", "")
    return PYTEST if configured or "pytest.ini" in files else None


def _scripts(files: Files) -> Found | None:
    if _any(files, "vitest.config."):
        return "vitest", ("vitest", "run")
    if _any(files, "jest.config."):
        return "jest", ("jest",)
    test = NPM_TEST.search(files.get("package.json", ""))
    return ("npm test", ("npm", "test", "--silent")) if test and NO_TEST not in test[1] else None


def _cargo(files: Files) -> Found | None:
    return ("cargo test", ("cargo", "test", "--quiet")) if "Cargo.toml" in files else None


def _go(files: Files) -> Found | None:
    return ("go test", ("go", "test", "./...")) if "go.mod" in files else None


SUITES: Mapping[str, Callable[[Files], Found | None]] = {
    "python": _pytest,
    "javascript": _scripts,
    "rust": _cargo,
    "go": _go,
}


def _any(files: Files, *starts: str) -> bool:
    return any(name.startswith(starts) for name in files)
