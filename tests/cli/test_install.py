"""`install`, `upgrade`, `remove` and their kin, on a real registry."""

import hashlib
import json
import os
import shutil

import pytest

from synaptic.hooks.edit_registry import parse_entries
from tests.cli.conftest import User
from tests.cli.shop import open_shop, publish


@pytest.fixture
def shopper(user: User, monkeypatch, tmp_path_factory: pytest.TempPathFactory) -> User:
    return open_shop(user, monkeypatch, tmp_path_factory.getbasetemp() / "shelf")


def registry(user):
    path = user.project / ".synaptic" / "hooks" / "registry.toml"
    return parse_entries(path.read_text()) if path.exists() else []


def settings_hash(user):
    return hashlib.sha256(user.settings.read_bytes()).hexdigest()


def test_the_first_install_bootstraps_and_no_later_change_writes_the_settings(shopper):
    """S0-004, S0-008, S0-084"""
    assert not shopper.settings.exists()
    done = shopper.types("install", "alpha", "--yes")
    assert done.code == 0, done.err
    assert "agent settings" in done.out
    before = settings_hash(shopper)
    assert shopper.home.dispatch.exists()
    assert shopper.types("install", "beta", "gamma", "--yes").code == 0
    publish(shopper, "alpha", "2.0.0", priority=21)
    assert shopper.types("upgrade", "alpha", "--yes").code == 0
    for name in ("alpha", "beta", "gamma"):
        assert shopper.types("remove", name, "--yes").code == 0
    assert settings_hash(shopper) == before
    assert registry(shopper) == []


def test_missing_entries_come_back_with_any_install(shopper):
    """S0-009"""
    shopper.types("install", "alpha", "--yes")
    shopper.settings.write_text("{}")
    shopper.types("install", "beta", "--yes")
    assert "dispatch" in shopper.settings.read_text()


def test_settings_that_cannot_be_edited_stop_the_install_before_it_begins(shopper):
    shopper.settings.parent.mkdir()
    shopper.settings.write_text("{broken")
    assert shopper.types("install", "alpha", "--yes").code == 1
    assert not (shopper.project / ".synaptic").exists()


def test_the_plan_is_shown_and_silence_is_no(shopper):
    """S0-104, S0-182"""
    shown = shopper.runs("install", "alpha")
    assert shown.code == 1
    for word in ("PreToolUse Bash priority 20 blocking", "hooks/pre.sh", "README.md"):
        assert word in shown.out
    assert "--yes" in shown.err
    assert not (shopper.project / ".synaptic").exists()
    told = json.loads(shopper.runs("install", "alpha", "--json").out)
    assert told["error"]["code"] == "confirmation_required"
    assert "--yes" in told["error"]["suggested_action"]


def test_a_dry_run_writes_nothing(shopper):
    """S0-092"""
    shown = shopper.types("install", "alpha", "--dry-run", "--json")
    assert (shown.code, shown.json["written"]) == (0, False)
    assert shown.json["plan"][0]["hooks"][0]["event"] == "PreToolUse"
    assert not (shopper.project / ".synaptic").exists()
    assert not shopper.settings.exists()


def test_errors_have_a_code_and_exit_1(shopper):
    """S0-181"""
    told = shopper.types("install", "nothing", "--yes", "--json")
    assert told.code == 1
    assert told.json["ok"] is False
    assert {"code", "message", "retryable", "suggested_action"} <= set(told.json["error"])
    assert told.json["error"]["code"] == "not_found"
    for words in (("upgrade",), ("upgrade", "a", "--all"), ("upgrade", "--all", "--force")):
        assert shopper.types(*words, "--json").json["error"]["code"] == "invalid_args"
    assert shopper.types("install", "alpha", "--answer", "x", "--json").json["error"]["code"] == "invalid_args"
    assert shopper.types("install", "alpha", "--registry", "gopher://x", "--json").json["error"]["code"] == (
        "unsupported_backend"
    )
    for verb in ("remove", "upgrade", "verify", "diff"):
        assert shopper.types(verb, "alpha", "--json").json["error"]["code"] == "not_found"


def test_a_package_in_two_scopes_has_to_be_told_apart(shopper):
    """S0-180"""
    shopper.types("install", "alpha", "--scope", "both", "--yes")
    assert shopper.types("remove", "alpha", "--yes", "--json").json["error"]["code"] == "ambiguous_target"
    assert shopper.types("remove", "alpha", "--yes", "--scope", "global").code == 0
    assert shopper.types("freeze", "--json").json["packages"][0]["scope"] == "project"
    shopper.types("install", "alpha", "--scope", "global", "--yes")
    assert shopper.types("remove", "alpha", "--yes", "--scope", "both").code == 0
    assert shopper.types("freeze").out == ""


