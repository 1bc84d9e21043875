"""Emacs Lisp: what it runs, deletes, reads and writes."""

import re

from synaptic.shell.languages.acts import CodeAct, make_deletion
from synaptic.shell.read.script import Word

MAX_CODE = 50_000
MAX_CALLS = 400
CALL = re.compile(r"""\(\s*+([\w-]+)((?:\s++(?:"(?:[^"\\]|\\.)*+"|[^\s()"]++)){0,40}+)""", re.DOTALL)
ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*+)"|([^\s()"]++)', re.DOTALL)
HOME = re.compile(r'\(getenv\s+"HOME"\)')
IDENTITY_FORM = re.compile(r'\((?:expand-file-name|file-truename|substitute-in-file-name)\s+("[^"]*+")\s*+\)')
SHELL_FUNCTIONS = frozenset(
    {"shell-command", "shell-command-to-string", "async-shell-command", "compile", "eshell-command"}
)
PROGRAM_FUNCTIONS = {"call-process": (0, 4), "start-process": (2, 3), "process-lines": (0, 1)}
"""Calls that start a program, with where its name stands among their arguments, and where its own begin."""
READS = frozenset({"insert-file-contents", "insert-file-contents-literally", "find-file", "load"})
WRITES = frozenset({"write-file", "append-to-file"})


def read_lisp(code: str) -> list[CodeAct]:
    """What the code does, in the order it is written."""
    acts: list[CodeAct] = []
    # Forms that only name a path become their string first, because the pattern for calls knows no nesting.
    plain = IDENTITY_FORM.sub(r"\1", HOME.sub('"~"', code[:MAX_CODE]))
    for found in CALL.finditer(plain):
        name = found[1]
        words = [_read_argument(*one) for one in ARGUMENT.findall(found[2])]
        if not words or len(acts) >= MAX_CALLS:
            continue
        if name in SHELL_FUNCTIONS and words[0].known:
            acts.append(CodeAct("shell", words[:1]))
        elif name == "delete-directory":
            acts.append(make_deletion(words[:1], tree=any(word.text not in ("nil", "") for word in words[1:2])))
        elif name == "delete-file":
            acts.append(make_deletion(words[:1], tree=False))
        elif name in PROGRAM_FUNCTIONS:
            at, behind = PROGRAM_FUNCTIONS[name]
            acts.append(CodeAct("argv", [*words[at : at + 1], *words[behind:]]))
        elif name in READS or name in WRITES:
            acts.append(CodeAct("read" if name in READS else "write", words[:1]))
    return acts


def _read_argument(literal: str, bare: str) -> Word:
    return Word(bare, known=False) if bare else Word(re.sub(r"\\(.)", r"\1", literal, flags=re.DOTALL))
