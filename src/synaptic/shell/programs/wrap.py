"""Programs that start the command in their arguments: `sudo`, `env`, `timeout` and their kin."""

import re

import msgspec

from synaptic.shell.names import names
from synaptic.shell.programs.options import operands, rest, takes_value, value_of
from synaptic.shell.programs.pagers import OF_SUDO, start_named
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
SUDO = frozenset(
    [
        "-u",
        "-g",
        "-h",
        "-p",
        "-C",
        "-r",
        "-t",
        "-T",
        "-U",
        "-D",
        "-R",
        "--user",
        "--group",
        "--host",
        "--prompt",
        "--chdir",
        "--role",
        "--type",
    ]
)
ENV = frozenset(["-u", "--unset", "-C", "--chdir", "-S", "--split-string", "-P"])
AS_SHELL = re.compile(r"-[A-Za-z]*[is]|--login|--shell")
SHELL_WITHOUT = ("chroot", "nsenter", "unshare", "fakeroot", "setarch", "linux32", "linux64", "proot", "wsl")
"""Programs that start a shell when they are given no command."""
PERF = names("-e -o -F -C -p -t -c -r -I -M -D -x -G -j --event --output --call-graph --cpu --repeat")
BOUND = names("--bind --ro-bind --dev-bind --bind-try --ro-bind-try --dev-bind-try --symlink --setenv --file --chmod")
GIVEN = names("--dev --proc --tmpfs --chdir --dir --unsetenv --uid --gid --hostname --lock-file --args")
"""Options of bwrap with two values, and with one."""

