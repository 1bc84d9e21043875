"""What the guide shows works as it is shown."""

import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from docs.pages.commands import commands

from synaptic.hooks.bundle import parse_bundle
from synaptic.hooks.bundle_layer import list_loosening
from synaptic.hooks.config import Config
from synaptic.hooks.config import parse_config_text as parse_config
from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.examples import check_examples
from synaptic.hooks.rules.parse import parse_rules
from synaptic.hooks.toml import parse_registry_toml as parse_registry
from synaptic.hooks.yaml import read_definitions
from synaptic.packages.declared import read_manifest as declared_package
from synaptic.policies.base import Policy
from synaptic.shell.book.entries import load_book
from tests.policies.test_cases import Case, evaluate_case

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted((DOCS / "guide").glob("*.md"))]
CLI = (DOCS / "reference" / "cli.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


PROGRAMS = DOCS / "guide" / "programs.md"
ALL_TOML = [
    pytest.param(text, id=f"{page.name}-{i}")
    for page in PAGES
    if page != PROGRAMS
    for i, text in enumerate(blocks(page, "toml"))
]
ALL_YAML = [pytest.param(text, id=f"{page.name}-{i}") for page in PAGES for i, text in enumerate(blocks(page, "yaml"))]


@pytest.mark.parametrize("text", ALL_TOML)
def test_a_toml_example_is_accepted_without_a_word(text: str) -> None:
    table = tomllib.loads(text)
    if "version" in table and "name" in table and "package" not in table:
        assert list_loosening(parse_bundle(text.encode())) == ()
        assert [one for one in parse_bundle(text.encode()).problems if "public key" not in one] == []
    elif "hook" in table:
        declared = parse_registry(text.encode(), DeclarationFile("registry.toml", "project", "/home/you/shop"))
        assert declared.problems == ()
        assert len(declared.hooks) == len(table["hook"])
    elif "rule" in table:
        declared_rules = parse_rules(text.encode(), DeclarationFile("rules.toml", "project", "/home/you/shop"))
        assert declared_rules.problems == ()
        assert check_examples(declared_rules.rules) == ()
    elif "package" in table:
        assert declared_package(text.encode(), "package.toml").warnings == ()
    elif "case" not in table:
        assert parse_config(text.encode(), "config.toml").problems == ()


@pytest.mark.parametrize("text", ALL_YAML)
def test_a_yaml_example_is_accepted_without_a_word(text: str) -> None:
    place = DeclarationFile("a.yaml", "project", "/home/you/shop")
    found, problems = read_definitions([(place, text.encode())], Config(environment="dev"))
    assert problems == ()
    assert len(found) == 1


def test_the_policy_of_the_guide_passes_its_own_cases() -> None:
    page = DOCS / "guide" / "writing-a-policy.md"
    (source,), (cases,) = blocks(page, "python"), blocks(page, "toml")
    module = ModuleType("example_policy")
    sys.modules[module.__name__] = module  # msgspec looks annotations up by the module's name
    try:
        exec(source, module.__dict__)
        policy: type[Policy] = module.__dict__["EmptyMessage"]
        known = msgspec.toml.decode(cases.encode(), type=dict[str, list[Case]])["case"]
        assert len(known) == 3
        for case in known:
            verdict = evaluate_case(policy, case)
            assert (str(verdict.kind) if verdict else "none") == case.want
    finally:
        del sys.modules[module.__name__]


def test_the_program_of_the_guide_is_an_entry_and_its_case_names_it(tmp_path: Path) -> None:
    entry, case = blocks(PROGRAMS, "toml")
    (tmp_path / "files.toml").write_text(entry)
    book = load_book(tmp_path)
    assert set(tomllib.loads(case)) <= set(book)
    assert {"frobcp", "frobmv"} <= set(book)


def test_commands_that_the_guide_names_exist() -> None:
    reference = (DOCS / "reference" / "cli.md").read_text()
    named = {
        match
        for page in PAGES
        for match in re.findall(r"`synaptic ((?:[a-z]+)(?: (?:validate|register|show|list))?)", page.read_text())
    }
    assert len(named) > 10
    assert [words for words in sorted(named) if f"# synaptic {words}\n" not in reference] == []


def test_documents_speak_of_the_product_alone() -> None:
    """No path of a machine that built it, no unfinished mark."""
    pages = [*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md")]
    marks = re.compile(r"(?<![\w.])/(?:work|root)/|/tmp/syn|\bTODO\b|\bFIXME\b|(?<!-)\bseed\b")
    assert [f"{page.name}: {found[0]}" for page in pages if (found := marks.search(page.read_text()))] == []


def typed(page: Path) -> list[list[str]]:
    """What console examples type after `synaptic`, without comments and continuations."""
    lines = "\n".join(blocks(page, "console")).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("$ synaptic ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_console_example_types_is_understood(page: Path) -> None:
    known = {tuple(words) for words in commands()}
    for words in typed(page):
        path = max((tuple(words[:n]) for n in range(3) if tuple(words[:n]) in known), key=len)
        assert path, f"no such verb: {words}"
        section = CLI.partition(f"# {' '.join(('synaptic', *path))}\n")[2].partition("\n#")[0]
        missing = [word for word in words if word.startswith("--") and word.partition("=")[0] not in section]
        assert not missing, f"synaptic {' '.join(words)}: no option {missing}"
