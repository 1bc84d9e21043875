"""A program of a person's that sends events of its own, prompt after prompt, is no agent for that."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.setting import Setting
from tests.security.agent.processes import Machine
from tests.security.agent.test_prompts import DISPATCH

PYTHON = sys.executable
SAID = json.dumps({"user_message": "run the billing tests", "ability_id": "billing"})
EMITTING = f"""
import os, subprocess, sys
def emit(event):
    done = subprocess.run([{PYTHON!r}, "-m", "synaptic.cli.main", "emit", event], input={SAID!r}, text=True,
                          capture_output=True)
    print(done.returncode, done.stderr.strip().replace(chr(10), " "))
"""
EVENTS = "for event in ('UserPromptSubmit', 'PreAbilityCall', 'UserPromptSubmit', 'UserPromptSubmit'): emit(event)"
CALLING = f"""
subprocess.run([os.path.expanduser({DISPATCH!r}), "SessionStart"], input='{{"session_id": "s1"}}', text=True,
               stdout=subprocess.DEVNULL)
emit("UserPromptSubmit")
"""
HOOKS = """
from synaptic.api import run_hooks
for _ in range(3):
    run_hooks("UserPromptSubmit", {"user_message": "run the billing tests"})
    print(0)
"""
STARTING = f"""
import subprocess
for _ in range(2):
    done = subprocess.run([{PYTHON!r}, "hooks.py"], text=True, capture_output=True)
    print(done.returncode, done.stderr.strip().replace(chr(10), " "))
"""
PROGRAMS = {
    "emitting.py": EMITTING + EVENTS,
    "calling.py": EMITTING + CALLING,
    "hooks.py": HOOKS,
    "starting.py": STARTING,
}


def bring_programs(setting: Setting) -> Machine:
    for name, text in PROGRAMS.items():
        (setting.project / name).write_text(text)
    return Machine(setting)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Machine]:
    """Without a daemon: the engine runs in the process that sends the event."""
    setting = Setting(tmp_path)
    setting.without_daemon()
    yield bring_programs(setting)
    setting.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Machine]:
    setting = Setting(tmp_path)
    setting.install()
    setting.start()
    yield bring_programs(setting)
    setting.close()


def run(machine: Machine, name: str) -> list[str]:
    """What each event came to."""
    done = machine.run_alone([PYTHON, name])
    assert done.code == 0, done.err
    return done.out.splitlines()


@pytest.mark.parametrize("name", ["emitting.py", "hooks.py", "starting.py"])
def test_every_prompt_of_an_orchestrator_is_heard(alone: Machine, name: str) -> None:
    """S2-030: the second as the first, and also when the program that started it sends none itself."""
    assert [line.strip() for line in run(alone, name)] == ["0"] * {"emitting.py": 4, "hooks.py": 3, "starting.py": 2}[
        name
    ]


@pytest.mark.parametrize("name", ["emitting.py", "starting.py"])
def test_it_is_the_same_with_a_daemon(served: Machine, name: str) -> None:
    """S2-030"""
    assert {line.strip() for line in run(served, name)} == {"0"}


@pytest.mark.parametrize("where", ["alone", "served"])
def test_whoever_has_called_the_dispatcher_speaks_for_nobody(where: str, request: pytest.FixtureRequest) -> None:
    """S1-031: an agent that nobody knows by name is known by its hooks, and `emit` is no way around."""
    (line,) = run(request.getfixturevalue(where), "calling.py")
    assert line.startswith("3 ") and "has called the dispatcher as an agent does" in line


def test_below_an_agent_an_orchestrator_speaks_for_nobody(alone: Machine) -> None:
    """S1-031"""
    done = alone.run_agent(alone.start_session(), ("tool", f"{PYTHON} emitting.py"), ("tool", f"{PYTHON} hooks.py"))
    assert [line[:1] for line in done[1].out.splitlines()] == ["3", "0", "3", "3"]
    assert done[2].code != 0 and "type it in your own terminal" in done[2].err
