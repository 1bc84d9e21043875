"""Where people and programs sit: the ways in which each usual terminal hangs together, and what imitates them."""

from collections.abc import Sequence

import pytest

from synaptic.agents.shared.processes import ProcessInfo, TerminalPlace
from synaptic.agents.shared.seat import SeatSurroundings, SeenProcess, judge_seat
from synaptic.model.authority import Authority

SYNAPTIC = "python3 /usr/bin/synaptic allow k7qmd"
AGENT = ProcessInfo(9000, 1, "5000")


def build_chain(*names: str, top: int = 1) -> list[SeenProcess]:
    """From the inside: `root:sshd` is root's, `late:xterm` was started after the agent, words follow a name."""
    chain = []
    for at, text in enumerate(names):
        flags, _, command = text.rpartition(":") if ":" in text.split(" ")[0] else ("", "", text)
        program, *rest = command.split(" ")
        parent = 100 + at + 1 if at + 1 < len(names) else top
        chain.append(
            SeenProcess(
                process=ProcessInfo(100 + at, parent, "6000" if "late" in flags else str(4000 - at)),
                name=program.lstrip("-"),
                program="" if "root" in flags else f"/usr/bin/{program.lstrip('-')}",
                words=(program, *rest),
                is_root="root" in flags,
                reads_terminal="piped" not in flags,
            )
        )
    return chain


def judge(
    *names: str,
    leader: int | None = None,
    top: int = 1,
    terminal: str = "pts/3",
    agents: Sequence[ProcessInfo] = (AGENT,),
    foreground: bool = True,
    shared: str = "",
    is_root: bool = False,
) -> Authority:
    chain = build_chain(*names, top=top)
    session = 100 + next((at for at, one in enumerate(names) if "bash" in one or "zsh" in one or "fish" in one), 0)
    place = TerminalPlace(terminal, session if leader is None else leader, 100, 100 if foreground else 55)
    return judge_seat(chain, place, SeatSurroundings(agents=tuple(agents), shared=shared, is_root=is_root))


SURE = {
    "ssh": (SYNAPTIC, "-bash", "sshd", "root:sshd", "root:sshd"),
    "ssh of a newer kind": (SYNAPTIC, "-zsh", "sshd-session", "root:sshd-session", "root:sshd"),
    "a console": (SYNAPTIC, "-bash", "root:login"),
    "another shell in the shell": (SYNAPTIC, "fish", "zsh -i", "bash", "sshd", "root:sshd"),
    "gnome-terminal": (SYNAPTIC, "bash", "gnome-terminal-", "systemd"),
    "konsole": (SYNAPTIC, "bash", "konsole", "systemd"),
    "xterm below a window manager": (SYNAPTIC, "bash", "xterm", "i3", "gdm-x-session", "root:gdm-session-wor"),
    "a new tab of an old window": (SYNAPTIC, "late:bash", "gnome-terminal-", "systemd"),
    "Terminal on macOS": (SYNAPTIC, "-zsh", "root:login", "Terminal"),
    "iTerm on macOS": (SYNAPTIC, "-zsh", "root:login", "iTerm2"),
}


@pytest.mark.parametrize("names", SURE.values(), ids=SURE)
def test_a_person_at_a_usual_terminal_is_sure(names: tuple[str, ...]) -> None:
    found = judge(*names, leader=103 if "zsh -i" in names else None)
    assert found.standing == "sure", found.why
    assert found.who.startswith("pts/3, ")


def test_a_command_that_ssh_runs_in_a_terminal_is_sure() -> None:
    assert judge(SYNAPTIC, "sshd", "root:sshd", leader=100).standing == "sure"


def test_who_enters_a_container_from_outside_is_sure() -> None:
    assert judge(SYNAPTIC, "bash", top=0).standing == "sure"
    assert judge(SYNAPTIC, leader=100, top=0).standing == "sure"


