"""Globs for the paths that a pattern, a text or a line of permissions means."""

import pytest

from synaptic.hooks.rules_import.path_globs import (
    find_globs_of_ignore_line,
    find_globs_of_pattern,
    find_globs_with_text,
    make_path_of_glob,
)


@pytest.mark.parametrize(
    ("pattern", "globs"),
    [
        (r"\.env$", ["*.env"]),
        (r"\.tsx?$", ["*.tsx", "*.ts"]),
        (r"\.(ts|tsx)$", ["*.ts", "*.tsx"]),
        (r"(^|/)package-lock\.json$", ["package-lock.json"]),
        (r"credentials", ["*credentials*", "**/*credentials*/**"]),
        (r"/node_modules/", ["**/node_modules/**"]),
        (r"migrations/", ["**/*migrations/**"]),
        (r"^/etc/", ["/etc/**"]),
        (r"src/.*\.ts$", ["**/*src/**/*.ts"]),
        (r".*\.py$", ["*.py"]),
        (r"/dist/.*", ["**/dist/**"]),
        (r"src/api", ["**/*src/api*", "**/*src/api*/**"]),
    ],
)
def test_a_pattern_over_paths(pattern: str, globs: list[str]):
    assert find_globs_of_pattern(pattern) == globs


@pytest.mark.parametrize("pattern", ["[a-z]+", "^src/", r"migrations.*\.sql$", "(?!x)y", "", "a{b}", r"\{a,b\}", "("])
def test_a_pattern_that_says_more_than_globs(pattern: str):
    with pytest.raises(ValueError):
        find_globs_of_pattern(pattern)


def test_a_text_in_a_path():
    assert find_globs_with_text("package.json", is_end=True) == ["*package.json"]
    assert find_globs_with_text("/srv/app", is_start=True) == ["/srv/app*", "/srv/app*/**"]
    assert find_globs_with_text("/srv/app/a.txt", is_start=True, is_end=True) == ["/srv/app/a.txt"]
    with pytest.raises(ValueError, match="absolute"):
        find_globs_with_text("src", is_start=True)


@pytest.mark.parametrize(
    ("line", "globs"),
    [
        (".env", [".env"]),
        ("**/.env", [".env"]),
        ("./.env", ["./.env"]),
        (".env.*", [".env.*"]),
        ("*.pem", ["*.pem"]),
        ("src/**", ["src/**"]),
        ("/src/**", ["src/**"]),
        ("/Makefile.am", ["./Makefile.am"]),
        ("//etc/hosts.allow", ["/etc/hosts.allow"]),
        ("~/.ssh", ["~/.ssh", "~/.ssh/**"]),
        ("~/.zshrc", ["~/.zshrc"]),
        ("secrets/", ["**/secrets/**"]),
        ("secrets", ["secrets", "**/secrets/**"]),
        ("./secrets/**", ["secrets/**"]),
        ("**", ["**"]),
    ],
)
def test_a_line_of_permissions(line: str, globs: list[str]):
    assert find_globs_of_ignore_line(line) == globs


def test_one_slash_begins_where_the_settings_are():
    assert find_globs_of_ignore_line("/notes.md", "~/.claude") == ["~/.claude/notes.md"]
    with pytest.raises(ValueError, match="tighten"):
        find_globs_of_ignore_line("!keep")


def test_a_path_that_a_glob_matches():
    assert make_path_of_glob("src/**") == "src/x"
    assert make_path_of_glob("**/*src/**/*.ts") == "xsrc/x/x.ts"
    assert make_path_of_glob("./.env") == ".env"
    assert make_path_of_glob("a[bc]") == ""
