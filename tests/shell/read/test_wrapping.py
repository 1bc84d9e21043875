"""What runs is found however deep it hides, and what is only text is never taken for a command."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Script
from tests.shell.read.wrapping import BROKEN, RUNNING, SILENT, hidden, spoken

COMMAND = "zap -rf /etc/important"
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def runs(script: Script) -> bool:
    return any(command.name == "zap" and command.args == ("-rf", "/etc/important") for command in script.commands)


def mentions(script: Script) -> bool:
    return any(command.name == "zap" for command in script.commands)


@pytest.mark.parametrize("name", RUNNING)
def test_each_construction_runs_what_it_holds(name: str) -> None:
    assert runs(read_script(RUNNING[name](COMMAND), "/p", "/h"))


@pytest.mark.parametrize("outer", RUNNING)
def test_each_pair_of_constructions_runs_what_it_holds(outer: str) -> None:
    missed = [inner for inner in RUNNING if not runs(read_script(RUNNING[outer](RUNNING[inner](COMMAND)), "/p", "/h"))]
    assert not missed


@pytest.mark.parametrize("name", BROKEN)
@quick
@given(text=hidden(COMMAND, 1))
def test_broken_text_hides_nothing(name: str, text: str) -> None:
    assert mentions(read_script(BROKEN[name](text), "/p", "/h"))


@quick
@given(hidden(COMMAND))
def test_a_command_three_deep_is_found(text: str) -> None:
    script = read_script(text, "/p", "/h")
    assert runs(script) or script.unresolved or script.truncated
    assert mentions(script)


@pytest.mark.parametrize("name", SILENT)
def test_each_way_to_speak_of_a_command_runs_nothing(name: str) -> None:
    script = read_script(SILENT[name](COMMAND), "/p", "/h")
    assert not mentions(script)
    assert not script.unresolved


@quick
@given(spoken(COMMAND))
def test_text_three_deep_stays_text(text: str) -> None:
    assert not mentions(read_script(text, "/p", "/h"))


@quick
@given(st.sampled_from(sorted(RUNNING)), st.sampled_from(sorted(SILENT)))
def test_text_that_is_spoken_stands_beside_what_runs(running: str, silent: str) -> None:
    text = SILENT[silent](COMMAND) + "\n" + RUNNING[running]("other thing")
    script = read_script(text, "/p", "/h")
    assert not mentions(script)
    assert any(command.name == "other" for command in script.commands)
