"""The texts that the guard is measured with."""

import pytest
from bench.guard import HOSTILE, SCRIPTS, SIZE, Guard, script

from synaptic.shell.read.reader import read_script


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_as_long_as_it_says_and_read_to_its_end(name: str):
    text = script(name)
    assert SIZE * 0.97 < len(text) <= SIZE
    found = read_script(text, "/p", "/h")
    assert len(found.commands) > 100
    assert not found.truncated


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_round_has_names_of_its_own(name: str):
    assert not set(script(name).splitlines()[:1]) & set(script(name, 1000).splitlines()) or "\n" in SCRIPTS[name]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_text_makes_a_policy_fail(name: str, guard: Guard):
    guard.look(HOSTILE[name])
