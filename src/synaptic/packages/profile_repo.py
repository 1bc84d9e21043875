"""Profile of a repository (languages, frameworks, tests, CI), read from its marker files."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.files.bounded import read_start

READ_LIMIT = 1 << 20
LANGUAGE_FILES: Mapping[str, tuple[str, ...]] = {
    "go": ("go.mod",),
    "javascript": ("package.json",),
    "python": ("pyproject.toml", "requirements.txt"),
    "rust": ("Cargo.toml",),
}
"""In the order in which the first found is the primary one."""
FRAMEWORK_WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "react": ('"react"', LANGUAGE_FILES["javascript"]),
    "next": ('"next"', LANGUAGE_FILES["javascript"]),
    "fastapi": ("fastapi", LANGUAGE_FILES["python"]),
}
"""Framework to the word that reveals it, and the files to look in."""
TEST_FILES: Mapping[str, tuple[str, ...]] = {
    "go-test": ("go.mod",),
    "pytest": ("pytest.ini",),
    "jest": ("jest.config.*",),
}
MONOREPO_FILES = ("pnpm-workspace.yaml", "lerna.json")


class RepoProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The `repo` of a template."""

    name: str
    root: str
    primary_language: str = ""
    languages: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    test_frameworks: tuple[str, ...] = ()
    ci_system: str = ""
    monorepo: bool = False
    git_conventions: str = ""
    """"conventional-commits" where a commitlint file asks for them."""


def read_repo_profile(root: Path) -> RepoProfile:
    """Read the profile from files in the root only; an unreadable file counts as missing."""
    languages = tuple(name for name, files in LANGUAGE_FILES.items() if _has_file(root, files))
    return RepoProfile(
        name=root.name,
        root=str(root),
        primary_language=languages[0] if languages else "",
        languages=languages,
        frameworks=tuple(name for name, (word, files) in FRAMEWORK_WORDS.items() if _has_word(root, files, word)),
        test_frameworks=tuple(name for name, files in TEST_FILES.items() if _has_file(root, files)),
        ci_system="github-actions" if (root / ".github" / "workflows").is_dir() else "",
        monorepo=_has_file(root, MONOREPO_FILES),
        git_conventions="conventional-commits" if _has_file(root, ("commitlint.config.*", ".commitlintrc*")) else "",
    )


def _has_file(root: Path, patterns: tuple[str, ...]) -> bool:
    return any(next(root.glob(pattern), None) is not None for pattern in patterns)


def _has_word(root: Path, names: tuple[str, ...], word: str) -> bool:
    return any(word.encode() in read_start(str(root / name), READ_LIMIT) for name in names)
