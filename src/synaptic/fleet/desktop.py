"""Desktop notifications: an agent waits for somebody, or has failed."""

import shutil
import subprocess  # noqa: TID251  a desktop is told by a program
import sys
from collections.abc import Iterable, Iterator, Mapping

from synaptic.fleet.roster import MemberChange
from synaptic.model.errand import Alert
from synaptic.runners.desktop import build_alert_command

ALERT_TEXTS = {"attention": "waits for you", "error": "has failed"}


def make_alerts(changes: Iterable[MemberChange]) -> Iterator[Alert]:
    """Make an alert for every agent that has come to need somebody; not for one that did when we started."""
    for change in changes:
        status = change.new_status
        if status in ALERT_TEXTS and change.before is not None and change.after is not None:
            name = change.after.label or change.agent
            yield Alert(f"{name} {ALERT_TEXTS[status]}", change.after.note or change.after.project)


def show_alert(alert: Alert, environ: Mapping[str, str]) -> bool:
    """Show an alert; False where there is no desktop to show it on."""
    words = build_alert_command(alert, environ, sys.platform)
    if not words or not shutil.which(words[0]):
        return False
    # A desktop that hangs must not hold us up.
    subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return True