def test_an_upgrade_shows_the_changed_hook_and_keeps_the_users_priority(shopper):
    """S0-062, S0-063"""
    shopper.types("install", "alpha", "--yes")
    path = shopper.project / ".synaptic" / "hooks" / "registry.toml"
    path.write_text("# mine\n" + path.read_text().replace("priority = 20", "priority = 7"))
    publish(shopper, "alpha", "2.0.0", priority=25)
    assert shopper.types("outdated", "--json").json["outdated"][0]["available"] == "2.0.0"
    shown = shopper.types("diff", "alpha")
    assert "your priority stays, the package asks for 25" in shown.out
    assert "-# alpha 1.0.0" in shown.out
    done = shopper.types("upgrade", "--all", "--yes")
    assert "upgraded: alpha 1.0.0 -> 2.0.0" in done.out
    assert registry(shopper)[0]["priority"] == 7
    assert path.read_text().startswith("# mine\n")
    assert shopper.types("upgrade", "alpha", "--yes", "--json").json["outcomes"][0]["state"] == "current"
    assert shopper.types("verify").code == 0


def test_an_upgrade_of_everything_that_skips_everything_is_not_ok(shopper):
    """S0-103"""
    assert shopper.types("upgrade", "--all", "--json").json["ok"] is True
    shopper.types("install", "alpha", "--yes")
    publish(shopper, "alpha", "2.0.0", more='\n[[deps]]\nname = "no-such-program"\ntype = "tool"\n')
    told = shopper.types("upgrade", "--all", "--yes", "--json")
    assert (told.code, told.json["ok"], told.json["outcomes"][0]["state"]) == (1, False, "skipped")


def test_two_projects_two_channels(shopper, monkeypatch):
    """S0-010, S0-110, S0-113, S0-170"""
    publish(shopper, "alpha", "2.0.0", channels=("develop",))
    second = shopper.folder / "second"
    (second / ".git").mkdir(parents=True)
    shopper.types("install", "alpha", "--yes")
    monkeypatch.chdir(second)
    shopper.types("install", "alpha", "--channel", "develop", "--yes")
    assert "2.0.0" in shopper.types("freeze").out
    assert 'SYNAPTIC_CHANNEL="develop"' in (second / ".synaptic" / "env.toml").read_text()
    assert 'SYNAPTIC_CHANNEL="main"' in (shopper.project / ".synaptic" / "env.toml").read_text()
    assert "beta" in shopper.types("skill", "search", "beta").out
    monkeypatch.chdir(shopper.project)
    assert "1.0.0" in shopper.types("freeze").out


def test_search_and_info_before_anything_is_installed(shopper):
    assert [one["name"] for one in shopper.types("skill", "search", "alpha", "--json").json["packages"]] == ["alpha"]
    assert "nothing found" in shopper.types("skill", "search", "zebra").out
    assert [one["name"] for one in shopper.types("search", "--packages", "alpha", "--json").json["packages"]] == [
        "alpha"
    ]
    assert "beta" in shopper.types("search", "beta", "--channel", "develop").out
    shown = shopper.types("info", "alpha")
    assert "PreToolUse Bash priority 20: hooks/pre.sh may allow, block or change it" in shown.out
    assert shopper.types("info", "alpha", "--json").json["package"]["version"] == "1.0.0"


def test_a_changed_file_needs_force_to_be_removed(shopper):
    """S0-098"""
    shopper.types("install", "alpha", "--yes")
    script = shopper.project / ".synaptic" / "skills" / "alpha" / "hooks" / "pre.sh"
    script.write_text("#!/bin/sh\n")
    assert shopper.types("remove", "alpha", "--yes", "--json").json["error"]["code"] == "confirmation_required"
    assert script.exists()
    assert shopper.types("remove", "alpha", "--yes", "--force").code == 0


def test_doctor_names_and_restores_a_changed_script(shopper):
    """S0-173, S0-174"""
    shopper.types("install", "alpha", "--yes")
    script = shopper.project / ".synaptic" / "skills" / "alpha" / "hooks" / "pre.sh"
    good = script.read_text()
    script.write_text("#!/bin/sh\nexit 0\n")
    assert shopper.types("verify").code == 1
    assert "synaptic verify alpha" in shopper.types("list").out
    assert "doctor --fix" in shopper.types("doctor").out
    fixed = shopper.types("doctor", "--fix", "--json").json
    assert any("package alpha 1.0.0" in line for line in fixed["repaired"])
    assert script.read_text() == good
    assert shopper.types("verify").code == 0


def test_doctor_follows_a_project_that_was_moved(shopper, monkeypatch):
    """C-24"""
    shopper.types("install", "alpha", "--yes")
    moved = shopper.project.rename(shopper.folder / "moved")
    monkeypatch.chdir(moved)
    assert shopper.types("verify").code == 1
    assert any("moved from" in line for line in shopper.types("doctor", "--fix", "--json").json["repaired"])
    assert shopper.types("verify").code == 0
    assert str(moved) in (moved / ".synaptic" / "env.toml").read_text()


