"""What git itself runs: aliases, `rebase --exec`, `bisect run`, `submodule foreach`, filters, pagers, transports."""

from collections.abc import Callable, Iterator

from synaptic.shell.programs.git_line import GitCall, git_call
from synaptic.shell.programs.pagers import OF_GIT, start_named
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import Call
from synaptic.shell.read.writing import as_word

SETTINGS = ("core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "diff.external", "sequence.editor")
"""Settings whose value is shell code that git may run."""
PROGRAMS_OF_REMOTES = ("--upload-pack", "--receive-pack", "--exec")
Runs = Callable[[GitCall], Iterator[str]]


def git(shell: Evaluation, call: Call) -> str | None:
    """Run what git runs, in the folder it goes to. Its own output is never known."""
    first = call.words[1].text if len(call.words) > 1 else ""
    named = bool(call.assignments) or not shell.variables.keys().isdisjoint(OF_GIT)
    # The usual case: a plain verb that starts nothing, and no setting or variable that could.
    if not named and first[:1] != "-" and first not in RUNS and call.words[1:2] and call.words[1].known:
        return None
    cwd = call.cwd or shell.cwd
    line = git_call(Command(tuple(call.words), call.name, cwd=cwd, assignments=call.assignments, stdin=call.stdin))
    if named:
        with shell.apart():
            shell.cwd = line.cwd
            start_named(shell, call, OF_GIT)
    for label, text in _code(line):
        with shell.apart():
            shell.cwd = line.cwd
            shell.code(text, label)
    return None


def hub(shell: Evaluation, call: Call) -> str | None:
    """It does what git does, and more."""
    return shell.wrapped(call, [Word("git"), *call.words[1:]], "hub")


def _code(line: GitCall) -> Iterator[tuple[str, str]]:
    meaning = line.settings.get(f"alias.{line.verb.lower()}")
    if meaning and meaning.startswith("!"):
        yield "git alias", _joined(meaning[1:], line.args)
    for name in SETTINGS:
        if value := line.settings.get(name):
            yield f"git {name}", value
    if line.verb in RUNS:
        yield from ((f"git {line.verb}", text) for text in RUNS[line.verb](line))


def _joined(text: str, words: tuple[Word, ...]) -> str:
    return " ".join([text, *(as_word(word.text) if word.known else word.text for word in words)])


def _rebase(line: GitCall) -> Iterator[str]:
    return (flag.text for flag in line.given.flags if flag.name == "exec")


def _bisect(line: GitCall) -> Iterator[str]:
    if line.args[:1] and line.args[0].text == "run":
        yield _joined("", line.args[1:])


def _submodule(line: GitCall) -> Iterator[str]:
    """One word is shell code, several are a command with its arguments."""
    texts = [word.text for word in line.args]
    if "foreach" not in texts:
        return
    words = line.args[texts.index("foreach") + 1 :]
    while words and words[0].text in ("--recursive", "--quiet", "-q"):
        words = words[1:]
    yield words[0].text if len(words) == 1 else _joined("", words)


def _filters(line: GitCall) -> Iterator[str]:
    return (flag.text for flag in line.given.flags if flag.name.endswith("-filter") and flag.name[:3] != "sub")


def _difftool(line: GitCall) -> Iterator[str]:
    return (flag.text for flag in line.given.flags if flag.name == "extcmd")


def _transport(line: GitCall) -> Iterator[str]:
    """The program at the other end, and addresses that are a command themselves."""
    for before, word in zip((Word(""), *line.args), line.args, strict=False):
        name, _, value = word.text.partition("=")
        if before.text in PROGRAMS_OF_REMOTES:
            yield word.text
        elif name in PROGRAMS_OF_REMOTES and value:
            yield value
        elif word.text.startswith("ext::"):
            yield word.text.removeprefix("ext::").replace("% ", " ")


RUNS: dict[str, Runs] = {
    "rebase": _rebase,
    "bisect": _bisect,
    "submodule": _submodule,
    "filter-branch": _filters,
    "difftool": _difftool,
    **dict.fromkeys(("fetch", "pull", "clone", "ls-remote", "push", "archive", "fetch-pack", "send-pack"), _transport),
}
REPOSITORIES: dict[str, Handler] = {"git": git, "hub": hub}
