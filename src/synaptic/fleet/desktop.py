"""Desktop notifications: an agent waits for somebody, or has failed."""

import shutil
import subprocess  # noqa: TID251  a desktop is told by a program
import sys
from collections.abc import Iterable, Iterator, Mapping

from synaptic.fleet.roster import Change
from synaptic.model.errand import Alert
from synaptic.runners.desktop import alert_command

TELLING = {"attention": "waits for you", "error": "has failed"}


def alerts(changes: Iterable[Change]) -> Iterator[Alert]:
    """Make an alert for every agent that has come to need somebody; not for one that did when we started."""
    for change in changes:
        status = change.became
        if status in TELLING and change.before is not None and change.after is not None:
            name = change.after.label or change.agent
            yield Alert(f"{name} {TELLING[status]}", change.after.note or change.after.project)


def show(alert: Alert, environ: Mapping[str, str]) -> bool:
    """Show an alert; False where there is no desktop to show it on."""
    words = alert_command(alert, environ, sys.platform)
    if not words or not shutil.which(words[0]):
        return False
    # A desktop that hangs must not hold us up.
    subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return True