PREFIXES: dict[str, tuple[str, int]] = {
    "nohup": ("", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p -P -u --class --classdata", 0),
    "chrt": ("-T -P -D -p", 1),
    "taskset": ("", 1),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "time": ("-f -o --format --output", 0),
    "gtime": ("-f -o --format --output", 0),
    "stdbuf": ("-i -o -e --input --output --error", 0),
    "setsid": ("", 0),
    "unbuffer": ("", 0),
    "chronic": ("", 0),
    "builtin": ("", 0),
    "doas": ("-u -C -a", 0),
    "pkexec": ("--user", 0),
    "gosu": ("", 1),
    "su-exec": ("", 1),
    "chroot": ("--userspec --groups", 1),
    "unshare": ("-R -w -S -G --root --wd --setuid --setgid --map-user --map-group", 0),
    "nsenter": ("-t -S -G -w --target --setuid --setgid", 0),
    "setarch": ("", 1),
    "linux32": ("", 0),
    "linux64": ("", 0),
    "arch": ("-arch --arch -e -d", 0),
    "numactl": ("-N -m -C -i -p", 0),
    "prlimit": ("-p --pid", 0),
    "cgexec": ("-g", 0),
    "systemd-run": ("-u -p -M -H -E --unit --property --uid --gid --setenv --slice --description", 0),
    "systemd-inhibit": ("--what --who --why --mode", 0),
    "caffeinate": ("-t -w", 0),
    "strace": ("-o -e -p -s -a -E -u -P -I -O -S -b -X", 0),
    "ltrace": ("-o -e -p -s -a -u -n -l -x", 0),
    "valgrind": ("", 0),
    "fakeroot": ("-l -s -i -b", 0),
    "firejail": ("", 0),
    "proxychains": ("-f", 0),
    "proxychains4": ("-f", 0),
    "torsocks": ("", 0),
    "tsocks": ("", 0),
    "dbus-run-session": ("", 0),
    "xvfb-run": ("-n -s -e -f -p -w --server-num --server-args", 0),
    "winpty": ("", 0),
    "rlwrap": ("", 0),
    "catchsegv": ("", 0),
    "tini": ("-p -e", 0),
    "dumb-init": ("", 0),
    "sem": ("-j --id", 0),
    "nocorrect": ("", 0),
    "noglob": ("", 0),
    "setpriv": ("", 0),
    "runcon": ("-t -u -r -l", 0),
    "eatmydata": ("", 0),
    "softlimit": ("-a -c -d -f -l -m -o -p -r -s -t", 0),
    "chpst": ("-u -U -b -e -m -d -o -p -f -c", 0),
    "envdir": ("", 1),
    "direnv": ("", 2),
    "dotenv": ("-f -e", 0),
    "cross-env": ("", 0),
    "exec": ("-a", 0),
    "sshpass": ("-p -f -d -P", 0),
    "wsl": ("-d -u --cd --distribution --user --shell-type", 0),
    "faketime": ("-f", 1),
    "cpulimit": ("-l --limit", 0),
    "trickle": ("-d -u -w -t -l", 0),
    **dict.fromkeys(("setuidgid", "s6-setuidgid", "envuidgid"), ("", 1)),
    **dict.fromkeys(("mpirun", "mpiexec"), ("-n -np -H --host --hostfile -x --map-by --bind-to", 0)),
    "srun": ("-n -N -c -p -t -J -A -w -o -e -D", 0),
    "bear": ("-o --output --config", 0),
    "scan-build": ("-o", 0),
    "heaptrack": ("-o", 0),
    "sandbox-exec": ("-f -n -p -D", 0),
    "flatpak-spawn": ("", 0),
    "proot": ("-r -b -w -q", 0),
    "env-cmd": ("-f -e -r", 0),
    **dict.fromkeys(("dtach", "abduco"), ("-n -c -A -N -a -e -r", 0)),
    "tsp": ("-N -D -L -E", 0),
}
"""Options that take a value of their own, and how many words stand before the command."""


def prefix(shell: Evaluation, call: Call) -> str | None:
    valued, skip = PREFIXES[call.name]
    words = rest(call.words, valued.split(), skip)
    while words and ASSIGNED.match(words[0].text):
        words = words[1:]
    if not words and call.name in SHELL_WITHOUT:
        words = [Word("sh")]
    return shell.wrapped(call, words, call.name)


def time(shell: Evaluation, call: Call) -> str | None:
    """With an option that the keyword does not take, `time` is a program, and a program runs no function."""
    words = rest(call.words, PREFIXES["time"][0].split())
    if not words or len(words) == len(call.words) - 1:
        return shell.wrapped(call, words, "time")
    hidden = shell.bodies.pop(words[0].text, None)
    try:
        return shell.wrapped(call, words, "time")
    finally:
        if hidden is not None:
            shell.bodies[hidden.name] = hidden


def sudo(shell: Evaluation, call: Call) -> str | None:
    words = call.words
    if any(text in ("-e", "-l", "-v", "-k", "-K", "--edit", "--list") for text in call.texts()[:1]):
        if call.texts()[0] in ("-e", "--edit"):
            start_named(shell, call, OF_SUDO)
        return None
    place = operands(words, SUDO)
    while place < len(words) and ASSIGNED.match(words[place].text):
        place += 1
    folder = value_of(words[1:place], frozenset({"-D", "--chdir"}))
    inner = words[place:] or ([Word("sh")] if any(AS_SHELL.fullmatch(word.text) for word in words[1:]) else [])
    return shell.wrapped(call, inner, "sudo", _folder(shell, folder))


def command(shell: Evaluation, call: Call) -> str | None:
    place = operands(call.words, frozenset())
    if any(re.fullmatch(r"-\w*[vV]\w*", word.text) for word in call.words[1:place]):
        return f"{call.words[place].text}\n" if place + 1 == len(call.words) else None
    return shell.wrapped(call, call.words[place:], "command")


def env(shell: Evaluation, call: Call) -> str | None:
    """Options and assignments in any order, and `-S` with a command line of its own."""
    words, place, folder = call.words, 1, ""
    added: list[tuple[str, Word]] = []
    while place < len(words):
        text = words[place].text
        if text[:2] == "-S" or text.startswith("--split-string"):
            return _split(shell, call, place)
        if ASSIGNED.match(text):
            name, _, value = text.partition("=")
            added.append((name, Word(value, words[place].known)))
        elif text[:1] != "-":
            break
        elif takes_value(text, ENV):
            place += 1
            if text in ("-C", "--chdir") and place < len(words):
                folder = _folder(shell, words[place])
        elif text == "--":
            place += 1
            break
        place += 1
    call = msgspec.structs.replace(call, assignments=(*call.assignments, *added))
    return shell.wrapped(call, words[place:], "env", folder)


def _split(shell: Evaluation, call: Call, place: int) -> str | None:
    text = call.words[place].text
    value = text.partition("=")[2] if text[:2] == "--" else text[2:]
    if not value and "=" not in text:
        place += 1
        value = call.words[place].text if place < len(call.words) else ""
    quoted = " ".join([value, *(quote(word.text) for word in call.words[place + 1 :])])
    return shell.code(quoted, "env -S")


def bwrap(shell: Evaluation, call: Call) -> str | None:
    """Most of its options take two values: what is seen inside, and where."""
    place = 1
    while place < len(call.words) and call.words[place].text[:2] == "--":
        text = call.words[place].text
        place += 3 if text in BOUND else 2 if text in GIVEN else 1
        if text == "--":
            break
    return shell.wrapped(call, call.words[place:], "bwrap")


def perf(shell: Evaluation, call: Call) -> str | None:
    """`perf stat cmd`, `perf record -g -- cmd`."""
    place = operands(call.words, frozenset())
    if place >= len(call.words) or call.words[place].text not in ("stat", "record", "trace", "mem", "lock", "kmem"):
        return None
    words = rest(call.words[place:], PERF)
    return shell.wrapped(call, words, "perf")


def quote(text: str) -> str:
    """Text as one shell word."""
    return "'" + text.replace("'", "'\\''") + "'"


def _folder(shell: Evaluation, word: Word | None) -> str:
    return shell.path(word.text) if word and word.known and (shell.cwd or word.text[:1] == "/") else ""


def busybox(shell: Evaluation, call: Call) -> str | None:
    return shell.wrapped(call, call.words[1:], call.name)


def watch(shell: Evaluation, call: Call) -> str | None:
    """The words are joined and given to a shell."""
    words = rest(call.words, ("-n", "-q", "-s", "--interval", "--equexit"))
    return shell.code(" ".join(word.text for word in words), "watch") if words else None


def flock(shell: Evaluation, call: Call) -> str | None:
    words = rest(call.words, ("-w", "-E", "--timeout", "--wait", "--conflict-exit-code"), 1)
    if words and words[0].text in ("-c", "--command"):
        return shell.code(words[1].text, "flock -c", shell.place(words[1])) if len(words) > 1 else None
    return shell.wrapped(call, words, "flock")


WRAPPERS: dict[str, Handler] = {
    **dict.fromkeys(PREFIXES, prefix),
    **dict.fromkeys(("time", "gtime"), time),
    "sudo": sudo,
    "command": command,
    "env": env,
    "genv": env,
    "busybox": busybox,
    "toybox": busybox,
    "watch": watch,
    "viddy": watch,
    "flock": flock,
    "bwrap": bwrap,
    "perf": perf,
}
