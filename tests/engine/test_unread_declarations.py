"""What cannot be read for a moment is not remembered as absent: this call is a question, the next one tries again."""

import asyncio
import errno
import os
import resource
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.walk import Engine, open_engine
from synaptic.facts import files as file_facts
from synaptic.files import bounded, snapshot
from synaptic.hooks import abilities, catalog
from synaptic.hooks.budget import StalledReadingError
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.pins import _hash_file
from synaptic.model.call import Answer
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import key
from synaptic.store.db import Store
from tests.daemon.setting import BLOCK, Setting, specific

PASSING = [errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM]


@contextmanager
def failing_reads(monkeypatch: pytest.MonkeyPatch, code: int, below: Path) -> Iterator[None]:
    """Nothing below a folder can be opened or listed."""
    plain_open, plain_scan = os.open, os.scandir

    def refuse(path: object) -> None:
        if str(os.fsdecode(path)).startswith(str(below)):  # type: ignore[arg-type]
            raise OSError(code, os.strerror(code), path)

    def open_or_fail(path, *given, **named):
        refuse(path) if named.get("dir_fd") is None else None
        return plain_open(path, *given, **named)

    def scan_or_fail(path):
        refuse(path)
        return plain_scan(path)

    with monkeypatch.context() as patch:
        patch.setattr(bounded.os, "open", open_or_fail)
        patch.setattr(snapshot.os, "scandir", scan_or_fail)
        yield


def with_engine(setting: Setting, work: Callable[[Engine], Awaitable[None]]) -> None:
    async def run() -> None:
        engine = open_engine(setting.home)
        try:
            await work(engine)
        finally:
            await engine.close()

    asyncio.run(run())


def decision(answer: Answer) -> str:
    return specific(answer).get("permissionDecision", "none")


@pytest.mark.parametrize("fail", ["open", "closed"])
@pytest.mark.parametrize("code", PASSING)
@pytest.mark.parametrize("whose", ["project", "user"])
def test_declarations_that_cannot_be_read_for_a_moment_are_a_question_and_count_with_the_next_call(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, fail: str, code: int, whose: str
) -> None:
    setting.config(f'trust = "all"\nfail = "{fail}"\n')
    setting.register("guard", BLOCK)
    below = setting.project / ".synaptic" if whose == "project" else setting.home.root

    async def work(engine: Engine) -> None:
        with failing_reads(monkeypatch, code, below):
            for _ in range(2):
                answer = await engine.answer(setting.request(session_id="one"))
                if whose == "project":
                    assert decision(answer) == "ask"
                    assert os.strerror(code) in specific(answer)["permissionDecisionReason"]
                else:
                    assert decision(answer) in ("ask", "deny")
                assert os.strerror(code).encode() in answer.stdout + answer.stderr
            after = await engine.answer(setting.request("PostToolUse", session_id="one"))
            assert after.exit == 0
        assert decision(await engine.answer(setting.request(session_id="two"))) == "deny"

    with_engine(setting, work)
    doubtful = [entry for entry in setting.entries() if entry.session == "one"]
    assert len(doubtful) == 3
    for entry in doubtful:
        assert entry.answer is not None
        assert os.strerror(code).encode() in entry.answer.stdout + entry.answer.stderr


def test_a_deny_needs_no_question(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(engine: Engine) -> None:
        with failing_reads(monkeypatch, errno.EMFILE, setting.project / ".synaptic"):
            answer = await engine.answer(setting.request(tool_input={"command": "git reset --hard"}))
        assert decision(answer) == "deny"

    with_engine(setting, work)


@pytest.mark.parametrize(("fail", "said"), [("open", "none"), ("closed", "ask")])
def test_a_lasting_lack_of_permission_is_a_question_where_all_is_closed(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, fail: str, said: str
) -> None:
    setting.config(f'trust = "all"\nfail = "{fail}"\n')

    async def work(engine: Engine) -> None:
        with failing_reads(monkeypatch, errno.EACCES, setting.project / ".synaptic"):
            answer = await engine.answer(setting.request())
        assert decision(answer) == said

    with_engine(setting, work)


def test_many_files_in_a_watched_folder_are_read_again_as_well(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = setting.project / ".system" / "hooks"
    folder.mkdir(parents=True)
    for number in range(12):
        text = f"id: h{number}\nevent: UserPromptSubmit\nhandler: {{type: command, command: 'true'}}\n"
        (folder / f"{number:02}.yaml").write_text(text)
    catalogs = HookCatalogs(setting.home)
    with failing_reads(monkeypatch, errno.EMFILE, folder / "03.yaml"):
        first = catalogs.get(str(setting.project))
        assert "03.yaml" in first.doubt
    again = catalogs.get(str(setting.project))
    assert again.doubt == ""
    assert f"{folder}/03.yaml" in again.sources
    assert not any("Too many open files" in problem for problem in again.problems)


def test_without_descriptors_a_real_process_asks_and_recovers(setting: Setting) -> None:
    """No descriptor is left at the project's first event, as after many idle clients."""
    setting.register("guard", BLOCK)

    async def work(engine: Engine) -> None:
        await engine.answer(setting.request(cwd=str(setting.user), session_id="elsewhere"))
        with no_descriptors():
            answer = await engine.answer(setting.request(session_id="one"))
            assert decision(answer) == "ask"
        assert decision(await engine.answer(setting.request(session_id="two"))) == "deny"
        assert setting.order == ["guard"]

    with_engine(setting, work)


@contextmanager
def no_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(4)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(taken) + 1, hard))
    try:
        while True:
            try:
                taken.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for handle in taken:
            os.close(handle)


