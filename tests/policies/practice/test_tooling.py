"""Linters and test runners, from the files at a project's top."""

import pytest

from synaptic.policies.practice.tooling import find_language, find_linter, find_suite, iter_suites


@pytest.mark.parametrize(
    ("path", "files", "name"),
    [
        ("a.py", {"pyproject.toml": "[tool.ruff]"}, "ruff"),
        ("a.py", {"pyproject.toml": "[tool.ruff.lint]\n[tool.black]"}, "ruff"),
        ("a.py", {"pyproject.toml": "[tool.black]"}, "black"),
        ("a.py", {"setup.cfg": "[flake8]"}, "flake8"),
        ("a.ts", {"biome.json": "", "package.json": '"eslint"'}, "biome"),
        ("a.ts", {"package.json": '{"devDependencies": {"eslint": "9", "prettier": "3"}}'}, "eslint"),
        ("a.jsx", {"package.json": '{"devDependencies": {"prettier": "3"}}'}, "prettier"),
        ("a.rs", {"Cargo.toml": ""}, "clippy"),
        ("a.go", {".golangci.yml": "", "go.mod": ""}, "golangci-lint"),
        ("a.go", {"go.mod": ""}, "go vet"),
        ("a.c", {"Makefile": "all:\nlint: all\n"}, "make lint"),
        ("a.py", {"Makefile": "lint:\n"}, "make lint"),
        ("a.c", {"Makefile": "lint := x\n"}, None),
        ("a.py", {"package.json": '"eslint"'}, None),
        ("a.py", {}, None),
    ],
)
def test_linters_in_their_order(path: str, files: dict[str, str], name: str | None):
    """S4-110"""
    found = find_linter(path, files)
    assert (found and found[0]) == name


def test_a_linter_is_chosen_per_language_and_gets_one_file():
    """S4-110, S4-112"""
    files = {"pyproject.toml": "[tool.ruff]", "package.json": '"eslint"'}
    assert find_linter("/p/a.py", files) == ("ruff", ("ruff", "check", "--fix", "--quiet", "/p/a.py"))
    assert find_linter("/p/a.ts", files) == ("eslint", ("eslint", "--fix", "/p/a.ts"))
    assert (find_language("a.py"), find_language("a.tsx"), find_language("a.c")) == ("python", "javascript", "c")


@pytest.mark.parametrize(
    ("path", "files", "name"),
    [
        ("a.py", {"pyproject.toml": "[tool.pytest.ini_options]"}, "pytest"),
        ("a.py", {"setup.cfg": "[tool:pytest]"}, "pytest"),
        ("a.py", {"tests/": ""}, "pytest"),
        ("a.py", {"test/": ""}, "pytest"),
        ("a.ts", {"vitest.config.ts": "", "jest.config.js": ""}, "vitest"),
        ("a.ts", {"jest.config.js": "", "tests/": ""}, "jest"),
        ("a.ts", {"package.json": '{"scripts": {"test": "node --test"}}'}, "npm test"),
        ("a.mjs", {"package.json": '{"scripts": {"test": "node --test"}}', "tests/": ""}, "npm test"),
        ("a.ts", {"package.json": '{"scripts": {"test": "vitest"}}', "pnpm-lock.yaml": ""}, "pnpm test"),
        ("a.ts", {"package.json": '{"scripts": {"test": "vitest"}}', "yarn.lock": ""}, "yarn test"),
        ("a.ts", {"package.json": '{"scripts": {"test": "vitest"}}', "bun.lockb": ""}, "bun test"),
        ("a.ts", {"package.json": '{"scripts": {"test": "vitest"}, "packageManager": "pnpm@9.1.0"}'}, "pnpm test"),
        ("a.ts", {"package.json": '{"jest": {"test": "x"}}'}, None),
        ("a.ts", {"package.json": '{"scripts": {"test": 1}}'}, None),
        ("a.ts", {"package.json": "{"}, None),
        ("a.ts", {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, None),
        ("a.rs", {"Cargo.toml": ""}, "cargo test"),
        ("a.go", {"go.mod": ""}, "go test"),
        ("a.sh", {"Cargo.toml": "", "pyproject.toml": "[tool.pytest.ini_options]"}, "pytest"),
        ("a.rs", {"Cargo.toml": "", "pyproject.toml": "[tool.pytest.ini_options]"}, "cargo test"),
        ("a.ts", {"tests/": ""}, None),
        ("a.py", {}, None),
    ],
)
def test_tests_of_the_file_s_language_first(path: str, files: dict[str, str], name: str | None):
    """S4-125"""
    found = find_suite(path, files)
    assert (found and found[0]) == name


def test_further_ways_to_run_the_same_tests():
    """A runner that is configured may not be installed, and neither may the package manager that is locked."""
    files = {"vitest.config.ts": "", "package.json": '{"scripts": {"test": "vitest"}}', "pnpm-lock.yaml": ""}
    assert [name for name, _ in iter_suites("a.ts", files)] == ["vitest", "pnpm test", "npm test"]
    assert [name for name, _ in iter_suites("a.py", {**files, "pytest.ini": ""})] == ["pytest"]
