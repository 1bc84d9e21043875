import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synaptic.agents.shared import callers as module
from synaptic.agents.shared import lineage
from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.lineage import examine_sender, find_agent_above, identify_agent
from synaptic.agents.shared.processes import (
    ProcessInfo,
    iter_ancestors,
    read_arguments,
    read_process,
    read_program,
    read_variables,
)
from synaptic.files.bounded import UnreadableFile
from synaptic.model.home import Home

LOOKED, EXAMINED = find_agent_above, examine_sender
"""As they are: in a test this process counts as a person's."""


@pytest.fixture
def callers(tmp_path: Path) -> HookCallers:
    home = Home(tmp_path / ".synaptic")
    home.run.mkdir(parents=True)
    return HookCallers(home)


@contextmanager
def process(*argv: str, **env: str) -> Iterator[int]:
    """A process that waits, and says when it is there."""
    started = subprocess.Popen(
        argv, env={"PATH": os.environ["PATH"], **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert started.stdout and started.stdout.readline()
        yield started.pid
    finally:
        started.kill()
        started.communicate()


def test_a_process_is_read_with_its_parent_words_variables_and_program():
    with process("sh", "-c", "echo; read x; :", "two words", MARK="1") as pid:
        found = read_process(pid)
        assert found is not None and found.parent == os.getpid() and found.started
        assert read_arguments(pid) == ("sh", "-c", "echo; read x; :", "two words")
        assert "MARK=1" in read_variables(pid)
        assert read_program(pid).startswith("/")
        assert [one.pid for one in iter_ancestors(pid)][:2] == [pid, os.getpid()]


def test_a_process_that_is_gone_is_nothing():
    assert read_process(2**22 + 1) is None
    assert read_arguments(2**22 + 1) == () and read_variables(2**22 + 1) == () and read_program(2**22 + 1) == ""
    assert list(iter_ancestors(2**22 + 1)) == []


def test_a_name_with_brackets_does_not_confuse_the_reader(tmp_path: Path):
    program = tmp_path / "a) 1 (b"
    program.symlink_to("/bin/sh")
    with process(str(program), "-c", "echo; read x; :") as pid:
        found = read_process(pid)
        assert found is not None and found.parent == os.getpid()


@pytest.mark.parametrize(
    ("words", "agent"),
    [
        (("bash", "-c", "exec -a claude bash -c 'echo; read x; :'"), "claude"),
        (("bash", "-c", "exec -a /usr/bin/codex bash -c 'echo; read x; :'"), "codex"),
        (("bash", "-c", "exec -a cursor bash -c 'echo; read x; :'"), ""),
        (("bash", "-c", "echo claude; read x; :"), ""),
    ],
)
def test_an_agent_is_known_by_its_program(words: tuple[str, ...], agent: str):
    with process(*words) as pid:
        assert identify_agent(pid) == agent


@pytest.mark.parametrize(
    ("script", "agent"),
    [("node_modules/@google/gemini-cli/bundle/index.py", "gemini"), ("qwen.py", "qwen"), ("tool.py", "")],
)
def test_an_agent_is_known_by_its_script(tmp_path: Path, script: str, agent: str):
    path = tmp_path / script
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("print(flush=True); input()")
    with process(sys.executable, "-I", str(path)) as pid:
        assert identify_agent(pid) == agent


def test_who_called_the_dispatcher_is_kept_on_disk_by_its_start_too(callers: HookCallers, tmp_path: Path):
    found = read_process(os.getpid())
    assert found is not None
    callers.add(found)
    again = HookCallers(Home(tmp_path / ".synaptic"))
    assert again.holds(found)
    assert not again.holds(ProcessInfo(found.pid, found.parent, "1"))


def test_a_record_that_cannot_be_read_for_a_moment_is_read_again(
    callers: HookCallers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Without a descriptor nobody is a person; with one again everybody is who they were."""
    own = read_process(os.getpid())
    assert own is not None
    callers.add(own)
    with monkeypatch.context() as patched:
        patched.setattr(module, "read_content", lambda path, limit: UnreadableFile("cannot be read", True, True))
        again = HookCallers(Home(tmp_path / ".synaptic"))
        assert "cannot be read" in again.trouble
        assert "delete" not in again.trouble
        assert not again.holds(own)
    assert again.holds(own)
    assert again.trouble == ""


def test_processes_that_have_ended_are_forgotten(callers: HookCallers, tmp_path: Path):
    found = read_process(os.getpid())
    assert found is not None
    callers.add(ProcessInfo(2**22 + 1, 1, "1"))
    callers.add(found)
    assert (tmp_path / ".synaptic" / "run" / "callers").read_text() == f"{found.pid} {found.started}\n"


def test_where_nothing_can_be_written_it_is_still_known_here(tmp_path: Path):
    (tmp_path / "file").write_text("")
    callers = HookCallers(Home(tmp_path / "file"))
    found = read_process(os.getpid())
    assert found is not None
    callers.add(found)
    assert callers.holds(found)


@pytest.mark.parametrize("text", ["", "x\n\n", "12", "abc def\n", "\udcff 1\n", "-1 5\n"])
def test_a_record_that_is_no_record_names_nobody(tmp_path: Path, text: str):
    home = Home(tmp_path)
    home.run.mkdir()
    (home.run / "callers").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert not HookCallers(home).holds(ProcessInfo(12, 1, ""))


def test_a_mark_counts_and_an_empty_one_does_not(callers: HookCallers):
    with process("sh", "-c", "echo; read x; :", CLAUDECODE="1") as pid:
        assert "CLAUDECODE is set" in LOOKED(pid, callers)
    with process("sh", "-c", "echo; read x; :", CLAUDECODE="") as pid:
        assert "CLAUDECODE" not in LOOKED(pid, callers)


def test_nobody_is_a_person_whose_process_cannot_be_seen(callers: HookCallers):
    assert LOOKED(0, callers) and LOOKED(2**22 + 1, callers)
    assert EXAMINED(2**22 + 1, callers).kind == "stranger"


def test_the_first_process_and_shells_are_never_agents():
    assert not lineage._can_be_agent(ProcessInfo(1, 0, "0"))
    with process("bash", "-c", "echo; read x; :") as pid:
        found = read_process(pid)
        assert found is not None and not lineage._can_be_agent(found)
    with process("bash", "-c", "exec -a -zsh bash -c 'echo; read x; :'") as pid:
        found = read_process(pid)
        assert found is not None and not lineage._can_be_agent(found)


@pytest.mark.parametrize("name", ["-zsh", "tmux", "Cursor", "code", "systemd"])
def test_what_people_type_below_is_never_remembered_as_an_agent(name: str):
    with process("bash", "-c", f"exec -a {name} {sys.executable} -c 'print(flush=True); input()'") as pid:
        found = read_process(pid)
        assert found is not None and not lineage._can_be_agent(found)


@pytest.mark.parametrize(
    ("word", "is_named"),
    [
        ("/home/ann/.synaptic/bin/dispatch", True),
        ("/home/ann b/.synaptic/bin/dispatch", True),
        ("f() { $1 < p; }; f /home/ann/.synaptic/bin/dispatch", False),
        ("/bin/dispatch", False),
    ],
)
def test_a_command_that_ends_with_the_dispatcher_is_not_the_dispatcher(word: str, is_named: bool):
    assert lineage._names_dispatcher(word, "/home/ann b/.synaptic/bin/dispatch") is is_named


@contextmanager
def hosted(callers: HookCallers, inner: str) -> Iterator[tuple[int, int]]:
    """A program that has an agent in itself, and a process that it has started."""
    words = ("sh", "-c", f"bash -c {inner!r} & echo $!; wait")
    host = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert host.stdout
        told = sorted(host.stdout.readline() for _ in range(2))  # two processes write, and either may be first
        assert told[1] == b"ready\n"
        child = int(told[0])
        if found := read_process(host.pid):
            callers.add_host(found)
        yield host.pid, child
    finally:
        os.killpg(host.pid, signal.SIGKILL)
        host.communicate()


def test_what_a_host_starts_is_an_agents_and_the_host_itself_speaks_for_its_person(callers: HookCallers):
    with hosted(callers, "echo ready; sleep 60; :") as (host, child):
        assert "has an agent in itself" in LOOKED(child, callers)
        assert EXAMINED(child, callers).kind == "stranger"
        assert EXAMINED(host, callers).kind == "hook"


def test_a_hosts_own_agent_is_no_agents_agent(callers: HookCallers):
    """The client of an SDK calls the dispatcher too, where its user's settings say so."""
    with hosted(callers, 'exec -a claude bash -c "echo ready; sleep 60; :"') as (_, child):
        assert EXAMINED(child, callers).kind == "hook"


def test_a_host_that_an_agent_has_started_is_a_stranger(callers: HookCallers):
    with process("bash", "-c", "exec -a claude bash -c 'sleep 60 & echo $!; wait'") as outer:
        (inner,) = (int(pid) for pid in Path(f"/proc/{outer}/task/{outer}/children").read_text().split())
        found = read_process(inner)
        assert found is not None
        callers.add_host(found)
        assert EXAMINED(inner, callers).why == f"process {outer} above it is claude"
        os.kill(inner, signal.SIGKILL)


def test_a_host_that_writes_itself_down_is_known_to_a_daemon_that_runs(tmp_path: Path):
    home = Home(tmp_path / ".synaptic")
    daemon, program = HookCallers(home), HookCallers(home)
    found = read_process(os.getpid())
    assert found is not None and not daemon.is_host(found)
    program.add_host(found)
    assert daemon.is_host(found) and not daemon.holds(found)
