"""Profile of a repository (languages, frameworks, tests, CI), read from its marker files."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.files.snapshot import read_start

READ_LIMIT = 1 << 20
LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "go": ("go.mod",),
    "javascript": ("package.json",),
    "python": ("pyproject.toml", "requirements.txt"),
    "rust": ("Cargo.toml",),
}
"""In the order in which the first found is the primary one."""
FRAMEWORKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "react": ('"react"', LANGUAGES["javascript"]),
    "next": ('"next"', LANGUAGES["javascript"]),
    "fastapi": ("fastapi", LANGUAGES["python"]),
}
"""Framework to the word that reveals it, and the files to look in."""
TESTS: Mapping[str, tuple[str, ...]] = {
    "go-test": ("go.mod",),
    "pytest": ("pytest.ini",),
    "jest": ("jest.config.*",),
}
MONOREPO = ("pnpm-workspace.yaml", "lerna.json")


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


def repo_profile(root: Path) -> RepoProfile:
    """Read the profile from files in the root only; an unreadable file counts as missing."""
    languages = tuple(name for name, files in LANGUAGES.items() if _has(root, files))
    return RepoProfile(
        name=root.name,
        root=str(root),
        primary_language=languages[0] if languages else "",
        languages=languages,
        frameworks=tuple(name for name, (word, files) in FRAMEWORKS.items() if _says(root, files, word)),
        test_frameworks=tuple(name for name, files in TESTS.items() if _has(root, files)),
        ci_system="github-actions" if (root / ".github" / "workflows").is_dir() else "",
        monorepo=_has(root, MONOREPO),
        git_conventions="conventional-commits" if _has(root, ("commitlint.config.*", ".commitlintrc*")) else "",
    )


def _has(root: Path, patterns: tuple[str, ...]) -> bool:
    return any(next(root.glob(pattern), None) is not None for pattern in patterns)


def _says(root: Path, names: tuple[str, ...], word: str) -> bool:
    return any(word.encode() in read_start(str(root / name), READ_LIMIT) for name in names)
