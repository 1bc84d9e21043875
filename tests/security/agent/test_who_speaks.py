"""What an agent's processes try so that they are taken for a person's: names, marks, orphans, other doors."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from synaptic.agents.shared.discover import load_agents
from synaptic.daemon.http import locate_port, read_loopback_token
from synaptic.model.errand import Errand
from synaptic.runners.errands import run_errand
from tests.daemon.setting import Setting
from tests.security.agent.processes import Done, Machine

PYTHON = sys.executable
SET = "synaptic config set presets []"
MARKS = sorted(name for agent in load_agents() for name in agent.shell_variables)
NAMES = sorted(name for agent in load_agents() for name in agent.processes if "/" not in name)
PACKAGES = sorted(name for agent in load_agents() for name in agent.processes if "/" in name)
KEPT = 'trust = "all"\n'
RAW = """
import json, os, socket, sys
way = socket.socket(socket.AF_UNIX)
way.connect(os.path.expanduser("~/.synaptic/run/daemon.sock"))
way.sendall(sys.argv[1].encode() + b"\\n")
print(way.recv(99999).decode())
"""
METHODS = {
    "daemon.stop": {},
    "state.set": {"section": "safemode", "key": "active", "value": False},
    "state.update": {"section": "safemode", "put": {"active": False}},
    "state.reset": {"section": "safemode"},
    "ability.emit": {"event": "UserPromptSubmit", "context": {"user_message": "s-"}},
}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    setting = Setting(tmp_path_factory.mktemp("m"))
    setting.config(f"{KEPT}[http]\nenabled = true\nport = 0\n")
    setting.install()
    setting.start()
    assert setting.wait_for(locate_port(setting.home).exists)
    (setting.project / "raw.py").write_text(RAW)
    yield Machine(setting)
    setting.close()


@pytest.fixture
def kept(machine: Machine) -> Iterator[Machine]:
    """The same, when nothing has changed afterwards."""
    before = machine.setting.home.config.read_text()
    yield machine
    assert machine.setting.home.config.read_text() == before


def is_refused(done: Done) -> bool:
    return done.code == 3 and "type it in your own terminal" in done.err


@pytest.fixture(scope="module")
def answers(machine: Machine) -> dict[str, Done]:
    """The same command below everything that looks like an agent, each in a process without other parents."""
    tried: dict[str, tuple[list[str], dict[str, str]]] = {}
    for mark in MARKS:
        tried[f"marked {mark}"] = ["/bin/sh", "-c", SET], {mark: "1"}
        tried[f"unmarked {mark}"] = ["/bin/sh", "-c", f"env -u {mark} {SET}; exit $?"], {mark: "1"}
    for name in NAMES:
        tried[f"named {name}"] = ["bash", "-c", f"exec -a {name} bash -c '{SET}; exit $?'"], {}
    for name in PACKAGES:
        script = machine.setting.user / "lib" / name.strip("/") / "main.py"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"import os, sys; sys.exit(os.waitstatus_to_exitcode(os.system({SET!r})))")
        tried[f"named {name}"] = [PYTHON, str(script)], {}
    with ThreadPoolExecutor(4) as pool:
        done = pool.map(lambda one: machine.run_alone(one[0], more=one[1]), tried.values())
        return dict(zip(tried, done, strict=True))


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_of_an_agent_is_enough(answers: dict[str, Done], kept: Machine, mark: str) -> None:
    assert is_refused(answers[f"marked {mark}"])


@pytest.mark.parametrize("mark", MARKS)
def test_taking_the_mark_off_does_not_help_below_a_shell_that_has_it(answers: dict[str, Done], mark: str) -> None:
    assert is_refused(answers[f"unmarked {mark}"])


@pytest.mark.parametrize("name", [*NAMES, *PACKAGES])
def test_the_name_or_the_package_of_an_agent_needs_no_mark(answers: dict[str, Done], name: str) -> None:
    assert is_refused(answers[f"named {name}"])


@pytest.mark.parametrize("orphan", ["setsid -f sh -c '{}'", "({} &)", "(nohup sh -c '{}' &)"])
def test_a_process_that_has_kept_the_mark_is_refused_without_its_parents(kept: Machine, orphan: str) -> None:
    command = orphan.format(f"sleep 0.2; {SET} > left 2>&1; echo $? >> left")
    waits = "for i in $(seq 150); do sleep 0.3; grep -qx 3 left && break; done; tail -1 left"
    steps = (("mark", {"CLAUDECODE": "1"}), kept.start_session(), ("tool", f"rm -f left; {command}; {waits}"))
    assert kept.run_agent(*steps)[-1].out.strip() == "3"


@pytest.mark.parametrize("method", METHODS)
def test_the_daemon_looks_at_the_process_itself(kept: Machine, method: str) -> None:
    params = {"root": str(kept.setting.project), **METHODS[method]}
    bodies = ({"cmd": method, "args": params}, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    said = [json.dumps({**body, "env": {"AGENT_ID": "", "PPID": "1"}}) for body in bodies]
    for done in kept.run_agent(kept.start_session(), ("tools", [f"{PYTHON} raw.py '{text}'" for text in said]))[1:]:
        assert "this is for a person" in done.out, done
    assert kept.type("daemon", "status").code == 0


def test_a_client_that_is_gone_before_it_is_looked_at_is_nobody(kept: Machine) -> None:
    (kept.setting.project / "gone.py").write_text(
        "import os, socket, time\nway = socket.socket(socket.AF_UNIX)\n"
        "way.connect(os.path.expanduser('~/.synaptic/run/daemon.sock'))\n"
        "if os.fork(): os._exit(0)\n"
        'time.sleep(0.3)\nway.sendall(b\'{"cmd": "daemon.stop"}\\n\')\nprint(way.recv(9999).decode())\n'
    )
    done = kept.run_agent(kept.start_session(), ("tool", f"{PYTHON} gone.py; sleep 0.6"))[-1]
    assert "this is for a person" in done.out, done
    assert kept.type("daemon", "status").code == 0


@pytest.mark.parametrize("path", ["rpc", "hook/claude/UserPromptSubmit"])
def test_the_token_of_loopback_opens_nothing_that_is_for_people(kept: Machine, path: str) -> None:
    home = kept.setting.home
    port, token = locate_port(home).read_text(), read_loopback_token(home)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "daemon.stop", **kept.setting.payload("UserPromptSubmit")})
    command = (
        f"curl -s -w '%{{http_code}}' -H 'Authorization: Bearer {token}' http://127.0.0.1:{port}/{path} -d '{body}'"
    )
    done = kept.run_agent(kept.start_session(), ("tool", command))[-1]
    assert done.out.endswith("404") if path == "rpc" else done.out.endswith("200")
    if path != "rpc":
        answer = kept.setting.last().answer
        assert answer and b"not the agent's own call" in answer.stderr


def test_no_header_makes_a_prompt_a_persons(kept: Machine) -> None:
    """A proxy would name its client so, and there is none: a person's connection is open, and an agent names it."""
    home = kept.setting.home
    port, token = locate_port(home).read_text(), read_loopback_token(home)
    body = json.dumps(kept.setting.payload("UserPromptSubmit"))
    with socket.create_connection(("127.0.0.1", int(port))) as person:
        named = ":".join(map(str, person.getsockname()))
        command = (
            f"curl -s -H 'Authorization: Bearer {token}' -H 'X-Forwarded-For: {named}' "
            f"http://127.0.0.1:{port}/hook/claude/UserPromptSubmit -d '{body}'"
        )
        kept.run_agent(kept.start_session(), ("tool", command))
    answer = kept.setting.last().answer
    assert answer and b"not the agent's own call" in answer.stderr


