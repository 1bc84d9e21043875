"""The dispatcher in place: compiled when it can be, Python when not."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

import synaptic
from synaptic.agents.shared.record import BootstrapRecord, SetupChoices, save_record
from synaptic.model.call import Answer
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from synaptic.setup.dispatcher import FailMode
from tests.native.fake_daemon import FakeDaemon, tell

OK = Answer(b"out", b"err", 2)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "it's a home $HOME")


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "find_compiled", lambda: None)


def run(home: Home, *words: str, stdin: bytes = b"{}") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([home.dispatch, *words], input=stdin, capture_output=True, timeout=60, check=False, cwd="/")


def stand_in(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "dispatch"
    program.write_bytes(b"\x7fELF and so on")
    monkeypatch.setattr(dispatcher, "find_compiled", lambda: program)
    return program


def test_the_compiled_program_is_copied_and_executable(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S0-005"""
    program = stand_in(home, tmp_path, monkeypatch)
    assert dispatcher.find_dispatcher_kind(home) is None
    assert dispatcher.install_dispatcher(home) == "native"
    assert home.dispatch.read_bytes() == program.read_bytes()
    assert home.dispatch.stat().st_mode & 0o777 == 0o755
    assert dispatcher.find_dispatcher_kind(home) == "native"
    assert sorted(path.name for path in home.bin.iterdir()) == ["dispatch", "start.py", "syn", "synaptic"]


def test_twice_is_untouched_and_a_change_is_replaced(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = stand_in(home, tmp_path, monkeypatch)
    dispatcher.install_dispatcher(home)
    before = [path.stat() for path in (home.dispatch, home.engine)]
    dispatcher.install_dispatcher(home)
    after = [path.stat() for path in (home.dispatch, home.engine)]
    assert [(x.st_ino, x.st_mtime_ns) for x in before] == [(x.st_ino, x.st_mtime_ns) for x in after]
    program.write_bytes(b"\x7fELF newer")
    dispatcher.install_dispatcher(home)
    assert home.dispatch.read_bytes() == b"\x7fELF newer"


def test_the_engine_file_names_python_version_and_fail_policy(home: Home, uncompiled: None) -> None:
    dispatcher.install_dispatcher(home)
    known = dispatcher.read_engine(home)
    assert known == dispatcher.EngineFile(sys.executable, "open", synaptic.__version__, True, os.environ["PATH"])
    dispatcher.install_dispatcher(home, "closed")
    dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).fail == "closed"
    dispatcher.install_dispatcher(home, "open")
    assert dispatcher.read_engine(home).fail == "open"


@pytest.mark.parametrize("content", [b"", b"\xff\0\n=\n==x", b"fail=maybe\npython"])
def test_a_garbage_engine_file_reads_as_the_defaults_and_is_closed(home: Home, content: bytes) -> None:
    """As `dispatch` reads it: only a line that says open is open."""
    assert dispatcher.read_engine(home) == dispatcher.EngineFile()
    home.root.mkdir()
    home.engine.write_bytes(content)
    assert dispatcher.read_engine(home) == dispatcher.EngineFile(fail="closed", has_fail=False)


def drop_fail_line(home: Home) -> None:
    lines = home.engine.read_text().splitlines(keepends=True)
    home.engine.write_text("".join(line for line in lines if not line.startswith("fail=")))


def test_an_engine_file_that_has_lost_its_fail_policy_is_not_installed_again_as_open(
    home: Home, uncompiled: None
) -> None:
    dispatcher.install_dispatcher(home, "closed")
    drop_fail_line(home)
    dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).fail == "closed"


@pytest.mark.parametrize("chosen", ["open", "closed"])
def test_what_a_person_chose_counts_where_the_engine_file_has_lost_it(
    home: Home, uncompiled: None, chosen: FailMode
) -> None:
    dispatcher.install_dispatcher(home, chosen)
    save_record(home, BootstrapRecord(choices=SetupChoices(fail=chosen), folders=("/made",)))
    drop_fail_line(home)
    dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).fail == chosen


def test_the_stricter_counts_where_engine_file_and_record_disagree(home: Home, uncompiled: None) -> None:
    dispatcher.install_dispatcher(home, "closed")
    save_record(home, BootstrapRecord(choices=SetupChoices(fail="open"), folders=("/made",)))
    assert dispatcher.recall_fail(home) == "closed"
    dispatcher.install_dispatcher(home, "open")
    assert dispatcher.recall_fail(home) == "open"


