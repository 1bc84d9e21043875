"""Recipes of a Makefile that the same text has written."""

import pytest

from synaptic.shell.programs.makefile import Makefile
from tests.shell.read.seen import script, seen

RULES = (
    "D ?= $(HOME)/old",
    ".PHONY: all clean",
    "all: lib \\",
    "  app",
    "\t@echo all",
    "lib app: dep",
    "\tbuild $@",
    "dep: ; -touch $$X ${Y} # $(shell pwd)",
    "clean::",
    "\t$(RM) -r $(D)",
)


def recipes(*goals: str, **given: str) -> list[str]:
    return list(Makefile("\n".join(RULES)).iter_recipes(list(goals), given))


def test_the_first_target_and_what_it_needs_are_made() -> None:
    assert recipes() == ["touch $X ${Y} # $(pwd)", "build lib", "build app", "echo all"]


def test_only_what_is_asked_for_is_made() -> None:
    assert recipes("clean") == ["rm -f -r ${HOME}/old"]
    assert recipes("clean", D="/x") == ["rm -f -r /x"]
    assert recipes("missing") == []


def test_rules_that_need_each_other_end() -> None:
    assert list(Makefile("a: b\n\tx\nb: a\n\ty").iter_recipes([], {})) == ["y", "x"]


def test_an_empty_text_has_no_recipe() -> None:
    assert list(Makefile("").iter_recipes([], {})) == []


@pytest.mark.parametrize(
    "text",
    [
        "make -f - <<< $'all:\\n\\trm x'",
        script("Makefile", "all:", "\trm x") + "make",
        script("Makefile", "all: clean", "clean:", "\t@rm x") + "make -j4 all",
        script("x.mk", "clean:", "\trm $(F)") + "make -f x.mk clean F=x",
        script("sub/Makefile", "all:", "\trm x") + "make -C sub",
    ],
)
def test_make_runs_them(text: str) -> None:
    assert "rm x" in seen(text)


def test_other_targets_stay_text() -> None:
    text = script("Makefile", "test:", "\tpytest", "clean:", "\trm x")
    assert "rm x" not in seen(text + "make test")
    assert "rm x" not in seen(text + "cat Makefile")


def test_a_makefile_that_calls_itself_ends() -> None:
    assert seen(script("Makefile", "a:", "\tmake b", "b:", "\tmake a", "\trm x") + "make")[-1] == "rm x"


def test_what_make_runs_while_it_reads() -> None:
    assert list(Makefile("x := $(shell rm a)\ny != rm b\n").iter_immediate()) == ["rm a", "rm b"]
    assert list(Makefile("$(shell \nrm a)").iter_immediate()) == [""]
    assert list(Makefile("define X\nrm a\nendef\nt:\n\t$(X)\n").iter_recipes([], {})) == ["rm a"]
    assert list(Makefile("%:\n\trm a\n").iter_recipes(["t"], {})) == ["rm a"]
