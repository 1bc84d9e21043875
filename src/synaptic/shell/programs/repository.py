"""What git itself runs: aliases, `rebase --exec`, `bisect run`, `submodule foreach`, filters, pagers, transports."""

from collections.abc import Callable, Iterator

import msgspec

from synaptic.shell.names import split_names
from synaptic.shell.programs.git_line import GitCall, read_git_call
from synaptic.shell.programs.git_settings import (
    EXTERNAL_ADDRESS,
    SETTING_VARIABLES,
    find_settings,
    iter_setting_code,
    list_setting_variables,
    read_external_address,
    remember_setting,
)
from synaptic.shell.programs.pagers import GIT_VARIABLES, start_named
from synaptic.shell.programs.patches import PATCH_VERBS, note_git_diff
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.writing import quote_word

HOOK_NAMES = split_names(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg"
    " post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update"
    " reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman"
    " post-index-change"
)
HOOKED_VERBS = split_names(
    "commit merge checkout switch rebase push pull fetch am apply cherry-pick revert worktree clone gc reset"
    " stash restore add rm mv branch tag update-ref notes read-tree update-index receive-pack send-email bisect"
    " submodule status"
)
"""Verbs of git that may run a hook."""
WATCHED_VARIABLES = frozenset(GIT_VARIABLES) | frozenset(SETTING_VARIABLES)
REMOTE_OPTIONS = ("--upload-pack", "--receive-pack", "--exec")
CodeFinder = Callable[[GitCall], Iterator[str]]


def run_git(shell: Evaluation, call: CommandCall) -> str | None:
    """Run what git runs, in the folder it goes to. Its own output is known only for settings of the same text."""
    first = call.words[1].text if len(call.words) > 1 else ""
    named = bool(call.assignments) or not shell.variables.keys().isdisjoint(WATCHED_VARIABLES)
    plain = not named and not shell.files and first[:1] != "-" and call.words[1:2] and call.words[1].known
    # The usual case: a plain verb that starts nothing, and no setting or variable that could.
    if plain and first not in CODE_FINDERS and first != "config" and not (call.stdin and first in PATCH_VERBS):
        return None
    line = _read_line(shell, call)
    if line.verb in PATCH_VERBS:
        note_git_diff(shell, call, line)
    if named:
        with shell.isolate():
            shell.cwd = line.cwd
            start_named(shell, call, GIT_VARIABLES)
    for label, text in _iter_code(line):
        with shell.isolate():
            shell.cwd = line.cwd
            shell.run_code(text, label)
    if shell.files:
        _run_written_helpers(shell, call, line)
    return remember_setting(shell, line) if line.verb == "config" else None


def _read_line(shell: Evaluation, call: CommandCall) -> GitCall:
    """The call with all settings that hold for it. An alias that was set before is noted as what it stands for."""
    command = Command(tuple(call.words), call.name, cwd=call.cwd or shell.cwd, assignments=call.assignments)
    plain = read_git_call(command)
    exported, settings = list_setting_variables(shell), find_settings(shell)
    if not exported and not settings:
        return plain
    command = msgspec.structs.replace(command, assignments=(*exported, *call.assignments))
    line = read_git_call(command, settings)
    if line.hidden and not plain.hidden:
        setting = Word(f"alias.{line.verb}=$unknown", known=False)
        shell.run_wrapped(call, [call.words[0], Word("-c"), setting, Word(line.verb)], "git alias")
    elif line.verb != plain.verb:
        shell.run_wrapped(call, [call.words[0], Word(line.verb), *line.args], "git alias", line.cwd)
    return line


def _run_written_helpers(shell: Evaluation, call: CommandCall, line: GitCall) -> None:
    """Hooks, and programs that are verbs of git, that the same text has written."""
    moved = "core.hookspath" in line.settings
    for path in list(shell.files):
        folder, _, name = path.rpartition("/")
        hooked = name in HOOK_NAMES and line.verb in HOOKED_VERBS and (moved or folder.endswith("hooks"))
        if hooked or (name == f"git-{line.verb}" and line.verb):
            with shell.guard_recursion(path) as first, shell.isolate():
                if first:
                    shell.run_wrapped(call, [Word(path)], f"git {name}")


def run_hub(shell: Evaluation, call: CommandCall) -> str | None:
    """It does what git does, and more."""
    return shell.run_wrapped(call, [Word("git"), *call.words[1:]], "hub")


def _iter_code(line: GitCall) -> Iterator[tuple[str, str]]:
    meaning = line.settings.get(f"alias.{line.verb.lower()}")
    if meaning and meaning.startswith("!"):
        yield "git alias", _join_command(meaning[1:], line.args)
    yield from ((f"git {name}", text) for name, text in iter_setting_code(line.settings))
    if line.verb in CODE_FINDERS:
        yield from ((f"git {line.verb}", text) for text in CODE_FINDERS[line.verb](line))


def _join_command(text: str, words: tuple[Word, ...]) -> str:
    return " ".join([text, *(quote_word(word.text) if word.known else word.text for word in words)])


def _find_declared_commands(line: GitCall) -> Iterator[str]:
    """Options whose value is a command, as the book says."""
    return (word.text for word in line.given.get_by_role("run"))


def _find_bisect_run(line: GitCall) -> Iterator[str]:
    if line.args[:1] and line.args[0].text == "run":
        yield _join_command("", line.args[1:])


def _find_submodule_foreach(line: GitCall) -> Iterator[str]:
    """One word is shell code, several are a command with its arguments."""
    texts = [word.text for word in line.args]
    if "foreach" not in texts:
        return
    words = line.args[texts.index("foreach") + 1 :]
    while words and words[0].text in ("--recursive", "--quiet", "-q"):
        words = words[1:]
    yield words[0].text if len(words) == 1 else _join_command("", words)


def _find_transport_commands(line: GitCall) -> Iterator[str]:
    """The program at the other end, and addresses that are a command themselves."""
    for before, word in zip((Word(""), *line.args), line.args, strict=False):
        name, _, value = word.text.partition("=")
        if before.text in REMOTE_OPTIONS:
            yield word.text
        elif name in REMOTE_OPTIONS and value:
            yield value
        elif word.text.startswith(EXTERNAL_ADDRESS):
            yield read_external_address(word.text.removeprefix(EXTERNAL_ADDRESS))
    yield from _find_declared_commands(line)


CODE_FINDERS: dict[str, CodeFinder] = {
    "bisect": _find_bisect_run,
    "submodule": _find_submodule_foreach,
    **dict.fromkeys(("rebase", "filter-branch", "difftool", "grep", "send-email"), _find_declared_commands),
    **dict.fromkeys(
        ("fetch", "pull", "clone", "ls-remote", "push", "archive", "fetch-pack", "send-pack", "remote"),
        _find_transport_commands,
    ),
}
REPOSITORIES: dict[str, ProgramHandler] = {"git": run_git, "hub": run_hub}
