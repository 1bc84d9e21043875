"""Policies of one's own in front of the real client: state and a fact, and a process that is killed in mid-call."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import bash, conversation
from tests.daemon.test_outside import HELD
from tests.docs.test_own_policies import FREEZE, PUSHES

pytestmark = pytest.mark.client


def put(session: Session, **files: str) -> None:
    folder = session.synaptic_home.root / "policies"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)


def test_pushes_are_counted_and_a_freeze_is_seen(armed: Session) -> None:
    put(armed, acme_pushes=PUSHES, _freeze=FREEZE)

    outcome = armed.run(
        conversation(
            bash("git push || true"),
            bash("echo git push"),
            bash("git push -q || true"),
            bash("git push"),
            bash("touch FREEZE"),
            bash("git push -v"),
        )
    )

    assert [result.is_error for result in outcome.results] == [False, False, False, True, False, True]
    assert "2 pushes of main were agreed on" in outcome.results[3].text
    assert "FREEZE is there" in outcome.results[5].text


def test_a_process_that_is_killed_in_mid_call_costs_a_warning(armed: Session) -> None:
    put(armed, acme=HELD.format(on_error="allow"))
    note = armed.project / "held"

    def kill() -> None:
        end = time.monotonic() + 60
        while not (note.exists() and note.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(int(Path(note).read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = armed.run(conversation(bash("echo went on"), bash("deploy")))
    killer.join()

    went, refused = outcome.results
    assert "went on" in went.text and not went.is_error
    assert refused.is_error and "not now" in refused.text
    first = armed.journal("PreToolUse")[0]
    assert any("acme.held: its process failed" in warning for warning in first.decision.warnings)
