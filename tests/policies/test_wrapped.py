"""However a dangerous command is wrapped it is never simply allowed; however it is mentioned it is never stopped.

Everything here is text for pure functions. Nothing is run.
"""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home
from tests.policies.constructions import DANGEROUS, HARMLESS, MENTIONING, RUNNING

CWD = "/home/dev/project"
OPAQUE = frozenset({"base64", "base64 variable"})
"""Decoded text in a shell is stopped whatever it says."""
OPEN = {name: wrap for name, wrap in RUNNING.items() if name not in OPAQUE}
layers = st.lists(st.sampled_from(sorted(RUNNING)), min_size=1, max_size=3)
open_layers = st.lists(st.sampled_from(sorted(OPEN)), max_size=2)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    folder: Path = tmp_path_factory.mktemp("home")
    return Checker(Home(folder))


def decision(checker: Checker, command: str) -> str:
    question = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": CWD}
    return str(summarize_decision(asyncio.run(checker.decide(question)))["decision"])


def wrapped(text: str, names: list[str]) -> str:
    for name in names:
        text = RUNNING[name](text)
    return text


@pytest.mark.parametrize("name", RUNNING)
def test_no_construction_hides_a_dangerous_command(checker: Checker, name: str) -> None:
    allowed = [text for text in DANGEROUS if decision(checker, RUNNING[name](text)) == "allow"]
    assert not allowed


@pytest.mark.parametrize("name", MENTIONING)
def test_no_mention_of_a_dangerous_command_is_stopped(checker: Checker, name: str) -> None:
    """S4-061"""
    stopped = [text for text in DANGEROUS if decision(checker, MENTIONING[name](text)) in ("deny", "ask")]
    assert not stopped


@given(text=st.sampled_from(DANGEROUS), names=layers)
@quick
def test_a_dangerous_command_wrapped_three_deep_is_never_allowed(checker: Checker, text: str, names: list[str]) -> None:
    command = wrapped(text, names)
    assert decision(checker, command) != "allow", command


@given(text=st.sampled_from(DANGEROUS), mention=st.sampled_from(sorted(MENTIONING)), names=open_layers)
@quick
def test_a_mention_wrapped_three_deep_is_never_stopped(
    checker: Checker, text: str, mention: str, names: list[str]
) -> None:
    """S4-061"""
    command = wrapped(MENTIONING[mention](text), names)
    assert decision(checker, command) in ("allow", "rewrite"), command


@given(text=st.sampled_from(HARMLESS), names=open_layers)
@quick
def test_a_harmless_command_wrapped_is_never_stopped(checker: Checker, text: str, names: list[str]) -> None:
    command = wrapped(text, names)
    assert decision(checker, command) in ("allow", "rewrite"), command
