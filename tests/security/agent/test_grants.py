"""What an agent's processes try to get an exception made: languages, ways to shed parents, forged requests."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.agents.shared.authority import TYPING_SWITCH
from synaptic.model.home import Home
from synaptic.store import pin as pins
from synaptic.store.db import Store
from synaptic.store.grants import list_grants
from synaptic.store.refused import list_refused
from tests.daemon.setting import Setting
from tests.security.agent.processes import Done, Machine
from tests.security.agent.terminals import CLI, Window

PYTHON = sys.executable
SOCKET = "$HOME/.synaptic/run/daemon.sock"
RESET = "git reset --hard"
CLIENTS = {
    "python": textwrap.dedent("""
        import os, socket, sys
        way = socket.socket(socket.AF_UNIX)
        way.connect(os.path.expanduser("~/.synaptic/run/daemon.sock"))
        way.sendall(sys.argv[1].encode() + b"\\n")
        print(way.recv(99999).decode())
    """),
    "perl": textwrap.dedent("""
        use IO::Socket::UNIX;
        my $way = IO::Socket::UNIX->new(Peer => "$ENV{HOME}/.synaptic/run/daemon.sock") or die;
        print $way "$ARGV[0]\\n"; $way->flush; print scalar <$way>;
    """),
    "node": textwrap.dedent("""
        const way = require("net").connect(process.env.HOME + "/.synaptic/run/daemon.sock");
        way.write(process.argv[2] + "\\n");
        way.on("data", (said) => { console.log(String(said)); way.end(); });
    """),
}
ENDINGS = {"python": "py", "perl": "pl", "node": "cjs"}
"""A program in each language at hand that opens the socket itself and says one line."""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    setting = Setting(tmp_path_factory.mktemp("m"))
    setting.install()
    setting.start()
    for name, text in CLIENTS.items():
        (setting.project / f"client.{ENDINGS[name]}").write_text(text)
    subprocess.run(
        "git init -q && git config user.email a@b.c && git config user.name a && echo x > a && git add a "
        "&& git commit -qm a && echo y >> a",
        shell=True,
        cwd=setting.project,
        env={"HOME": str(setting.user), "PATH": "/usr/bin:/bin"},
        check=True,
    )
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
    with OpenedStore(machine.setting.home) as store:
        return list_refused(store)[0].code


class OpenedStore:
    """The store, as another process reads it."""

    def __init__(self, home: Home) -> None:
        self._store = Store.open(home)

    def __enter__(self) -> Store:
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()


@pytest.fixture
def ungranted(machine: Machine) -> Iterator[Machine]:
    """Afterwards there is no exception, and no PIN."""
    yield machine
    with OpenedStore(machine.setting.home) as store:
        assert list_grants(store) == ()
        assert pins.read_pin(store)[0] is pins.PinStanding.MISSING


def write_request(code: str, **more: object) -> str:
    return json.dumps({"cmd": "grants.allow", "args": {"refusal": code, **more}})


def write_post(code: str) -> str:
    body = {"jsonrpc": "2.0", "id": 1, "method": "grants.allow", "params": {"refusal": code}}
    return json.dumps({**body, "env": {"AGENT_ID": "", "CLAUDECODE": ""}})


def run_client(language: str, request: str) -> str:
    program = PYTHON if language == "python" else language
    return f"{program} client.{ENDINGS[language]} '{request}'"


def refuses_agents(done: Done) -> bool:
    return "this is for a person" in done.out + done.err


@pytest.mark.parametrize("language", [name for name in CLIENTS if name == "python" or shutil.which(name)])
def test_whatever_language_opens_the_socket_below_an_agent(ungranted: Machine, code: str, language: str) -> None:
    for request in (write_request(code), write_post(code), write_request(code, pin="1234")):
        done = ungranted.try_tool(run_client(language, request))
        assert refuses_agents(done), done


@pytest.mark.skipif(not shutil.which("socat"), reason="socat is not here")
def test_a_shell_that_opens_the_socket(ungranted: Machine, code: str) -> None:
    done = ungranted.try_tool(f"echo '{write_request(code)}' | socat -t 5 - UNIX-CONNECT:{SOCKET}")
    assert refuses_agents(done), done


def test_the_verb_below_an_agent(ungranted: Machine, code: str) -> None:
    for words in (f"allow {code}", f"allow {code} --always --yes", "grants revoke --all", "pin set", "pin remove"):
        done = ungranted.try_tool(f"{CLI} {words}")
        assert done.code == 3 and "type it in your own terminal" in done.err, done


@pytest.mark.parametrize("terminal", ["script -qec '{}' /dev/null", "socat -t 5 EXEC:'{}',pty,setsid,ctty -"])
def test_a_terminal_of_its_own_below_an_agent(ungranted: Machine, code: str, terminal: str) -> None:
    done = ungranted.try_tool(terminal.format(f"{CLI} allow {code}"))
    assert "type it in your own" in " ".join((done.out + done.err).split()), done


def forge(**more: object) -> str:
    """Arguments that say who asks: nobody reads them, and unknown ones are an error."""
    return json.dumps({"cmd": "grants.allow", "args": {"refusal": "k7qmd", **more}})


@pytest.mark.parametrize(
    "more", [{"authority": {"standing": "sure"}}, {"peer": 1}, {"pid": 1}, {"grantedBy": "you"}, {"root": "/"}]
)
def test_what_a_request_says_about_who_asks_is_an_error(ungranted: Machine, more: dict[str, object]) -> None:
    done = ungranted.run_alone([PYTHON, "client.py", forge(**more)])
    assert "there is no argument" in done.out, done


def read_left(machine: Machine, name: str) -> str:
    """What such a process has said, once it has ended."""
    path, end = machine.setting.project / name, time.monotonic() + 60
    while time.monotonic() < end:
        if path.exists() and "ended" in (text := path.read_text()):
            return " ".join(text.split())
        time.sleep(0.05)
    raise AssertionError(f"{name} is not written")


CLEAN = 'env -i HOME="$HOME" PATH="$PATH"'
SHEDDERS = {
    "setsid": f"setsid -f {CLEAN} sh -c '{{}}'",
    "a double fork": f"({CLEAN} sh -c '{{}}' &) </dev/null >/dev/null 2>&1",
    "nohup": f"({CLEAN} nohup sh -c '{{}}' &) </dev/null >/dev/null 2>&1",
    "a terminal by script": f"setsid -f {CLEAN} SHELL=/bin/sh script -qfc '{{}}' /dev/null </dev/null >/dev/null 2>&1",
    "a terminal by python": f'setsid -f {CLEAN} {PYTHON} -c \'import pty; pty.spawn(["sh", "shed.sh"])\'',
    "a terminal by socat": f"setsid -f {CLEAN} socat -u EXEC:'sh shed.sh',pty,setsid,ctty OPEN:/dev/null",
    "a terminal with a shell in it": (
        f"((cat shed.sh; sleep 8) | setsid -f {CLEAN} SHELL=/bin/bash script -qfc bash /dev/null &) >/dev/null 2>&1"
    ),
}
"""Ways to lose parents and variables: the process that asks has only the first one of the machine above it."""


@pytest.mark.parametrize("way", SHEDDERS)
@pytest.mark.parametrize("asks", ["the verb", "python"])
def test_a_process_that_sheds_everything_gets_no_exception(ungranted: Machine, code: str, way: str, asks: str) -> None:
    if "socat" in way and not shutil.which("socat"):
        pytest.skip("socat is not here")
    command = f"{CLI} allow {code} --yes" if asks == "the verb" else run_client("python", write_request(code))
    project = ungranted.setting.project
    (project / "left").unlink(missing_ok=True)
    (project / "shed.sh").write_text(f"{command} > left.part 2>&1; echo ended >> left.part; mv left.part left\n")
    done = ungranted.try_tool(SHEDDERS[way].format("sh shed.sh"))
    left = read_left(ungranted, "left")
    assert "allowed" not in left.replace("is allowed", ""), (done, left)
    assert "pin set" in left or "for a person" in left, (done, left)


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not here")
def test_keys_that_are_sent_to_a_pane_of_the_persons_tmux(ungranted: Machine, code: str) -> None:
    (ungranted.setting.project / "left").unlink(missing_ok=True)
    start = ["tmux", "-L", "mine", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "bash --norc -i"]
    assert ungranted.run_alone(start).code == 0
    try:
        line = f"{CLI} allow {code} --yes > part 2>&1; echo ended >> part; mv part left"
        ungranted.try_tool(f'env -u CLAUDECODE tmux -L mine send-keys "{line}" Enter')
        left = read_left(ungranted, "left")
        assert "is in tmux" in left and "pin set" in left
    finally:
        ungranted.run_alone(["tmux", "-L", "mine", "kill-server"])


def test_a_window_that_was_opened_while_an_agent_runs_is_not_sure(ungranted: Machine, code: str) -> None:
    open_one = f"""
