"""Run a file by the bytes that were compared, not by its path: whoever exchanges the file in between gains nothing.

The bytes go to the interpreter in a sealed file that has no name. For the script everything is as if it had been
started by its path: `$0`, `dirname "$0"`, `BASH_SOURCE`, `__file__` and its arguments. An interpreter that is not in
the table gets the path, right after the comparison.
"""

import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from synaptic.files.bounded import read_content
from synaptic.model.environment import SYSTEM_FOLDERS
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.read.reader import read_script, read_words

CONTENT_MARK = "\0content\0"
"""Stands in an argument for the path of the open file; no argument of a process can hold a NUL."""
EXACT_LIMIT = 256 << 20
BINARY_MARK = b"\x7fELF"
SEALS = 0x0001 | 0x0002 | 0x0004 | 0x0008
"""F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE."""
SHELL_OPTIONS = re.compile(r"-[aefhuvx]+")
"""Options of a shell in a first line that may stand before `-c`."""
MODULE_TEXT = re.compile(rb"^\s*(?:import|export)\b", re.MULTILINE)
PYTHON_START = (
    # Imports nothing but what is built in: the folder of the event is where modules are looked for until line 2.
    "import sys;__file__=sys.argv[2];_code=compile(open(sys.argv[1],'rb').read(),__file__,'exec');"
    "sys.path[:1]=[sys.argv[3]] if sys.path[:1]==[''] else sys.path[:1];sys.argv[:]=[__file__,*sys.argv[4:]];"
    "del sys;exec(_code)"
)
BASH_START = 'SYNAPTIC_SOURCE=("$0"); IFS= read -r -d "" SYNAPTIC_CODE <{mark} || :; eval "$SYNAPTIC_CODE"'
NODE_START = (
    "const [f,p]=process.argv.slice(1,3),M=require('module'),q=require('path').resolve(p),m=new M(q,null);"
    "process.argv.splice(1,2,q);m.filename=q;m.paths=M._nodeModulePaths(require('path').dirname(q));"
    "process.mainModule=m;m.id='.';M._cache[q]=m;m._compile(require('fs').readFileSync(f,'utf8').replace(/^#!.*/,''),q)"
)
PERL_START = (
    'my $f = shift; $0 = shift; open(my $h, "<", $f) or die; my $c = do { local $/; <$h> }; '
    'eval "#line 1 \\"$0\\"\\n$c"; die $@ if $@;'
)


class ExactFile(msgspec.Struct, frozen=True):
    """What to start so that exactly these bytes run. `argv` holds CONTENT_MARK where the bytes are meant."""

    argv: tuple[str, ...]
    content: bytes | None = None
    executable: str = ""


class ChangedContentError(Exception):
    """A file is not what may run."""


def bind_file(argv: tuple[str, ...], shell: str, contents: Mapping[str, frozenset[str]], folder: str) -> ExactFile:
    """What to start for a hook whose files may only run as they were accepted.

    Raises ChangedContentError where the file that is to be started is another one by now, OSError as exec does.
    """
    words = argv or _read_simple(shell, folder)
    plain = ExactFile(argv or ("/bin/sh", "-c", shell))
    if not words:
        return plain
    place = _find_script(words)
    if place is None:
        return plain
    path = os.path.normpath(os.path.join(folder, words[place]))  # noqa: PTH118 - text only
    if path not in contents and path.startswith(SYSTEM_FOLDERS):
        return plain  # it does not come with a repository
    content = read_content(path, EXACT_LIMIT)
    if content is None:
        raise FileNotFoundError(2, "No such file or directory", path)
    if not isinstance(content, bytes) or hashlib.sha256(content).hexdigest() not in contents.get(path, frozenset()):
        raise ChangedContentError(path)
    if place == 0:
        return _start_program(words, path, content)
    return _start_interpreter(words, place, path, content) or plain


