"""What a command deletes of the project that git does not hold; the commands are in tests/engine/lost_work.toml."""

import asyncio
import time
from pathlib import Path

import msgspec
import pytest

from synaptic.facts import ask_git, deleted_work
from synaptic.facts.gather import EngineMeans
from synaptic.model.call import Call
from synaptic.model.decision import Decision
from synaptic.model.event import PreToolUse
from synaptic.model.loss import LostWork
from synaptic.store import journal
from synaptic.store.record import EventRecord
from tests.facts.places import means
from tests.lib.shell import git, repository


@pytest.fixture(autouse=True)
def patient_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no reason for another answer."""
    monkeypatch.setattr(ask_git, "GIT_TIMEOUT", 60.0)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "repo")
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("x = 1\n")
    (folder / ".gitignore").write_text("made/\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "a")
    return folder


def remember(using: EngineMeans, tool: str, at: float = 0.0, **given: str) -> None:
    """A call that the session has made before."""
    payload = msgspec.json.encode({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": given})
    record = EventRecord(
        call=f"c{journal.count_events(using.store)}", at=at or time.time(), agent="claude", event="PostToolUse",
        tool=tool, session="s1", payload=payload.decode(), decision=Decision(),
    )  # fmt: skip
    journal.append_records(using.store, [record], "full")


def find(repo: Path, command: str, using: EngineMeans, session: str = "s1") -> LostWork:
    event = PreToolUse(tool_name="Bash", tool_input={"command": command}, cwd=str(repo), session_id=session)
    call = Call("c1", "claude", event, {}, root=str(repo), env={"HOME": str(repo.parent)})
    found = deleted_work.gather_deleted_work(call, using)
    return found if isinstance(found, LostWork) else asyncio.run(found)  # type: ignore[arg-type]


def test_what_somebody_else_has_changed_is_named(repo: Path, tmp_path: Path) -> None:
    (repo / "src" / "a.py").write_text("x = 1\ny = 2\n")
    assert str(find(repo, "rm -rf src", means(tmp_path))) == "1 file: src/a.py +1"


@pytest.mark.parametrize(("tool", "given"), [
    ("Write", {"file_path": "src/a.py", "content": "x"}),
    ("Edit", {"file_path": "src/a.py", "old_string": "x", "new_string": "y"}),
    ("Bash", {"command": "echo y >> src/a.py"}),
    ("Bash", {"command": "sed -i s/x/y/ src/a.py"}),
])  # fmt: skip
def test_what_the_session_has_written_is_its_own(repo: Path, tmp_path: Path, tool: str, given: dict[str, str]) -> None:
    using = means(tmp_path)
    (repo / "src" / "a.py").write_text("x = 1\ny = 2\n")
    remember(using, tool, **{**given, **({"file_path": f"{repo}/src/a.py"} if "file_path" in given else {})})
    assert find(repo, "rm -rf src", using) == LostWork()
    assert find(repo, "rm -rf src", using, session="another").files


def test_source_that_git_does_not_know_counts_if_it_is_older_than_the_session(repo: Path, tmp_path: Path) -> None:
    using = means(tmp_path)
    (repo / "lib").mkdir()
    (repo / "lib" / "b.py").write_text("x\n")
    (repo / "lib" / "out.bin").write_text("x\n")
    assert find(repo, "rm -rf lib", using) == LostWork()  # when the session began is not known
    remember(using, "Read", at=time.time() + 60, file_path="x")
    assert str(find(repo, "rm -rf lib", using)) == "1 file: lib/b.py (untracked)"
    assert find(repo, "rm lib/b.py", using) == LostWork()  # named one by one


def test_source_that_was_made_since_then_is_the_sessions(repo: Path, tmp_path: Path) -> None:
    using = means(tmp_path)
    remember(using, "Read", at=time.time() - 60, file_path="x")
    (repo / "lib").mkdir()
    (repo / "lib" / "b.py").write_text("x\n")
    assert find(repo, "rm -rf lib", using) == LostWork()


@pytest.mark.parametrize("folder", ["made", "build", "node_modules", "absent"])
def test_for_what_is_ignored_made_again_or_not_there_git_is_not_started(
    repo: Path, tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    using = means(tmp_path)
    remember(using, "Read", at=time.time() + 60, file_path="x")
    if folder != "absent":
        (repo / folder).mkdir()
        (repo / folder / "b.py").write_text("x\n")
    monkeypatch.setattr(ask_git, "_find_git", lambda: pytest.fail("git was started"))
    assert find(repo, f"rm -rf {folder}", using) == LostWork()


def test_a_broken_index_and_a_project_without_git_say_nothing(repo: Path, tmp_path: Path) -> None:
    (repo / "src" / "a.py").write_text("x = 1\ny = 2\n")
    (repo / ".git" / "index").write_bytes(b"DIRC\0\0\0\2broken src/a.py\0")
    assert find(repo, "rm -rf src", means(tmp_path)) == LostWork()
    plain = tmp_path / "plain"
    (plain / "src").mkdir(parents=True)
    (plain / "src" / "a.py").write_text("x\n")
    assert find(plain, "rm -rf src", means(tmp_path)) == LostWork()


def test_a_project_that_is_reached_through_a_link_is_the_same(repo: Path, tmp_path: Path) -> None:
    (repo / "src" / "a.py").write_text("x = 1\ny = 2\n")
    way = tmp_path / "way"
    way.symlink_to(repo)
    assert str(find(way, "find . -name '*.py' -delete", means(tmp_path))) == "1 file: src/a.py +1"
