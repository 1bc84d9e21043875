"""Events that an agent's tools send in the name of the user or of the agent itself."""

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from synaptic.store import sections
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.security.agent.processes import Machine

PYTHON = sys.executable
DISPATCH = "~/.synaptic/bin/dispatch"
ENTRY = f"--entry={'0' * 32}"
CURL = "curl -s --unix-socket ~/.synaptic/run/daemon.sock http://localhost"
API = f'{PYTHON} -c "from synaptic.api import ProjectState, run_hooks; '
FRAME = """
import os, socket, struct, subprocess, sys, synaptic
words = (synaptic.__version__, os.urandom(13).hex(), "claude", "UserPromptSubmit")
meta, env, said = "\\0".join(words).encode(), f"HOME={os.environ['HOME']}".encode(), open("prompt.json", "rb").read()
frame = struct.pack("<4sIII", b"SYN1", len(meta), len(env), len(said)) + meta + env + said
home = os.path.expanduser("~/.synaptic")
if sys.argv[1:] == ["here"]:
    subprocess.run([sys.executable, "-m", "synaptic.daemon.fallback", home], input=frame, stdout=subprocess.DEVNULL)
else:
    way = socket.socket(socket.AF_UNIX)
    way.connect(home + "/run/daemon.sock")
    way.sendall(open(sys.argv[1], "rb").read() + b"\\n" if sys.argv[1:] else frame)
    way.recv(9999)
"""
"""A client in a few lines, as an agent would write one."""
CALLER = f"""
import os, subprocess
subprocess.run([os.path.expanduser("{DISPATCH}"), "UserPromptSubmit"], stdin=open("prompt.json"))
"""
PROMPTS = {
    "a pipe into dispatch": f"cat prompt.json | {DISPATCH} UserPromptSubmit",
    "with the agent's name": f"cat prompt.json | {DISPATCH} claude UserPromptSubmit",
    "with an entry's token": f"cat prompt.json | {DISPATCH} UserPromptSubmit {ENTRY}",
    "as another agent": f"cat prompt.json | {DISPATCH} gemini BeforeAgent",
    "in a shell as hooks are": f"cat prompt.json | sh -c '{DISPATCH} UserPromptSubmit {ENTRY}'",
    "by a link to dispatch": f"ln -sf {DISPATCH} d; cat prompt.json | ./d UserPromptSubmit",
    "by a copy of dispatch": "mkdir -p x/.synaptic/bin; ln -sfn ~/.synaptic/run x/.synaptic/run; "
    f"cp {DISPATCH} x/.synaptic/bin; cat prompt.json | x/.synaptic/bin/dispatch UserPromptSubmit",
    "a shell that ends with dispatch": f"bash -c 'f() {{ $1 UserPromptSubmit < prompt.json; }}; f {DISPATCH}'",
    "from a Python script": f"{PYTHON} caller.py",
    "from a script called claude": f"cp caller.py claude.py; {PYTHON} claude.py",
    "from a program called claude": f"cp /bin/bash claude; ./claude -c 'cat prompt.json | {DISPATCH} UserPromptSubmit'",
    "without the agent's mark": f'cat prompt.json | env -i HOME="$HOME" {DISPATCH} UserPromptSubmit',
    "a frame on the socket": f"{PYTHON} frame.py",
    "the engine without its daemon": f"{PYTHON} frame.py here",
    "emit": "cat prompt.json | synaptic emit UserPromptSubmit",
    "ability.emit": 'synaptic rpc ability.emit "$(cat emit.json)"',
    "hooks.userPrompt": 'synaptic rpc hooks.userPrompt "$(cat prompt.json)"',
    "hooks.userPrompt over HTTP": f"{CURL}/rpc -d @user.json",
    "an HTTP hook on the socket": f"{CURL}/hook/claude/UserPromptSubmit -d @prompt.json",
    "run_hooks": f"{API} run_hooks('UserPromptSubmit', {{'user_message': 's-'}})\"",
}
STATES = {
    "state set": "synaptic state set safemode active false",
    "state reset": "synaptic state reset safemode",
    "rpc state.set": 'synaptic rpc state.set "$(cat set.json)"',
    "rpc state.reset": 'synaptic rpc state.reset "$(cat set.json)"',
    "rpc state.update": 'synaptic rpc state.update "$(cat update.json)"',
    "a line on the socket": f"{PYTHON} frame.py line.json",
    "a JSON-RPC line on the socket": f"{PYTHON} frame.py call.json",
    "HTTP on the socket": f"{CURL}/rpc -d @call.json",
    "ProjectState.set": f"{API} ProjectState().set('safemode', 'active', False)\"",
    "ProjectState.update": f"{API} ProjectState().update('safemode', lambda s: {{**s, 'active': False}})\"",
    "ProjectState.reset": f"{API} ProjectState().reset('safemode')\"",
}
REPLACED = {
    "exec": f"exec {DISPATCH} UserPromptSubmit < prompt.json",
    "a shell with one command": f"{DISPATCH} UserPromptSubmit < prompt.json",
    "exec with a token": f"exec {DISPATCH} claude UserPromptSubmit {ENTRY} < prompt.json",
    "exec of a shell as hooks are": f"exec sh -c '{DISPATCH} UserPromptSubmit {ENTRY}' < prompt.json",
    "exec without a mark": f'exec env -i HOME="$HOME" {DISPATCH} UserPromptSubmit < prompt.json',
    "exec of an HTTP client": f"exec {CURL}/hook/claude/UserPromptSubmit -d @prompt.json",
    "exec of a program called claude": "cp /bin/bash claude; "
    f"exec ./claude -c '{DISPATCH} UserPromptSubmit < prompt.json; :'",
}
"""The tool's own process becomes the dispatcher: its parent is the agent then, as that of a hook is."""
EVERY = PROMPTS | STATES | REPLACED


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A project in safemode, and what an agent would write there first."""
    setting = Setting(tmp_path_factory.mktemp("m"))
    setting.config('presets = ["essentials", "sane"]\n')
    setting.install()
    setting.start()
    made = Machine(setting)
    root = str(setting.project)
    chosen = {"root": root, "section": "safemode", "key": "active", "value": False}
    said = setting.payload("UserPromptSubmit", prompt="s-", user_message="s-")
    for name, content in {
        "prompt": said,
        "user": {"jsonrpc": "2.0", "id": 1, "method": "hooks.userPrompt", "params": said},
        "emit": {"event": "UserPromptSubmit", "context": said, "root": root},
        "set": chosen,
        "update": {"root": root, "section": "safemode", "put": {"active": False}},
        "line": {"cmd": "state.set", "args": chosen},
        "call": {"jsonrpc": "2.0", "id": 1, "method": "state.set", "params": chosen},
    }.items():
        (setting.project / f"{name}.json").write_text(json.dumps(content))
    (setting.project / "frame.py").write_text(FRAME)
    (setting.project / "caller.py").write_text(CALLER)
    yield made
    setting.close()


@pytest.fixture
def safe(machine: Machine) -> Machine:
    """The same while safemode is on."""
    if not is_safe(machine):
        machine.run_agent(machine.start_session(), machine.prompt("s+"))
    assert is_safe(machine)
    return machine


def is_safe(machine: Machine) -> bool:
    store = Store.open(machine.setting.home)
    try:
        return sections.get_section(store, str(machine.setting.project), "safemode", "active") is True
    finally:
        store.close()


@pytest.fixture(scope="module")
def outcomes(machine: Machine) -> dict[str, str]:
    """What safemode was before and after each attempt, all of them by one agent in one session."""
    machine.run_agent(machine.start_session(), machine.prompt("s+"))
    steps = [step for command in EVERY.values() for step in (("look",), ("tool", command))]
    waiting = [
        step
        for command in REPLACED.values()
        for step in (("look",), machine.begin_tool(), ("later", f"sleep 0.3; {command}"), machine.end_tool(), ("join",))
    ]
    done = machine.run_agent(machine.start_session(), machine.begin_tool(), *steps, *waiting, ("look",))
    seen = [one.out for one, (name, *_) in zip(done[2:], (*steps, *waiting, ("look",)), strict=True) if name == "look"]
    names = (*EVERY, *(f"later: {name}" for name in REPLACED))
    return dict(zip(names, map(" -> ".join, pairwise(seen)), strict=True))


@pytest.mark.parametrize("attempt", EVERY)
def test_a_tool_does_not_speak_for_the_user(outcomes: dict[str, str], attempt: str) -> None:
    assert outcomes[attempt] == "true -> true"


@pytest.mark.parametrize("attempt", REPLACED)
def test_nor_does_a_tool_that_waits_in_the_background_until_it_is_forgotten(
    outcomes: dict[str, str], attempt: str
) -> None:
    assert outcomes[f"later: {attempt}"] == "true -> true"


@pytest.mark.parametrize("how", ["exec", "shell", "login shell"])
def test_the_agents_own_hook_speaks_for_the_user(safe: Machine, how: str) -> None:
    safe.run_agent(safe.start_session(), (*safe.prompt("s-"), how))
    assert not is_safe(safe)


def test_it_speaks_for_the_user_after_a_turn_with_tools_too(safe: Machine) -> None:
    turn = (safe.start_session(), safe.begin_tool(), ("tool", "true"), safe.end_tool(), ("tool", "sleep 0.1"))
    safe.run_agent(*turn, safe.prompt("s-"))
    assert not is_safe(safe)


def test_a_person_may_say_it_without_any_agent(safe: Machine) -> None:
    safe.run_alone(["/bin/sh", "-c", f"cat prompt.json | {DISPATCH} UserPromptSubmit"])
    assert not is_safe(safe)


def test_a_prompt_that_is_not_the_users_is_in_the_journal_with_the_reason(safe: Machine) -> None:
    done = safe.run_agent(safe.start_session(), ("tool", PROMPTS["a pipe into dispatch"]))[-1]
    assert "this is not the agent's own call" in done.err
    entry = safe.setting.last()
    assert entry.event == "UserPromptSubmit"
    assert b"not the agent's own call" in (entry.answer.stderr if entry.answer else b"")


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Machine]:
    """A machine without a daemon: every call runs the engine itself."""
    setting = Setting(tmp_path)
    setting.config('presets = ["essentials", "sane"]\n')
    setting.without_daemon()
    made = Machine(setting)
    (setting.project / "prompt.json").write_text(json.dumps(setting.payload("UserPromptSubmit", prompt="s-")))
    made.run_agent(made.start_session(), made.prompt("s+"))
    assert is_safe(made)
    yield made
    setting.close()


@pytest.mark.parametrize("attempt", ["a pipe into dispatch", "in a shell as hooks are", "exec"])
def test_it_is_the_same_without_a_daemon(alone: Machine, attempt: str) -> None:
    alone.run_agent(alone.start_session(), alone.begin_tool(), ("tool", EVERY[attempt]))
    assert is_safe(alone)


def test_the_agents_own_hook_speaks_for_the_user_without_a_daemon_too(alone: Machine) -> None:
    alone.run_agent(alone.start_session(), alone.prompt("s-"))
    assert not is_safe(alone)
