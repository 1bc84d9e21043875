"""Where a process sits: whether a person at a terminal has typed it, and what their terminal hangs on.

A terminal alone proves nothing, since every program can make one. What it hangs on says more: a login that root runs,
a container's door, a window that was open before any agent. What shows none of these is not sure; it may be a person's
all the same, who can show it with the PIN.
"""

from collections.abc import Sequence
from itertools import takewhile

import msgspec

from synaptic.agents.shared.processes import ProcessInfo, TerminalPlace, is_older
from synaptic.model.authority import Authority
from synaptic.shell.names import split_names

LOGINS = split_names("sshd sshd-session login dropbear")
"""Programs that let a person in, which root runs."""
SYSTEM_FOLDERS = ("/usr/", "/bin/", "/sbin/", "/lib/", "/nix/store/", "/System/")
WINDOWS = split_names(
    "gnome-terminal-server kgx ptyxis-agent konsole xterm uxterm urxvt urxvtd rxvt st foot kitty alacritty ghostty "
    "tilix terminator xfce4-terminal mate-terminal lxterminal qterminal terminology "
    "tilda cosmic-term deepin-terminal rio Terminal iTerm2 iTermServer Ghostty Alacritty"
)
"""Programs that are a terminal's window and take keys from a person only, as long as nobody asks them for more."""
REMOTE_CONTROLLED = split_names(
    "tmux screen zellij dtach abduco mosh-server code code-insiders codium cursor windsurf zed idea emacs vim nvim "
    "expect script socat dvtm byobu ttyd wezterm-gui wezterm-mux-server guake yakuake"
)
"""Programs in which other programs can type, as they are installed: each has a command or a socket for it."""
SHELLS = split_names("sh bash dash zsh fish ksh mksh ash csh tcsh nu elvish xonsh")
TYPED_SHELL_WORDS = split_names("-l -i -il -li --login --interactive --posix --noprofile --norc -f --no-rcs")
"""Options of a shell with which it still reads what is typed, and nothing else."""
NAME_LETTERS = 15
"""The system keeps so many of a program's name."""


class SeenProcess(msgspec.Struct, frozen=True, kw_only=True):
    """One process of a chain, as far as it matters where somebody sits."""

    process: ProcessInfo
    name: str
    """What the system calls it."""
    program: str = ""
    """The file that it executes; "" for another user's."""
    words: tuple[str, ...] = ()
    is_root: bool = False
    reads_terminal: bool = True

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name, self.program.rpartition("/")[2].removesuffix(" (deleted)")))


class SeatSurroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What lives beside a process."""

    agents: tuple[ProcessInfo, ...] = ()
    """Those that are known to live now."""
    shared: str = ""
    """An agent in the same terminal, where it could type there for a person."""
    is_root: bool = False
    """Whether all this is root's, so that root's programs prove less."""


def judge_seat(chain: Sequence[SeenProcess], place: TerminalPlace | None, beside: SeatSurroundings) -> Authority:
    """Whether a person at a terminal has asked: the chain is the process itself, its parent and so on."""
    if place is None or not place.terminal:
        return _doubt("it has no terminal")
    if place.foreground != place.group:
        return _doubt(f"it is not in the foreground of {place.terminal}")
    leader = next((at for at, one in enumerate(chain) if one.process.pid == place.session), None)
    if leader is None:
        return _doubt(f"the shell of {place.terminal} has not started it")
    if between := next((one for one in chain[1 : leader + 1] if not (is_typed_shell(one) or _is_login(one))), None):
        return _doubt(f"`{between.name}` has started it, and not a shell in which somebody types")
    if beside.shared:
        return _doubt(beside.shared)
    seat = _find_seat(chain[leader:], beside)
    return seat if isinstance(seat, Authority) else Authority(standing="sure", who=f"{place.terminal}, {seat}")


def is_typed_shell(one: SeenProcess) -> bool:
    """Whether a process is a shell that does what somebody types, and not what a file or a command line says."""
    shell = (one.words[0] if one.words else "").lstrip("-").rpartition("/")[2]
    if not (one.names | {shell}) & SHELLS or not one.reads_terminal:
        return False
    return all(word in TYPED_SHELL_WORDS for word in one.words[1:])


def _find_seat(chain: Sequence[SeenProcess], beside: SeatSurroundings) -> str | Authority:
    """What the terminal hangs on: `chain` begins with the process that leads its session."""
    leader = chain[0]
    if leader.process.parent == 0 and leader.process.pid != 1:
        return "entered from outside the container"
    above = chain[1:] if not _is_login(leader) else chain
    if not above:
        return _doubt("what its terminal hangs on cannot be seen")
    if (login := _find_login(above, beside)) is not None:
        return f"by {login.name}"
    window = next((one for one in above if not _is_login(one)), above[0])
    if found := window.names & REMOTE_CONTROLLED:
        return _doubt(f"its terminal is in {min(found)}, where programs can type, too")
    if not any(_is_named(window, name) for name in WINDOWS):
        return _doubt(f"its terminal is in `{window.name}`, and nobody knows who has started that")
    if not (is_typed_shell(leader) or _is_login(leader)):
        return _doubt(f"its terminal was opened for `{leader.name}`")
    if any(not is_older(window.process, agent) for agent in beside.agents):
        return _doubt(f"`{window.name}` was opened while an agent was running, which may have done it")
    return f"in {window.name}"


def _find_login(above: Sequence[SeenProcess], beside: SeatSurroundings) -> SeenProcess | None:
    """The login of root's that a terminal hangs on: nothing of its user's own stands over it."""
    parts = tuple(takewhile(_is_login, above))
    root, over = next((one for one in parts if one.is_root), None), above[len(parts) :]
    if root is None or not all(one.is_root for one in over):
        return None
    # Where everything is root's, only what the system itself has started is known to be no agent's.
    is_trusted = not beside.is_root or (not over and root.program.startswith(SYSTEM_FOLDERS))
    return root if is_trusted else None


def _is_login(one: SeenProcess) -> bool:
    return not LOGINS.isdisjoint(one.names)


def _is_named(one: SeenProcess, name: str) -> bool:
    return name in one.names or name[:NAME_LETTERS] == one.name


def _doubt(why: str) -> Authority:
    return Authority(standing="unsure", why=why)
