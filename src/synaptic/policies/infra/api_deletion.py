"""Requests that delete something at a service of another machine."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.addresses import LOCAL_ADDRESS
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command

CLIENTS = split_names("curl curlie wget wget2 http https xh xhs invoke-webrequest invoke-restmethod iwr irm")
METHOD_OPTIONS = ("request", "method")
HOST = re.compile(r"(?:https?://)?(?:[^/@\s]*@)?(\[[\da-fA-F:]+\]|[\w.-]+)(?::\d+)?(?=[/?#]|$)", re.IGNORECASE)
PRACTICE = re.compile(
    r"(?:.*\.)?(?:test|local|localhost|example|invalid|example\.(?:com|org|net)|httpbin\.org|postman-echo\.com|reqres\.in"
    r"|jsonplaceholder\.typicode\.com|lvh\.me|nip\.io)|[^.]+"
)
"""Names that nobody is served under, and those of neighbours in a network of containers, which have no dot."""
DELETING_PATH = re.compile(r"/_delete_by_query\b|/_purge\b")
REHEARSED = re.compile(r"[?&]dry_?run\b(?!=false)", re.IGNORECASE)


class ApiDeletion(Policy):
    """Deleting something at a service of another machine with a request.

    ## What it does
    Asks before a request with the method DELETE (`curl -X DELETE`, `wget --method=DELETE`, `http DELETE`,
    `Invoke-RestMethod -Method Delete`), or to an address that deletes by a query (`_delete_by_query`), goes to another
    machine. Free are addresses of this machine, names for tests (`*.test`, `*.local`, `*.example`), neighbours in a
    network of containers (`http://api:8080`), and rehearsals (`?dry_run=true`). `firm` denies instead.
    ## Why
    What a service deletes is gone for everybody who uses it, and the request does not say whether it can be undone.
    ## Known gaps
    A host that only a variable names is not known, and is left alone. Libraries of languages and requests that delete
    under another method are not looked at.
    """

    id = "infra.api-deletion"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = CLIENTS
    priority = 26
    preset = "essentials"

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, CLIENTS)
        for command in select_commands(found, CLIENTS) if found is not None else ():
            if host := next(_iter_hosts(command), ""):
                return (deny if self.firm else ask)(
                    f"This would delete something at {host!r}, for everybody who uses it. Read what is there first "
                    "(the same address with GET), and let the user delete it."
                )
        return None


def _iter_hosts(command: Command) -> Iterator[str]:
    """The hosts of other machines at which a request deletes."""
    if not _may_delete(command):
        return
    deletes = _is_deletion(command)
    for word in find_program(command.name).read(command.argv[1:]).operands:
        host = _find_host(word.text)
        if host and (deletes or DELETING_PATH.search(word.text)) and not REHEARSED.search(word.text):
            yield host


def _may_delete(command: Command) -> bool:
    return any("delete" in text.lower() or "_purge" in text for text in command.args)


def _is_deletion(command: Command) -> bool:
    given = find_program(command.name).read(command.argv[1:])
    methods = [word.text for word in given.get_values(*METHOD_OPTIONS)]
    methods += [word.text for word in given.operands[:1]]
    methods += [value for name, value in pairwise(command.args) if name.lower() == "-method"]
    return any(text.upper() == "DELETE" for text in methods)


def _find_host(text: str) -> str:
    """The host of an address, unless it is this machine or one for practice; a variable's value is not known."""
    found = HOST.match(text) if len(text) <= MAX_PATH else None
    if found is None or LOCAL_ADDRESS.match(text) or PRACTICE.fullmatch(found[1].lower()):
        return ""
    return found[1]