UNSURE = {
    "tmux": ((SYNAPTIC, "-bash", "tmux"), "is in tmux"),
    "screen": ((SYNAPTIC, "bash", "screen"), "is in screen"),
    "the terminal of VS Code": ((SYNAPTIC, "bash", "code", "code", "systemd"), "is in code"),
    "the terminal of Cursor": ((SYNAPTIC, "zsh", "cursor", "cursor"), "is in cursor"),
    "emacs": ((SYNAPTIC, "bash", "emacs"), "is in emacs"),
    "mosh": ((SYNAPTIC, "-bash", "mosh-server"), "is in mosh-server"),
    "WezTerm": ((SYNAPTIC, "bash", "wezterm-gui", "systemd"), "is in wezterm-gui"),
    "WezTerm's server": ((SYNAPTIC, "bash", "wezterm-mux-server"), "is in wezterm-mux-ser"),
    "Guake": ((SYNAPTIC, "bash", "guake", "systemd"), "is in guake"),
    "Yakuake": ((SYNAPTIC, "bash", "yakuake", "systemd"), "is in yakuake"),
    "script": ((SYNAPTIC, "bash", "script"), "is in script"),
    "socat": ((SYNAPTIC, "bash", "socat"), "is in socat"),
    "python's pty": ((SYNAPTIC, "bash", "python3"), "`python3`, and nobody knows"),
    "WSL": ((SYNAPTIC, "bash", "root:Relay(9)", "root:SessionLeader"), "nobody knows"),
    "a shell that init has started": ((SYNAPTIC, "bash"), "cannot be seen"),
    "cron with a terminal": ((SYNAPTIC, "bash", "script", "sh", "root:cron"), "is in script"),
    "a window that came after the agent": ((SYNAPTIC, "bash", "late:xterm"), "while an agent was running"),
    "a program in the window, no shell": ((SYNAPTIC, "xterm"), "was opened for `python3`"),
    "make": ((SYNAPTIC, "make all", "bash", "sshd", "root:sshd"), "`make` has started it"),
    "npm": ((SYNAPTIC, "sh -c synaptic", "npm run x", "bash", "sshd", "root:sshd"), "`sh` has started it"),
    "a script": ((SYNAPTIC, "bash run.sh", "zsh", "sshd", "root:sshd"), "`bash` has started it"),
    "a shell that reads a file": ((SYNAPTIC, "piped:sh", "zsh", "sshd", "root:sshd"), "`sh` has started it"),
    "a shell that is told what to do": ((SYNAPTIC, "bash --rcfile x", "xterm"), "`bash` has started it"),
    "a shell with a command": ((SYNAPTIC, "bash -c x", "sshd", "root:sshd"), "`bash` has started it"),
    "sshd of one's own": ((SYNAPTIC, "bash", "sshd", "python3"), "`python3`, and nobody knows"),
    "login below script": ((SYNAPTIC, "zsh", "root:login", "script"), "is in script"),
}


@pytest.mark.parametrize(("names", "why"), UNSURE.values(), ids=UNSURE)
def test_what_other_programs_can_type_in_or_make_is_not_sure(names: tuple[str, ...], why: str) -> None:
    leader = 100 if names[1] == "xterm" else None
    if names[1] == "sh -c synaptic":
        leader = 103
    if names[1] in ("bash run.sh", "piped:sh"):
        leader = 102
    found = judge(*names, leader=leader)
    assert found.standing == "unsure" and why in found.why, found


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"terminal": ""}, "no terminal"),
        ({"foreground": False}, "not in the foreground"),
        ({"leader": 4711}, "has not started it"),
        ({"shared": "an agent is here"}, "an agent is here"),
    ],
)
def test_a_login_does_not_help_who_does_not_sit_at_it(options: dict[str, object], why: str) -> None:
    found = judge(SYNAPTIC, "-bash", "sshd", "root:sshd", **options)  # type: ignore[arg-type]
    assert found.standing == "unsure" and why in found.why


def test_a_process_that_is_gone_is_not_sure() -> None:
    assert judge_seat((), None, SeatSurroundings()).standing == "unsure"


def test_without_an_agent_a_window_of_any_age_is_sure() -> None:
    assert judge(SYNAPTIC, "bash", "late:xterm", agents=()).standing == "sure"


def test_for_root_a_login_below_its_own_program_proves_nothing() -> None:
    """Root can start every program, `login` too."""
    below = ("root:script", "root:python3")
    assert judge(SYNAPTIC, "root:bash", "root:login", *below, is_root=True).standing == "unsure"
