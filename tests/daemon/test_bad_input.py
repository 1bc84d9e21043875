"""What should never arrive, through the installed program: a clear message, the documented policy, no traceback."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from synaptic.model.home import Home
from synaptic.setup import dispatcher
from tests.daemon.setting import BLOCK, Setting

NAMES = ["with space", 'quo"te', "dol$lar", "new\nline", "back`tick`", "ünïcode", "semi;colon", "'single'"]


def denied(done: "subprocess.CompletedProcess[bytes]") -> bool:
    said = json.loads(done.stdout or b"{}")
    return said.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"


@pytest.mark.parametrize(
    "stdin",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"garbage", id="garbage"),
        pytest.param(b"\xff\xfe\x00", id="no UTF-8"),
        pytest.param(b"[" * 200_000, id="deep nesting"),
        pytest.param(b'{"tool_name": 3, "tool_input": "x", "cwd": []}', id="wrong types"),
        pytest.param(b"null", id="null"),
    ],
)
def test_a_payload_that_is_no_event_is_refused_and_said(running: Setting, stdin: bytes) -> None:
    """S0-046, S3-065"""
    done = running.dispatch("PreToolUse", stdin)
    assert denied(done)
    assert done.stderr.startswith(b"synaptic: ")
    assert b"Traceback" not in done.stderr
    assert len(running.entries()) == 1


@pytest.mark.parametrize("megabytes", [1, 50])
def test_a_very_large_write_is_still_guarded(running: Setting, megabytes: int) -> None:
    """S0-032"""
    running.register("guard", f"cat >/dev/null\n{BLOCK}", matcher="Write")
    content = "x" * (megabytes * 1024 * 1024)
    payload = running.payload(tool_name="Write", tool_input={"file_path": "a", "content": content})
    assert denied(running.dispatch("PreToolUse", payload))


def test_more_than_the_limit_is_refused(running: Setting) -> None:
    done = running.dispatch("PreToolUse", b"x" * (65 * 1024 * 1024))
    assert denied(done)
    assert b"64 MiB" in done.stderr


def test_a_stray_byte_does_not_dodge_a_guard(running: Setting) -> None:
    running.register("guard", BLOCK)
    stdin = json.dumps(running.payload()).encode().replace(b"ls -la", b"ls \xff -la")
    assert denied(running.dispatch("PreToolUse", stdin))


@pytest.mark.parametrize("name", NAMES)
def test_a_project_may_have_any_name(tmp_path: Path, name: str) -> None:
    """S0-112"""
    setting = Setting(tmp_path / name)
    setting.without_daemon()
    setting.register("guard", BLOCK)
    assert denied(setting.dispatch("PreToolUse", setting.payload()))


def test_a_registry_of_ten_megabytes_is_refused_and_named(running: Setting) -> None:
    registry = running.hooks / "registry.toml"
    registry.write_text('[[hook]]\nevent = "PreToolUse"\nscript = "/x"\n' * 250_000)
    assert registry.stat().st_size > 10_000_000
    done = running.dispatch("PreToolUse", running.payload())
    assert (done.returncode, done.stdout) == (0, b"")
    start = running.dispatch("SessionStart", running.payload("SessionStart", source="startup"))
    assert "registry.toml" in json.loads(start.stdout)["systemMessage"]


def inside(setting: Setting, mount: str) -> "subprocess.CompletedProcess[bytes]":
    """One call in a world of its own, where the engine's home has been mounted differently."""
    script = f'set -e; H="{setting.home.root}"; {mount}; exec "$H/bin/dispatch" PreToolUse'
    probe = subprocess.run(["unshare", "-m", "sh", "-c", mount.replace("$H", str(setting.home.root))])
    if probe.returncode:
        pytest.skip("mounting needs root")
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        input=json.dumps(setting.payload(filler="x" * 500_000)).encode(),
        capture_output=True,
        env={"HOME": str(setting.user), "PATH": os.environ["PATH"]},
        timeout=60,
    )


def test_a_home_that_cannot_be_written_still_guards(setting: Setting) -> None:
    setting.without_daemon()
    setting.register("guard", BLOCK)
    done = inside(setting, 'mount --bind "$H" "$H" && mount -o remount,ro,bind "$H"')
    assert denied(done), done.stderr
    assert b"Traceback" not in done.stderr


