"""What PowerShell text runs, noted as the commands that do the same."""

import base64
import binascii
import re

from synaptic.shell.languages.powershell import PowerShellAct, read_powershell
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.grammar import parse_commands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.script import Redirect, Word
from synaptic.shell.read.state import CommandCall

LABEL = "powershell"
MAX_CODE_DEPTH = 3
EVALUATES = re.compile(r"\b(?:iex|invoke-expression|scriptblock)\b", re.IGNORECASE)
CODE_OPTION = re.compile(r"[-/]c(?:ommand)?|[-/]k", re.IGNORECASE)
"""Behind this PowerShell and `cmd` are given code."""
ENCODED_OPTION = re.compile(r"[-/](?:e|ec|en|enc\w*)", re.IGNORECASE)


def run_powershell(shell: Evaluation, call: CommandCall) -> str | None:
    """`-Command` and everything behind it, or the text that `-EncodedCommand` holds."""
    for place, word in enumerate(call.words[1:], 1):
        behind = call.words[place + 1 :]
        if ENCODED_OPTION.fullmatch(word.text) and behind:
            code = decode_command(behind[0].text)
            if code is None:
                shell.add_gap("code", f"{call.name} {word.text}", "decoded")
            else:
                run_text(shell, code, None)
            return None
        if CODE_OPTION.fullmatch(word.text) or (word.text[:1] not in "-/" and " " in word.text):
            words = behind if CODE_OPTION.fullmatch(word.text) else [word, *behind]
            run_text(shell, " ".join(one.text for one in words), None)
            return None
    if call.stdin is not None:
        run_text(shell, call.stdin, None)
    return None


def decode_command(text: str) -> str | None:
    """What `-EncodedCommand` is given: UTF-16 in base64."""
    try:
        return base64.b64decode(text, validate=True).decode("utf-16-le")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None


def run_text(shell: Evaluation, text: str, base: int | None, depth: int = 0) -> None:
    """Run PowerShell; `base` is where the text stands in the outermost one."""
    with shell.nest_under(LABEL):
        for act in _join_pipes(read_powershell(text), text):
            _run_act(shell, act, text, base, depth)
        # Brackets and pipes around an evaluator are searched as text: they say what it is given.
        if EVALUATES.search(text):
            _run_part(shell, text, base)


def _join_pipes(acts: list[PowerShellAct], text: str) -> list[PowerShellAct]:
    """Programs that a pipe connects belong together: `curl ... | sh`."""
    found: list[PowerShellAct] = []
    for act in acts:
        before = found[-1].span if found else None
        if act.span and before and text[before[1] : act.span[0]] == "|":
            found[-1] = PowerShellAct(span=(before[0], act.span[1]))
        else:
            found.append(act)
    return found


def _run_act(shell: Evaluation, act: PowerShellAct, text: str, base: int | None, depth: int) -> None:
    if act.span is not None:
        _run_part(shell, text[act.span[0] : act.span[1]], None if base is None else base + act.span[0])
    elif act.code:
        if depth < MAX_CODE_DEPTH:
            run_text(shell, act.code, None, depth + 1)
    elif act.written is not None:
        redirect = Redirect(">", act.written, cwd=shell.cwd, via=shell.via)
        shell.redirects.append(redirect)
        shell.emit(CommandCall([Word(":")], ":", redirects=(redirect,), span=None))
    else:
        shell.run_wrapped(CommandCall([]), act.argv, LABEL)


def _run_part(shell: Evaluation, text: str, base: int | None) -> None:
    tree, _ = parse_commands(text, shell.budget, SourcePosition(base), shell.depth)
    shell.run(tree)
