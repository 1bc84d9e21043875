"""Constructions that a command can hide in, and those that make mere text of it."""

import base64
import json
from collections.abc import Callable

from hypothesis import strategies as st

Wrap = Callable[[str], str]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def doubled(text: str) -> str:
    """The inside of double quotes in Python, JavaScript, Perl or awk, without anything that expands there."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def mark(text: str) -> str:
    """A delimiter that no text inside uses: what is inside is always shorter."""
    return f"E{len(text)}"


def hexed(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


RUNNING: dict[str, Wrap] = {
    "and": lambda text: f"true && {text}",
    "or": lambda text: f"false || {text}",
    "semicolon": lambda text: f"cd . ; {text} ; ls",
    "newline": lambda text: f"ls\n{text}\nls",
    "subshell": lambda text: f"( {text} )",
    "group": lambda text: f"{{ {text}\n}}",
    "timed group": lambda text: f"time {{ {text}\n}}",
    "negated": lambda text: f"! {{ {text}\n}}",
    "background": lambda text: f"{{ {text}\n}} &",
    "coprocess": lambda text: f"coproc {{ {text}\n}}",
    "substitution": lambda text: f"echo $( {text})",
    "quoted substitution": lambda text: f'echo "a $( {text}) b"',
    "process substitution": lambda text: f"cat <( {text})",
    "arithmetic": lambda text: f"echo $(( 1 + $( {text}\n) ))",
    "default value": lambda text: f'echo "${{nothing:-$( {text})}}"',
    "test": lambda text: f'[[ -n "$( {text})" ]]',
    "redirect target": lambda text: f'ls > "$( {text})"',
    "assignment": lambda text: f"x=$( {text})",
    "array": lambda text: f"x=(a $( {text}) b)",
    "here-document substitution": lambda text: f"cat <<{mark(text)}\n$( {text})\n{mark(text)}",
    "if": lambda text: f"if true; then {text}\nfi",
    "else": lambda text: f"if false; then ls; else {text}\nfi",
    "condition": lambda text: f"if {text}\nthen ls; fi",
    "while": lambda text: f"while true; do {text}\nbreak; done",
    "for": lambda text: f"for i in 1; do {text}\ndone",
    "case": lambda text: f"case a in a) {text}\n;; *) ls ;; esac",
    "function": lambda text: f"f() {{ {text}\n}}; f",
    "function by its keyword": lambda text: f"function f() {{ {text}\n}}; f",
    "pipeline": lambda text: f"ls | {{ {text}\n}} | cat",
    "bash -c": lambda text: f"bash -c {quoted(text)}",
    "sh -ec": lambda text: f"/bin/sh -ec {quoted(text)}",
    "eval": lambda text: f"eval {quoted(text)}",
    "variable eval": lambda text: f'code={quoted(text)}; eval "$code"',
    "sudo": lambda text: f"sudo -u root -- sh -c {quoted(text)}",
    "env": lambda text: f"env -i A=b sh -c {quoted(text)}",
    "timeout": lambda text: f"timeout -k 5 10 sh -c {quoted(text)}",
    "nohup": lambda text: f"nohup nice -n 5 sh -c {quoted(text)} &",
    "command": lambda text: f"command exec sh -c {quoted(text)}",
    "busybox": lambda text: f"busybox sh -c {quoted(text)}",
    "here-string": lambda text: f"bash <<< {quoted(text)}",
    "here-document": lambda text: f"bash <<'{mark(text)}'\n{text}\n{mark(text)}",
    "here-document behind a pipe": lambda text: f"cat <<'{mark(text)}' | sh; ls\n{text}\n{mark(text)}",
    "echo": lambda text: f"echo {quoted(text)} | sh",
    "printf": lambda text: f"printf '%s\\n' {quoted(text)} | bash -s",
    "base64": lambda text: f"echo {encoded(text)} | base64 -d | sh",
    "hexadecimal": lambda text: f"printf '{text.encode().hex()}' | xxd -r -p | sh",
    "ansi quotes": lambda text: f"bash -c $'{hexed(text)}'",
    "source": lambda text: f"source <(echo {quoted(text)})",
    "script file": lambda text: (
        f"cat > /x/run.sh <<'{mark(text)}'\n{text}\n{mark(text)}\nchmod +x /x/run.sh; bash /x/run.sh"
    ),
    "script by its name": lambda text: (
        f"cat > /x/run.sh <<'{mark(text)}'\n#!/bin/sh\n{text}\n{mark(text)}\nchmod +x /x/run.sh; /x/run.sh"
    ),
    "npm script": lambda text: f"printf '%s' {quoted(json.dumps({'scripts': {'x': text}}))} > package.json; npm run x",
    "options of bash": lambda text: f"bash +x -o pipefail -c {quoted(text)}",
    "shell on another machine": lambda text: f"ssh host 'sudo bash -s' <<'{mark(text)}'\n{text}\n{mark(text)}",
    "command not found": lambda text: f"command_not_found_handle() {{ {text}\n}}",
    "watcher": lambda text: f"watchexec -e py {quoted(text)}",
    "several at once": lambda text: f"npx concurrently ls {quoted(text)}",
    "hosts": lambda text: f"pdsh -w a[1-9] {quoted(text)}",
    "trap": lambda text: f"trap {quoted(text)} EXIT",
    "xargs": lambda text: f"echo a | xargs sh -c {quoted(text)}",
    "find": lambda text: f"find . -maxdepth 0 -exec sh -c {quoted(text)} \\;",
    "ssh": lambda text: f"ssh host {quoted(text)}",
    "docker": lambda text: f"docker exec -it box sh -c {quoted(text)}",
    "kubectl": lambda text: f"kubectl exec pod -- sh -c {quoted(text)}",
    "parallel": lambda text: f"parallel sh -c {quoted(text)} ::: a",
    "python": lambda text: "python3 -c " + quoted(f'import os; os.system("{doubled(text)}")'),
    "subprocess": lambda text: "python -c " + quoted(f'import subprocess as s; s.run(["sh", "-c", "{doubled(text)}"])'),
    "node": lambda text: "node -e " + quoted(f'require("child_process").execSync("{doubled(text)}")'),
    "ruby": lambda text: "ruby -e " + quoted(f'system("{doubled(text)}")'),
    "perl": lambda text: "perl -e " + quoted(f'system("{doubled(text)}")'),
    "awk": lambda text: "awk " + quoted(f'BEGIN {{ system("{doubled(text)}") }}'),
    "watch": lambda text: f"watch -n 1 {quoted(text)}",
    "git alias": lambda text: f"git -c alias.z={quoted('!' + text)} z",
}
"""What stands inside runs."""

BROKEN: dict[str, Wrap] = {
    "unclosed quote behind": lambda text: f"{text}\necho 'never closed",
    "unclosed bracket behind": lambda text: f"{text}\n( ls",
    "stray bracket": lambda text: f") ; {text}",
    "stray keyword": lambda text: f"fi; done; }} ; {text}",
    "stray operator": lambda text: f"& {text}",
    "missing keyword": lambda text: f"if true; then {text}",
    "carriage returns": lambda text: f"ls\r\n{text}\r\nls",
    "zero characters": lambda text: "\0".join(text),
}
"""Broken around the outermost text: what stands inside still runs, or might."""

SILENT: dict[str, Wrap] = {
    "echo": lambda text: f"echo {quoted(text)}",
    "printf": lambda text: f"printf '%s' {quoted(text)} > notes.txt",
    "commit message": lambda text: f"git commit -m {quoted(text)}",
    "commit message from a here-document": lambda text: (
        f"git commit -m \"$(cat <<'{mark(text)}'\n{text}\n{mark(text)}\n)\""
    ),
    "grep": lambda text: f"grep -rn {quoted(text)} src | head",
    "ripgrep": lambda text: f"rg -e {quoted(text)}",
    "log": lambda text: f"git log --grep={quoted(text)}",
    "comment": lambda text: "ls # " + text.replace("\n", " "),
    "here-document to a file": lambda text: f"cat > notes.md <<'{mark(text)}'\n{text}\n{mark(text)}",
    "two here-documents": lambda text: (
        f"cat <<'{mark(text)}' <<'LAST' > notes.md; ls\n{text}\n{mark(text)}\n{text}\nLAST"
    ),
    "tee": lambda text: f"tee notes.md <<'{mark(text)}'\n{text}\n{mark(text)}",
    "assignment": lambda text: f"note={quoted(text)}; export note",
    "function that is never called": lambda text: f"later() {{ {text}\n}}; ls",
    "prompt": lambda text: f"claude -p {quoted(text)}",
    "issue": lambda text: f"gh issue create --title bug --body {quoted(text)}",
    "json": lambda text: f"curl -d {quoted(text)} http://localhost",
    "jq": lambda text: f"jq --arg x {quoted(text)} '.a = $x' f.json",
    "printed by python": lambda text: "python3 -c " + quoted(f'print("{doubled(text)}")'),
    "not executed": lambda text: f"bash -n -c {quoted(text)}",
    "quoted array": lambda text: f"x=({quoted(text)}); ls",
}
"""What stands inside is only text."""


@st.composite
def hidden(draw: st.DrawFn, command: str, depth: int = 3) -> str:
    """The command inside up to `depth` constructions that run it."""
    text = command
    for name in draw(st.lists(st.sampled_from(sorted(RUNNING)), min_size=1, max_size=depth)):
        text = RUNNING[name](text)
    return text


@st.composite
def spoken(draw: st.DrawFn, command: str, depth: int = 3) -> str:
    """The command as mere text, inside up to `depth - 1` constructions that run what speaks of it."""
    text = SILENT[draw(st.sampled_from(sorted(SILENT)))](command)
    for name in draw(st.lists(st.sampled_from(HARMLESS), max_size=depth - 1)):
        text = RUNNING[name](text)
    return text


HARMLESS = ("and", "subshell", "group", "if", "for", "bash -c", "sudo", "here-document", "eval", "base64", "function")
"""Constructions that only run what they are given, so that text inside stays text."""
