"""Files that are written to the temporary folder of the whole machine."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, rewrite
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import sees_other_files
from synaptic.policies.scratch.moved import move_mentions
from synaptic.policies.scratch.same_run import runs_the_same
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.reader import read_safely
from synaptic.shell.read.writing import quote_word
from synaptic.shell.reading import CommandReading

SHARED_FOLDERS = ("/tmp",)
OWN_SCRATCH = re.compile(r"/tmp/claude-")
"""The agent's own scratchpad."""


class SharedTmp(Policy):
    """Writing to `/tmp` instead of the project.

    ## What it does
    Rewrites a command that writes to `/tmp` (redirections, `tee`, `touch`, `mkdir`, `cp`, `curl -o`, `wget -O`,
    `tar -C`, `git clone` and so on): every `/tmp/` in it becomes `<project root>/tmp/`, and
    `mkdir -p <project root>/tmp` runs first. Commands that only read there, `/var/tmp`, and the agent's own scratchpad
    (`/tmp/claude-...`) stay as they are, and so does what another machine or a container calls `/tmp` (`ssh`,
    `docker exec`, `kubectl exec`, `chroot`), the text of documents and of commit messages. The new command is read
    once more: one that would not do the same, but for the name of the folder, is not rewritten.
    ## Why
    What lies in `/tmp` belongs to no project, is shared with every user of the machine, and is gone after a restart.
    ## Known gaps
    Files that a script writes there, or a program without naming them, are not seen. A folder that a container is
    given (`docker run -v /tmp/x:/x`) is left as it is, with the whole command. Where the project's root is no plain
    word, only words are rewritten, and code in quotes is left as it is.
    """

    id = "scratch.shared-tmp"
    events = (PreToolUse,)
    tools = ("Bash",)
    priority = 34
    preset = "practice"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known, root, text = facts.command, facts.root, event.tool.command
        if known is None or "tmp" not in text or not root or OWN_SCRATCH.search(text):
            return None
        if not any(_is_in_tmp(path, root) for path in _iter_written(known)):
            return None
        new = _move_to_project(known, root)
        moved = event.tool.replace_command(new) if new else None
        if moved is None:  # no reason to refuse it: a file tool may write there
            return None
        return rewrite(moved, f"Writing to {root}/tmp instead of /tmp: scratch files stay with the project.")


def _is_in_tmp(path: str, root: str) -> bool:
    """Whether a path is in the shared folder, and not in a project that lies there itself."""
    return is_inside(path, SHARED_FOLDERS) and not is_inside(path, (root,))


def _iter_written(command: CommandReading) -> Iterator[str]:
    """Every path of this machine that the command writes, as far as it is known."""
    for one in command.effects.writes:
        if one.is_named and not sees_other_files(one):
            yield resolve_path(one.word.text, Standpoint(one.cwd)) or ""


def _move_to_project(known: CommandReading, root: str) -> str | None:
    """The command with the folder moved below the root; None where it would not do the same any more."""
    new = move_mentions(known.script, root)
    if new is None or new == known.text:
        return None
    whole = f"mkdir -p {quote_word(f'{root}/tmp')} && {new}"
    again = read_safely(whole, known.cwd, known.home)
    return whole if runs_the_same(known.script, again, root, SHARED_FOLDERS) else None