import subprocess, sys, time
subprocess.run(["{ungranted.setting.home.dispatch}", "SessionStart"], input=b'{{}}', capture_output=True)
print("here", flush=True)
sys.stdin.read()
"""
    agent = subprocess.Popen([PYTHON, "-c", open_one], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ungranted.env)
    assert agent.stdout and agent.stdout.readline() == b"here\n"
    late = Window(ungranted.setting)
    try:
        ended, said = late.synaptic(f"allow {code}")
        assert ended == 1 and "was opened while an agent was running" in " ".join(said.split())
    finally:
        late.close()
        agent.communicate()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"sh -c '{CLI} allow CODE; true'", "`sh` has started it"),
        ("sh run.sh", "`sh` has started it"),
        ("bash < run.sh", "`bash` has started it"),
        ("make -f run.mk", "has started it"),
        (f"{PYTHON} run.py", "has started it"),
        ("bash --rcfile run.sh -i -c true; bash --rcfile run.sh -i < /dev/null", "has started it"),
        (f"{CLI} allow CODE & wait", "not in the foreground"),
        (f"setsid -w {CLI} allow CODE", "it has no terminal"),
        (f"env -i HOME=$HOME PATH=$PATH setsid -w {CLI} allow CODE", "it has no terminal"),
    ],
)
def test_what_a_person_starts_without_typing_the_verb_is_not_sure(
    ungranted: Machine, window: Window, code: str, line: str, why: str
) -> None:
    project = ungranted.setting.project
    command = f"{CLI} allow {code} --yes"
    (project / "run.sh").write_text(f"{command}\ntrue\n")
    (project / "run.mk").write_text(f"all:\n\t{command}; true\n")
    (project / "run.py").write_text(f"import os, sys; sys.exit(os.system({command + '; true'!r}))")
    _, said = window.types(line.replace("CODE", code))
    assert why in " ".join(said.split()) and "pin set" in said, said


@pytest.mark.parametrize("home", ["here", "elsewhere"])
def test_a_window_that_was_opened_while_an_agent_without_hooks_runs_is_not_sure(machine: Machine, home: str) -> None:
    """An agent that is not wired calls nothing, and is known by its program; one of another home is nobody's here."""
    program = machine.setting.user / "bin" / "opencode"
    program.parent.mkdir(exist_ok=True)
    program.write_bytes(Path(shutil.which("sleep") or "").read_bytes())
    program.chmod(0o755)
    env = machine.env if home == "here" else {**machine.env, "HOME": "/elsewhere"}
    agent = subprocess.Popen([program, "600"], env=env, start_new_session=True)
    late = Window(machine.setting)
    try:
        _, said = late.synaptic("pin status")
        assert ("was opened while an agent was running" in " ".join(said.split())) == (home == "here"), said
        assert ("this terminal is trusted" in said) == (home == "elsewhere"), said
    finally:
        late.close()
        agent.kill()
        agent.wait()