def test_a_full_disk_does_not_stop_the_agent(setting: Setting) -> None:
    setting.without_daemon()
    setting.register("guard", BLOCK)
    full = (
        'mkdir -p /mnt && mount -t tmpfs -o size=600k tmpfs /mnt && cp -a "$H/." /mnt/ && mount --bind /mnt "$H"'
        ' && (head -c 1000000 /dev/zero > "$H/filler" || true) 2>/dev/null'
    )
    done = inside(setting, full)
    assert denied(done), done.stderr
    assert b"Traceback" not in done.stderr
    assert b"synaptic: " in done.stderr


def test_without_home_the_dispatcher_knows_its_place(setting: Setting) -> None:
    setting.without_daemon()
    setting.register("guard", BLOCK)
    stdin = json.dumps(setting.payload()).encode()
    done = subprocess.run([setting.home.dispatch, "PreToolUse"], input=stdin, capture_output=True, env={}, timeout=60)
    assert denied(done), done.stderr


def test_a_repository_cannot_send_the_dispatcher_elsewhere(setting: Setting, tmp_path: Path) -> None:
    """An agent's project settings may set a hook's environment."""
    setting.without_daemon()
    setting.register("guard", BLOCK)
    elsewhere = {"SYNAPTIC_HOME": str(tmp_path / "evil"), "HOME": str(tmp_path / "evil"), "PYTHONPATH": str(tmp_path)}
    (tmp_path / "synaptic.py").write_text("raise SystemExit(0)")
    stdin = json.dumps(setting.payload()).encode()
    done = subprocess.run(
        [setting.home.dispatch, "PreToolUse"], input=stdin, capture_output=True, env=elsewhere, timeout=60
    )
    assert denied(done), done.stderr


def test_a_damaged_database_is_moved_aside_and_said(setting: Setting) -> None:
    setting.without_daemon()
    setting.register("guard", BLOCK)
    setting.answer(setting.request())
    setting.home.database.write_bytes(os.urandom(50_000))
    done = setting.dispatch("SessionStart", setting.payload("SessionStart", source="startup"))
    assert "damaged" in json.loads(done.stdout)["systemMessage"]
    assert denied(setting.dispatch("PreToolUse", setting.payload()))
    assert list(setting.home.root.glob("synaptic.db.damaged-*"))


def test_a_database_of_a_newer_version_is_left_alone(setting: Setting) -> None:
    setting.without_daemon()
    setting.register("guard", BLOCK)
    setting.answer(setting.request())
    subprocess.run(["python3", "-c", _newer(setting.home)], check=True)
    before = setting.home.database.read_bytes()
    assert denied(setting.dispatch("PreToolUse", setting.payload()))
    assert setting.home.database.read_bytes() == before


def _newer(home: Home) -> str:
    return (
        "import sqlite3\n"
        f"c = sqlite3.connect({str(home.database)!r})\n"
        "c.execute('PRAGMA wal_checkpoint(TRUNCATE)')\nc.execute('PRAGMA user_version = 9999')\nc.commit()\nc.close()\n"
    )


def test_a_clock_that_jumps_changes_no_order(setting: Setting) -> None:
    """Numbers are given by the journal, not by the clock."""
    ids = ["01ZZZZZZZZ0000000000000000", "0000000000AAAAAAAAAAAAAAAA", "01M7F00000BBBBBBBBBBBBBBBB"]
    for call in ids:
        request = setting.request()
        setting.answer(type(request)(request.agent, request.event, request.stdin, call, request.env))
    assert [entry.call for entry in setting.entries()] == ids[::-1]


def test_without_python_the_fail_policy_of_the_install_answers(setting: Setting) -> None:
    setting.install()
    for fail in ("open", "closed"):
        dispatcher.install_dispatcher(setting.home, fail)
        text = setting.home.engine.read_text()
        python = next(line for line in text.splitlines() if line.startswith("python="))
        setting.home.engine.write_text(text.replace(python, "python=/nonexistent/python"))
        done = setting.dispatch("PreToolUse", setting.payload())
        assert (b'"permissionDecision":"deny"' in done.stdout) == (fail == "closed")
        assert b"synaptic doctor" in done.stderr
