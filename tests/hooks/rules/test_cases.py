"""Rules as their users write them: each rule's examples are its cases."""

from pathlib import Path

import msgspec
import pytest

from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.examples import check_examples, tries_example
from synaptic.hooks.rules.parse import parse_rules

CASES = Path(__file__).parent / "cases"
ROOT = "/nowhere/project"
PLACE = DeclarationFile(f"{ROOT}/.synaptic/rules.toml", "project", ROOT)
FILES = sorted(path for path in CASES.glob("*.toml") if path.stem != "broken")
RULES = [rule for file in FILES for rule in parse_rules(file.read_bytes(), PLACE, "/home/example").rules]


class BrokenCase(msgspec.Struct):
    """A file with a mistake, and what is told about it."""

    name: str
    text: str
    problem: str
    holds: int = 0


BROKEN = msgspec.toml.decode((CASES / "broken.toml").read_bytes(), type=dict[str, list[BrokenCase]])["case"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_cases_is_read_without_a_word(file: Path) -> None:
    assert [str(problem) for problem in parse_rules(file.read_bytes(), PLACE).problems] == []


EXAMPLES = [
    pytest.param(rule, example, wanted, id=f"{rule.id}-{key}-{number}")
    for rule in RULES
    for key, wanted in (("stops", True), ("passes", False))
    for number, example in enumerate(getattr(rule.entry, key), 1)
]


@pytest.mark.parametrize(("rule", "example", "wanted"), EXAMPLES)
def test_a_rule_speaks_about_what_it_means_and_nothing_else(rule, example, wanted) -> None:
    assert tries_example(rule, example) is wanted


def test_examples_that_are_as_they_say_are_no_problem() -> None:
    assert [str(problem) for problem in check_examples(RULES)] == []


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_a_mistake_is_told_with_file_number_id_and_key(case: BrokenCase) -> None:
    found = parse_rules(case.text.encode(), PLACE)
    told = [str(problem) for problem in found.problems]
    assert [one for one in told if case.problem in one], told
    assert all(one.startswith(PLACE.file) for one in told)
    assert len(found.rules) == case.holds
