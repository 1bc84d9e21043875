import json

import pytest

from synaptic.agents.claude.entries import build_wanted_entries as wanted
from synaptic.agents.shared import record
from synaptic.agents.shared.ours import EntryPlan
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import settings as settings_module
from synaptic.setup.settings import (
    ensure_token,
    inspect_settings,
    locate_token,
    read_token,
    register_entries,
    unregister_entries,
)

FOREIGN = '{\n  "permissions": {"allow": ["Bash"]}\n}'


@pytest.fixture
def home(tmp_path):
    root = tmp_path / "home" / ".synaptic"
    root.mkdir(parents=True)
    return Home(root)


@pytest.fixture
def plan(home):
    return wanted(EntryPlan(str(home.dispatch), ensure_token(home)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / ".claude" / "settings.json"


def written(path, data):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def backups(home):
    return sorted((home.root / "backups").iterdir())


def test_the_token_is_made_once_and_private(home):
    token = ensure_token(home)
    assert ensure_token(home) == read_token(home) == token
    assert locate_token(home).stat().st_mode & 0o777 == 0o600
    locate_token(home).write_text("rubbish")
    assert read_token(home) is None
    assert ensure_token(home) != token


def test_an_absent_file_is_made_and_goes_again_with_its_folder(home, plan, path):
    assert register_entries(home, path, plan)
    assert inspect_settings(path, plan).is_current
    assert path.stat().st_mode & 0o777 == 0o600
    assert unregister_entries(home, path)
    assert not path.parent.exists()


def test_the_folder_stays_when_the_agent_has_put_something_there(home, plan, path):
    register_entries(home, path, plan)
    (path.parent / "projects").mkdir()
    unregister_entries(home, path)
    assert [file.name for file in path.parent.iterdir()] == ["projects"]


@pytest.mark.parametrize(
    "before", [b"", b"{}", FOREIGN.encode(), b'\xef\xbb\xbf{"a": 1.0}\r\n', b'{"hooks":{"Stop":[]}}']
)
def test_up_and_down_is_identity_on_disk(home, plan, path, before):
    """S0-003"""
    written(path, before).chmod(0o640)
    assert register_entries(home, path, plan)
    assert unregister_entries(home, path)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o640)
    assert record.load_record(home).settings == {}


def test_twice_is_the_same_bytes_and_no_write(home, plan, path):
    """S0-002"""
    register_entries(home, written(path, FOREIGN), plan)
    before = (path.read_bytes(), path.stat().st_ino)
    assert not register_entries(home, path, plan)
    assert (path.read_bytes(), path.stat().st_ino) == before
    assert len(backups(home)) == 1


def test_a_new_set_replaces_the_old_one_and_the_way_back_stays(home, plan, path):
    register_entries(home, written(path, FOREIGN), wanted(EntryPlan("/moved/.synaptic/bin/dispatch", "a" * 32, True)))
    assert register_entries(home, path, plan)
    assert "/moved" not in path.read_text()
    unregister_entries(home, path)
    assert path.read_text() == FOREIGN


@pytest.mark.parametrize(
    "broken", [b"{", b"[]", b'{"hooks": 1}', b'{"a": "\xff"}', b'{"hooks": {}, "hooks": {}}', b"\xff\xfe{\0}\0"]
)
def test_a_file_that_must_not_be_edited_is_refused_untouched(home, plan, path, broken):
    """S0-014"""
    written(path, broken)
    with pytest.raises(SettingsError) as caught:
        register_entries(home, path, plan)
    assert str(path) in str(caught.value)
    assert "synaptic bootstrap" in str(caught.value)
    assert path.read_bytes() == broken
    assert not (home.root / "backups").exists()


def test_a_linked_file_is_written_through(home, plan, path, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text(FOREIGN)
    path.parent.mkdir()
    path.symlink_to(real)
    register_entries(home, path, plan)
    assert path.is_symlink()
    assert "hooks" in json.loads(real.read_text())
    unregister_entries(home, path)
    assert real.read_text() == FOREIGN


def test_what_was_there_is_kept_at_most_ten_times(home, plan, path):
    written(path, FOREIGN)
    for _ in range(7):
        register_entries(home, path, plan)
        unregister_entries(home, path)
    assert len(backups(home)) == 10
    assert all(file.name.endswith("-settings.json") for file in backups(home))
    assert backups(home)[-2].read_text() == FOREIGN
    assert {file.stat().st_mode & 0o777 for file in backups(home)} == {0o600}


def test_a_change_by_somebody_else_in_between_is_not_lost(home, plan, path, monkeypatch):
    written(path, FOREIGN)
    real, calls = settings_module.prepare_settings, []

    def slow(*given):
        edited = real(*given)
        if not calls:
            path.write_text('{"model": "x"}')
        calls.append(1)
        return edited

    monkeypatch.setattr(settings_module, "prepare_settings", slow)
    assert register_entries(home, path, plan)
    assert json.loads(path.read_text())["model"] == "x"
    assert len(calls) == 2
    unregister_entries(home, path)
    assert path.read_text() == '{"model": "x"}'


def test_removal_of_nothing_changes_nothing(home, path):
    assert not unregister_entries(home, path)
    written(path, FOREIGN)
    assert not unregister_entries(home, path)
    assert path.read_text() == FOREIGN
    assert not (home.root / "backups").exists()