def test_a_script_that_could_not_be_read_for_a_moment_is_not_called_changed_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "a.sh"
    script.write_text("true")
    os.utime(script, (1, 1))
    with failing_reads(monkeypatch, errno.EMFILE, tmp_path):
        unread = _hash_file(str(script))
    assert _hash_file(str(script)) != unread


def test_the_installed_folders_stay_while_the_engine_file_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / ".synaptic")
    home.root.mkdir()
    home.engine.write_text("path=/opt/first\n")
    installed = InstalledEnvironment(home)
    monkeypatch.setattr("synaptic.engine.environment.LOOK_SECONDS", -1.0)
    home.engine.write_text("path=/opt/second\n")
    with failing_reads(monkeypatch, errno.EMFILE, home.root):
        assert "/opt/first" in installed.choose_path("", "")
    assert "/opt/second" in installed.choose_path("", "")


def test_a_target_that_could_not_be_read_for_a_moment_is_no_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.py"
    target.write_text("x = 1\n")
    with failing_reads(monkeypatch, errno.EMFILE, tmp_path), pytest.raises(OSError, match="Too many open files"):
        file_facts._read_target(str(target))
    assert file_facts._read_target(str(target)) == "x = 1\n"


def test_abilities_that_could_not_be_read_for_a_moment_are_not_indexed_as_absent(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = setting.project / ".claude" / "skills" / "one" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: one\ndescription: does one thing\n---\n")
    store = Store.open(setting.home)
    with failing_reads(monkeypatch, errno.EMFILE, setting.project / ".claude"), pytest.raises(StoreError):
        asyncio.run(abilities.load_abilities(store, str(setting.project)))
    found = asyncio.run(abilities.load_abilities(store, str(setting.project)))
    assert [ability.ability.id for ability in found if "one" in ability.ability.id]
    store.close()


def test_a_signing_key_that_cannot_be_read_for_a_moment_is_neither_replaced_nor_made_up(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(setting.home)
    known = key.read_signing_key(store)
    store._caches.clear()

    def fail(path: Path) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch, pytest.raises(StoreError, match="Too many open files"):
        patch.setattr(Path, "read_bytes", fail)
        key.read_signing_key(store)
    assert key.read_signing_key(store) == known
    assert list(setting.home.root.glob("state.key.*")) == []
    store.close()


def test_a_missing_file_is_still_no_trouble(setting: Setting) -> None:
    assert HookCatalogs(setting.home).get(str(setting.project)).doubt == ""


def test_a_project_that_a_busy_machine_could_not_read_in_time_is_asked_about_and_read_again(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its guard has not spoken: declarations that take too long by themselves are another matter."""
    setting.register("guard", BLOCK)
    clock = [time.monotonic()]
    monkeypatch.setattr(catalog.time, "monotonic", lambda: clock[0])

    def stall(work: Callable[[], object], seconds: float) -> object:
        raise StalledReadingError

    async def work(engine: Engine) -> None:
        with monkeypatch.context() as busy:
            busy.setattr(catalog, "run_within", stall)
            first = await engine.answer(setting.request())
        assert decision(first) == "ask"
        assert "too busy" in specific(first)["permissionDecisionReason"]
        assert decision(await engine.answer(setting.request())) == "ask"
        clock[0] += catalog.STALLED_SECONDS + 1
        assert decision(await engine.answer(setting.request())) == "deny"

    with_engine(setting, work)
