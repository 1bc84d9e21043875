"""A word to whoever looks at another window: an agent waits, or has failed."""

import shutil
import subprocess  # noqa: TID251  a desktop is told by a program
import sys
from collections.abc import Iterable, Iterator, Mapping

from synaptic.fleet.roster import Change
from synaptic.model.errand import Alert
from synaptic.runners.desktop import alert_command

TELLING = {"attention": "waits for you", "error": "has failed"}


def alerts(changes: Iterable[Change]) -> Iterator[Alert]:
    """One for every agent that has come to need somebody. Who was like that when we came is no news."""
    for change in changes:
        status = change.became
        if status in TELLING and change.before is not None and change.after is not None:
            name = change.after.label or change.agent
            yield Alert(f"{name} {TELLING[status]}", change.after.note or change.after.project)


def show(alert: Alert, environ: Mapping[str, str]) -> bool:
    """Whether there is a desktop that is told."""
    words = alert_command(alert, environ, sys.platform)
    if not words or not shutil.which(words[0]):
        return False
    # A desktop that hangs must not hold us up.
    subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return True
