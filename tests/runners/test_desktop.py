"""The program that shows an alert."""

import pytest

from synaptic.model.errand import Alert
from synaptic.runners.desktop import build_alert_command

ALERT = Alert("a title", "-a text", "Ping")


def test_on_macos_the_text_is_no_part_of_the_script():
    words = build_alert_command(ALERT, {}, "darwin")
    assert words[:2] == ("/usr/bin/osascript", "-e")
    assert words[3:] == ("a title", "-a text", "Ping")


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"])
def test_elsewhere_where_there_is_a_desktop(name: str):
    assert build_alert_command(ALERT, {name: ":0"}, "linux")[0] == "notify-send"
    assert build_alert_command(ALERT, {name: ""}, "linux") == ()