def test_a_second_user_gets_the_same_from_the_lockfile(shopper, monkeypatch, tmp_path):
    """C-23"""
    shopper.types("install", "alpha", "--yes")
    publish(shopper, "alpha", "2.0.0")
    database = shopper.home.root / "registry" / "registry.db"
    clone = tmp_path / "clone"
    (clone / ".synaptic").mkdir(parents=True)
    shutil.copy(shopper.project / ".synaptic" / "manifest.lock", clone / ".synaptic")
    monkeypatch.setenv("HOME", str(tmp_path / "second"))
    monkeypatch.setenv("SYNAPTIC_REGISTRY", f"dolt://{database}")
    (tmp_path / "second").mkdir()
    monkeypatch.chdir(clone)
    assert shopper.types("install", "--yes").code == 0
    assert "alpha@1.0.0" in shopper.types("freeze").out
    assert shopper.types("verify").code == 0
    assert os.access(clone / ".synaptic" / "skills" / "alpha" / "hooks" / "pre.sh", os.X_OK)


def test_the_same_verbs_under_skill_and_a_plan_that_only_looks(shopper):
    """S0-008, S0-183"""
    assert shopper.types("skill", "plan", "install", "alpha").out.startswith("install alpha 1.0.0")
    assert not (shopper.project / ".synaptic").exists()
    assert shopper.types("skill", "plan", "search", "alpha").code == 1
    assert shopper.types("skill", "bootstrap").code == 0
    assert shopper.settings.exists()
    assert shopper.types("skill", "install", "alpha", "--yes").code == 0
    assert "alpha@1.0.0" in shopper.types("skill", "list").out
    assert shopper.types("skill", "plan", "remove", "alpha").out.startswith("remove alpha")
    assert shopper.types("skill", "verify").code == 0
    assert shopper.types("skill", "remove", "alpha", "--yes").code == 0


def test_the_slash_command_comes_on_request_and_goes_with_the_rest(user):
    command = user.folder / ".claude" / "skills" / "skill" / "SKILL.md"
    user.types("bootstrap")
    assert not command.exists()
    user.types("bootstrap", "--slash")
    assert "synaptic skill plan $ARGUMENTS" in command.read_text()
    user.types("down")
    assert not command.exists()
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text("mine")
    assert user.types("bootstrap", "--slash").code == 1
    user.types("down")
    assert command.read_text() == "mine"


def test_it_is_possible_to_answer_questions_on_the_command_line(shopper):
    more = '\n[[questions]]\nid = "who"\nprompt = "Who?"\ntype = "text"\ndefault = "you"\n'
    files = {"hooks/pre.sh": "#!/bin/sh\n", "note.md.j2": "{{ answers.who }}\n"}
    publish(shopper, "delta", files=files, more=more)
    shopper.types("install", "delta", "--answer", "who=me", "--yes")
    assert (shopper.project / ".synaptic" / "skills" / "delta" / "note.md").read_text() == "me\n"


def test_answers_go_to_the_packages_that_ask(shopper):
    """S0-160, S0-161: the name of a package before the id tells two of them apart"""
    more = '\n[[questions]]\nid = "who"\nprompt = "Who?"\ntype = "text"\ndefault = "you"\n'
    files = {"hooks/pre.sh": "#!/bin/sh\n", "note.md.j2": "{{ answers.who }}\n"}
    for name in ("delta", "omega"):
        publish(shopper, name, files=files, more=more)
    publish(shopper, "plain")
    words = ("install", "plain", "delta", "omega", "--yes", "--json")
    refused = shopper.types(*words, "--answer", "who=me", "--answer", "whom=me").json["error"]
    assert refused["code"] == "invalid_args"
    assert "`whom`" in refused["message"]
    assert "delta: who" in refused["hint"]
    assert shopper.types(*words, "--answer", "who=me", "--answer", "omega.who=them").code == 0
    skills = shopper.project / ".synaptic" / "skills"
    assert (skills / "delta" / "note.md").read_text() == "me\n"
    assert (skills / "omega" / "note.md").read_text() == "them\n"


def test_an_answer_that_only_another_package_asks_for_is_refused(shopper):
    publish(shopper, "plain")
    refused = shopper.types("install", "plain", "--yes", "--json", "--answer", "who=me")
    assert (refused.code, refused.json["error"]["code"]) == (1, "invalid_args")
    assert not (shopper.project / ".synaptic" / "skills" / "plain").exists()


@pytest.mark.parametrize("verb", ["remove", "verify", "diff", "upgrade"])
def test_a_shell_completes_installed_packages(shopper, verb):
    shopper.types("install", "alpha", "--yes")
    shown = shopper.runs(_SYNAPTIC_COMPLETE="bash_complete", COMP_WORDS=f"synaptic {verb} al", COMP_CWORD="2")
    assert [line.partition(",")[2] for line in shown.out.splitlines()] == ["alpha"]
