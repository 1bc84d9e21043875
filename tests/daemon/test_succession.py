"""Other code on disk: a successor takes over, nobody is left unanswered, and what cannot be started changes nothing."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import synaptic
from synaptic.daemon import client, lifecycle
from synaptic.daemon.client import call_rpc
from synaptic.model.home import Home
from synaptic.setup import dispatcher, start
from synaptic.store.db import Store
from tests.daemon.setting import Setting

PACKAGE = Path(synaptic.__file__).parent
NEEDED = Path(msgspec.__file__).parent.parent
AGENTS = 20
RESET = {"tool_name": "Bash", "tool_input": {"command": "git reset --hard HEAD~3"}}
"""Only a payload: nothing here runs it."""
SESSIONS = "SELECT session FROM events WHERE session LIKE 'agent-%'"
POLICY = "policies/git/reset_hard.py"
SETUP = "from pathlib import Path; from synaptic.model.home import Home; from synaptic.setup import dispatcher; "


class Clone(Setting):
    """A checkout of the engine of its own, whose files can be edited, and a home that was set up by it."""

    def __init__(self, folder: Path, source: str = "src") -> None:
        super().__init__(folder)
        self.source = folder / "clone" / source
        shutil.copytree(PACKAGE, self.source / "synaptic", ignore=shutil.ignore_patterns("__pycache__"))
        paths = f"import sys; sys.path[:0] = [{str(self.source)!r}, {str(NEEDED)!r}]; "
        code = f"{paths}{SETUP} dispatcher.install_dispatcher(Home(Path({str(self.home.root)!r})))"
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)

    def file(self, name: str) -> Path:
        return self.source / "synaptic" / name

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.file(name).read_text()
        assert old in text
        self.file(name).write_text(text.replace(old, new))

    @property
    def pid(self) -> int:
        return lifecycle.read_status(self.home).pid

    def wait_replaced(self, pid: int) -> bool:
        return self.wait_for(lambda: self.pid not in (0, pid) and client.is_responding(self.home))

    def ask(self) -> str:
        done = self.dispatch("PreToolUse", self.payload(session_id=client.new_call_id(), **RESET))
        return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    if dispatcher.find_compiled() is None:
        pytest.skip("dispatch is not compiled")
    made = Clone(tmp_path)
    yield made
    made.close()


def count_journal(home: Home) -> Counter[str]:
    """How often each session is in the journal: here, every call is a session of its own."""
    store = Store.open(home)
    try:
        return Counter(row[0] for row in store.read(lambda reader: reader.execute(SESSIONS).fetchall()))
    finally:
        store.close()


class Agents:
    """Many agents that call the dispatcher again and again, and what each call was told."""

    def __init__(self, clone: Clone) -> None:
        self._clone = clone
        self._end = threading.Event()
        self.told: dict[str, tuple[int, bytes, bytes]] = {}
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(AGENTS)]
        for thread in self._threads:
            thread.start()

    def _work(self, number: int) -> None:
        turn = 0
        while not self._end.is_set():
            session = f"agent-{number}-{turn}"
            call = RESET if turn % 2 else {}
            done = self._clone.dispatch("PreToolUse", self._clone.payload(session_id=session, **call))
            self.told[session] = (done.returncode, done.stdout, done.stderr)
            turn += 1

    def stop(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def find_wrong(self) -> list[object]:
        """Every call that was told something else than its guard says: an odd one is a reset, and refused."""
        return [
            (session, told)
            for session, told in self.told.items()
            if told[0] or told[2] or (b'"deny"' in told[1]) != bool(int(session.rpartition("-")[2]) % 2)
        ]


def test_edited_code_answers_within_seconds_and_nobody_restarts_anything(clone: Clone) -> None:
    clone.start()
    pid, before = clone.pid, clone.ask()
    clone.edit(POLICY, "throws away uncommitted changes", "THROWS AWAY uncommitted changes")
    assert "THROWS" not in before
    assert clone.wait_replaced(pid)
    assert "THROWS" in clone.ask()
    assert clone.wait_for(lambda: find_servers(clone.home) == [str(clone.pid)])
    assert lifecycle.is_held(clone.home)


def test_under_twenty_agents_no_call_is_lost_none_is_decided_twice_and_none_is_answered_wrongly(clone: Clone) -> None:
    clone.start()
    agents = Agents(clone)
    try:
        for word in ("ONE", "TWO"):
            pid = clone.pid
            clone.edit(POLICY, "for good{what}.", f"for good{{what}}. {word}")
            assert clone.wait_replaced(pid), clone.home.log.read_text()
            time.sleep(1)
    finally:
        agents.stop()
    assert len(agents.told) > 10 * AGENTS
    assert agents.find_wrong() == []
    counted = count_journal(clone.home)
    assert set(counted) == set(agents.told)
    assert set(counted.values()) == {1}
    said = b"".join(told[1] for told in agents.told.values())
    assert b"ONE" in said
    assert b"TWO" in said


@pytest.mark.parametrize(
    "broken", ["def half(:\n", "raise SystemExit(3)\n", "from synaptic.model import nothing_of_that\n"]
)
def test_code_that_does_not_start_leaves_the_old_daemon_at_work(clone: Clone, broken: str) -> None:
    clone.start()
    pid, before = clone.pid, clone.ask()
    text = clone.file(POLICY).read_text()
    clone.file(POLICY).write_text(f"{broken}{text}")
    told = call_rpc(clone.home, "daemon.renew", timeout=60)
    assert (told["renewed"], "does not start" in told["trouble"]) == (False, True)
    assert (clone.pid, clone.ask()) == (pid, before)
    assert any("does not start" in line for line in call_rpc(clone.home, "daemon.status")["notices"])
    clone.file(POLICY).write_text(f"{text}\n# whole again\n")
    assert clone.wait_replaced(pid)
    assert clone.ask() == before


def test_a_file_that_goes_missing_in_a_clone_never_lets_a_call_pass(clone: Clone) -> None:
    """Without a daemon: an engine that is there and cannot be loaded is not one that is missing."""
    clone.edit("model/call.py", "import", "import synaptic.not_yet_written\nimport")
    done = clone.dispatch("PreToolUse", clone.payload())
    assert b'"deny"' in done.stdout
    assert b"NOT checked" not in done.stderr


def write_while_loading(clone: Clone, name: str) -> None:
    """Make a module replace another file of the engine while it is being loaded, once."""
    other, mark = clone.file("policies/git/clean.py"), clone.source / "written"
    code = (
        "\nimport pathlib as _p\n"
        f"if not _p.Path({str(mark)!r}).exists():\n"
        f"    _p.Path({str(mark)!r}).touch()\n"
        f"    _p.Path({str(other)!r}).write_text(_p.Path({str(other)!r}).read_text() + '# more')\n"
    )
    clone.file(name).write_text(clone.file(name).read_text() + code)


def test_a_daemon_whose_files_change_while_it_loads_them_begins_anew(clone: Clone) -> None:
    write_while_loading(clone, POLICY)
    lifecycle.start_daemon(clone.home)
    assert clone.wait_for(lambda: client.is_responding(clone.home)), clone.home.log.read_text()
    assert "begins anew" in clone.home.log.read_text()
    assert clone.ask()


def test_an_engine_in_process_whose_files_change_while_it_loads_them_refuses(clone: Clone) -> None:
    text = clone.home.engine.read_text()
    clone.home.engine.write_text(f"{text}daemon=false\n")
    write_while_loading(clone, POLICY)
    done = clone.dispatch("PreToolUse", clone.payload())
    assert b"replaced while they were being loaded" in done.stdout
    assert b'"deny"' in done.stdout
    assert b'"deny"' not in clone.dispatch("PreToolUse", clone.payload()).stdout


def test_who_stops_the_daemon_stops_the_successor_that_it_starts(clone: Clone) -> None:
    clone.start()
    with clone.file(POLICY).open("a") as file:
        file.write("\nimport time\ntime.sleep(5)\n")
    asking = threading.Thread(target=lambda: ask_quietly(clone.home))
    asking.start()
    assert clone.wait_for(lambda: len(find_servers(clone.home)) == 2)
    lifecycle.stop_daemon(clone.home)
    asking.join()
    assert clone.wait_for(lambda: not find_servers(clone.home))
    assert not lifecycle.is_held(clone.home)


def ask_quietly(home: Home) -> None:
    try:
        call_rpc(home, "daemon.renew", timeout=60)
    except Exception:
        return  # it ends while it is asked


def find_servers(home: Home) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"synaptic.daemon.server" in words and os.fsencode(home.root) in words:
            found.append(path.parent.name)
    return found


def test_a_home_that_is_installed_from_elsewhere_gets_its_daemon_from_there(clone: Clone) -> None:
    clone.start()
    pid = clone.pid
    dispatcher.install_dispatcher(clone.home)
    assert clone.wait_replaced(pid)
    assert find_servers(clone.home)


def test_a_lock_file_of_an_editor_is_no_other_code(clone: Clone) -> None:
    clone.start()
    pid = clone.pid
    clone.file("policies/git/.reset_hard.py.swp").write_text("x")
    assert call_rpc(clone.home, "daemon.renew")["renewed"] is False
    assert clone.pid == pid


def test_a_successor_that_takes_the_name_and_dies_leaves_it_to_the_old_one(clone: Clone) -> None:
    clone.start()
    pid = clone.pid
    clone.edit(
        "daemon/server.py", "    if is_successor:\n", "    if is_successor:\n        raise OSError(28, 'full')\n"
    )
    told = call_rpc(clone.home, "daemon.renew", timeout=60)
    assert told["renewed"] is False
    assert clone.wait_for(lambda: client.is_responding(clone.home))
    assert clone.pid == pid
    assert clone.ask()


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Clone]:
    """The engine as a package manager puts it: nobody edits its files."""
    if dispatcher.find_compiled() is None:
        pytest.skip("dispatch is not compiled")
    made = Clone(tmp_path, "site-packages")
    yield made
    made.close()


def test_tampered_files_of_a_package_are_not_loaded_and_the_daemon_stays(package: Clone) -> None:
    package.start()
    pid, before = package.pid, package.ask()
    package.edit(POLICY, "throws away", "is fine and keeps")
    told = call_rpc(package.home, "daemon.renew", timeout=60)
    assert (told["renewed"], "exit code 114" in told["trouble"]) == (False, True)
    assert (package.pid, package.ask()) == (pid, before)


def test_a_package_that_is_being_replaced_keeps_its_daemon_until_the_new_one_is_whole(package: Clone) -> None:
    """As pip does it: the old files go first, then come the new ones, and its list last."""
    package.start()
    pid, before = package.pid, package.ask()
    assert client.is_responding(package.home)  # what speaks HTTP is loaded a moment after it listens
    aside = package.source / "~ynaptic"
    package.file("").rename(aside)
    assert call_rpc(package.home, "daemon.renew", timeout=60)["renewed"] is False
    assert package.ask() == before
    shutil.copytree(aside, package.file(""), ignore=shutil.ignore_patterns("setup"))
    assert call_rpc(package.home, "daemon.renew", timeout=60)["renewed"] is False
    assert (package.pid, package.ask()) == (pid, before)
    shutil.copytree(aside / "setup", package.file("setup"))
    package.edit(POLICY, "throws away", "THROWS AWAY")
    write_record(package.source, "99.0.0")
    assert package.wait_replaced(pid), package.home.log.read_text()
    assert "THROWS AWAY" in package.ask()


def write_record(packages: Path, version: str) -> None:
    """What a package manager writes beside the package when it is done."""
    folder = packages / f"synaptic_hooks-{version}.dist-info"
    folder.mkdir()
    rows = [f"{name},sha256={start.read_digest(f'{packages}/{name}')},1" for name in list_files(packages)]
    (folder / "RECORD").write_text("\n".join(rows) + "\n")


def list_files(packages: Path) -> list[str]:
    return [f"synaptic/{name}" for name, _ in start.iter_files(str(packages / "synaptic"))]


def test_the_loopback_port_goes_over_as_well(clone: Clone) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    clone.config(f'trust = "all"\n[http]\nenabled = true\nport = {port}\n')
    clone.start()
    pid, note = clone.pid, clone.home.run / "http.port"
    assert clone.wait_for(note.exists)
    clone.edit(POLICY, "throws away", "THROWS AWAY")
    assert clone.wait_replaced(pid)
    assert clone.wait_for(lambda: find_servers(clone.home) == [str(clone.pid)])
    assert clone.wait_for(lambda: call_rpc(clone.home, "daemon.status")["http_port"] == port)
    assert note.read_text() == str(port)
