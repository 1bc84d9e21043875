"""Which processes a command ends by their name, and whether that name is of everybody's."""

import re
from collections.abc import Iterator

from synaptic.shell.book.entries import find_program, normalize_name
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

KILLERS = split_names("pkill killall kill skill taskkill stop-process")
FINDERS = split_names("pgrep pidof")
SIGNAL_FREE = re.compile(r"(?:SIG)?(?:0|1|HUP|USR[12]|10|12|CONT|18|WINCH|28|INFO|URG|CHLD)", re.IGNORECASE)
"""Signals that ask for something else than an end."""
SIGNAL_FORCE = re.compile(r"(?:SIG)?(?:9|KILL|3|QUIT|6|ABRT|11|SEGV)", re.IGNORECASE)
SIGNAL_OPTION = re.compile(r"-((?:SIG)?[A-Z][A-Z0-9]{2,6}|\d{1,2})")
SIGNAL_OPTIONS = frozenset({"-s", "--signal"})
VALUE_OPTIONS = split_names("-s --signal -u --euid -U --uid -G --group --ns --nslist -o -y -Z --context /PID /FI /U /P")
NARROWING = re.compile(r"-(?:[a-zA-Z]*[PgtFno]|-parent|-pgroup|-terminal|-newest|-oldest|-pidfile)")
"""Options that leave one process, or those of a parent, a terminal or a file."""
INFORMING = split_names("-l -L --list -c --count --help -V --version -h")
WHOLE_LINE = re.compile(r"-[a-zA-Z]*f[a-zA-Z]*|--full")
RUNTIMES = split_names(
    "node nodejs java javaw python pythonw ruby php perl deno bun dotnet mono go erl beam.smp lua r rscript npm npx"
)
SERVERS = split_names(
    "postgres postmaster postgresql mysql mysqld mariadb mariadbd mongo mongod mongodb redis redis-server valkey-server"
    " memcached elasticsearch rabbitmq rabbitmq-server clickhouse-server cassandra nginx apache2 httpd caddy haproxy"
    " docker dockerd containerd podman qemu libvirtd sshd ssh ssh-agent systemd dbus-daemon cron crond"
)
DESKTOP = split_names(
    "tmux screen zellij bash zsh sh fish dash chrome chromium firefox safari code cursor windsurf electron idea pycharm"
    " goland webstorm emacs vim nvim slack xorg gnome-shell kwin plasmashell finder dock windowserver explorer terminal"
    " iterm2 alacritty kitty wezterm claude codex"
)
ROOT_LABELS = frozenset({"sudo", "doas", "su", "pkexec"})
MAX_NAME = 200
"""Characters of a pattern that are looked at."""
PIECES = re.compile(r"\\?\||,")
ANCHORS = re.compile(r"^[\^(]+|[$)]+$|\.\*$|^\.\*|[\[\]\\]")
"""Signs around a name that do not make it say more: `^node$`, `[j]ava`, `python.*`."""
AWK_PATTERN = re.compile(r"\s*/([^/]+)/\s*(?:&&\s*!\s*/[^/]*/\s*)?\{")


def find_kill(command: Command, found: Script) -> str:
    """The name of everybody's processes that a command ends; empty when it names none."""
    args = command.args
    if _asks_only(args) or any(map(NARROWING.fullmatch, args)):
        return ""
    forced = _is_forced(args) or any(label.partition(" ")[0] in ROOT_LABELS for label in command.via)
    name = command.name.lower()
    if name == "kill":
        return next(filter(None, (_pick(names, forced or wide) for names, wide in _iter_found(command, found))), "")
    # PowerShell's ends a process at once, whatever it is told.
    wide = name == "stop-process" or (name == "pkill" and any(map(WHOLE_LINE.fullmatch, args)))
    return _pick(_list_operands(args), forced or wide)


def _pick(names: list[str], forced: bool) -> str:
    """The first name that is nobody's own; one word that says more leaves the rest alone."""
    for text in names:
        for piece in PIECES.split(text[:MAX_NAME]):
            plain = normalize_name(ANCHORS.sub("", piece).rpartition("/")[2].removesuffix(".exe").strip())
            if plain in SERVERS or plain in DESKTOP or (forced and plain in RUNTIMES):
                return plain
    return ""


def _asks_only(args: tuple[str, ...]) -> bool:
    return any(text in INFORMING for text in args) or any(map(SIGNAL_FREE.fullmatch, _iter_signals(args)))


def _is_forced(args: tuple[str, ...]) -> bool:
    return any(map(SIGNAL_FORCE.fullmatch, _iter_signals(args))) or any(
        text.lower() in ("/f", "-force") for text in args
    )


def _iter_signals(args: tuple[str, ...]) -> Iterator[str]:
    """`-9`, `-KILL`, `-s KILL`, `--signal=9`."""
    for before, text in zip(("", *args), args, strict=False):
        if before in SIGNAL_OPTIONS:
            yield text
        elif text.startswith("--signal="):
            yield text.partition("=")[2]
        elif one := SIGNAL_OPTION.fullmatch(text):
            yield one[1]


def _list_operands(args: tuple[str, ...]) -> list[str]:
    words = zip(("", *args), args, strict=False)
    return [text for before, text in words if before not in VALUE_OPTIONS and text[:1] != "-" and not _is_switch(text)]


def _is_switch(text: str) -> bool:
    return text[:1] == "/" and text[1:].isalpha() and len(text) <= 3  # `/F`, `/IM`


def _iter_found(command: Command, found: Script) -> Iterator[tuple[list[str], bool]]:
    """The names by which the ids were found that `kill` is given, and whether they were sought in whole lines."""
    before = found.find_upstream(command)
    for one in before:
        if one.name in FINDERS and not any(map(NARROWING.fullmatch, one.args)):
            yield _list_operands(one.args), any(map(WHOLE_LINE.fullmatch, one.args))
    if any(one.name == "ps" for one in before):
        sought = [pattern for one in before for pattern in _iter_patterns(one)]
        # Two patterns are one that says more.
        yield (sought if len(sought) == 1 else []), True


def _iter_patterns(command: Command) -> Iterator[str]:
    program = find_program(command.name)
    if program.picks:
        if not any(re.fullmatch(r"-\w*v\w*|--invert-match", text) for text in command.args):
            yield from (text for text in command.args if text[:1] != "-")
    elif command.name in ("awk", "gawk", "mawk"):
        yield from (one[1] for text in command.args if (one := AWK_PATTERN.match(text)))
    elif command.name == "ps" and "-C" in command.args:
        yield from command.args[command.args.index("-C") + 1 :][:1]