def test_an_engine_file_that_cannot_be_read_for_a_moment_loosens_nothing(
    home: Home, uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A descriptor that is missing must not turn a closed fail policy into an open one, for good."""
    dispatcher.install_dispatcher(home, "closed")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", fail_without_descriptors)
        assert dispatcher.read_engine(home).fail == "closed"
        with pytest.raises(SettingsError, match="cannot be read"):
            dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).fail == "closed"


def fail_without_descriptors(*words: object) -> str:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_without_a_compiler_the_python_client_does_the_same(home: Home, uncompiled: None) -> None:
    """S0-005 S0-020"""
    assert dispatcher.install_dispatcher(home) == "python"
    assert dispatcher.find_dispatcher_kind(home) == "python"
    with FakeDaemon(home, tell(OK)) as daemon:
        done = run(home, "codex", "--entry=1", "PreToolUse", stdin=b'{"a":1}')
    assert (done.stdout, done.stderr, done.returncode) == (b"out", b"err", 2)
    request = daemon.deliveries[0].request
    assert (request.agent, request.event, request.stdin) == ("codex", "PreToolUse", b'{"a":1}')
    assert request.env["PATH"] == os.environ["PATH"]


def test_the_python_client_answers_without_a_daemon(home: Home, uncompiled: None) -> None:
    dispatcher.install_dispatcher(home)
    with home.engine.open("a") as file:
        file.write("daemon=false\n")
    done = run(home, "PreToolUse", stdin=b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}')
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_python_client_without_python_meets_the_fail_policy(
    home: Home, uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    dispatcher.install_dispatcher(home, "closed")
    done = run(home, "PreToolUse")
    assert b'"permissionDecision":"deny"' in done.stdout
    assert b"its Python is missing: /nowhere/python" in done.stderr
    assert run(home, "Stop").returncode == 0
    dispatcher.install_dispatcher(home, "open")
    done = run(home, "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"synaptic: this call was NOT checked")


def test_an_engine_that_cannot_be_imported_meets_the_fail_policy(
    home: Home, uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path(sys.base_prefix) / "bin" / "python3"
    monkeypatch.setattr(sys, "executable", str(real))
    dispatcher.install_dispatcher(home, "closed")
    home.engine_files.write_text("package=/nowhere\neditable=true\n")
    done = run(home, "PreToolUse")
    assert b'"permissionDecision":"deny"' in done.stdout
    assert b"cannot be started" in done.stderr


CLIENTS = {"killed": "kill -9 $$", "out of memory": "echo Traceback >&2; exit 1", "silent": "exit 0"}


@pytest.mark.parametrize("case", CLIENTS)
def test_a_python_client_that_dies_is_a_refusal_and_shows_no_traceback(
    home: Home, uncompiled: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """Exit codes 1 and 137 are no refusal to any agent."""
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\n{CLIENTS[case]}\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    dispatcher.install_dispatcher(home, "open")
    done = run(home, "PreToolUse")
    assert b'"permissionDecision":"deny"' in done.stdout
    assert done.stderr.startswith(b"synaptic: blocked, because it could not be checked: the engine gave no answer")
    assert b"Traceback" not in done.stderr
    assert b'"deny"' in run(home, "gemini", "--entry=1", "BeforeTool").stdout
    assert run(home, "../x", "PreToolUse").returncode == 2
    assert run(home, "PostToolUse").returncode == 0


def test_a_python_client_without_its_engine_file_refuses(home: Home, uncompiled: None) -> None:
    dispatcher.install_dispatcher(home)
    home.engine_files.write_text("package=/nowhere\neditable=true\n")
    home.engine.unlink()
    assert b'"permissionDecision":"deny"' in run(home, "PreToolUse").stdout
    assert run(home, "Stop").returncode == 0


def test_removal_takes_only_what_is_ours(home: Home, uncompiled: None) -> None:
    dispatcher.install_dispatcher(home)
    (home.bin / "other").touch()
    dispatcher.remove_dispatcher(home)
    assert [path.name for path in home.bin.iterdir()] == ["other"]
    assert not home.engine.exists()
    (home.bin / "other").unlink()
    dispatcher.remove_dispatcher(home)
    assert not home.bin.exists()


def test_a_foreign_program_is_not_ours(home: Home) -> None:
    home.bin.mkdir(parents=True)
    home.dispatch.write_text("#!/bin/sh\necho hello\n")
    assert dispatcher.find_dispatcher_kind(home) is None


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path, uncompiled: None) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="file/home/engine-files"):
        dispatcher.install_dispatcher(Home(tmp_path / "file" / "home"))


def test_a_python_that_cannot_be_used_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher.site, "getusersitepackages", lambda: str(Path(synaptic.__file__).parents[1]))
    with pytest.raises(SettingsError, match="pipx"):
        dispatcher.install_dispatcher(home)
    monkeypatch.undo()
    monkeypatch.setattr(sys, "executable", "/a\nb/python")
    with pytest.raises(SettingsError, match="line break"):
        dispatcher.install_dispatcher(home)


def test_the_command_line_stands_beside_the_dispatcher(tmp_path: Path) -> None:
    """What is on PATH after the bootstrap is all that its messages tell people to type."""
    home = Home(tmp_path / "a b" / ".synaptic")
    dispatcher.install_dispatcher(home)
    for program in (home.launcher, home.short_launcher):
        done = subprocess.run([program, "--version"], capture_output=True, text=True, env={"HOME": str(tmp_path)})
        assert synaptic.__version__ in done.stdout, done.stderr
    dispatcher.remove_dispatcher(home)
    assert not home.bin.exists()


def test_an_agent_keeps_the_path_that_a_person_has_noted(
    home: Home, uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("PATH", "/usr/bin")
    dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).path == "/usr/bin", "nothing was noted before"
    monkeypatch.setenv("PATH", "/tmp/evil:/usr/bin")
    dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).path == "/usr/bin"
    monkeypatch.delenv("CLAUDECODE")
    monkeypatch.setattr(dispatcher, "find_own_agent", lambda home: "")
    dispatcher.install_dispatcher(home)
    assert dispatcher.read_engine(home).path == "/tmp/evil:/usr/bin"


def test_an_agent_does_not_agree_to_changed_files_of_the_engine(
    home: Home, uncompiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher.install_dispatcher(home)
    lines = home.engine_files.read_text().splitlines(keepends=True)
    kept = [line for line in lines if line != "editable=true\n" and not line.endswith(" pipeline/run.py\n")]
    home.engine_files.write_text("".join(kept))
    monkeypatch.setenv("CLAUDECODE", "1")
    dispatcher.install_dispatcher(home)
    assert home.engine_files.read_text() == "".join(kept)
    monkeypatch.delenv("CLAUDECODE")
    monkeypatch.setattr(dispatcher, "find_own_agent", lambda home: "")
    dispatcher.install_dispatcher(home)
    assert "pipeline/run.py" in home.engine_files.read_text()
