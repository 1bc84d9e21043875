"""A person's No: what an agent's processes try to say it, and what whoever cannot be told from them needs."""

import json
import sys
from collections.abc import Iterator

import pytest

from synaptic.store.db import Store
from synaptic.store.refused import RefusedCall, list_refused
from tests.daemon.setting import Setting
from tests.security.agent.processes import Machine
from tests.security.agent.terminals import CLI, Window

RESET = "git reset --hard"
CLIENT = """
import os, socket, sys
way = socket.socket(socket.AF_UNIX)
way.connect(os.path.expanduser("~/.synaptic/run/daemon.sock"))
way.sendall(sys.argv[1].encode() + b"\\n")
print(way.recv(99999).decode())
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    setting = Setting(tmp_path_factory.mktemp("m"))
    setting.install()
    setting.start()
    (setting.project / "client.py").write_text(CLIENT)
    yield Machine(setting)
    setting.close()


@pytest.fixture(scope="module")
def window(machine: Machine) -> Iterator[Window]:
    """A terminal that was open before any agent."""
    made = Window(machine.setting)
    yield made
    made.close()


@pytest.fixture(scope="module")
def code(machine: Machine, window: Window) -> str:
    """The handle of a refusal."""
    hook = ("hook", "PreToolUse", machine.setting.payload(tool_input={"command": RESET}))
    machine.run_agent(machine.start_session(), hook)
    return read_refusal(machine).code


def read_refusal(machine: Machine) -> RefusedCall:
    store = Store.open(machine.setting.home)
    try:
        return list_refused(store)[0]
    finally:
        store.close()


def write_request(code: str, **more: object) -> str:
    return json.dumps({"cmd": "inbox.uphold", "args": {"code": code, **more}})


def test_below_an_agent_the_socket_and_the_verb_are_for_people(machine: Machine, code: str) -> None:
    for request in (write_request(code), write_request(code, pin="2468"), write_request(code, mark="0" * 32)):
        done = machine.try_tool(f"{sys.executable} client.py '{request}'")
        assert "this is for a person" in done.out, done
    assert "type it in your own terminal" in machine.try_tool(f"{CLI} inbox uphold {code}").err
    assert read_refusal(machine).answer == ""


def test_whoever_has_no_terminal_needs_the_pin(machine: Machine, code: str) -> None:
    done = machine.run_alone([sys.executable, "client.py", write_request(code)])
    assert '"PIN_MISSING"' in done.out and "synaptic pin set" in done.out, done
    assert "synaptic pin set" in machine.type("inbox", "uphold", code).err
    assert read_refusal(machine).answer == ""


@pytest.mark.parametrize("more", [{"authority": {"standing": "sure"}}, {"peer": 1}, {"by": "you"}])
def test_what_a_request_says_about_who_asks_is_an_error(machine: Machine, code: str, more: dict[str, object]) -> None:
    done = machine.run_alone([sys.executable, "client.py", write_request(code, **more)])
    assert "there is no argument" in done.out, done


def test_a_person_at_a_terminal_says_no(machine: Machine, window: Window, code: str) -> None:
    ended, said = window.synaptic(f"inbox uphold {code}")
    assert (ended, f"{code} is upheld" in said) == (0, True), said
    assert read_refusal(machine).answer == "upheld"
