"""Files with policies that were loaded once and cannot be loaded now: what they were known to hold fails, loudly."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.engine import outside
from synaptic.engine.recollection import make_trust
from synaptic.model.decision import Kind
from synaptic.store import trust
from synaptic.store.trust import TrustedContent
from synaptic.testing import EngineSession
from synaptic.testing.outcome import Outcome
from tests.engine.test_outside import HEAD, simple

DEPLOYS = 'return deny("not on a Friday") if "make deploy" in event.tool_input["command"] else None'
CLOSED = ', on_error="deny"'


@pytest.fixture
def session(tmp_path: Path) -> Iterator[EngineSession]:
    made = EngineSession(tmp_path)
    yield made
    made.close()


def put_guard(session: EngineSession, settings: str = CLOSED, more: str = "") -> Path:
    """A guard that has denied something already."""
    file = session.write("acme.py", simple(DEPLOYS, settings) + more)
    session.check("make deploy").denied_by("acme.x").because("Friday")
    session.check("ls").passed()
    return file


def start_again(session: EngineSession) -> None:
    """From now on another engine answers, with the same home."""
    session._runner.run(session.engine.close())
    session._engine = None


def goes_on_loudly(outcome: Outcome, *parts: str) -> None:
    assert outcome.decision.kind is Kind.NONE
    told = "\n".join(outcome.warnings)
    assert all(part in told for part in parts), told


BREAKS = {
    "a library that is not there": "\nimport nothing_of_this_name\n",
    "a syntax error": "\ndef broken(:\n",
    "an exit": "\nsys.exit(0)\n",
    "a killed worker": "\nos.kill(os.getpid(), 9)\n",
    "an end of the worker": "\nos._exit(0)\n",
    "too much memory": "\nx = [bytes(1 << 20) for _ in range(100_000)]\n",
    "for ever": "\nwhile True: pass\n",
    "a policy without words": '\n@policy("acme.y", events=(PreToolUse,))\ndef y(event, facts): pass\n',
    "two of one id": simple("return None", head="").replace("def x", "def y"),
    "too large": "\n#" + "x" * (1 << 20),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_guard_whose_file_breaks_denies_what_it_guarded(
    session: EngineSession, monkeypatch: pytest.MonkeyPatch, name: str
):
    file = put_guard(session)
    monkeypatch.setattr(outside, "DESCRIBE_SECONDS", 2.0)
    file.write_text(file.read_text() + BREAKS[name])
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")
    (told,) = session.catalog().problems[-1:]
    assert "acme.py" in told and "acme.x denies" in told
    file.write_text(simple(DEPLOYS, CLOSED))
    session.check("ls").passed()
    session.check("make deploy -j").denied_by("acme.x").because("Friday")


@pytest.mark.parametrize("kind", ["fifo", "folder", "zero", "link to nothing"])
def test_a_guard_whose_file_is_no_file_any_more_denies(session: EngineSession, kind: str):
    file = put_guard(session)
    file.unlink()
    make = {
        "fifo": lambda: os.mkfifo(file),
        "folder": file.mkdir,
        "zero": lambda: file.symlink_to("/dev/zero"),
        "link to nothing": lambda: file.symlink_to(session.user / "nothing"),
    }
    make[kind]()
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")


def test_any_other_policy_of_it_is_told_in_every_answer(session: EngineSession):
    file = put_guard(session, "")
    file.write_text(file.read_text() + "\nimport nothing_of_this_name\n")
    for command in ("make deploy", "ls", "make deploy"):
        goes_on_loudly(session.check(command), "acme.x", "acme.py:11", "nothing_of_this_name", "went on without it")
    assert "acme.x is told as failing" in session.catalog().problems[-1]


def test_only_what_it_concerns_fails(session: EngineSession):
    more = (
        '\n@policy("acme.deploys", events=(PreToolUse,), speaks_of=frozenset({"make"}), '
        'needs=("git",), on_error="deny")'
        '\ndef deploys(event, facts):\n    """Deployments."""\n'
        '\n@policy("acme.reads", events=(PreToolUse,), tools=("Read",), on_error="deny")'
        '\ndef reads(event, facts):\n    """Reads."""\n'
    )
    file = session.write("acme.py", HEAD + more)
    session.check("make").passed()
    file.write_text(f"import nothing_of_this_name\n{HEAD}{more}")
    session.check("ls").passed()
    session.check("sh -c 'make deploy'").denied_by("acme.deploys")
    session.send("PreToolUse", tool_name="Read", tool_input={"file_path": "x"}).denied_by("acme.reads")
    session.send("UserPromptSubmit", prompt="hello").passed()


def test_it_holds_for_the_next_process_and_without_the_run_folder(session: EngineSession):
    file = put_guard(session)
    start_again(session)
    shutil.rmtree(session.home.run)
    file.write_text("import nothing_of_this_name\n")
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")


def test_a_neighbour_that_breaks_or_goes_is_the_same(session: EngineSession):
    neighbour = session.write("_words.py", 'WHY = "Friday"\n')
    session.write("acme.py", simple("return deny(WHY)", CLOSED, f"from _words import WHY\n{HEAD}"))
    session.check("make deploy").denied_by("acme.x").because("Friday")
    neighbour.write_text("WHY = \n")
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")
    neighbour.unlink()
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")
    os.mkfifo(neighbour)
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")
    neighbour.unlink()
    neighbour.write_text('WHY = "back"\n')
    session.check("make deploy").denied_by("acme.x").because("back")


def test_a_library_that_breaks_is_the_same_and_is_used_once_it_is_mended(
    session: EngineSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(outside, "LEAST_RETRY_SECONDS", 0.0)
    monkeypatch.setattr(outside, "RETRY_SHARE", 0.0)
    library = tmp_path / "library"
    library.mkdir()
    (library / "days.py").write_text('WHY = "Friday"\n')
    head = f"{HEAD}\nsys.path.append({str(library)!r})\nfrom days import WHY\n"
    session.write("acme.py", simple("return deny(WHY)", CLOSED, head))
    session.check("make deploy").denied_by("acme.x").because("Friday")
    (library / "days.py").write_text("import nothing_of_this_name\n")
    session.write("_touched.py", "")  # another digest: it is asked again what it holds
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")
    (library / "days.py").write_text('WHY = "Saturday"\n')
    session.check("make deploy").denied_by("acme.x").because("Saturday")


def test_a_file_that_was_removed_has_no_policies(session: EngineSession):
    file = put_guard(session)
    file.write_text("import nothing_of_this_name\n")
    session.check("make deploy").denied_by("acme.x")
    file.unlink()
    session.check("make deploy").passed()


def test_a_policy_that_goes_from_a_file_which_loads_is_gone(session: EngineSession):
    file = put_guard(session)
    file.write_text(HEAD)
    session.check("make deploy").passed()
    file.write_text("import nothing_of_this_name\n")
    goes_on_loudly(session.check("make deploy"))
    assert not session.catalog().problems[-1].count("acme.x")


def test_one_that_cannot_be_used_any_more_in_a_file_that_loads_denies(session: EngineSession):
    file = put_guard(session)
    file.write_text(simple(DEPLOYS, f"{CLOSED}, needs=('gti',)"))
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")
    file.write_text(file.read_text() + "\nimport nothing_of_this_name\n")
    session.check("make deploy").denied_by("acme.x"), "what it last held well is still known"


def test_one_that_is_switched_off_stays_off(session: EngineSession):
    file = put_guard(session)
    file.write_text("import nothing_of_this_name\n")
    session.home.config.write_text('[policies."acme.x"]\nenabled = false\n')
    session.check("make deploy").passed()


def test_a_file_that_never_loaded_is_told_once_for_each_kind_of_event_of_a_session(session: EngineSession):
    session.write("acme.py", "import nothing_of_this_name\n")
    goes_on_loudly(session.check("make deploy"), "acme.py:1", "no policy of this file runs")
    session.check("make deploy").passed()
    prompt = session.send("UserPromptSubmit", prompt="go on")
    assert "acme.py:1" in "".join(prompt.warnings)
    session.send("UserPromptSubmit", prompt="go on").passed()
    session.start_session("another")
    goes_on_loudly(session.check("make deploy"), "acme.py:1")
    session.write("acme.py", "\nimport nothing_of_this_name\n")
    goes_on_loudly(session.check("make deploy"), "acme.py:2")


def test_a_session_that_starts_hears_it_once(session: EngineSession):
    session.write("acme.py", "import nothing_of_this_name\n")
    started = session.send("SessionStart", source="startup").decision
    assert sum("acme.py:1" in text for text in (*started.messages, *started.warnings)) == 1


@pytest.mark.parametrize("kind", ["torn", "another kind", "huge", "fifo", "folder", "zero", "gone"])
def test_what_was_known_and_cannot_be_read_is_told_as_never_known(session: EngineSession, kind: str):
    file = put_guard(session)
    start_again(session)
    (kept,) = session.home.described.iterdir()
    kept.unlink()
    make = {
        "torn": lambda: kept.write_text('{"file": "'),
        "another kind": lambda: kept.write_text('{"policies": 3}'),
        "huge": lambda: kept.write_bytes(b" " * (16 << 20)),
        "fifo": lambda: os.mkfifo(kept),
        "folder": kept.mkdir,
        "zero": lambda: kept.symlink_to("/dev/zero"),
        "gone": lambda: None,
    }
    make[kind]()
    whole = file.read_text()
    file.write_text("import nothing_of_this_name\n")
    started = time.monotonic()
    goes_on_loudly(session.check("make deploy"), "no policy of this file runs")
    assert time.monotonic() - started < 10
    file.write_text(whole)
    session.check("make deploy").denied_by("acme.x").because("Friday")
    file.write_text("import nothing_of_this_name\n")
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")


@pytest.mark.parametrize("text", ['"id":"git.force-push"', '"id":"nodots"'])
def test_a_forged_one_is_looked_at_like_any_description(session: EngineSession, text: str):
    file = put_guard(session)
    start_again(session)
    (kept,) = session.home.described.iterdir()
    kept.write_text(kept.read_text().replace('"id":"acme.x"', text))
    file.write_text("import nothing_of_this_name\n")
    goes_on_loudly(session.check("make deploy"))
    session.check("git push --force origin main").denied_by("git.force-push")


def test_on_a_full_disk_this_process_still_knows(session: EngineSession, monkeypatch: pytest.MonkeyPatch):
    def fail(path: str, data: bytes, mode: int | None = None) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("synaptic.engine.last_known.replace_own", fail)
    file = session.write("acme.py", simple(DEPLOYS, CLOSED))
    session.check("make deploy").denied_by("acme.x").because("Friday")
    assert "No space left on device" in session.catalog().problems[-1]
    file.write_text("import nothing_of_this_name\n")
    session.check("make deploy").denied_by("acme.x").because("set to deny on error")


def test_a_folder_of_what_is_known_that_is_a_file_is_told(session: EngineSession):
    session.home.described.write_text("")
    session.write("acme.py", simple(DEPLOYS, CLOSED))
    session.check("make deploy").denied_by("acme.x").because("Friday")
    assert str(session.home.described) in session.catalog().problems[-1]


class TestRepository:
    """Files of a repository run as they were agreed to."""

    @pytest.fixture
    def agreed(self, session: EngineSession) -> Path:
        folder = session.project / ".synaptic" / "policies"
        folder.mkdir(parents=True)
        file = folder / "acme.py"
        text = simple(DEPLOYS, CLOSED)
        told = '\n@policy("acme.told", events=(PreToolUse,))\ndef told(event, facts):\n    """Told."""\n'
        file.write_text(text + told)
        self.agree(session)
        session.check("make deploy").denied_by("acme.x").because("Friday")
        return file

    def agree(self, session: EngineSession) -> None:
        catalog = session.catalog()
        items = make_trust(catalog, session.engine.store).list_items(catalog.hooks)
        agreed = [TrustedContent(item.digest, item.hook.id) for item in items]
        trust.remember_trust(session.engine.store, str(session.project), agreed)

    def test_a_changed_one_is_not_run_and_its_guard_denies(self, session: EngineSession, agreed: Path):
        mark = session.project / "ran"
        agreed.write_text(f"open({str(mark)!r}, 'w')\n" + agreed.read_text().replace("deny(", "allow("))
        outcome = session.check("make deploy").denied_by("acme.x").because("synaptic trust")
        assert not any(step.hook == "acme.told" for step in outcome.decision.trace)
        assert not mark.exists()
        self.agree(session)
        session.check("ls").passed()
        assert mark.exists()

    def test_one_that_was_agreed_to_and_breaks_denies(self, session: EngineSession, agreed: Path):
        agreed.write_text("import nothing_of_this_name\n")
        self.agree(session)
        session.check("make deploy").denied_by("acme.x").because("nothing_of_this_name")

    def test_one_that_was_removed_is_gone(self, session: EngineSession, agreed: Path):
        agreed.unlink()
        session.check("make deploy").passed()

    def test_an_agreement_that_was_taken_back_holds_nothing(self, session: EngineSession, agreed: Path):
        trust.forget_trust(session.engine.store, str(session.project))
        agreed.write_text(f"{agreed.read_text()}\n")
        session.check("make deploy").passed()
