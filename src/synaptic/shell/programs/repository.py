"""What git itself runs: aliases, `rebase --exec`, `bisect run`, `submodule foreach`, filters, pagers, transports."""

from collections.abc import Callable, Iterator

from synaptic.shell.programs.git_line import GitCall, read_git_call
from synaptic.shell.programs.pagers import GIT_VARIABLES, start_named
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.writing import quote_word

CODE_SETTINGS = ("core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "diff.external", "sequence.editor")
"""Settings whose value is shell code that git may run."""
REMOTE_OPTIONS = ("--upload-pack", "--receive-pack", "--exec")
CodeFinder = Callable[[GitCall], Iterator[str]]


def run_git(shell: Evaluation, call: CommandCall) -> str | None:
    """Run what git runs, in the folder it goes to. Its own output is never known."""
    first = call.words[1].text if len(call.words) > 1 else ""
    named = bool(call.assignments) or not shell.variables.keys().isdisjoint(GIT_VARIABLES)
    # The usual case: a plain verb that starts nothing, and no setting or variable that could.
    if not named and first[:1] != "-" and first not in CODE_FINDERS and call.words[1:2] and call.words[1].known:
        return None
    cwd = call.cwd or shell.cwd
    line = read_git_call(Command(tuple(call.words), call.name, cwd=cwd, assignments=call.assignments, stdin=call.stdin))
    if named:
        with shell.isolate():
            shell.cwd = line.cwd
            start_named(shell, call, GIT_VARIABLES)
    for label, text in _iter_code(line):
        with shell.isolate():
            shell.cwd = line.cwd
            shell.run_code(text, label)
    return None


def run_hub(shell: Evaluation, call: CommandCall) -> str | None:
    """It does what git does, and more."""
    return shell.run_wrapped(call, [Word("git"), *call.words[1:]], "hub")


def _iter_code(line: GitCall) -> Iterator[tuple[str, str]]:
    meaning = line.settings.get(f"alias.{line.verb.lower()}")
    if meaning and meaning.startswith("!"):
        yield "git alias", _join_command(meaning[1:], line.args)
    for name in CODE_SETTINGS:
        if value := line.settings.get(name):
            yield f"git {name}", value
    if line.verb in CODE_FINDERS:
        yield from ((f"git {line.verb}", text) for text in CODE_FINDERS[line.verb](line))


def _join_command(text: str, words: tuple[Word, ...]) -> str:
    return " ".join([text, *(quote_word(word.text) if word.known else word.text for word in words)])


def _find_rebase_exec(line: GitCall) -> Iterator[str]:
    return (flag.text for flag in line.given.flags if flag.name == "exec")


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


def _find_filters(line: GitCall) -> Iterator[str]:
    return (flag.text for flag in line.given.flags if flag.name.endswith("-filter") and flag.name[:3] != "sub")


def _find_difftool_command(line: GitCall) -> Iterator[str]:
    return (flag.text for flag in line.given.flags if flag.name == "extcmd")


def _find_transport_commands(line: GitCall) -> Iterator[str]:
    """The program at the other end, and addresses that are a command themselves."""
    for before, word in zip((Word(""), *line.args), line.args, strict=False):
        name, _, value = word.text.partition("=")
        if before.text in REMOTE_OPTIONS:
            yield word.text
        elif name in REMOTE_OPTIONS and value:
            yield value
        elif word.text.startswith("ext::"):
            yield word.text.removeprefix("ext::").replace("% ", " ")


CODE_FINDERS: dict[str, CodeFinder] = {
    "rebase": _find_rebase_exec,
    "bisect": _find_bisect_run,
    "submodule": _find_submodule_foreach,
    "filter-branch": _find_filters,
    "difftool": _find_difftool_command,
    **dict.fromkeys(
        ("fetch", "pull", "clone", "ls-remote", "push", "archive", "fetch-pack", "send-pack"), _find_transport_commands
    ),
}
REPOSITORIES: dict[str, ProgramHandler] = {"git": run_git, "hub": run_hub}
