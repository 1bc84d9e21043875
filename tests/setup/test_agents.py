"""Installing into every agent, and leaving each of them as it was."""

import json
import os

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples

from synaptic.agents.base import OwnFile
from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.record import SetupChoices, locate_record
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.model.errors import SettingsError
from synaptic.setup import agents, own
from synaptic.setup.bootstrap import (
    ensure_bootstrap,
    explain_agent_refusal,
    is_registered,
    leave_agents,
    remove_bootstrap,
    run_bootstrap,
)
from tests.agents.layouts import settings as documents
from tests.packages.installation import options_for, snapshot

KEPT = (".synaptic",)
EVERY = list_agent_names()
COMMENTED = '// mine\n{\n  "theme": "x", // dark\n  "hooks": {"BeforeTool": [/* none */]}\n}\n'
THERE = {
    ".claude/settings.json": '{"permissions":{"allow":[]},\n "n":1e3}',
    ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    ".codex/config.toml": 'model = "x" # mine\n[projects."/p"]\ntrust_level = "trusted"',
    ".gemini/settings.json": COMMENTED,
    ".qwen/settings.json": "\ufeff{ }\r\n",
    ".copilot/hooks/mine.json": '{"version":1,"hooks":{}}',
    ".factory/hooks.json": '{"PreToolUse":[{"matcher":"Execute","hooks":[]}],"hooksDisabled":false}',
    ".cursor/hooks.json": '{"version":1,"hooks":{"stop":[{"command":"x"}]}}',
    ".config/amp/settings.json": '{"amp.permissions":[{"tool":"Bash","action":"allow","matches":{"cmd":"ls"}}]}',
    ".cline/hooks/TaskCancel": "#!/bin/sh\necho mine\n",
    ".config/opencode/opencode.json": '{"model":"x"}',
}


def told(tmp_path, *names, **more):
    return options_for(tmp_path, choices=SetupChoices(agents=names or EVERY, **more))


def planned(options):
    return EntryPlan(str(options.home.dispatch), "0" * 32)


def furnish(options):
    for name, text in THERE.items():
        file = options.user_home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        file.chmod(0o640)


def test_every_agent_at_once_and_every_file_comes_back_byte_for_byte(tmp_path):
    options = told(tmp_path, trust=True)
    furnish(options)
    before = snapshot(options.user_home, *KEPT)
    report = run_bootstrap(options)
    assert sum(change.what == "agent settings" for change in report.done_changes) >= len(EVERY)
    assert list_wired_agents(options.home) == set(EVERY)
    assert is_registered(options)
    installed = snapshot(options.user_home)
    assert run_bootstrap(options).done_changes == ()
    assert snapshot(options.user_home) == installed
    remove_bootstrap(options)
    after = snapshot(options.user_home, *KEPT, ".zshrc")
    assert after == before
    assert list_wired_agents(options.home) == frozenset()


def test_an_empty_home_is_empty_again(tmp_path):
    options = told(tmp_path, trust=True)
    run_bootstrap(options)
    remove_bootstrap(options)
    assert list(snapshot(options.user_home, *KEPT)) == []
    assert not options.home.bin.exists()


@pytest.mark.parametrize("agent", [name for name in EVERY if name != "claude"])
def test_one_agent_alone_touches_no_other(tmp_path, agent):
    options = told(tmp_path, agent)
    run_bootstrap(options)
    paths = {str(file.path) for file in find_agent(agent).list_files(options.environment, planned(options))}
    made = {str(path) for path in options.user_home.rglob("*") if path.is_file() and path.name != ".zshrc"}
    assert paths <= made
    assert [path for path in made - paths if not path.startswith(str(options.home.root))] == []
    assert list_wired_agents(options.home) == {agent}


