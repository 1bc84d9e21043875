"""Files that are written to the temporary folder of the whole machine."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, rewrite
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.script import SAFE_WORD, Script, Span, Word
from synaptic.shell.read.writing import escape_double_quoted, quote_word
from synaptic.shell.reading import CommandReading

SHARED_FOLDERS = ("/tmp",)
OWN_SCRATCH = re.compile(r"/tmp/claude-")
"""The agent's own scratchpad."""
MENTION = re.compile(r"(?<![\w./~}-])(?:/private)?/tmp(?=$|[/'\"\s;)])")
ASSIGNED = re.compile(r"""((?:^|[\s;&|(])\w+=["']?)((?:/private)?/tmp(?=$|[/'"\s;)]))""", re.MULTILINE)
MAX_MENTIONS = 100
"""A command that names the folder more often than this is left as it is."""


class SharedTmp(Policy):
    """Writing to `/tmp` instead of the project.

    ## What it does
    Rewrites a command that writes to `/tmp` (redirections, `tee`, `touch`, `mkdir`, `cp`, `curl -o` and so on): every
    `/tmp/` in it becomes `<project root>/tmp/`, and `mkdir -p <project root>/tmp` runs first. Commands that only read
    there, `/var/tmp`, and the agent's own scratchpad (`/tmp/claude-...`) stay as they are.
    ## Why
    What lies in `/tmp` belongs to no project, is shared with every user of the machine, and is gone after a restart.
    ## Known gaps
    Files that a script writes there, or a program without naming them, are not seen. A path inside quoted code is only
    rewritten when the project's root is a plain word.
    """

    id = "scratch.shared-tmp"
    events = (PreToolUse,)
    tools = ("Bash",)
    priority = 34
    preset = "practice"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        text = event.tool.command
        if facts.command is None or "tmp" not in text or not facts.root or OWN_SCRATCH.search(text):
            return None
        script = facts.command.script
        if not any(_is_in_tmp(path, facts.root) for path in _iter_written(facts.command)):
            return None
        new = _move_to_project(script, facts.root)
        if new is None or new == text:
            return None
        root = quote_word(f"{facts.root}/tmp")
        moved = event.tool.replace_command(f"mkdir -p {root} && {new}")
        if moved is None:  # no reason to refuse it: a file tool may write there
            return None
        return rewrite(
            moved,
            f"Writing to {facts.root}/tmp instead of /tmp: scratch files stay with the project.",
        )


def _is_in_tmp(path: str, root: str) -> bool:
    """Whether a path is in the shared folder, and not in a project that lies there itself."""
    return is_inside(path, SHARED_FOLDERS) and not is_inside(path, (root,))


def _iter_written(command: CommandReading) -> Iterator[str]:
    """Every path that the command writes, as far as it is known."""
    return (resolve_path(one.word.text, Standpoint(one.cwd)) or "" for one in command.effects.writes if one.is_named)


def _move_to_project(script: Script, root: str) -> str | None:
    """The command with every mention of the folder moved below the root; None when it cannot be put there safely."""
    mentions = _find_mentions(script)
    if len(mentions) > MAX_MENTIONS:
        return None
    text = script.replace_all(
        (word, _rename_tmp(_read_spelling(word, script), root)) for word in _keep_innermost(mentions)
    )
    if text is None or not SAFE_WORD.fullmatch(root):
        return text
    # What a variable brings is changed where the variable is set.
    return ASSIGNED.sub(lambda found: found[1] + _rename_tmp(found[2], root), text)


def _find_mentions(script: Script) -> dict[Span, Word]:
    """Every word whose own spelling names the folder, by its place."""
    words = [word for command in script.commands for word in command.argv]
    words += [word for command in script.commands for _, word in command.assignments]
    words += [redirect.target for redirect in script.redirects if not redirect.operator.startswith("<<")]
    return {word.span: word for word in words if word.span and MENTION.search(_read_spelling(word, script))}


def _keep_innermost(mentions: dict[Span, Word]) -> list[Word]:
    """Of words inside one another (`sh -c '...'`) the inner ones."""
    return [word for span, word in mentions.items() if not any(_contains_span(span, other) for other in mentions)]


def _read_spelling(word: Word, script: Script) -> str:
    return script.text[word.span[0] : word.span[1]] if word.span else word.text


def _contains_span(span: Span, other: Span) -> bool:
    return span != other and span[0] <= other[0] and other[1] <= span[1]


def _rename_tmp(written: str, root: str) -> str:
    """Text as it is written, with the root in front of each `/tmp`."""
    return MENTION.sub(lambda found: _replace_mention(found, root), written)


def _replace_mention(found: re.Match[str], root: str) -> str:
    before, after = found.string[: found.start()], found.string[found.start() :]
    # The project itself lies in /tmp: its paths stay as they are.
    if after.startswith(f"{root}/"):
        return found[0]
    if SAFE_WORD.fullmatch(root):
        return f"{root}/tmp"
    # An odd number of quotes in front: the folder is named inside them.
    if before.count('"') % 2:
        return f"{escape_double_quoted(root)}/tmp"
    if before.count("'") % 2:
        return root.replace("'", "'\\''") + "/tmp"
    return f"{quote_word(root)}/tmp"
