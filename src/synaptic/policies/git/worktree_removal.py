"""Removal of worktrees."""

from collections.abc import Iterator
from itertools import pairwise
from os.path import normpath

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.loss import LostWork
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import NO_REPOSITORY, SHELL_TOOLS, find_repository, list_calls, read_event_script
from synaptic.policies.git.lost import find_loss
from synaptic.policies.git.made_here import find_made_folder
from synaptic.policies.git.questions import iter_folder_questions, list_deleted_folders
from synaptic.policies.reading import rewrite_command
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.read.writing import escape_double_quoted, quote_word

ScriptEdit = tuple[Word | Command, str]
WORKTREES_FOLDER = ".worktrees"
MAX_EDITS = 64
"""A command that removes more than some dozens of worktrees is left as it is."""


class WorktreeRemoval(Policy):
    """Removing the worktree that the shell stands in, or one with uncommitted work.

    ## What it does
    Puts `cd "<main worktree>" && ` in front of `git worktree remove`, and of `rm -r .worktrees/<name>`, where it is all
    of the line, or nothing behind it would then run in another folder; else it goes there in a subshell. Relative paths
    that would mean another folder there are written out. A worktree that the same line makes, and in which it does not
    stand, is removed as it is typed. Denies `git worktree remove --force` and `rm -r` of a
    worktree that has changes, untracked files or commits that are nowhere else, and names them; of one that has none
    it is free. Where the worktree cannot be looked at, `--force` is denied.
    ## Why
    A shell whose folder is gone fails with every later command. And without `--force` git itself refuses to remove a
    worktree that has uncommitted work.
    ## Known gaps
    A removal that stands inside quoted code (`sh -c`) or behind `sudo`, and one whose paths cannot be written out, is
    left as it is. `git worktree prune` is free. Ignored files in a worktree do not count as work, as for git itself.
    """

    id = "git.worktree-removal"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git worktree", "rm"})
    priority = 36
    preset = "essentials"
    needs = ("repositories", "losses")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        removals = [call for call in list_calls(event, facts, ("worktree",)) if _removes_worktree(call)]
        for call in removals:
            loss = find_loss(call, event, facts) if call.given.has("force") else LostWork()
            if loss is None or not loss.is_nothing:
                return _refuse("`git worktree remove --force`", loss)
        if refused := _refuse_deletion(facts):
            return refused
        # An `rm` is only moved where a folder is called so: its name is in the words, or in the folder one stands in.
        if not removals and WORKTREES_FOLDER not in event.tool.command and WORKTREES_FOLDER not in event.cwd:
            return None
        text = read_event_script(event, facts)
        edits = [edit for call in removals for edit in _move_call(call, text, facts)]
        edits += [edit for command in text.by_name.get("rm", ()) for edit in _move_deletion(command, text, facts)]
        new = text.replace_all(edits) if 0 < len(edits) <= MAX_EDITS else None
        if new is None or new == text.text:
            return None
        reason = "Going to the main worktree first, so that the shell does not stand in a folder that is gone."
        return rewrite_command(event, new, reason)


def _refuse(what: str, loss: LostWork | None) -> Verdict:
    return deny(
        f"{what} deletes uncommitted work in that worktree{f': {loss}' if loss else ''}. Commit it there "
        "(`git -C <worktree> add -A && git -C <worktree> commit`), then remove it without `--force`."
    )


def _refuse_deletion(facts: Facts) -> Verdict | None:
    """A folder that is deleted with a worktree in it: only what was found there counts."""
    if facts.command is None or not facts.losses or "rm" not in facts.command.programs:
        return None
    found = (facts.losses.get(question.key) for question in iter_folder_questions(facts.command))
    return next((_refuse("This `rm`", loss) for loss in found if loss is not None and not loss.is_nothing), None)


def _removes_worktree(call: GitCall) -> bool:
    return call.verb == "worktree" and bool(call.given.words) and call.given.words[0].text == "remove"


def _move_call(call: GitCall, text: Script, facts: Facts) -> Iterator[ScriptEdit]:
    """Edits that have the call run in the main worktree; none where that would change anything else."""
    main = _find_main(call.command.cwd, find_repository(call, facts).main, facts)
    if not main or not call.cwd:
        return
    words = call.given.operands[1:]
    folders = [word for before, word in pairwise(call.command.argv) if before.text == "-C"]
    removed = [resolve_path(word.text, Standpoint(call.cwd, facts.home)) or "" for word in words]
    if _is_made_before(call, removed, facts):
        return
    if call.command.cwd == main:
        yield from _prepend_cd(main, call.command, text)
        return
    paths = folders or [
        word for word in words if "/" in word.text or word.text in (".", "..") or _is_near(word, call, facts)
    ]
    # Of a folder that is named with `-C`, paths start there: it is enough to write that one out.
    yield from _move_there(main, call.command, text, paths, removed)


