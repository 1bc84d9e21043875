"""What code of other languages does, noted as the commands that do the same."""

from synaptic.shell.languages.acts import ITEM, Act
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.limits import MAX_LITERAL
from synaptic.shell.read.script import Redirect, Word
from synaptic.shell.read.state import Call
from synaptic.shell.read.value import Value


def perform(shell: Evaluation, call: Call, label: str, acts: list[Act]) -> None:
    """Turn what code does into commands that do the same."""
    for act in acts:
        if act.kind == "unknown":
            shell.gap("code", f"{label}: {act.words[0].text}", act.origin)
        elif act.kind == "shell":
            _spoken(shell, act.words[0].text, label)
        elif act.kind in ("write", "read"):
            _opened(shell, act, label)
        elif act.kind == "send":
            _sent(shell, call, label, act)
        elif act.words:
            shell.wrapped(Call([], stdin=act.stdin, cwd=call.cwd), act.words, label)


def _spoken(shell: Evaluation, text: str, label: str) -> None:
    if f"${ITEM}" not in text:
        shell.code(text, label)
        return
    with shell.apart():
        shell.variables[ITEM] = Value("{}", known=False)
        # Single quotes would keep the variable from being expanded.
        shell.code(text.replace(f"'${ITEM}'", f'"${ITEM}"'), label)


def _opened(shell: Evaluation, act: Act, label: str) -> None:
    """A file that is written or read, as a redirection; what is written is remembered."""
    path, *content = act.words
    redirect = Redirect(">" if act.kind == "write" else "<", path, cwd=shell.cwd, via=shell.via)
    shell.redirects.append(redirect)
    if path.known and content and content[0].known and len(content[0].text) <= MAX_LITERAL:
        shell.keep(path.text, content[0].text)
    with shell.through(label):
        shell.emit(Call([Word(":")], ":", redirects=(redirect,), span=None))


def _sent(shell: Evaluation, call: Call, label: str, act: Act) -> None:
    """What code reads and sends, as a pipe of commands that do the same."""
    shell.pipelines += 1
    number, kept = shell.pipelines, shell.stages
    try:
        shell.stages = (*kept, (number, 0))
        for feed in act.feeds:
            shell.wrapped(Call([], cwd=call.cwd), list(feed), label)
        shell.stages = (*kept, (number, 1))
        # `curl` stands for whatever sends: the policies know how to follow a pipe into it.
        shell.wrapped(Call([], cwd=call.cwd), [Word("curl"), Word("--data-binary"), Word("@-"), *act.words], label)
    finally:
        shell.stages = kept
