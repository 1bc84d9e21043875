import pytest

from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.create import create_registry_file
from synaptic.packages.database import hide_password
from synaptic.packages.source import (
    choose_channel,
    choose_registry_url,
    locate_own_registry,
    locate_url_note,
    open_source,
)


def test_the_channel_is_the_flag_then_the_environment_then_main():
    """S0-146"""
    assert choose_channel("develop", {"SYNAPTIC_CHANNEL": "beta"}) == "develop"
    assert choose_channel("", {"SYNAPTIC_CHANNEL": "beta"}) == "beta"
    assert choose_channel("", {}) == "main"


def test_what_somebody_has_checked_out_is_never_read(desk):
    """S0-146"""
    desk.source.database.query("SELECT dolt_checkout('develop')")
    from synaptic.packages.author import import_package

    import_package(desk.source, desk.read(), "develop")
    assert desk.source.list_packages("main") == ()


def test_the_registry_is_the_flag_then_the_environment_then_what_was_chosen_then_our_own(tmp_path):
    home = Home(tmp_path)
    assert choose_registry_url("", {}, home) == f"dolt://{locate_own_registry(home)}"
    locate_url_note(home).parent.mkdir()
    locate_url_note(home).write_text("file:///chosen\n")
    assert choose_registry_url("", {}, home) == "file:///chosen"
    assert choose_registry_url("", {"SYNAPTIC_REGISTRY": "file:///env"}, home) == "file:///env"
    assert choose_registry_url("file:///flag", {"SYNAPTIC_REGISTRY": "file:///env"}, home) == "file:///flag"


def test_a_home_with_any_name_has_a_registry(tmp_path):
    home = Home(tmp_path / "a b#c?d%41")
    create_registry_file(locate_own_registry(home))
    with open_source(choose_registry_url("", {}, home), home) as source:
        assert source.list_channels() == ("beta", "develop", "main")


@pytest.mark.parametrize("url", ["", "ftp://x/y", "/path", "https://u:secret@host/x"])
def test_a_url_of_no_known_kind_is_refused_without_its_password(tmp_path, url):
    with pytest.raises(Refusal) as refused:
        open_source(url, Home(tmp_path))
    assert refused.value.code == "unsupported_backend"
    assert "secret" not in str(refused.value)


def test_a_password_is_never_shown():
    assert hide_password("mysql://me:secret@host/db") == "mysql://me:***@host/db"
    assert hide_password("dolt:///a") == "dolt:///a"


def test_a_registry_is_never_made_over_another_file(tmp_path):
    path = tmp_path / "r.db"
    path.write_text("mine")
    with pytest.raises(Refusal, match="there is a file already"):
        create_registry_file(path)
    assert path.read_text() == "mine"


def test_a_registry_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("synaptic.packages.create.CREATE_STATEMENTS", ("CREATE TABLE broken (",))
    with pytest.raises(Refusal):
        create_registry_file(tmp_path / "r.db")
    assert list(tmp_path.iterdir()) == []
