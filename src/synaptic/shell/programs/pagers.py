"""Pagers and editors: programs that other programs start, named by a variable."""

from collections.abc import Iterable

from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.state import Call

PAGERS = ("PAGER",)
EDITORS = ("EDITOR", "VISUAL")
OF_GIT = ("GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", *PAGERS, *EDITORS)
OF_DATABASES = ("PSQL_PAGER", "PSQL_EDITOR", *PAGERS, *EDITORS)
OF_SUDO = ("SUDO_EDITOR", *EDITORS)
STARTED: dict[str, tuple[str, ...]] = {
    "man": ("MANPAGER", *PAGERS),
    "less": ("LESSOPEN", "LESSCLOSE", *EDITORS),
    "more": EDITORS,
    "bat": ("BAT_PAGER", *PAGERS),
    "gh": ("GH_PAGER", "GH_EDITOR", "GH_BROWSER", "BROWSER", *PAGERS, *EDITORS),
    "glab": ("GLAB_PAGER", "BROWSER", *PAGERS, *EDITORS),
    "aws": ("AWS_PAGER", *PAGERS),
    "systemctl": ("SYSTEMD_PAGER", "SYSTEMD_EDITOR", *PAGERS, *EDITORS),
    "journalctl": ("SYSTEMD_PAGER", *PAGERS),
    "hg": ("HGEDITOR", *PAGERS, *EDITORS),
    "svn": ("SVN_EDITOR", *EDITORS),
    **dict.fromkeys(("sudoedit", "visudo", "vipw", "vigr"), OF_SUDO),
}
"""The variables in which each program looks for the one that it starts."""


def start_named(shell: Evaluation, call: Call, variables: Iterable[str]) -> None:
    """Run what these variables name, as far as they are set here or before."""
    given = dict(call.assignments)
    for name in variables:
        held = given.get(name) or shell.variables.get(name)
        if held is not None and held.known and held.text:
            with shell.apart(), shell.reading(None):
                shell.code(held.text.lstrip("|-"), name)


def paged(shell: Evaluation, call: Call) -> str | None:
    variables = STARTED[call.name]
    if call.assignments or not shell.variables.keys().isdisjoint(variables):
        start_named(shell, call, variables)
    return None


PAGED: dict[str, Handler] = dict.fromkeys(STARTED, paged)