@pytest.mark.parametrize("agent", ["codex", "gemini", "qwen"])
@examples(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=documents())
def test_install_then_remove_is_identity_on_disk_for_any_settings(tmp_path_factory, agent, text):
    options = told(tmp_path_factory.mktemp("user"), agent)
    file = next(find_agent(agent).iter_settings_files(options.environment, planned(options)))
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(text.encode())
    run_bootstrap(options)
    remove_bootstrap(options)
    assert file.path.read_bytes() == text.encode()


def test_agents_are_remembered_and_refreshed(tmp_path):
    run_bootstrap(told(tmp_path, "codex", "cline"))
    plain = options_for(tmp_path)
    assert ensure_bootstrap(plain) is None
    script = plain.user_home / ".cline/hooks/PreToolUse"
    script.unlink()
    assert not is_registered(plain)
    assert ensure_bootstrap(plain) is not None
    assert os.access(script, os.X_OK)
    assert not plain.settings.exists(), "Claude Code was not asked for"


def test_one_agent_leaves_and_the_others_stay(tmp_path):
    options = told(tmp_path)
    run_bootstrap(options)
    report = leave_agents(options_for(tmp_path), ("opencode", "amp"))
    assert {change.detail for change in report.done_changes} == {"OpenCode", "Amp"}
    assert not (options.user_home / ".config").exists()
    assert list_wired_agents(options.home) == set(EVERY) - {"opencode", "amp"}
    assert ensure_bootstrap(options_for(tmp_path)) is None
    leave_agents(options_for(tmp_path), ("claude",))
    assert not options.settings.exists()


def test_a_users_own_hook_file_is_refused_before_anything_is_written(tmp_path):
    options = told(tmp_path, "codex", "cline")
    mine = options.user_home / ".cline/hooks/PreToolUse"
    mine.parent.mkdir(parents=True)
    mine.write_text("#!/bin/sh\necho mine\n")
    before = snapshot(options.user_home)
    with pytest.raises(SettingsError, match="a file of your own"):
        run_bootstrap(options)
    assert snapshot(options.user_home) == before
    assert "PreToolUse" in explain_agent_refusal(options, "cline")
    assert explain_agent_refusal(options, "codex") == ""


def test_a_broken_file_of_an_agent_that_was_never_told_does_not_keep_others_from_leaving(tmp_path):
    options = told(tmp_path, "codex")
    run_bootstrap(options)
    (options.user_home / ".gemini").mkdir()
    (options.user_home / ".gemini/settings.json").write_text("{ broken")
    remove_bootstrap(options)
    assert (options.user_home / ".gemini/settings.json").read_text() == "{ broken"
    assert not (options.user_home / ".codex").exists()


def test_files_of_an_earlier_environment_are_found_again(tmp_path):
    moved = {
        name: str(tmp_path / "elsewhere" / name)
        for name in ("CODEX_HOME", "CLINE_DIR", "XDG_CONFIG_HOME", "COPILOT_HOME")
    }
    first = told(tmp_path, "codex", "cline", "copilot", "opencode", "amp", trust=True)
    run_bootstrap(options_for(tmp_path, choices=first.choices, agent_env=moved))
    assert (tmp_path / "elsewhere/CODEX_HOME/hooks.json").exists()
    remove_bootstrap(options_for(tmp_path))
    assert not (tmp_path / "elsewhere").exists()


def test_removal_without_a_record_goes_by_what_it_recognises(tmp_path):
    options = told(tmp_path)
    furnish(options)
    run_bootstrap(options)
    locate_record(options.home).unlink()
    remove_bootstrap(options)
    left = [path for path in options.user_home.rglob("*") if path.is_file() and ".synaptic" not in path.parts]
    assert not [path for path in left if b"--entry=" in path.read_bytes() or b"amp-delegate" in path.read_bytes()]
    for name in (".codex/hooks.json", ".cursor/hooks.json", ".config/amp/settings.json", ".cline/hooks/TaskCancel"):
        assert (options.user_home / name).read_bytes() == THERE[name].encode()


