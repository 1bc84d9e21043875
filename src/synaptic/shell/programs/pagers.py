"""Pagers and editors: programs that other programs start, named by a variable."""

from collections.abc import Iterable

from synaptic.shell.book.entries import find_program
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.state import CommandCall

PAGER_VARIABLES = ("PAGER",)
EDITOR_VARIABLES = ("EDITOR", "VISUAL")
GIT_VARIABLES = (
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    *PAGER_VARIABLES,
    *EDITOR_VARIABLES,
)
DATABASE_VARIABLES = ("PSQL_PAGER", "PSQL_EDITOR", *PAGER_VARIABLES, *EDITOR_VARIABLES)
SUDO_VARIABLES = ("SUDO_EDITOR", *EDITOR_VARIABLES)


def start_named(shell: Evaluation, call: CommandCall, variables: Iterable[str]) -> None:
    """Run what these variables name, as far as they are set here or before."""
    given = dict(call.assignments)
    for name in variables:
        held = given.get(name) or shell.variables.get(name)
        if held is not None and held.known and held.text:
            with shell.isolate(), shell.feed_input(None):
                shell.run_code(held.text.lstrip("|-"), name)


def start_pager(shell: Evaluation, call: CommandCall) -> str | None:
    """Run the pager or editor of a program, as far as the text itself sets its variable."""
    variables = find_program(call.name).starts.split()
    if call.assignments or not shell.variables.keys().isdisjoint(variables):
        start_named(shell, call, variables)
    return None
