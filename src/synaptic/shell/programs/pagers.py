"""Pagers and editors: programs that other programs start, named by a variable."""

from collections.abc import Iterable

from synaptic.shell.book.entries import find_program
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.state import Call

PAGERS = ("PAGER",)
EDITORS = ("EDITOR", "VISUAL")
OF_GIT = ("GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", *PAGERS, *EDITORS)
OF_DATABASES = ("PSQL_PAGER", "PSQL_EDITOR", *PAGERS, *EDITORS)
OF_SUDO = ("SUDO_EDITOR", *EDITORS)


def start_named(shell: Evaluation, call: Call, variables: Iterable[str]) -> None:
    """Run what these variables name, as far as they are set here or before."""
    given = dict(call.assignments)
    for name in variables:
        held = given.get(name) or shell.variables.get(name)
        if held is not None and held.known and held.text:
            with shell.apart(), shell.reading(None):
                shell.code(held.text.lstrip("|-"), name)


def start_pager(shell: Evaluation, call: Call) -> str | None:
    """Run the pager or editor of a program, as far as the text itself sets its variable."""
    variables = find_program(call.name).starts.split()
    if call.assignments or not shell.variables.keys().isdisjoint(variables):
        start_named(shell, call, variables)
    return None
