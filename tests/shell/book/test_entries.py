"""The book holds together: names, notation, roles."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.shell.book.entries import (
    UNKNOWN_PROGRAM,
    ProgramEntry,
    find_program,
    iter_programs,
    list_names_with,
    load_book,
    normalize_name,
)
from synaptic.shell.book.notation import ROLES
from synaptic.shell.programs.table import OWN_HANDLERS

OPTION = re.compile(r"-?[\w.-]*(?:\|[\w.-]+)*(?:=|==|\?)?!?(?::[a-z-]+)?")


def with_verbs() -> Iterator[ProgramEntry]:
    for program in iter_programs():
        yield program
        yield from program.verbs.values()


@pytest.mark.parametrize("program", list(with_verbs()), ids=lambda program: program.name or "verb")
def test_options_and_operands_are_written_in_the_notation(program: ProgramEntry):
    assert all(OPTION.fullmatch(option) for option in program.options.split())
    used = {option.partition(":")[2] for option in program.options.split()} | program.roles.roles
    assert used - {""} <= ROLES.keys()
    spellings = [name for option in program.options.split() for name in option.split(":")[0].rstrip("=?!").split("|")]
    assert len(list(filter(None, spellings))) == len(set(filter(None, spellings)))


@pytest.mark.parametrize("program", list(iter_programs()), ids=lambda program: program.name)
def test_every_form_is_a_regular_expression(program: ProgramEntry):
    for form in (program.serves or "", program.uploads, program.drops, program.opens, *program.destroys.values()):
        re.compile(form)


def test_every_role_is_used():
    used = {option.partition(":")[2] for one in with_verbs() for option in one.options.split()}
    assert ROLES.keys() <= used.union(*(one.roles.roles for one in with_verbs()))


def test_a_logic_of_its_own_is_that_of_an_entry():
    assert OWN_HANDLERS.keys() <= {program.name for program in iter_programs()}


def test_the_same_name_twice_is_refused(tmp_path: Path):
    (tmp_path / "a.toml").write_text('x = { also = ["y"] }\ny = {}\n')
    with pytest.raises(ValueError, match="y stands in the book already"):
        load_book(tmp_path)


@pytest.mark.parametrize(
    ("name", "want"),
    [("python3.12", "python"), ("Ruby3.2", "ruby"), ("mkfs.ext4", "mkfs"), ("GREP", "grep"), ("x1", "x1"), ("", "")],
)
def test_versions_kinds_and_capitals_are_left_out_of_a_name(name: str, want: str):
    assert normalize_name(name) == want


def test_a_program_is_found_by_each_of_its_names():
    assert find_program("gtimeout") is find_program("timeout") is find_program("TIMEOUT")
    assert find_program("unheard-of") is UNKNOWN_PROGRAM
    assert {"sh", "bash", "zsh", "pwsh"} <= list_names_with("shell")
