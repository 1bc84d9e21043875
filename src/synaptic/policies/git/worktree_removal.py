"""Removal of worktrees."""

import re
from collections.abc import Iterator
from itertools import pairwise
from os.path import normpath

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, find_repository, list_calls, read_event_script
from synaptic.policies.reading import rewrite_command
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.read.writing import escape_double_quoted, quote_word

ScriptEdit = tuple[Word | Command, str]
WORKTREES_FOLDER = ".worktrees"
MAX_EDITS = 64
"""A command that removes more than some dozens of worktrees is left as it is."""
RECURSIVE = re.compile(r"-[a-zA-Z]*[rR]|--rec")


class WorktreeRemoval(Policy):
    """Removing the worktree that the shell stands in, or one with uncommitted work.

    ## What it does
    Puts `cd "<main worktree>" && ` in front of `git worktree remove`, and of `rm -r .worktrees/<name>`; relative paths
    are written out where that changes their meaning. Denies `git worktree remove --force`.
    ## Why
    A shell whose folder is gone fails with every later command. And without `--force` git itself refuses to remove a
    worktree that has uncommitted work.
    ## Known gaps
    A removal that stands inside quoted code (`sh -c`) or behind `sudo` is left as it is. `git worktree prune` is free.
    """

    id = "git.worktree-removal"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 36
    preset = "essentials"
    needs = ("repositories",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        removals = [call for call in list_calls(event, facts, ("worktree",)) if _removes_worktree(call)]
        if any(call.given.has("force") for call in removals):
            return deny(
                "`git worktree remove --force` deletes uncommitted work in that worktree. Commit it there "
                "(`git -C <worktree> add -A && git -C <worktree> commit`), then remove it without `--force`."
            )
        # A removal with `rm` names the folder `.worktrees`, so this word is in it too.
        if "worktree" not in event.tool.command:
            return None
        text = read_event_script(event, facts)
        edits = [edit for call in removals for edit in _move_call(call, text, facts)]
        edits += [
            edit
            for command in text.commands
            if _deletes_worktree(command)
            for edit in _move_deletion(command, text, facts)
        ]
        new = text.replace_all(edits) if 0 < len(edits) <= MAX_EDITS else None
        if new is None or new == text.text:
            return None
        reason = "Going to the main worktree first, so that the shell does not stand in a folder that is gone."
        return rewrite_command(event, new, reason)


def _removes_worktree(call: GitCall) -> bool:
    return call.verb == "worktree" and bool(call.given.words) and call.given.words[0].text == "remove"


def _move_call(call: GitCall, text: Script, facts: Facts) -> Iterator[ScriptEdit]:
    """Edits that put `cd <main worktree>` before the call and make its relative paths absolute."""
    git = find_repository(call, facts)
    main = git.main or _find_main(call.cwd, facts)
    yield from _prepend_cd(main, call.command, text)
    folders = [word for before, word in pairwise(call.command.argv) if before.text == "-C"]
    if folders:
        # Paths are relative to that folder, so it is enough to write it out.
        yield from ((word, quote_word(call.cwd)) for word in folders if word.text[:1] != "/" and call.cwd)
    elif call.cwd != main:
        for word in call.given.operands[1:]:
            if "/" in word.text or normpath(f"{call.cwd}/{word.text}") in git.worktrees:
                yield from _make_absolute(word, call.cwd)


def _find_main(folder: str, facts: Facts) -> str:
    """The main worktree: the folder itself when it is known as one, else the one that is known, else the root."""
    known = [git.main for git in facts.repositories.values() if git.main]
    return folder if folder in known else next(iter(known), facts.root)


def _deletes_worktree(command: Command) -> bool:
    if command.name != "rm" or not any(RECURSIVE.match(text) for text in command.args):
        return False
    return any(_is_worktree(word, command.cwd) for word in command.argv[1:])


def _is_worktree(word: Word, cwd: str) -> bool:
    return word.known and f"/{WORKTREES_FOLDER}/" in f"{normpath(f'{cwd}/{word.text}')}/" and word.text[:1] != "-"


def _move_deletion(command: Command, text: Script, facts: Facts) -> Iterator[ScriptEdit]:
    main = _find_main(command.cwd, facts)
    yield from _prepend_cd(main, command, text)
    if command.cwd != main:
        for word in command.argv[1:]:
            if word.text[:1] != "-":
                yield from _make_absolute(word, command.cwd)


def _prepend_cd(main: str, command: Command, text: Script) -> Iterator[ScriptEdit]:
    """Edits that put `cd` in front of a command that stands in the text as such."""
    if command.span is None or command.inner or command.via or not main:
        return
    start, end = command.span
    go = f'cd "{escape_double_quoted(main)}" && '
    before = text.text[:start]
    # The rewritten command is checked again, and must not be rewritten twice.
    if before.endswith(go):
        return
    if not before.strip():
        yield Word("", span=(start, start)), go
        return
    # In the middle of a list the two belong together: `a || cd b && c` would run `c` after `a`.
    yield Word("", span=(start, start)), f"{{ {go}"
    yield Word("", span=(end, end)), "; }"


def _make_absolute(word: Word, cwd: str) -> Iterator[ScriptEdit]:
    if word.text[:1] not in "/~" and word.known and not word.glob and cwd:
        yield word, quote_word(normpath(f"{cwd}/{word.text}"))
