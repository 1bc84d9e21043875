"""Which tests hold which requirement: the statements of requirements.toml beside the files that cite them."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from docs.pages.table import HEADER, table

PATH = "docs/requirements.md"
STATEMENTS = "docs/requirements.toml"
ID = re.compile(r"S\d-(?:\d{3}|D\d{2})")
RANGE = re.compile(r"(S\d-)(\d{3}) to (?:S\d-)?(\d{3})")
CITING = (".py", ".toml")
INTRO = """\
# Requirements

What the engine must do, one line each, and the tests that hold it. Tests cite the numbers; a number that no test
cites fails `tests/test_requirements.py`.

"""


def pages() -> Iterator[tuple[str, str]]:
    """The one page."""
    root = Path(__file__).parents[2]
    cited = citations(root / "tests")
    rows = [(name, text, _files(cited.get(name, ()))) for name, text in statements(root).items()]
    yield PATH, HEADER + INTRO + table(("number", "statement", "tests"), rows)


def statements(root: Path) -> Mapping[str, str]:
    """Number to statement, in the order of the file."""
    found: dict[str, str] = tomllib.loads((root / STATEMENTS).read_text(encoding="utf-8"))["requirement"]
    return found


def citations(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Number to the files below `folder` that cite it, `S2-060 to S2-064` counted as five."""
    found: dict[str, list[str]] = {}
    for file in sorted(
        path for path in folder.rglob("*") if path.suffix in CITING and path.stem != "test_requirements"
    ):
        for name in sorted(_cited(file.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(file.relative_to(folder.parent).as_posix())
    return {name: tuple(files) for name, files in found.items()}


def _cited(text: str) -> set[str]:
    ranges = (
        f"{prefix}{number:03}"
        for prefix, first, last in RANGE.findall(text)
        for number in range(int(first), int(last) + 1)
    )
    return {*ID.findall(text), *ranges}


def _files(files: tuple[str, ...]) -> str:
    return ", ".join(f"[{file.removeprefix('tests/')}](../{file})" for file in files)
