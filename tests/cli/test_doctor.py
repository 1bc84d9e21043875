"""Every fault has its diagnosis and what to type."""

import json
import os
import shutil
from pathlib import Path

import pytest

from synaptic.daemon import checks
from synaptic.setup import dispatcher
from tests.cli.conftest import User
from tests.native.fake_daemon import hold_lock


@pytest.fixture
def healthy(user: User, monkeypatch: pytest.MonkeyPatch) -> User:
    """Everything is set up, on PATH, with one trusted hook."""
    monkeypatch.setenv("PATH", f"{user.home.bin}:/usr/bin:/bin")
    user.brings_hook()
    user.types("trust", "--yes")
    user.types("up")
    return user


def findings(user: User, *words: str) -> dict[str, list[str]]:
    shown = user.types("doctor", "--json", *words)
    report = shown.json
    assert shown.code == (0 if report["ok"] else 1)
    found: dict[str, list[str]] = {"ok": [], "warn": [], "fail": []}
    for finding in report["findings"]:
        found[finding["state"]].append(f"{finding['check']}: {finding['seen']} | {finding['fix']}")
    return found


def test_a_healthy_installation_has_nothing_to_complain_about(healthy: User):
    found = findings(healthy)
    assert found["fail"] == []
    assert found["warn"] == []
    shown = healthy.types("doctor")
    assert shown.code == 0
    assert "0 failed, 0 warnings" in shown.out


def test_a_repository_that_asks_for_the_practice_fails_nobody(healthy: User):
    """Its linter and tests stay off until the user says so, which is no fault of anybody."""
    healthy.writes(".synaptic/config.toml", 'presets = ["practice"]\n')
    found = findings(healthy)
    assert found["fail"] == []
    asked = [line for line in found["warn"] if "until you say so" in line]
    assert [line.split()[5].rstrip(",") for line in asked] == ["practice.lint", "practice.test-runner"]
    assert healthy.types("config", "validate").code == 0
    assert "note: the project asks for practice.lint" in healthy.types("list").out
    healthy.types("policy", "enable", "@practice")
    assert findings(healthy)["warn"] == []


def test_a_repository_that_loosens_is_still_a_fault(healthy: User):
    healthy.writes(".synaptic/config.toml", '[policies."git.reset-hard"]\nenabled = false\n')
    assert any("a project cannot switch a policy off" in line for line in findings(healthy)["fail"])


def test_the_token_is_never_shown(healthy: User):
    token = (healthy.home.root / "entry").read_text().strip()
    (healthy.settings).write_text("{}")
    assert token not in healthy.types("doctor", "--json").out


def yaml_hook(user: User, enabled: str = "true") -> None:
    handler = "handler: {kind: script, command: ./scripts/x.sh}"
    user.writes(".system/hooks/x.yaml", f"id: x\nevent_type: SessionStart\nenabled: {enabled}\n{handler}\n")
    user.writes("scripts/x.sh", "#!/bin/sh\n", 0o755)


def entries_gone(user: User) -> None:
    user.settings.write_text("{}")


def disabled_by_user(user: User) -> None:
    table = json.loads(user.settings.read_text())
    user.settings.write_text(json.dumps({**table, "disableAllHooks": True}))


def disabled_by_project(user: User) -> None:
    user.writes(".claude/settings.json", '{"disableAllHooks": true}')


def dispatcher_not_executable(user: User) -> None:
    user.home.dispatch.chmod(0o644)


def dispatcher_missing(user: User) -> None:
    user.home.dispatch.unlink()


def other_version(user: User) -> None:
    text = user.home.engine.read_text()
    user.home.engine.write_text(text.replace("version=", "version=0.0.0-"))


def script_not_executable(user: User) -> None:
    (user.project / "guard.sh").chmod(0o644)


def script_missing(user: User) -> None:
    (user.project / "guard.sh").unlink()


def interpreter_missing(user: User) -> None:
    (user.project / "guard.sh").write_text("#!/no/such/thing\n")


def script_changed(user: User) -> None:
    (user.project / "guard.sh").write_text("#!/bin/sh\nexit 1\n")


def config_typo(user: User) -> None:
    user.configures("jurnal = 1\n")


def registry_broken(user: User) -> None:
    (user.project / ".synaptic/hooks/registry.toml").write_text("[[hook")


def socket_open(user: User) -> None:
    user.home.socket.chmod(0o666)


def refusals_gone(user: User) -> None:
    shutil.rmtree(user.home.refusals)


def refusal_changed(user: User) -> None:
    (user.home.refusals / "claude" / "PreToolUse").write_text("0\n")


def env_of_another_place(user: User) -> None:
    user.writes(".synaptic/env.toml", 'SYNAPTIC_PROJECT_ROOT="/elsewhere"\n')


FAILS = [
    (entries_gone, "no entry for", "synaptic bootstrap"),
    (disabled_by_user, "disableAllHooks", "--managed"),
    (disabled_by_project, "disableAllHooks", "--managed"),
    (dispatcher_not_executable, "not executable", "synaptic bootstrap"),
    (dispatcher_missing, "dispatcher is missing", "synaptic bootstrap"),
    (other_version, "was installed by version 0.0.0-", "synaptic bootstrap"),
    (script_not_executable, "is not executable", "chmod +x"),
    (script_missing, "is missing", "registry.toml"),
    (interpreter_missing, "asks for /no/such/thing", "registry.toml"),
    (script_changed, "not trusted", "synaptic trust"),
    (config_typo, "did you mean `journal`?", "validate"),
    (registry_broken, "no valid TOML", "validate"),
    (socket_open, "can be used by others", "chmod 600"),
    (refusals_gone, "not as it was installed: ", "synaptic bootstrap"),
    (refusal_changed, "not as it was installed: claude/PreToolUse", "synaptic bootstrap"),
    (env_of_another_place, "belong to another place", "synaptic up"),
]


