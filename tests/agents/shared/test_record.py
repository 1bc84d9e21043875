import threading

import pytest

from synaptic.agents.shared.record import (
    BootstrapRecord,
    ProfileMark,
    SettingsMark,
    SetupChoices,
    load_record,
    locate_record,
    lock_bootstrap,
    mark_profile,
    mark_settings,
    save_choices,
)
from synaptic.agents.shared.settings import GrownContainer, SettingsUndo
from synaptic.model.home import Home
from synaptic.model.hook import HttpEndpoint


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_what_was_done_is_read_back(home, tmp_path):
    undo = SettingsMark(
        SettingsUndo("document", "", (GrownContainer(("hooks", "Stop"), " \n"), GrownContainer(("hooks",)))), ("/x",)
    )
    line = ProfileMark("\n# x\n", True)
    choices = SetupChoices(managed=True, fail="closed", http=HttpEndpoint("http://127.0.0.1:1", {"A": "b"}))
    mark_settings(home, tmp_path / "s", undo)
    mark_profile(home, tmp_path / "p", line)
    save_choices(home, choices)
    assert load_record(home) == BootstrapRecord({str(tmp_path / "s"): undo}, {str(tmp_path / "p"): line}, choices)
    assert locate_record(home).stat().st_mode & 0o777 == 0o600
    mark_settings(home, tmp_path / "s", None)
    assert load_record(home).settings == {}
    assert load_record(home).profiles != {}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"settings": 3}', b"\xff"])
def test_a_damaged_record_is_an_empty_one(home, damage):
    locate_record(home).write_bytes(damage)
    assert load_record(home) == BootstrapRecord()


def test_one_at_a_time(home):
    order = []

    def second():
        with lock_bootstrap(home):
            order.append("second")

    with lock_bootstrap(home):
        other = threading.Thread(target=second)
        other.start()
        other.join(0.1)
        order.append("first")
    other.join()
    assert order == ["first", "second"]
