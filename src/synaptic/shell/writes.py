"""Which files a shell command writes: a small, careful reading for gates that leave read-only commands alone."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from synaptic.model.patch import BEGIN, END, files
from synaptic.shell.engine_calls import bare
from synaptic.shell.words import TOKEN, unquoted

UNKNOWN = "?"
"""A file is written whose name the text does not tell."""
HINT = re.compile(
    r">|\b(?:sed|gsed|perl|ruby|tee|dd|cp|mv|rm|ln|touch|truncate|install|rsync|patch|git|curl|wget|tar|unzip|xargs|find"
    r"|python[\d.]*|node|awk|gawk|sponge|ed|ex|shred|unlink|rmdir|apply_patch|sh|bash|zsh|eval)\b"
)
SKIPPED = frozenset((
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec", "env", "sudo", "doas",
    "nohup", "command", "builtin", "nice", "xargs",
))  # fmt: skip
ASSIGNMENT = re.compile(r"\w+\+?=")
LAST = frozenset({"cp", "ln", "install", "rsync"})
"""Programs that write their last argument."""
EVERY = frozenset({"rm", "mv", "touch", "truncate", "tee", "shred", "unlink", "rmdir", "sponge", "ed", "ex"})
"""Programs that write every argument."""
GIT = frozenset({"apply", "am", "checkout", "restore", "reset", "stash", "clean", "merge", "rebase", "revert",
                 "cherry-pick", "switch", "rm", "mv"})  # fmt: skip
CODE = re.compile(
    r"""open\([^)]*['"][wax]|write_text|write_bytes|writeFile|appendFile|File\.write|FileUtils|\.unlink\(|os\.remove"""
    r"""|os\.rename|shutil\.|fs\.rm|print\s*>"""
)
INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|awk|gawk)")
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "eval"})
DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/")
SCRATCH = ("/tmp/", "/var/tmp/", "/private/tmp/", "$TMPDIR", "${TMPDIR")
DEPTH = 3
APPLIES = re.compile(r"(?:^|[;&|\n])[ \t]*apply_?patch\b")
PATCH = re.compile(
    rf"(?:^|[;&|\n])[ \t]*apply_?patch[ \t]+<<-?\s*(['\"])\w+\1\s*\n\s*{re.escape(BEGIN)}.*?\n\s*{re.escape(END)}",
    re.DOTALL,
)
"""A patch as text that no shell looks at: the mark of its end is quoted, and nobody but the program reads it."""


@lru_cache(maxsize=512)
def written(command: str) -> tuple[str, ...]:
    """The files that a command writes outside of temporary folders; `?` for one without a name. Empty: it reads."""
    return tuple(name for name in named(command) if not _scratch(name))


@lru_cache(maxsize=512)
def named(command: str) -> tuple[str, ...]:
    """Every file that a command writes, temporary ones included, devices left out."""
    if not HINT.search(command):
        return ()
    commands = bare(_without_patch(command))
    found = dict.fromkeys(target for target in (*_patched(command), *_written(commands, 0)) if target)
    return tuple(name for name in found if not name.startswith(DEVICES))


def _scratch(name: str) -> bool:
    return name.startswith(SCRATCH) and ".." not in name


def _patched(command: str) -> Iterator[str]:
    """The files of a patch in the text."""
    for change in files(command) if APPLIES.search(command) else ():
        yield from (change.path, change.moved)


def _without_patch(command: str) -> str:
    """Lines of a patch are text of its files, whatever they look like."""
    return PATCH.sub("\n", command) if BEGIN in command else command


def _written(text: str, depth: int) -> Iterator[str]:
    words: list[str] = []
    target = ""
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "redirect":
            target = token[0]
        elif kind == "word":
            if target:
                yield from _redirected(target, unquoted(token[0]))
                target = ""
            else:
                words.append(unquoted(token[0]))
        elif kind == "operator":
            yield from _by_program(words, depth)
            words, target = [], ""
    yield from _by_program(words, depth)


def _redirected(operator: str, target: str) -> Iterator[str]:
    """`2>&1` and `<file` write nothing."""
    if ">" in operator and not (operator.endswith("&") and (target.isdigit() or target == "-")):
        yield target


def _by_program(words: list[str], depth: int) -> Iterator[str]:
    while words and (words[0] in SKIPPED or ASSIGNMENT.match(words[0]) or not words[0]):
        words = words[1:]
        while words and words[0].startswith("-"):
            words = words[1:]
    if not words:
        return
    program, arguments = words[0].rpartition("/")[2], words[1:]
    plain = [word for word in arguments if not word.startswith("-")]
    if program in SHELLS:
        yield from _nested(program, arguments, depth)
    elif program in EVERY:
        yield from plain or ([] if program == "tee" else [UNKNOWN])
    elif program in LAST:
        yield (plain or [UNKNOWN])[-1]
    else:
        yield from _special(program, arguments, plain)


def _special(program: str, arguments: list[str], plain: list[str]) -> Iterator[str]:
    if program in ("sed", "gsed", "perl") and _in_place(program, arguments):
        yield from plain[1:] or [UNKNOWN]
    elif program == "dd":
        yield from (word[3:] for word in arguments if word.startswith("of="))
    elif program == "git" and _git(plain):
        yield UNKNOWN
    elif program in ("curl", "wget"):
        yield from _downloaded(program, arguments)
    elif program in ("patch", "apply_patch", "unzip") or _unpacks(program, arguments) or _runs_code(program, arguments):
        yield UNKNOWN


def _nested(program: str, arguments: list[str], depth: int) -> Iterator[str]:
    if depth >= DEPTH:
        yield UNKNOWN
    elif program == "eval":
        yield from _written(" ".join(arguments), depth + 1)
    elif "-c" in arguments or "-lc" in arguments:
        start = next(index for index, word in enumerate(arguments) if word in ("-c", "-lc"))
        yield from _written(" ".join(arguments[start + 1 : start + 2]), depth + 1)


def _in_place(program: str, arguments: list[str]) -> bool:
    short = "i" if program == "perl" else ""
    return any(
        word.startswith(("-i", "--in-place")) or (short and re.fullmatch(r"-[a-zA-Z]*i[a-zA-Z.]*", word))
        for word in arguments
    )


def _git(plain: list[str]) -> bool:
    return bool(plain) and any(word in GIT for word in plain[:3]) and plain[-2:] != ["stash", "list"]


def _downloaded(program: str, arguments: list[str]) -> Iterator[str]:
    flags = ("-o", "--output") if program == "curl" else ("-O", "--output-document")
    for before, word in pairwise(arguments):
        if before in flags and word != "-":
            yield word
    if program == "curl" and any(word in ("-O", "--remote-name") for word in arguments):
        yield UNKNOWN
    if program == "wget" and not any(word.startswith(("-O", "--output-document", "--spider")) for word in arguments):
        yield UNKNOWN


def _unpacks(program: str, arguments: list[str]) -> bool:
    if program == "find":
        return _finds(arguments)
    extracts = bool(arguments) and ("x" in arguments[0].removeprefix("-") or "--extract" in arguments)
    return program == "tar" and extracts


def _runs_code(program: str, arguments: list[str]) -> bool:
    return bool(INTERPRETERS.fullmatch(program)) and any(CODE.search(word) for word in arguments)


def _finds(arguments: list[str]) -> bool:
    runs = [after for before, after in pairwise(arguments) if before in ("-exec", "-execdir")]
    return "-delete" in arguments or any(program in EVERY | LAST | {"sed"} for program in runs)