def test_agents_are_found_by_program_or_by_folder(tmp_path):
    options = options_for(tmp_path, search_path=str(tmp_path / "bin"))
    assert agents.list_found_agents(options) == ()
    (options.user_home / ".gemini").mkdir()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert agents.list_found_agents(options) == ("codex", "gemini")
    assert agents.find_agent_here(options, find_agent("codex")) == agents.FoundAgent(str(program), "")
    assert agents.find_agent_here(options, find_agent("gemini")) == agents.FoundAgent(
        "", str(options.user_home / ".gemini")
    )


def test_an_agent_nobody_knows_is_refused_with_the_known_names():
    assert agents.check_agent_names(["codex", "amp", "codex"]) == ("amp", "codex")
    with pytest.raises(SettingsError, match=r"agent 'nobody' is not known \(known: claude, amp"):
        agents.check_agent_names(["nobody"])


def test_who_is_wired_is_read_again_when_it_changed(tmp_path):
    options = options_for(tmp_path)
    assert list_wired_agents(options.home) == frozenset()
    run_bootstrap(told(tmp_path, "codex"))
    assert list_wired_agents(options.home) == {"codex"}
    run_bootstrap(told(tmp_path, "codex", "gemini"))
    assert list_wired_agents(options.home) == {"codex", "gemini"}


def test_what_is_left_for_a_person_is_said(tmp_path):
    report = run_bootstrap(told(tmp_path, "codex", "amp"))
    assert any("`/hooks`" in note for note in report.notes)
    assert any(note.startswith("Amp:") for note in report.notes)
    trusted = run_bootstrap(told(tmp_path, "codex", "amp", trust=True))
    assert not any("`/hooks`" in note for note in trusted.notes)
    assert "trusted_hash" in (tmp_path / "user/.codex/config.toml").read_text()


def test_an_agreement_that_cannot_be_written_keeps_nothing_else_from_being_done(tmp_path):
    options = told(tmp_path, "codex", trust=True)
    (options.user_home / ".codex").mkdir()
    (options.user_home / ".codex/config.toml").write_text("hooks = { state = {} }\n")
    report = run_bootstrap(options)
    assert is_registered(options)
    assert any("cannot take an agreement" in change.detail for change in report.changes)
    assert any("`/hooks`" in note for note in report.notes)


def test_an_agreement_is_withdrawn_when_it_is_no_longer_wanted(tmp_path):
    run_bootstrap(told(tmp_path, "codex", trust=True))
    config = tmp_path / "user/.codex/config.toml"
    assert config.exists()
    run_bootstrap(options_for(tmp_path))
    assert config.exists()
    run_bootstrap(told(tmp_path, "codex"))
    assert not config.exists()


def test_a_file_that_an_earlier_version_wrote_and_this_one_does_not_goes(tmp_path):
    options = told(tmp_path, "cline")
    run_bootstrap(options)
    old = options.user_home / ".cline/hooks/OldEvent"
    own.put_own_file(options.home, OwnFile(old, (old.parent / "PreToolUse").read_text(), 0o755), "cline")
    run_bootstrap(options)
    assert not old.exists()
    assert (old.parent / "PreToolUse").exists()


def test_amps_rule_stands_after_the_users_own(tmp_path):
    options = told(tmp_path, "amp")
    furnish(options)
    run_bootstrap(options)
    rules = json.loads((options.user_home / ".config/amp/settings.json").read_text())["amp.permissions"]
    assert [rule["action"] for rule in rules] == ["allow", "delegate"]
    assert rules[1]["to"] == str(options.home.bin / "amp-delegate")
    assert os.access(rules[1]["to"], os.X_OK)


def test_own_files_are_marked_as_such(tmp_path):
    options = told(tmp_path)
    told_files = (file for name in EVERY for file in find_agent(name).list_files(options.environment, planned(options)))
    found = [file for file in told_files if isinstance(file, OwnFile)]
    assert found
    assert all("synaptic" in "".join(file.text.splitlines()[:2]) for file in found)
