"""The program that shows an alert on a desktop."""

from collections.abc import Mapping

from synaptic.model.errand import Alert

OSASCRIPT = "/usr/bin/osascript"
ALERT_SCRIPT = """on run {heading, message, tune}
display notification message with title heading sound name tune
end run"""
DESKTOP_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")


def build_alert_command(alert: Alert, environ: Mapping[str, str], platform: str) -> tuple[str, ...]:
    """Build the command that shows an alert; empty where there is no desktop."""
    if platform == "darwin":
        # As arguments, never inside the script's text: a title with quotes would be AppleScript code.
        return (OSASCRIPT, "-e", ALERT_SCRIPT, alert.title, alert.text, alert.sound)
    if any(environ.get(name) for name in DESKTOP_VARIABLES):
        return ("notify-send", "--app-name=synaptic", "--", alert.title, alert.text)
    return ()
