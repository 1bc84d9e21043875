"""A word to whoever looks at another window."""

from synaptic.fleet import desktop
from synaptic.fleet.roster import find_changes
from tests.fleet.hosts import until
from tests.fleet.test_roster import member


def test_who_comes_to_need_somebody_is_told_once():
    before = [member("a"), member("b", status="attention"), member("c")]
    after = [
        member("a", status="attention", label="API"),
        member("b", status="attention", phase="2"),
        member("c", status="error", note="was ended by SIGKILL"),
        member("d", status="error"),
    ]
    told = [(alert.title, alert.text) for alert in desktop.make_alerts(find_changes(before, after))]
    assert told == [("c has failed", "was ended by SIGKILL"), ("API waits for you", "")]


def test_where_there_is_no_desktop_nobody_is_told():
    (alert,) = desktop.make_alerts(find_changes([member("a")], [member("a", status="error")]))
    assert desktop.show_alert(alert, {}) is False


def test_the_program_of_the_desktop_is_run(tmp_path, monkeypatch):
    program = tmp_path / "notify-send"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/told.tmp && mv {tmp_path}/told.tmp {tmp_path}/told\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr("sys.platform", "linux")
    (alert,) = desktop.make_alerts(find_changes([member("a")], [member("a", status="attention", note="may I?")]))
    assert desktop.show_alert(alert, {"DISPLAY": ":0"}) is True
    assert until((tmp_path / "told").exists)
    assert (tmp_path / "told").read_text().splitlines() == ["--app-name=synaptic", "--", "a waits for you", "may I?"]