def _is_made_before(call: GitCall, removed: list[str], facts: Facts) -> bool:
    """Whether the line itself makes the worktrees that it removes, so that no other shell stands in one of them."""
    known = facts.command
    if known is None or not all(removed) or any(is_inside(at, removed) for at in (known.cwd, call.command.cwd)):
        return False
    before = (other for other in known.acting_git_calls if other.command.index < call.command.index)
    made = {find_made_folder(other) for other in before if other.verb == "worktree"}
    return made.issuperset(removed)


def _is_near(word: Word, call: GitCall, facts: Facts) -> bool:
    """Whether a plain name is the folder beside, and not the end of a worktree's path, which git takes anywhere."""
    return normpath(f"{call.cwd}/{word.text}") in find_repository(call, facts).worktrees


def _move_deletion(command: Command, text: Script, facts: Facts) -> Iterator[ScriptEdit]:
    words = list_deleted_folders(command)
    tree = facts.repositories.get(command.cwd, NO_REPOSITORY)
    main = _find_main(command.cwd, tree.main, facts)
    paths = [resolve_path(word.text, Standpoint(command.cwd, facts.home)) or "" for word in words]
    if not main or not any(
        path in tree.worktrees or path.rpartition("/")[0] == f"{main}/{WORKTREES_FOLDER}" for path in paths
    ):
        return
    if command.cwd == main:
        yield from _prepend_cd(main, command, text)
    elif any(is_inside(command.cwd, (path,)) for path in paths):
        yield from _move_there(main, command, text, list(words), paths)


def _find_main(cwd: str, main: str, facts: Facts) -> str:
    """The main worktree; without a repository the root, where the shell stands in it."""
    return main or (facts.root if cwd == facts.root else "")


def _move_there(
    main: str, command: Command, text: Script, words: list[Word], removed: list[str]
) -> Iterator[ScriptEdit]:
    """Edits that run a command in the main worktree and name everything as it was named where it stands."""
    relative = [word for word in words if _means_another(word, command, main)]
    files = [redirect for redirect in command.redirects if redirect.target.text[:1] not in ("/", "&", "-")]
    if files or command.assignments or not command.cwd or any(not word.known or word.glob for word in relative):
        return
    if command.looped and relative:
        return  # one word stands for several paths
    goes_on = command.looped or any(
        other.span is not None and command.span is not None and other.span[0] >= command.span[1]
        for other in text.commands
    )
    inside = any(is_inside(command.cwd, (path,)) for path in removed)
    is_all = command.span is not None and not text.text[: command.span[0]].strip() and not goes_on
    moved = list(_prepend_cd(main, command, text, apart=not is_all and (goes_on or not inside)))
    yield from moved
    if moved:
        yield from ((word, quote_word(normpath(f"{command.cwd}/{word.text}"))) for word in relative)


def _means_another(word: Word, command: Command, main: str) -> bool:
    """Whether a word may mean another folder in the main worktree than where the command stands."""
    if word.text[:1] in ("/", "~"):
        return False
    is_certain = word.known and not word.glob and not command.looped
    return not is_certain or normpath(f"{main}/{word.text}") != normpath(f"{command.cwd}/{word.text}")


def _prepend_cd(main: str, command: Command, text: Script, apart: bool = False) -> Iterator[ScriptEdit]:
    """Edits that put `cd` in front of a command that stands in the text as such; `apart`: in a shell of its own."""
    if command.span is None or command.inner or command.via or not main:
        return
    start, end = command.span
    go = f'cd "{escape_double_quoted(main)}" && '
    before = text.text[:start]
    # The rewritten command is checked again, and must not be rewritten twice.
    if before.endswith(go):
        return
    if not before.strip() and not apart:
        yield Word("", span=(start, start)), go
        return
    # In the middle of a list the two belong together: `a || cd b && c` would run `c` after `a`.
    yield Word("", span=(start, start)), f"({go}" if apart else f"{{ {go}"
    yield Word("", span=(end, end)), ")" if apart else "; }"
