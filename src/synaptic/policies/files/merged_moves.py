"""Several files moved onto one name."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, get_work_folders, select_commands
from synaptic.shell.book.entries import find_program
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.read.script import Command, Script, Word

MOVERS = frozenset({"mv", "gmv"})
EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})$")
REPEATING = ("xargs", "find -exec", "parallel", "fd")
"""Through what a command runs once for each of many."""
LEAVES_LOOP = re.compile(r"\bbreak\b|-quit\b|\bhead -n? ?1\b|\bhead -1\b")


class MergedMoves(Policy):
    """Moving several files onto one name.

    ## What it does
    Asks before a loop, `xargs` or `find -exec` moves one file after the other onto the same name
    (`for f in *.md; do mv "$f" all.md; done`): each of them overwrites the one before. A target counts as a file when
    it has the extension that the moved files have. Folders, names that hold the variable (`mv "$f" "$f.bak"`), moves
    that keep what is there (`mv -n`, `mv -b`), loops that end after the first file, and scratch folders are free.
    ## Why
    Only the last file survives; the others are gone without a word.
    ## Known gaps
    Targets without an extension may be folders and are left alone, and so are copies: what is copied is still there.
    """

    id = "files.merged-moves"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = MOVERS
    priority = 23
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, MOVERS)
        if found is None or LEAVES_LOOP.search(found.text):
            return None
        target = next(_iter_merged(found, get_work_folders(event, facts)), None)
        if target is None:
            return None
        return ask(
            f"Each file would be moved onto {target.text!r} and overwrite the one before: only the last is left. "
            f'Put them together with `cat ... > {target.text}`, or move them into a folder (`mv -n "$f" folder/`).'
        )


def _iter_merged(found: Script, at: WorkFolders) -> Iterator[Word]:
    seen: set[str] = set()
    for command in select_commands(found, MOVERS):
        source, target = _read_move(command)
        if source is None or target is None or at.classify_word(source, command.cwd) is PathArea.SCRATCH:
            continue
        if _stands_for_many(source) or target.text in seen:
            yield target
        if command.looped:
            seen.add(target.text)


def _read_move(command: Command) -> tuple[Word | None, Word | None]:
    """What is moved and onto which file, where that happens again and again."""
    if not command.looped and not any(label.startswith(REPEATING) for label in command.via):
        return None, None
    given = find_program(command.name).read(command.argv[1:])
    if len(given.operands) != 2 or given.has_role("keep") or given.has_role("into"):
        return None, None
    source, target = given.operands
    same = EXTENSION.search(target.text)
    if not target.known or same is None or _holds_pattern(target):
        return None, None
    other = EXTENSION.search(source.text)
    # Of a name that only the loop knows the extension is not known either.
    fits = other[1] == same[1] if other else not source.known or "{}" in source.text
    return (source, target) if fits else (None, None)


def _stands_for_many(source: Word) -> bool:
    return not source.known or _holds_pattern(source)


def _holds_pattern(word: Word) -> bool:
    # A pattern that a loop goes through is quoted in its body, and so no pattern there.
    return "{}" in word.text or any(sign in word.text for sign in "*?[")
