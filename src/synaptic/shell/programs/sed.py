"""What `sed` makes of text that is known, and the commands it runs."""

import re
from itertools import islice

from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.limits import MAX_LITERAL, MAX_PATTERN
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall

SED_SUBSTITUTION = re.compile(r"s([^\w\\\n])((?:(?!\1)[^\n\\]|\\[^\n])*+)\1((?:(?!\1)[^\n\\]|\\[^\n])*+)\1(g?)")
SED_PLAIN = re.compile(r"(\^?)([\w\s/@#%:;,-]*|\.\*)(\$?)")
SED_GROUP = re.compile(r"\\[\dnLUE]")
SED_MATCHED = re.compile(r"\\.|&")
SED_RUNS = re.compile(
    r"(?:^|[;{}\n])[ \t]*+(?:(?:\d++|\$|/(?:[^/\n\\]|\\.)*+/)[,~]?+){0,2}[ \t!]*+"
    r"e(?:[ \t]++([^\n]+)|[ \t]*+(?=[;}\n]|$))"
)
"""`e`, with the command that it runs or alone."""
SED_COMMAND = re.compile(
    r"[;{\s]*+(?:(?:\d++|\$|/(?:[^/\n\\]|\\.)*+/)[,~]?+){0,2}[ \t!]*+"
    r"s([^\w\\\n])((?:(?!\1)[^\n\\]|\\[^\n])*+)\1((?:(?!\1)[^\n\\]|\\[^\n])*+)\1([gpiIMme\d]*+)"
)
SED_NEXT = re.compile(r"[;\n}]")
MAX_COMMANDS = 100
"""Commands of one script that are looked at."""
MAX_SED = 10_000
"""Characters in which text is exchanged."""


def run_sed(shell: Evaluation, call: CommandCall) -> str | None:
    """One `s` command on known text; `e` runs a command."""
    if call.stdin is None and not _may_run(call.words[1:]):
        return None
    given = read_call(call)
    scripts = [word.text for word in given.get_by_role("pattern")]
    files = given.get_by_role("pattern-file")
    scripts += [text for word in files if (text := find_script(shell, call, word)) is not None]
    operands = list(given.operands)
    if not scripts and not files and operands:
        scripts.append(operands.pop(0).text)
    for script in scripts:
        _run_executed(shell, call, script)
        _run_substituted(shell, call, script)
    shown = not given.has("quiet")
    text = call.stdin if not operands else None
    if not shown or len(scripts) != 1 or len(scripts[0]) > MAX_PATTERN or text is None or len(text) > MAX_SED:
        return None
    if given.flags and any(flag.name not in ("regexp-extended", "expression") for flag in given.flags):
        return None
    found = SED_SUBSTITUTION.fullmatch(scripts[0])
    shell.budget.count_text(len(text))
    return _substitute_text(text, found) if found else None


def _may_run(words: list[Word]) -> bool:
    """Whether a script in one of these words, or in a file that an option names, may have an `e`."""
    return any("e" in word.text or (word.text[:1] == "-" and "f" in word.text) for word in words)


def find_script(shell: Evaluation, call: CommandCall, file: Word) -> str | None:
    """A script in a file that the same text has written, or on the input."""
    return call.stdin if file.text in ("-", "/dev/stdin") else shell.files.get(shell.make_file_key(file.text))


def _run_executed(shell: Evaluation, call: CommandCall, script: str) -> None:
    """`e command` runs it; `e` alone runs the line as it is by then: the input, or what the script made of it."""
    if "e" not in script or len(script) > MAX_SED:
        return
    for found in islice(SED_RUNS.finditer(script), MAX_COMMANDS):
        if found[1]:
            shell.run_code(found[1], "sed e")
            continue
        lines = [_make_line(call, one) for one in islice(SED_COMMAND.finditer(script), MAX_COMMANDS)]
        for line in (call.stdin or "", *lines):
            shell.run_code(line, "sed e")


def _run_substituted(shell: Evaluation, call: CommandCall, script: str) -> None:
    """`s/old/new/e` runs the resulting line. Where the input is not known, the replacement counts as what runs."""
    if len(script) > MAX_SED or script.count("s") == 0 or "e" not in script:
        return
    at = 0
    for _ in range(MAX_COMMANDS):
        found = SED_COMMAND.match(script, at)
        if found and "e" in found[4]:
            shell.run_code(_make_line(call, found), "sed e")
            if SED_GROUP.search(found[3]):
                shell.run_code(call.stdin or "", "sed e")  # a part of the line, and perhaps all of it
        step = None if found else SED_NEXT.search(script, at)
        if not (found or step):
            return
        at = found.end() if found else step.end()  # type: ignore[union-attr]  # one of them was found


def _make_line(call: CommandCall, found: re.Match[str]) -> str:
    known = call.stdin is not None and len(call.stdin) <= MAX_SED
    made = _substitute_text(call.stdin or "", found) if known and len(found[2]) <= MAX_PATTERN else None
    return made if made is not None else found[3].replace(f"\\{found[1]}", found[1])


def _substitute_text(text: str, found: re.Match[str]) -> str | None:
    """Replace plain text. `^` and `$` are the ends of a line, `.*` alone is all of it; None for other patterns."""
    mark, old, new, flags = found.groups()
    old, new = old.replace(f"\\{mark}", mark), new.replace(f"\\{mark}", mark)
    # The pattern of the command is never compiled as it stands: it could be made to backtrack for seconds.
    inside = SED_PLAIN.fullmatch(old)
    if inside is None or SED_GROUP.search(new):
        return None
    form = re.escape(inside[2]) if inside[2] != ".*" else ".*"
    pattern = re.compile(f"{inside[1]}{form}{inside[3]}")
    put = SED_MATCHED.sub(_convert_replacement, new)
    lines = (pattern.sub(put, line, 0 if "g" in flags else 1) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)[:MAX_LITERAL]


def _convert_replacement(found: re.Match[str]) -> str:
    """`&` is what was matched, and a backslash takes the meaning from what follows."""
    if found[0] == "&":
        return r"\g<0>"
    return found[0][1:] if found[0][1:] != "\\" else r"\\"
