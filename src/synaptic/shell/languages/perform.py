"""What code of other languages does, noted as the commands that do the same."""

from synaptic.shell.languages.acts import ITEM_VARIABLE, CodeAct
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.limits import MAX_LITERAL
from synaptic.shell.read.script import Redirect, Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.value import VariableValue


def perform_acts(shell: Evaluation, call: CommandCall, label: str, acts: list[CodeAct]) -> None:
    """Turn what code does into commands that do the same."""
    where = call.cwd
    for act in acts:
        if act.kind == "unknown":
            shell.add_gap("code", f"{label}: {act.words[0].text}", act.origin)
        elif act.kind == "shell":
            _run_shell_text(shell, act.words[0].text, label)
        elif act.kind in ("write", "read"):
            _note_file_access(shell, act, label)
        elif act.kind == "send":
            _run_sending(shell, call, label, act)
        elif act.words:
            if act.words[0].text == "cd" and act.words[-1].text[:1] == "~" and shell.home:
                act.words[-1] = Word(shell.home + act.words[-1].text[1:], act.words[-1].known)
            shell.run_wrapped(CommandCall([], stdin=act.stdin, cwd=where), act.words, label)
            # Code that goes to another folder goes there alone: the shell stays where it is.
            where = shell.cwd if act.words[0].text == "cd" else where


def _run_shell_text(shell: Evaluation, text: str, label: str) -> None:
    if f"${ITEM_VARIABLE}" not in text:
        shell.run_code(text, label)
        return
    with shell.isolate():
        shell.variables[ITEM_VARIABLE] = VariableValue("{}", known=False)
        # Single quotes would keep the variable from being expanded.
        shell.run_code(text.replace(f"'${ITEM_VARIABLE}'", f'"${ITEM_VARIABLE}"'), label)


def _note_file_access(shell: Evaluation, act: CodeAct, label: str) -> None:
    """A file that is written or read, as a redirection; what is written is remembered."""
    path, *content = act.words
    redirect = Redirect(">" if act.kind == "write" else "<", path, cwd=shell.cwd, via=shell.via)
    shell.redirects.append(redirect)
    if path.known and content and content[0].known and len(content[0].text) <= MAX_LITERAL:
        shell.remember_file(path.text, content[0].text)
    with shell.nest_under(label):
        shell.emit(CommandCall([Word(":")], ":", redirects=(redirect,), span=None))


def _run_sending(shell: Evaluation, call: CommandCall, label: str, act: CodeAct) -> None:
    """What code reads and sends, as a pipe of commands that do the same."""
    shell.pipelines += 1
    number, kept = shell.pipelines, shell.stages
    try:
        shell.stages = (*kept, (number, 0))
        for feed in act.feeds:
            shell.run_wrapped(CommandCall([], cwd=call.cwd), list(feed), label)
        shell.stages = (*kept, (number, 1))
        # `curl` stands for whatever sends: the policies know how to follow a pipe into it.
        shell.run_wrapped(
            CommandCall([], cwd=call.cwd), [Word("curl"), Word("--data-binary"), Word("@-"), *act.words], label
        )
    finally:
        shell.stages = kept
