"""Secrets put into a repository."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS
from synaptic.policies.secrets.private import is_secret
from synaptic.policies.secrets.widened import WHOLE, list_widened_adds
from synaptic.shell.book.entries import list_names_with
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.reading import CommandReading

DUMPERS = list_names_with("environment") | {"env", "printenv"}
PRACTICE = re.compile(r"(?:^|[/._-])(?:tests?|fixtures?|examples?|samples?|spec|testdata|mocks?|demo)(?:[/._-]|$)")
"""Names that say that what is in them is for practice."""


class Committed(Policy):
    """Putting a secret into a repository.

    ## What it does
    Asks before `git add -f` of a file that the project ignores because it holds secrets (`.env`, keys, credentials),
    of everything with such a file among it (`git add -A -f .`), of everything behind a command that takes the name of a
    secret out of `.gitignore` while such a file lies there (`sed -i '/env/d' .gitignore && git add -A`), and before a
    file is added into which the same line has written the whole environment (`env > debug.log && git add debug.log`).
    Templates (`.env.example`), files for tests, and other files that are ignored (`git add -f dist`) are free.
    ## Why
    What was committed stays in the history, and what was pushed is copied: the key has to be replaced.
    ## Known gaps
    What a file holds is not read, folders are looked into three deep and up to 3,000 names, and a file that the
    project does not ignore is its own choice.
    """

    id = "secrets.committed"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git add", "git stage"})
    priority = 24
    preset = "essentials"
    needs = ("loose_secrets",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or known.git_verbs.isdisjoint(("add", "stage")):
            return None
        calls = [call for call in known.acting_git_calls if call.verb in ("add", "stage")]
        path = next(_iter_forced(calls, facts.home), "") or next(_iter_dumped(calls, known, facts.home), "")
        path = path or next(_iter_loose(known, facts), "")
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


def _iter_loose(known: CommandReading, facts: Facts) -> Iterator[str]:
    """Files with secrets that lie where everything is added, whatever is ignored."""
    added = list_widened_adds(known, facts.home, facts.root) if facts.loose_secrets else ()
    inside = (path for path in facts.loose_secrets if is_inside(path, added))
    yield from (path for path in inside if not PRACTICE.search(path.removeprefix(f"{facts.root}/")))


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