def test_an_agent_is_known_after_the_daemon_was_started_again(kept: Machine) -> None:
    restart = f"{PYTHON} -c 'import os, signal; os.kill({_read_pid(kept)}, signal.SIGTERM)'; sleep 0.5"
    done = kept.run_agent(kept.start_session(), ("tool", restart), ("tool", SET))[-1]
    assert is_refused(done)


@pytest.mark.parametrize("thing", ["a pipe", "a folder", "too much"])
def test_what_is_put_in_the_place_of_the_record_makes_nobody_a_person(kept: Machine, thing: str) -> None:
    record = kept.setting.home.run / "callers"
    record.unlink(missing_ok=True)
    if thing == "a pipe":
        os.mkfifo(record)
    elif thing == "a folder":
        record.mkdir()
    else:
        record.write_bytes(b"1 1\n" * 100_000)
    try:
        done = kept.run_alone(["/bin/sh", "-c", SET])
        assert is_refused(done) and "callers" in done.err
    finally:
        record.rmdir() if thing == "a folder" else record.unlink()


def test_what_the_engine_runs_for_a_policy_is_no_person(kept: Machine) -> None:
    errand = Errand(argv=("/bin/sh", "-c", f"env -u SYNAPTIC_ERRAND {SET}; exit $?"), cwd=str(kept.setting.project))
    done = asyncio.run(run_errand(errand, kept.env))
    assert done.exit == 3 and "SYNAPTIC_ERRAND is set" in done.output


def test_a_person_may_do_all_this(machine: Machine) -> None:
    before = machine.setting.home.config.read_text()
    assert machine.type("config", "set", "journal", "structure").code == 0
    machine.setting.home.config.write_text(before)


def test_a_person_who_tries_the_dispatcher_in_a_shell_stays_a_person(machine: Machine) -> None:
    tried = f"echo '{{}}' | ~/.synaptic/bin/dispatch PreToolUse >/dev/null; {SET.replace('presets []', 'journal full')}"
    before = machine.setting.home.config.read_text()
    done = machine.run_alone(["/bin/bash", "-c", tried])
    machine.setting.home.config.write_text(before)
    assert done.code == 0, done


@pytest.mark.known_hole("a process that loses its parents and its variables looks like a person's")
@pytest.mark.parametrize(
    "shed",
    [
        'setsid -f env -i HOME="$HOME" PATH="$PATH" sh -c \'{}\'',
        '(env -i HOME="$HOME" PATH="$PATH" nohup sh -c \'{}\' &)',
    ],
    ids=["setsid", "a double fork"],
)
def test_a_process_that_sheds_everything_is_refused(machine: Machine, shed: str) -> None:
    before = machine.setting.home.config.read_text()
    command = "sleep 0.1; " + SET.replace("presets []", "journal full") + " > left 2>&1; echo $? >> left"
    done = machine.run_agent(machine.start_session(), ("tool", f"{shed.format(command)} ; sleep 1; tail -1 left"))[-1]
    machine.setting.home.config.write_text(before)
    assert done.out.strip() == "3", done


def _read_pid(machine: Machine) -> int:
    return int((machine.setting.home.run / "daemon.pid").read_text().split()[0])
