"""What each program of the book does: the table is in cases.toml."""

import re
import tomllib
from pathlib import Path

import pytest

from synaptic.shell.book.entries import find_program, iter_programs
from synaptic.shell.effects.effects import Effect, read_effects
from synaptic.shell.read.reader import read_script

TABLE = tomllib.loads(Path(__file__).with_name("cases.toml").read_text(encoding="utf-8"))
CASES = {name: case for name, case in TABLE.items() if name != "second"}
KINDS = ("writes", "reads", "deletes", "fetches", "sends")


def named(effects: tuple[Effect, ...]) -> list[str]:
    return [effect.word.text or "?" for effect in effects]


def test_every_program_of_the_book_has_a_case_and_every_case_its_program():
    assert sorted(CASES) == sorted(program.name for program in iter_programs())


@pytest.mark.parametrize("name", [*CASES, *TABLE["second"]])
def test_a_program_does_what_its_case_says(name: str):
    case = CASES.get(name) or TABLE["second"][name]
    effects = read_effects(read_script(case["command"], "/p", "/h"))
    assert {kind: named(getattr(effects, kind)) for kind in KINDS} == {kind: case.get(kind, []) for kind in KINDS}
    assert set(case.get("runs", [])) <= {effect.command.name for effect in effects.runs if effect.command}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "destroys" in case])
def test_the_words_that_lose_something_are_known(name: str):
    words = " ".join(CASES[name]["command"].split()[1:])
    forms = find_program(name).destroys
    assert [kind for kind, form in forms.items() if re.search(form, words)] == CASES[name]["destroys"]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "tokens" in case])
def test_the_words_that_print_a_secret_are_known(name: str):
    assert re.search(find_program(name).tokens, " ".join(CASES[name]["command"].split()[1:]))
