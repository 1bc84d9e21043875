import json
import os
import shutil
import threading

import pytest

from synaptic.agents.claude.entries import REGISTERED_EVENTS
from synaptic.agents.shared.record import SetupChoices, locate_record
from synaptic.model.errors import SettingsError
from synaptic.model.hook import HttpEndpoint
from synaptic.setup import profile
from synaptic.setup import settings as settings_module
from synaptic.setup.bootstrap import ensure_bootstrap, is_registered, remove_bootstrap, run_bootstrap
from synaptic.setup.dispatcher import read_engine
from tests.packages.installation import options_for, snapshot

KEPT = (".synaptic",)


def hooks_of(path):
    hooks = json.loads(path.read_text())["hooks"]
    return {event: hook for event, groups in hooks.items() for group in groups for hook in group["hooks"]}


def test_a_fresh_home_gets_dispatcher_entries_and_path_line(tmp_path):
    """S0-001, S0-005, S0-006, S0-007, S0-015"""
    options = options_for(tmp_path)
    report = run_bootstrap(options)
    assert [change.what for change in report.done_changes] == ["folder", "dispatcher", "agent settings", "PATH line"]
    assert os.access(options.home.dispatch, os.X_OK)
    hooks = hooks_of(options.settings)
    assert set(hooks) == set(REGISTERED_EVENTS)
    assert {hook["command"] for hook in hooks.values()} == {str(options.home.dispatch)}
    assert f'export PATH="{options.home.bin}:$PATH"' in (options.user_home / ".zshrc").read_text()
    assert all(change.undo == "synaptic down" for change in report.changes)


def test_again_and_again_changes_nothing(tmp_path):
    """S0-002, S0-007"""
    options = options_for(tmp_path)
    run_bootstrap(options)
    before = snapshot(options.user_home)
    for _ in range(2):
        assert run_bootstrap(options).done_changes == ()
    assert snapshot(options.user_home) == before


def test_up_and_down_leaves_the_users_files_as_they_were(tmp_path):
    """S0-003"""
    options = options_for(tmp_path)
    options.settings.parent.mkdir()
    options.settings.write_text('{"permissions":{"allow":[]},\n "hooks":{"PreToolUse":[{"hooks":[]}]} , "n":1e3}')
    (options.user_home / ".zshrc").write_text("alias x=y")
    before = snapshot(options.user_home, *KEPT)
    run_bootstrap(options)
    assert snapshot(options.user_home, *KEPT) != before
    report = remove_bootstrap(options)
    assert {change.what for change in report.done_changes} == {"agent settings", "PATH line", "dispatcher"}
    assert snapshot(options.user_home, *KEPT) == before
    assert not options.home.bin.exists()
    assert not options.home.engine.exists()


def test_up_and_down_in_an_empty_home_leaves_only_our_lock(tmp_path):
    options = options_for(tmp_path)
    run_bootstrap(options)
    remove_bootstrap(options)
    left = [name for name in snapshot(options.user_home) if "backups" not in name]
    assert left == [".synaptic", ".synaptic/bootstrap.lock"]
    assert remove_bootstrap(options).done_changes == ()


def test_a_second_run_refreshes_what_is_ours_and_keeps_the_rest(tmp_path):
    """S0-012"""
    options = options_for(tmp_path)
    run_bootstrap(options)
    original = options.home.dispatch.read_bytes()
    options.home.config.write_text("presets = []\n")
    (options.home.bin / "USER-NOTES.md").write_text("mine")
    options.home.dispatch.write_text("edited")
    assert [change.what for change in run_bootstrap(options).done_changes] == ["dispatcher"]
    assert options.home.dispatch.read_bytes() == original
    assert options.home.config.read_text() == "presets = []\n"
    assert (options.home.bin / "USER-NOTES.md").read_text() == "mine"


@pytest.mark.parametrize("broken", ["{", '{"hooks": []}'])
def test_broken_settings_are_refused_before_anything_is_written(tmp_path, broken):
    """S0-013, S0-014"""
    options = options_for(tmp_path)
    options.settings.parent.mkdir()
    options.settings.write_text(broken)
    before = snapshot(options.user_home)
    with pytest.raises(SettingsError, match=r"settings\.json"):
        run_bootstrap(options)
    assert snapshot(options.user_home) == before


@pytest.mark.parametrize(("module", "undone"), [(settings_module, "settings.json"), (profile, ".zshrc")])
def test_a_failure_midway_leaves_that_file_and_says_what_is_done(tmp_path, monkeypatch, module, undone):
    """S0-013"""
    options = options_for(tmp_path)
    options.settings.parent.mkdir()
    options.settings.write_text("{}")
    (options.user_home / ".zshrc").write_text("a=1\n")
    before = snapshot(options.user_home, *KEPT)
    real = module.replace_file

    def full(path, *rest):
        if path.name == undone:
            raise SettingsError("cannot be written: No space left on device", where=str(path))
        real(path, *rest)

    monkeypatch.setattr(module, "replace_file", full)
    with pytest.raises(SettingsError, match=r"No space left.*done before that: .*dispatcher.*synaptic down"):
        run_bootstrap(options)
    changed = [name for name, state in snapshot(options.user_home, *KEPT).items() if before.get(name) != state]
    assert undone not in " ".join(changed)
    monkeypatch.undo()
    remove_bootstrap(options)
    assert snapshot(options.user_home, *KEPT) == before


