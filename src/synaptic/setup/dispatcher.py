"""Install the program that agents run: the compiled `dispatch`, or a shell script that runs the Python client."""

import os
import shlex
import shutil
import site
import sys
from pathlib import Path
from typing import Literal, get_args

import msgspec

import synaptic
from synaptic.agents.shared.lineage import find_own_agent
from synaptic.agents.shared.record import BootstrapRecord, load_record
from synaptic.files.bounded import read_start
from synaptic.files.replace import replace_own
from synaptic.model.environment import PATH_LINE
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup.installed import has_foreign_changes, record_installed
from synaptic.setup.refusals import remove_refusals, write_refusals

DispatcherKind = Literal["native", "python"]
FailMode = Literal["open", "closed"]

BINARY_MAGICS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""First bytes of a native program: ELF on Linux, Mach-O (one or several architectures) on macOS."""
SCRIPT_MARK = b"# synaptic dispatch, the Python client"
DISPATCH_SCRIPT = """\
#!/bin/sh
# synaptic dispatch, the Python client, version {version}
python={python}
case $0 in */*) home="${{0%/*}}/.." ;; *) home=.. ;; esac
agent=claude event= count=0
for word in "$@"; do
    case $word in --entry=*) continue ;; esac
    count=$((count + 1))
    case $count in 1) event=$word ;; 2) agent=$event event=$word ;; esac
done
say() {{ echo "synaptic: $1; type: synaptic doctor" >&2; }}
refuse() {{
    say "blocked, because it could not be checked: $1"
    case $agent$event in *[!A-Za-z0-9._-]*) exit 2 ;; esac
    case $agent in .*) exit 2 ;; esac
    case $event in "" | .*) exit 2 ;; esac
    [ -f "$home/refusals/$agent/$event" ] || exit 2
    {{ read -r code; cat; }} <"$home/refusals/$agent/$event"
    exit "${{code:-2}}"
}}
give_up() {{
    if ! grep -qx 'fail=open' "$home/engine" 2>/dev/null; then
        case $event in *[Ss]top | TeammateIdle | AfterAgent) ;; *) refuse "$1" ;; esac
    fi
    say "this call was NOT checked: $1"
    exit 0
}}
refuse_act() {{
    case $event in
        ?*.before | [Pp]re*Tool* | [Pp]re*Execution* | [Pp]re*File*) refuse "$1" ;;
        [Bb]efore*Tool* | [Bb]efore*Execution* | [Bb]efore*File*) refuse "$1" ;;
    esac
    give_up "$1"
}}
[ -x "$python" ] || give_up "its Python is missing: $python"
# What Python itself prints (a traceback) is not for an agent; the client says what it has to say on descriptor 3.
"$python" -I -S "$home/bin/start.py" synaptic.daemon.client "$0" "$@" 3>&2 2>/dev/null
code=$?
# Only {answered} and more is an answer: with 1 or 137 also ends a client that was killed or ran out of memory.
[ $code -ge {answered} ] && exit $((code - {answered}))
case $code in
    114) refuse_act "the engine's files are not as they were installed, under $home" ;;
    113 | 126 | 127) give_up "the engine cannot be started under $python" ;;
esac
refuse_act "the engine gave no answer under $python"
"""
ANSWERED_EXIT = 200
"""What the Python client adds to the exit code of an answer, so that its own end is none."""
LAUNCHER_SCRIPT = """\
#!/bin/sh
# synaptic, the command line, version {version}
exec {python} -I -S "$(dirname "$0")/start.py" synaptic.cli.main "$@"
"""


class EngineFile(msgspec.Struct, frozen=True):
    """The engine file, which `dispatch` reads when there is no daemon."""

    python: str = ""
    fail: FailMode = "open"
    version: str = ""
    daemon: bool = True
    """Whether a call that found no daemon starts one."""
    path: str = ""
    """Where programs are, as the user's own shell says."""
    has_fail: bool = True
    """False for a file that has lost the line of its fail policy."""


def install_dispatcher(home: Home, fail: FailMode | None = None) -> DispatcherKind:
    """Install dispatcher, command line and engine file; what is already right is left untouched.

    What a person has noted is kept below an agent: where programs are, and how the engine's files were.
    """
    _refuse_unusable_python(home)
    binary = find_compiled()
    known = _read_known(home)
    by_person = not (known.path and find_own_agent(home))
    if by_person or not has_foreign_changes(home):
        _record_files(home)
    _replace_file(home.dispatch, binary.read_bytes() if binary else _fill_script(DISPATCH_SCRIPT), 0o755)
    for launcher in (home.launcher, home.short_launcher):
        _replace_file(launcher, _fill_script(LAUNCHER_SCRIPT), 0o755)
    write_refusals(home)
    path = _read_path() if by_person else known.path
    wanted = EngineFile(sys.executable, fail or recall_fail(home), synaptic.__version__, known.daemon, path)
    _replace_file(home.engine, _format_engine(wanted).encode(), 0o600)
    return "native" if binary else "python"


def remove_dispatcher(home: Home) -> None:
    """Remove dispatcher and engine file, and their folder when it is empty then."""
    for path in (home.dispatch, home.launcher, home.short_launcher, home.engine, home.start, home.engine_files):
        path.unlink(missing_ok=True)
    shutil.rmtree(home.compiled, ignore_errors=True)
    remove_refusals(home)
    if home.bin.is_dir() and not any(home.bin.iterdir()):
        home.bin.rmdir()


def find_dispatcher_kind(home: Home) -> DispatcherKind | None:
    """Find which dispatcher is installed; None when there is none, or a file that is not ours."""
    start = read_start(str(home.dispatch), 256)
    if start.startswith(BINARY_MAGICS):
        return "native"
    return "python" if SCRIPT_MARK in start else None


def find_compiled() -> Path | None:
    """Find the compiled program of this installation; None when there was no compiler at build time."""
    path = Path(synaptic.__file__).parent / "_native" / "dispatch"
    return path if path.is_file() else None


def read_engine(home: Home) -> EngineFile:
    """Read the engine file; unknown lines are ignored, missing ones keep their defaults.

    One that is there and cannot be read says nothing, and its fail policy counts as the stricter.
    """
    try:
        return _read_lines(home)
    except (FileNotFoundError, NotADirectoryError):
        return EngineFile()
    except OSError:
        return EngineFile(fail="closed")


def recall_fail(home: Home) -> FailMode:
    """The fail policy of last time, for whoever asks for none now: the stricter of what engine file and record say.

    A file that has lost its line is closed for `dispatch`, and stays so unless a person is known to have chosen open.
    """
    noted = _read_known(home)
    known = load_record(home)
    chosen = known.choices.fail if known != BootstrapRecord() else None
    return "closed" if "closed" in (noted.fail, chosen) and (noted.has_fail or chosen != "open") else "open"


def _read_known(home: Home) -> EngineFile:
    """What was noted before, to be written again: not before it can be read."""
    try:
        return _read_lines(home)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return EngineFile()
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", where=str(home.engine), hint="try again") from error


def _read_lines(home: Home) -> EngineFile:
    lines = home.engine.read_text("utf-8", "surrogateescape").split("\n")
    found = dict(line.partition("=")[::2] for line in lines)
    return EngineFile(
        python=found.get("python", ""),
        fail="open" if found.get("fail") == "open" else "closed",  # as `dispatch` reads it
        has_fail=found.get("fail") in get_args(FailMode),
        version=found.get("version", ""),
        daemon=found.get("daemon") != "false",
        path=found.get("path", ""),
    )


def _format_engine(engine: EngineFile) -> str:
    lines = [f"python={engine.python}", f"fail={engine.fail}", f"version={engine.version}"]
    if not engine.daemon:
        lines.append("daemon=false")
    if engine.path:
        lines.append(f"{PATH_LINE}{engine.path}")
    return "".join(f"{line}\n" for line in lines)


def _read_path() -> str:
    path = os.environ.get("PATH", "")
    return path if "\n" not in path else ""


def _record_files(home: Home) -> None:
    try:
        home.bin.mkdir(mode=0o700, parents=True, exist_ok=True)
        record_installed(home)
    except OSError as error:
        raise SettingsError(f"cannot be written: {error.strerror}", where=str(home.engine_files)) from error


def _fill_script(template: str) -> bytes:
    words = {"version": synaptic.__version__, "python": shlex.quote(sys.executable), "answered": ANSWERED_EXIT}
    return os.fsencode(template.format(**words))


def _refuse_unusable_python(home: Home) -> None:
    """Refuse a Python that cannot run us isolated (-I): then a user's own site-packages is not on its path."""
    where, hint = str(home.engine), "install it in an environment of its own: `pipx install synaptic-hooks`"
    # The engine file has one line per key, and `dispatch` in C reads it line by line.
    if "\n" in sys.executable:
        raise SettingsError(f"a path with a line break cannot be noted: {sys.executable!r}", where=where, hint=hint)
    if Path(synaptic.__file__).resolve().is_relative_to(site.getusersitepackages()):
        raise SettingsError("an isolated Python does not find `pip install --user`", where=where, hint=hint)


def _replace_file(path: Path, content: bytes, mode: int) -> None:
    if path.is_file() and path.read_bytes() == content and path.stat().st_mode & 0o777 == mode:
        return  # agents may be running it right now
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_own(str(path), content, mode)
    except OSError as error:
        raise SettingsError(f"cannot be written: {error.strerror}", where=str(path)) from error
