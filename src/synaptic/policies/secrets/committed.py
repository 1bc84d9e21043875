"""Secrets put into a repository."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS
from synaptic.policies.secrets.private import is_secret
from synaptic.shell.book.entries import list_names_with
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.reading import CommandReading

DUMPERS = list_names_with("environment") | {"env", "printenv"}
WHOLE = frozenset({".", "./", ":/", "*"})
PRACTICE = re.compile(r"(?:^|[/._-])(?:tests?|fixtures?|examples?|samples?|spec|testdata|mocks?|demo)(?:[/._-]|$)")
"""Names that say that what is in them is for practice."""


class Committed(Policy):
    """Putting a secret into a repository.

    ## What it does
    Asks before `git add -f` of a file that the project ignores because it holds secrets (`.env`, keys, credentials),
    and before a file is added into which the same line has written the whole environment
    (`env > debug.log && git add debug.log`). Templates (`.env.example`), files for tests, and other files that are
    ignored (`git add -f dist`) are free.
    ## Why
    What was committed stays in the history, and what was pushed is copied: the key has to be replaced.
    ## Known gaps
    What a file holds is not read, and a file that the project does not ignore is its own choice.
    """

    id = "secrets.committed"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git add", "git stage"})
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or known.git_verbs.isdisjoint(("add", "stage")):
            return None
        calls = [call for call in known.acting_git_calls if call.verb in ("add", "stage")]
        path = next(_iter_forced(calls, facts.home), "") or next(_iter_dumped(calls, known, facts.home), "")
        if not path:
            return None
        return ask(
            f"{path!r} holds keys or tokens, and would be in the history for good. Commit a template without values "
            "(`.env.example`), and give the values to whoever needs them another way."
        )


def _iter_forced(calls: list[GitCall], home: str) -> Iterator[str]:
    """Files with secrets that are added although they are ignored."""
    for call in calls:
        if not call.given.has("force") or call.given.has("dry-run"):
            continue
        for word in call.given.operands:
            path = resolve_path(word.text, Standpoint(call.cwd, home)) if word.known else None
            if path and is_secret(path, home) and not PRACTICE.search(word.text):
                yield path


def _iter_dumped(calls: list[GitCall], known: CommandReading, home: str) -> Iterator[str]:
    """Files into which the environment was written before, and which are added then."""
    found = known.script
    for dumper in found.commands if not DUMPERS.isdisjoint(known.programs) else ():
        if dumper.name not in DUMPERS or any(text[:1] != "-" for text in dumper.args):
            continue
        last = (dumper, *found.find_downstream(dumper))[-1]
        for redirect in last.redirects:
            path = resolve_path(redirect.target.text, Standpoint(redirect.cwd or last.cwd, home))
            added = (call for call in calls if call.command.index > dumper.index)
            if redirect.is_write and path and any(_adds(call, path, home) for call in added):
                yield path


def _adds(call: GitCall, path: str, home: str) -> bool:
    if call.given.has("all") or any(word.text in WHOLE for word in call.given.operands):
        return bool(call.cwd) and path.startswith(f"{call.cwd}/")
    return any(resolve_path(word.text, Standpoint(call.cwd, home)) == path for word in call.given.operands)
