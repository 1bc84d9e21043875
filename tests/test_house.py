"""The house itself: who imports whom, how long a file is, and that everything a person can set is written down."""

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from docs.pages import commands, config

from synaptic.cli.verbs import VERBS
from synaptic.hooks.config import list_fields
from synaptic.hooks.schema import read_field_docs
from synaptic.policies.base import load_policies

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "synaptic"
WALL = 500
ROOMS = (
    "model", "files", "shell", "agents", "runners", "store", "policies", "hooks",
    "pipeline", "facts", "engine", "work", "setup", "packages", "fleet", "daemon", "integrations", "verification",
    "web", "hub",
    "sdk", "testing",
)  # fmt: skip
"""From the bottom up: a room may import the rooms before it."""
BELOW = {room: set(ROOMS[:place]) for place, room in enumerate(ROOMS)}
"""Which rooms a room may import: `cli` and `api.py` may import all, and nobody imports them."""

SOURCES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = ("src", "bench", "docs", "demo", "release")
WRITTEN = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(file: Path) -> Iterator[str]:
    """Every module of ours that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module.startswith("synaptic"))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("synaptic"))


def rooms_of(file: Path) -> set[str]:
    """The rooms a file imports; the package's own names, such as its version, are no room."""
    found = {module.split(".")[1] for module in imported(file) if module.count(".") >= 1}
    return {room for room in found if (PACKAGE / room).is_dir()}


@pytest.mark.parametrize("file", SOURCES, ids=name)
def test_imports_point_down(file: Path) -> None:
    own = room(file)
    if own in ("cli", "api", "__init__"):
        return
    assert own in BELOW, f"{name(file)} is in a room that the table does not know"
    assert rooms_of(file) - {own} <= BELOW[own]


def test_every_room_that_the_table_names_is_there() -> None:
    rooms = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert rooms == {*BELOW, "cli"}


@pytest.mark.parametrize("file", WRITTEN, ids=name)
def test_no_file_is_a_wall_and_every_file_says_what_it_is(file: Path) -> None:
    text = file.read_text()
    assert text.count("\n") <= WALL
    assert ast.get_docstring(ast.parse(text)), "a module docstring of one line is missing"


@pytest.mark.parametrize("policy", load_policies().values(), ids=lambda policy: policy.id)
def test_every_option_of_a_policy_is_described(policy: type) -> None:
    assert set(read_field_docs(policy)) >= set(list_fields(policy))
    for section in ("## What it does", "## Why", "## Known gaps"):
        assert section in (policy.__doc__ or "")


@pytest.mark.parametrize("kind", [kind for _, _, kind in config.PARTS], ids=lambda kind: kind.__name__)
def test_every_key_that_a_person_may_write_is_described(kind: type[msgspec.Struct]) -> None:
    assert set(read_field_docs(kind)) >= {field.name for field in msgspec.structs.fields(kind)}


def test_every_verb_is_in_the_reference() -> None:
    page = (ROOT / commands.PATH).read_text()
    for words in commands.commands():
        assert f"# {' '.join(('synaptic', *words))}\n" in page
    assert {words[0] for words in commands.commands() if words} == set(VERBS)


def test_every_guide_page_is_in_the_index_and_every_link_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for room, index in (("guide", "README.md"), ("decisions", "decisions/README.md")):
        listed = (ROOT / "docs" / index).read_text()
        missing = [one.name for one in (ROOT / "docs" / room).glob("*.md") if one.name not in (listed + "README.md")]
        assert not missing, f"not in docs/{index}"
    broken = [f"{name(page)}: {link}" for page in pages for link in links(page) if not (page.parent / link).exists()]
    assert not broken


def links(page: Path) -> Iterator[str]:
    """Targets of relative links, without their anchors."""
    for part in page.read_text().split("](")[1:]:
        target = part.split(")")[0].split("#")[0]
        if target and "://" not in target and " " not in target:
            yield target
