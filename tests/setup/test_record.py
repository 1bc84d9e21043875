import threading

import pytest

from synaptic.agents.shared.settings import Grown, Undo
from synaptic.model.home import Home
from synaptic.model.hook import HttpEndpoint
from synaptic.setup.record import (
    Choices,
    ProfileMark,
    Record,
    SettingsMark,
    choose,
    load,
    locked,
    mark_profile,
    mark_settings,
    record_file,
)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_what_was_done_is_read_back(home, tmp_path):
    undo = SettingsMark(Undo("document", "", (Grown(("hooks", "Stop"), " \n"), Grown(("hooks",)))), ("/x",))
    line = ProfileMark("\n# x\n", True)
    choices = Choices(managed=True, fail="closed", http=HttpEndpoint("http://127.0.0.1:1", {"A": "b"}))
    mark_settings(home, tmp_path / "s", undo)
    mark_profile(home, tmp_path / "p", line)
    choose(home, choices)
    assert load(home) == Record({str(tmp_path / "s"): undo}, {str(tmp_path / "p"): line}, choices)
    assert record_file(home).stat().st_mode & 0o777 == 0o600
    mark_settings(home, tmp_path / "s", None)
    assert load(home).settings == {}
    assert load(home).profiles != {}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"settings": 3}', b"\xff"])
def test_a_damaged_record_is_an_empty_one(home, damage):
    record_file(home).write_bytes(damage)
    assert load(home) == Record()


def test_one_at_a_time(home):
    order = []

    def second():
        with locked(home):
            order.append("second")

    with locked(home):
        other = threading.Thread(target=second)
        other.start()
        other.join(0.1)
        order.append("first")
    other.join()
    assert order == ["first", "second"]