def open_content(content: bytes) -> int:
    """A descriptor of a file without a name that holds these bytes and, where the system can, never others."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("synaptic-hook", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(handle, content) if len(content) < 1 << 20 else _write_all(handle, content)
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, SEALS)
    else:
        handle, name = tempfile.mkstemp()
        os.unlink(name)  # noqa: PTH108
        _write_all(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def _write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


@lru_cache(maxsize=256)
def _read_simple(shell: str, folder: str) -> tuple[str, ...]:
    """The words of shell text that is one plain command, as the program would get them; nothing for any other text."""
    if not read_words(shell):
        return ()
    env = {"SYNAPTIC_PROJECT_ROOT": folder, "CLAUDE_PROJECT_DIR": folder}
    found = read_script(shell, folder, "", env)
    commands = [command for command in found.commands if not command.via]
    if len(commands) != 1 or found.redirects or commands[0].assignments or found.functions:
        return ()
    words = commands[0].argv
    return tuple(word.text for word in words) if all(word.known and not word.glob for word in words) else ()


def _find_script(words: Sequence[str]) -> int | None:
    """The place of the word that names the file to run; None when it is no file that could be opened here."""
    if "/" in words[0] and normalize_name(words[0].rpartition("/")[2]) not in STARTS:
        return 0
    if normalize_name(words[0].rpartition("/")[2]) in STARTS and len(words) > 1 and not words[1].startswith("-"):
        return 1
    return None


def _start_program(words: tuple[str, ...], path: str, content: bytes) -> ExactFile:
    """A file that is executed itself: by its first line, or by the system."""
    if not os.access(path, os.X_OK):
        raise PermissionError(13, "Permission denied", path)
    if content.startswith(BINARY_MARK):
        return ExactFile(words, content, CONTENT_MARK) if hasattr(os, "memfd_create") else ExactFile(words)
    line = (
        content[2:].partition(b"\n")[0].decode("utf-8", "replace").strip() if content.startswith(b"#!") else "/bin/sh"
    )
    first = _split_first_line(line)
    return _start_interpreter((*first, *words), len(first), path, content) or ExactFile(words)


def _split_first_line(line: str) -> tuple[str, ...]:
    """The words of a first line as the kernel hands them on: the program, and one argument."""
    program, _, rest = line.partition(" ")
    rest = rest.strip()
    if program.rpartition("/")[2] == "env" and rest.startswith("-S"):
        return (program, *rest[2:].split())
    return (program, rest) if rest else (program,)


def _start_interpreter(words: tuple[str, ...], place: int, path: str, content: bytes) -> ExactFile | None:
    """The interpreter with the bytes in the place of the script; None when it has no way to be told."""
    before, script, behind = words[:place], words[place], words[place + 1 :]
    named = before[1:] if before[0].rpartition("/")[2] == "env" else before
    name = normalize_name(named[0].rpartition("/")[2]) if named else ""
    start = STARTS.get(name)
    if start is None or (name in SHELL_STARTS and not all(map(SHELL_OPTIONS.fullmatch, named[1:]))):
        return None
    code, changed = start(content, script)
    if not code:
        return None
    if name in SHELL_STARTS:
        return ExactFile((*before, "-c", code, script, *behind), changed)
    folder = (os.path.dirname(os.path.realpath(path)),) if name == "python" else ()  # noqa: PTH120 - text only
    return ExactFile((*before, *code.split("\0code\0"), CONTENT_MARK, script, *folder, *behind), changed)


def _start_shell(content: bytes, script: str) -> tuple[str, bytes]:
    return f". {CONTENT_MARK}", content


def _start_bash(content: bytes, script: str) -> tuple[str, bytes]:
    if b"\0" in content:
        return f". {CONTENT_MARK}", content
    # Bash sets this name itself, to nothing here; under another name it says what it says in a script.
    return BASH_START.replace("{mark}", CONTENT_MARK), content.replace(b"BASH_SOURCE", b"SYNAPTIC_SOURCE")


def _start_zsh(content: bytes, script: str) -> tuple[str, bytes]:
    return f'eval "$(<{CONTENT_MARK})"', content


def _start_python(content: bytes, script: str) -> tuple[str, bytes]:
    return f"-c\0code\0{PYTHON_START}", content


def _start_node(content: bytes, script: str) -> tuple[str, bytes]:
    is_module = script.endswith((".mjs", ".ts", ".mts")) or MODULE_TEXT.search(content) is not None
    return ("" if is_module else f"-e\0code\0{NODE_START}"), content


def _start_perl(content: bytes, script: str) -> tuple[str, bytes]:
    return ("" if b"__DATA__" in content or b"__END__" in content else f"-e\0code\0{PERL_START}"), content


SHELL_STARTS = frozenset({"sh", "dash", "ash", "ksh", "mksh", "bash", "zsh"})
STARTS = {
    **dict.fromkeys(("sh", "dash", "ash", "ksh", "mksh"), _start_shell),
    "bash": _start_bash,
    "zsh": _start_zsh,
    "python": _start_python,
    "node": _start_node,
    "perl": _start_perl,
}
"""How each interpreter is told to run bytes that are not at the script's path."""
