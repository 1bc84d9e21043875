"""Commands whose effect cannot be known before they run."""

import re
from collections.abc import Iterator
from itertools import islice

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.base import Policy
from synaptic.policies.code.feeding import find_code_sources
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_work_folders
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.flow import DataFlow, classify_interpreter
from synaptic.shell.names import split_names
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.read.limits import MAX_ROUNDS
from synaptic.shell.read.script import Command, Gap, Script
from synaptic.shell.reading import CommandReading

VARIABLE = re.compile(r"(?:eval|\w*sh -\w*c) [\"']?\$\{?[\w@*\[\]]+\}?[\"']?")
DECODED = re.compile(r"b64decode|fromhex|decodestring|atob\(|unhexlify|Base64\.decode|unpack\(")
BLUNT = re.compile(r"-\w*r\w*f\w*|-\w*f\w*r\w*", re.IGNORECASE)
DESTROYERS = split_names("rm dd shred chmod chown mv truncate")
QUOTED_LINE = re.compile(r"(?:rm|dd|mkfs\S*|shred|chmod|chown|sudo|git\s+(?:push|reset|clean|branch|stash))\s")
MADE_COMMAND = re.compile(
    r"(?<![\w.-])(?<!git )(?<!docker )rm\s+(?:-\w+\s+)*-\w*r|\bgit\s+(?:reset\s+--hard|clean\s+-\w*f|branch\s+-D"
    r"|push\s+(?:-f\b|--force\b(?!-)|\S*\s*--(?:delete|mirror)\b)|stash\s+(?:drop|clear))|\b(?:mkfs[\w.]{0,12}|shred|wipefs)\s"
    r"|\bdd\s+\S*\s*of=/dev/|\bch(?:mod|own)\s+-\w*R"
)
"""The beginning of a command that destroys, in text that is made to be run."""
MADE_HINTS = ("rm", "git", "mkfs", "shred", "wipefs", "dd", "chmod", "chown")
REPLACES = re.compile(r"(?:^|[;\s\d$/])s([^\w\s\\])")
MAX_MADE_TEXT = 20_000
"""Characters of one argument that are looked at."""
MAX_REPLACEMENTS = 100


class Unreadable(Policy):
    """Running text that cannot be known beforehand.

    ## What it does
    Asks before `eval "$X"` and `sh -c "$X"` of an unknown variable, decoded or fetched code in other languages, an
    unknown program with the arguments of a deletion (`$TOOL -rf /`), deletions that are made from a list and piped into
    a shell (`sed 's/^/rm -rf /' list | sh`), code that a filter makes from a text which hints at destruction, and
    scripts that are too long or too deep to be read. Denies a whole
    command line that is quoted as one word, which runs nothing. Unknown variables elsewhere are ordinary, and so is the
    output of local programs (`eval "$(ssh-agent)"`).
    ## Why
    What cannot be read cannot be guarded, and a person can look where a policy cannot.
    ## Known gaps
    Code piped into an interpreter from a local file is taken for what it is: code of the project.
    """

    id = "code.unreadable"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 27
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        return _judge_text(known, get_work_folders(event, facts)) if known is not None else None


@kept_beside
def _judge_text(known: CommandReading, at: WorkFolders) -> Verdict | None:
    found = known.script
    if any(_is_hidden(gap) for gap in found.unresolved):
        return ask("This runs code that is not known before it runs. Write the command out.")
    if _runs_made_commands(found):
        return ask(
            "Commands that destroy are made from a list and run unseen. Write them to a file, read it, and run it "
            "in a second command."
        )
    for command in found.commands if _has_odd_program(found) else ():
        if QUOTED_LINE.match(command.argv[0].text):
            return deny(
                "The whole command line is quoted as one word, which names no program. Write it without quotes."
            )
        if not command.name and _looks_like_deletion(command, at):
            return ask("An unknown program with the arguments of a deletion. Write the program's name out.")
    # Asked after the checks above, whose reasons tell the agent more.
    if found.truncated:
        return ask(f"This cannot be read to its end ({found.truncated}). Split it, or put it into a file to be read.")
    if _loops_beyond_limit(found):
        return ask("This destroys more things in a loop than can be looked at. Name them in smaller groups.")
    return None


def _has_odd_program(found: Script) -> bool:
    """Whether there is a program without a name, or one whose name is a whole command line."""
    return "" in found.by_name or any(map(QUOTED_LINE.match, found.first_words))


def _is_hidden(gap: Gap) -> bool:
    if gap.kind != "code":
        return False
    return bool(gap.origin or VARIABLE.fullmatch(gap.text) or DECODED.search(gap.text))


def _runs_made_commands(found: Script) -> bool:
    """Whether a shell runs what another command prints, and that one holds the text of a destroying command."""
    # A shell whose input is known was read already; only unknown code leaves such a gap.
    if not any(gap.kind == "code" for gap in found.unresolved):
        return False
    makers = {one.index for one in found.commands if any(MADE_COMMAND.search(text) for text in _iter_printed(one))}
    if not makers:
        return False
    flow = DataFlow(found)
    stored = any(found.commands[index].name == "git" for index in makers)
    shells = (
        one for one in found.commands if find_program(one.name).evaluates or classify_interpreter(one.name) == "shell"
    )
    # What git was given in one command (a message, a note) it may print in another.
    return any(
        one.index in makers or (stored and one.name == "git")
        for shell in shells
        for one in find_code_sources(found, flow, shell)
    )


def _iter_printed(command: Command) -> Iterator[str]:
    """The arguments that a command may print parts of."""
    if find_program(command.name).picks:
        return  # its words choose lines and are not printed
    for text in command.args:
        if " " in text and any(sign in text for sign in MADE_HINTS):
            yield from (
                _iter_replacements(text[:MAX_MADE_TEXT]) if command.name in ("sed", "gsed") else (text[:MAX_MADE_TEXT],)
            )


def _iter_replacements(script: str) -> Iterator[str]:
    """What `sed` puts in: the second part of each `s/old/new/`. What it looks for is not printed for that."""
    for found in islice(REPLACES.finditer(script), MAX_REPLACEMENTS):
        yield from script[found.end() :].split(found[1], 2)[1:2]


def _looks_like_deletion(command: Command, at: WorkFolders) -> bool:
    if not any(BLUNT.fullmatch(text) for text in command.args):
        return False
    hit = (at.classify_word(word, command.cwd) for word in command.argv[1:] if word.text[:1] != "-")
    return any(place in (PathArea.WHOLE, PathArea.SYSTEM, PathArea.HERE) for place in hit)


def _loops_beyond_limit(found: Script) -> bool:
    """Whether a loop destroys more items than were read: the last one then stands for the rest."""
    last = [command for command in found.commands if command.looped and command.name in DESTROYERS]
    return len(last) > MAX_ROUNDS and not all(word.known for word in last[-1].argv)
