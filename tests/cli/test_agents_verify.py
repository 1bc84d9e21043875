"""`synaptic agents verify` with clients that are missing, hang, shout or cannot start."""

import json
import os
import time
from pathlib import Path

import pytest

from synaptic.agents.shared.guarded import list_moving_variables
from synaptic.setup.verified import Verification, load_verifications, mark_program, remember_verification
from tests.cli.conftest import User
from tests.cli.test_report import PUSH, Agent, agent

__all__ = ["agent"]


@pytest.fixture(autouse=True)
def _bare(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent of whoever runs the tests."""
    for name in list_moving_variables():
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")


def put(user: User, name: str, body: str) -> Path:
    program = Path(os.environ["PATH"].split(os.pathsep)[0]) / name
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo 1.2.3; exit; }}\n{body}\n')
    program.chmod(0o755)
    return program


def test_a_client_that_is_not_installed_is_said_so(user: User):
    shown = user.types("agents", "verify", "codex")
    assert shown.code == 1
    assert "Codex CLI: not installed: there is no `codex` on PATH" in shown.out
    found = user.types("agents", "verify", "codex", "--json").json
    assert (found["ok"], found["clients"], found["left_out"][0]["agent"]) == (False, [], "codex")


def test_where_no_client_is_found_nothing_is_verified(user: User):
    shown = user.types("agents", "verify")
    assert shown.code == 1
    assert "no client was found on PATH" in shown.out
    assert not user.home.root.exists()


def test_an_agent_that_nobody_knows_is_refused(user: User):
    shown = user.types("agents", "verify", "clod")
    assert shown.code == 1
    assert "agent 'clod' is not known" in shown.err


def test_an_agent_that_takes_no_other_model_is_said_so(user: User):
    put(user, "amp", "touch $HOME/started")
    shown = user.types("agents", "verify")
    assert (shown.code, "Amp: takes no model but its maker's" in shown.out) == (1, True)


def test_a_client_that_hangs_is_ended_and_told(user: User, tmp_path: Path):
    put(user, "claude", f"echo $$ > {tmp_path}/pid; sleep 300")
    shown = user.types("agents", "verify", "claude", "--timeout", "1")
    assert shown.code == 1
    assert "not verified: it did not end within 1 s and was ended" in " ".join(shown.out.split())
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_a_client_with_hostile_output_reaches_no_terminal_and_is_remembered_as_it_is(user: User):
    put(
        user, "claude", "yes x | head -c 3000000; printf 'caf\\303 \\033]0;owned\\007\\033[2J \\000 last words'; exit 1"
    )
    shown = user.types("agents", "verify", "claude")
    assert (shown.code, "\x1b" in shown.out, "\x00" in shown.out, "\x07" in shown.out) == (1, False, False, False)
    assert "last words" in shown.out
    assert len(shown.out) < 10_000
    known = load_verifications(user.home)["claude"]
    assert (known.version, known.standing) == ("1.2.3", "not verified")
    assert user.types("agents", "verify", "claude", "--json").json["clients"][0]["standing"] == "not verified"


def test_a_client_that_cannot_be_started_is_not_verified(user: User):
    put(user, "claude", "").write_bytes(b"\x7fELFnonsense")
    shown = user.types("agents", "verify", "claude")
    assert (shown.code, "not verified" in shown.out) == (1, True)


def test_nothing_of_the_user_is_touched_and_nothing_stays(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "bin"))
    put(user, "claude", "env > $HOME/../env; touch $HOME/mine; (setsid sleep 300 &)")
    before = sorted(user.folder.rglob("*"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(user.folder / "elsewhere"))
    assert user.types("agents", "verify", "claude").code == 1
    new = {path for path in user.folder.rglob("*") if path not in before}
    assert {path.name for path in new} == {".synaptic", "verified.json", "verified.lock"}
    assert not list((tmp_path / "bin").glob("syn-*"))


def remember(user: User, program: Path, **changed: object) -> None:
    known = {"standing": "guarded", "version": "1.2.3", "at": time.time(), **changed}
    made = Verification(agent="claude", program=str(program), mark=mark_program(str(program)), **known)
    remember_verification(user.home, made)


def find(user: User) -> list[dict[str, str]]:
    shown = user.types("doctor", "--json")
    return [one for one in json.loads(shown.out)["findings"] if one["check"] == "verification"]


def test_doctor_says_that_a_client_was_never_verified(user: User):
    user.types("bootstrap")
    (found,) = find(user)
    assert (found["state"], found["seen"]) == ("ok", "never verified: Claude Code")
    assert found["fix"] == "synaptic agents verify"


def test_doctor_says_when_and_at_which_version(user: User):
    user.types("bootstrap")
    remember(user, put(user, "claude", ""), at=1_795_000_000.0)
    (found,) = find(user)
    assert found["state"] == "ok"
    assert found["seen"] == "Claude Code: verified at version 1.2.3 on 2026-11-18: guarded"


def test_a_client_that_was_not_guarded_fails(user: User):
    user.types("bootstrap")
    remember(user, put(user, "claude", ""), standing="NOT guarded", words="a denied call ran")
    (found,) = find(user)
    assert (found["state"], "a denied call ran" in found["seen"]) == ("fail", True)
    assert found["fix"] == "synaptic agents verify claude"
    assert user.types("status", "--json").json["unverified"] == ["claude: NOT guarded"]


def test_another_version_of_the_program_makes_a_verification_stale(user: User):
    user.types("bootstrap")
    program = put(user, "claude", "")
    remember(user, program)
    assert user.types("status", "--json").json["unverified"] == []
    program.write_text("#!/bin/sh\necho 1.2.4 new\n")
    (found,) = find(user)
    assert (found["state"], found["seen"].endswith("it is 1.2.4 now")) == ("warn", True)
    assert "claude has changed since it was verified: synaptic agents verify" in user.types("status").out


def test_the_same_version_installed_again_is_not_stale(user: User):
    user.types("bootstrap")
    program = put(user, "claude", "")
    remember(user, program)
    program.write_text(program.read_text() + "\n")
    assert [one["state"] for one in find(user)] == ["ok"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"claude": 1}', b"\xff\x00", b"[" * 100_000])
def test_a_damaged_memory_is_no_verification(user: User, content: bytes):
    user.types("bootstrap")
    user.home.verified.write_bytes(content)
    assert find(user)[0]["seen"] == "never verified: Claude Code"
    assert user.types("status").code == 0


def test_status_names_calls_that_did_not_go_as_they_were_decided(user: User, agent: Agent):
    user.types("bootstrap")
    assert "witness" not in user.types("status").out
    agent.asks(PUSH, runs=True)
    assert "witness   in 7 days 1 disobeyed (synaptic witness)" in user.types("status").out
    assert user.types("status", "--json").json["witness"] == {"disobeyed": 1}