def test_an_agent_in_the_same_terminal_could_type_there(ungranted: Machine, window: Window, code: str) -> None:
    text = f"""
import subprocess, time
subprocess.run(["{ungranted.setting.home.dispatch}", "SessionStart"], input=b'{{}}', capture_output=True)
open("there", "w").close()
time.sleep(60)
"""
    (ungranted.setting.project / "beside.py").write_text(text)
    window.types(f"{PYTHON} beside.py & true")
    assert ungranted.setting.wait_for((ungranted.setting.project / "there").exists)
    _, said = window.synaptic(f"allow {code}")
    window.types("kill %1; wait")
    assert "has the same terminal and could type there" in " ".join(said.split()) or _is_typing_off()


def _is_typing_off() -> bool:
    return os.getuid() != 0 and TYPING_SWITCH.exists() and TYPING_SWITCH.read_text().strip() == "0"


def test_a_number_that_another_process_has_now_is_nobody(ungranted: Machine, code: str) -> None:
    """Whoever connects and ends leaves the connection, and its number is looked at as it is now."""
    (ungranted.setting.project / "gone.py").write_text(
        "import os, socket, sys, time\nway = socket.socket(socket.AF_UNIX)\n"
        "way.connect(os.path.expanduser('~/.synaptic/run/daemon.sock'))\n"
        "if os.fork(): os._exit(0)\n"
        "time.sleep(0.3)\nway.sendall(sys.argv[1].encode() + b'\\n')\nprint(way.recv(9999).decode())\n"
    )
    done = ungranted.try_tool(f"{PYTHON} gone.py '{write_request(code)}'; sleep 0.6")
    assert refuses_agents(done), done


def test_no_method_about_exceptions_is_on_loopback_or_for_agents(ungranted: Machine, code: str) -> None:
    for method in ("grants.allow", "grants.revoke", "pin.set", "pin.remove", "policies.setMode"):
        request = json.dumps({"cmd": method, "args": {"refusal": code, "pin": "12345", "all": True}})
        assert refuses_agents(ungranted.try_tool(run_client("python", request)))


@pytest.mark.known_hole("a script that a person runs and that becomes the client is what they have typed")
def test_a_script_that_puts_the_client_in_its_own_place_is_not_sure(
    machine: Machine, window: Window, code: str
) -> None:
    script = machine.setting.project / "own.sh"
    script.write_text(f"#!/bin/sh\nexec {CLI} allow {code} --yes\n")
    script.chmod(0o755)
    ended, _ = window.types("./own.sh")
    window.synaptic("grants revoke --all")
    assert ended == 1