@pytest.mark.parametrize(("fault", "seen", "fix"), FAILS, ids=[fault.__name__ for fault, _, _ in FAILS])
def test_each_fault_has_its_diagnosis(healthy: User, fault, seen: str, fix: str):
    """S2-101: enabled, registered, executable, called at startup; and everything else on the way."""
    fault(healthy)
    found = findings(healthy)
    assert any(seen in line and fix in line for line in found["fail"]), found


def test_a_switched_off_hook_is_named(healthy: User):
    """S2-101: enabled"""
    yaml_hook(healthy, enabled="false")
    healthy.brings_hook(id="off", enabled=False)
    warnings = "\n".join(findings(healthy)["warn"])
    assert "hook x: `enabled: false`" in warnings
    assert "hook off: `enabled = false`" in warnings


def test_a_hook_of_another_environment_is_named(healthy: User):
    """S2-101, S2-022"""
    yaml_hook(healthy)
    file = healthy.project / ".system/hooks/x.yaml"
    file.write_text(file.read_text() + "environments: [dev]\n")
    assert "environments" in "\n".join(findings(healthy)["warn"])


def test_a_stopped_daemon_is_a_warning(healthy: User):
    healthy.types("daemon", "stop")
    assert any("stopped" in line and "synaptic daemon start" in line for line in findings(healthy)["warn"])


def test_a_system_that_lets_fewer_calls_wait_is_a_warning(
    healthy: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(checks, "MOST_WAITING", tmp_path / "somaxconn")
    (tmp_path / "somaxconn").write_text("128\n")
    assert any("lets 128 calls wait" in line and "somaxconn=4096" in line for line in findings(healthy)["warn"])
    (tmp_path / "somaxconn").write_text("4096\n")
    assert findings(healthy)["warn"] == []


def test_somebody_who_holds_the_lock_and_says_nothing_is_named(healthy: User):
    healthy.types("daemon", "stop")
    lock = hold_lock(healthy.home.lock)
    assert any("and has not said that it takes calls" in line for line in findings(healthy)["warn"])
    os.close(lock)


def test_the_python_client_is_a_warning(healthy: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(dispatcher, "find_compiled", lambda: None)
    healthy.types("bootstrap")
    assert any("Python client" in line and "compiler" in line for line in findings(healthy)["warn"])


def test_a_folder_that_is_not_on_path_is_a_warning(healthy: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert any("PATH" in line for line in findings(healthy)["warn"])


def test_a_damaged_database_is_told(healthy: User):
    healthy.types("daemon", "stop")
    for leftover in healthy.home.root.glob("synaptic.db-*"):
        leftover.unlink()
    healthy.home.database.write_bytes(b"nonsense" * 1000)
    assert any("database" in line for line in findings(healthy)["warn"])


def test_fix_repairs_what_is_ours(healthy: User):
    entries_gone(healthy)
    dispatcher_not_executable(healthy)
    other_version(healthy)
    env_of_another_place(healthy)
    socket_open(healthy)
    refusals_gone(healthy)
    shown = healthy.types("doctor", "--fix")
    assert shown.code == 0, shown.out
    assert "repaired: " in shown.out
    healthy.types("daemon", "stop")
    (healthy.project / ".synaptic" / "env.toml").unlink()
    found = findings(healthy, "--fix")
    assert found["fail"] == []
    assert found["warn"] == []


def test_fix_trusts_nobody_and_changes_no_script(healthy: User):
    script_changed(healthy)
    assert findings(healthy, "--fix")["fail"] != []
    script_not_executable(healthy)
    assert any("not executable" in line for line in findings(healthy, "--fix")["fail"])


def test_on_a_clean_machine_it_says_where_to_start(user: User):
    found = findings(user)
    assert any("synaptic bootstrap" in line for line in found["fail"])


def test_a_guard_that_went_off_with_a_list_of_presets_is_said(user: User):
    user.configures('presets = ["sane"]\n')
    assert "the guard is off" in user.types("doctor").out
    user.configures('presets = ["essentials", "sane"]\n')
    assert "the guard is off" not in user.types("doctor").out


def test_another_program_of_our_name_is_told_and_the_short_name_offered(healthy: User, monkeypatch: pytest.MonkeyPatch):
    other = healthy.folder / "sbin" / "synaptic"
    other.parent.mkdir()
    other.write_bytes(b"\x7fELF another program")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{healthy.home.bin}:{other.parent}:/usr/bin:/bin")
    assert not [line for line in findings(healthy)["warn"] if line.startswith("name:")]
    monkeypatch.setenv("PATH", f"{other.parent}:{healthy.home.bin}:/usr/bin:/bin")
    (told,) = [line for line in findings(healthy)["warn"] if line.startswith("name:")]
    assert str(other) in told and "type `syn` instead" in told