def test_managed_entries_are_a_file_of_their_own_and_the_users_go(tmp_path):
    options = options_for(tmp_path)
    run_bootstrap(options)
    managed = options_for(tmp_path, choices=SetupChoices(managed=True))
    run_bootstrap(managed)
    assert not options.settings.exists()
    assert set(hooks_of(managed.managed)) == set(REGISTERED_EVENTS)
    assert managed.managed.stat().st_mode & 0o777 == 0o644
    remove_bootstrap(options)
    assert not (tmp_path / "etc").exists()


def test_what_was_chosen_stays_until_chosen_otherwise(tmp_path):
    """C-10: a later run that is told nothing loosens nothing."""
    endpoint = HttpEndpoint("http://127.0.0.1:9/hook/claude", {"Authorization": "Bearer x"})
    run_bootstrap(options_for(tmp_path, choices=SetupChoices(fail="closed", http=endpoint)))
    plain = options_for(tmp_path)
    assert ensure_bootstrap(plain) is None
    assert run_bootstrap(plain).done_changes == ()
    hooks = hooks_of(plain.settings)
    assert (hooks["PreToolUse"]["type"], hooks["SessionStart"]["type"]) == ("http", "command")
    assert hooks["PreToolUse"]["onFailure"] == "block"
    assert read_engine(plain.home).fail == "closed"
    run_bootstrap(options_for(tmp_path, choices=SetupChoices()))
    assert hooks_of(plain.settings)["PreToolUse"]["type"] == "command"
    assert read_engine(plain.home).fail == "open"


def test_removal_finds_files_of_an_earlier_environment(tmp_path):
    first = options_for(tmp_path, claude_dir=tmp_path / "user" / "conf", shell="/bin/bash")
    run_bootstrap(first)
    remove_bootstrap(options_for(tmp_path))
    assert list(snapshot(first.user_home, *KEPT)) == []


def test_missing_entries_come_back_and_a_good_installation_is_only_read(tmp_path):
    """S0-004, S0-008, S0-009"""
    options = options_for(tmp_path)
    assert not is_registered(options)
    assert ensure_bootstrap(options) is not None
    before = snapshot(options.user_home)
    assert ensure_bootstrap(options) is None
    assert snapshot(options.user_home) == before
    options.settings.write_text("{}")
    assert ensure_bootstrap(options) is not None
    assert is_registered(options)
    options.home.dispatch.unlink()
    assert ensure_bootstrap(options) is not None
    assert options.home.dispatch.exists()


def test_two_projects_share_one_installation(tmp_path):
    """S0-010, S0-113"""
    roots = [tmp_path / name for name in ("one", "two $x 'y'")]
    for root in roots:
        root.mkdir()
        assert "project variables" in [
            change.what for change in run_bootstrap(options_for(tmp_path, project=root)).done_changes
        ]
        assert (root / ".synaptic" / "env.toml").exists()
    options = options_for(tmp_path, project=roots[1])
    assert run_bootstrap(options).done_changes == ()
    remove_bootstrap(options)
    assert not any((root / ".synaptic").exists() for root in roots)


def test_removal_leaves_what_is_the_users_own_in_other_projects_and_bears_that_one_is_gone(tmp_path):
    roots = [tmp_path / name for name in ("kept", "gone", "locked", "here")]
    for root in roots:
        root.mkdir()
        run_bootstrap(options_for(tmp_path, project=root))
    own = roots[0] / ".synaptic" / "config.toml"
    own.write_text('fail = "closed"\n')
    shutil.rmtree(roots[1])
    shutil.rmtree(roots[2] / ".synaptic")
    (roots[2] / ".synaptic").symlink_to(tmp_path / "elsewhere")
    report = remove_bootstrap(options_for(tmp_path, project=roots[3]))
    assert own.read_text() == 'fail = "closed"\n'
    assert not (roots[0] / ".synaptic" / "env.toml").exists()
    assert not (roots[3] / ".synaptic").exists()
    (left,) = [change for change in report.changes if change.detail.startswith("left there")]
    assert left.path.startswith(str(roots[2]))


def test_the_home_folder_is_no_project(tmp_path):
    options = options_for(tmp_path, project=tmp_path / "user")
    with pytest.raises(SettingsError, match="no project"):
        run_bootstrap(options)
    assert list(snapshot(options.user_home)) == []


def test_many_at_once_give_one_set(tmp_path):
    """S0-002"""
    options = options_for(tmp_path)
    workers = [threading.Thread(target=run_bootstrap, args=(options,)) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert is_registered(options)
    assert (options.user_home / ".zshrc").read_text().count("export PATH") == 1
    remove_bootstrap(options)
    assert list(snapshot(options.user_home, *KEPT)) == []


def test_removal_without_a_record_goes_by_what_it_recognises(tmp_path):
    options = options_for(tmp_path)
    options.settings.parent.mkdir()
    options.settings.write_text('{\n  "model": "x"\n}\n')
    run_bootstrap(options)
    locate_record(options.home).unlink()
    remove_bootstrap(options)
    assert options.settings.read_text() == '{\n  "model": "x"\n}\n'
    assert not (options.user_home / ".zshrc").read_text()
