"""The machine switched off, or everything on it ended."""

from collections.abc import Callable, Mapping

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command

HARMLESS = split_names("--help --version -c -k --show -w --wtmp-only /a /? --dry-run")
CONTAINERS = ("docker", "podman", "nerdctl", "kubectl", "oc")
SHUTDOWN_STATES = split_names(
    "poweroff reboot halt kexec suspend hibernate hybrid-sleep rescue emergency exit soft-reboot"
)
SHUTDOWN_TARGETS = ("poweroff.target", "reboot.target", "halt.target", "rescue.target", "emergency.target")
SESSION_ENDS = split_names("terminate-user kill-user terminate-session kill-session terminate-seat")
EVERY_PROCESS = frozenset({"-1", "1"})
EVERYONE = frozenset({".", ".*", "", "*"})


class Shutdown(Policy):
    """Switching the machine off or killing everything that runs on it.

    ## What it does
    Denies shutdown, reboot, halt and poweroff in their forms (systemctl, init, telinit, osascript, PowerShell), signals
    to every process (`kill -9 -1`, `killall5`, `pkill -u`), to process 1, and the end of somebody's whole session
    (`loginctl terminate-user`).
    ## Why
    It ends the session and everything the user has open, and nothing an agent works on needs it.
    ## Known gaps
    Virtual machines and containers that are stopped by their own tools are not looked at.
    """

    id = "system.shutdown"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 22
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, SHUTDOWN_PROGRAMS)
        if found is None:
            return None
        for command in select_commands(found, SHUTDOWN_PROGRAMS):
            test = SHUTDOWN_TESTS.get(command.name.lower())
            # Stopping what runs inside a container does not stop this machine.
            if test and not any(label.startswith(CONTAINERS) for label in command.via) and test(command.args):
                return _deny_command(command)
        return None


def _deny_command(command: Command) -> Verdict:
    shown = " ".join(word.text for word in command.argv[:3])
    return deny(
        f"`{shown}` would end the machine or everything that runs on it. End "
        "single processes by their id, and let the user restart the machine."
    )


def _switches_off(args: tuple[str, ...]) -> bool:
    return not HARMLESS.intersection(args)


def _changes_runlevel(args: tuple[str, ...]) -> bool:
    return any(text in ("0", "6", "1", "s", "S") for text in args)


def _enters_state(args: tuple[str, ...]) -> bool:
    verbs = [text for text in args if text[:1] != "-"]
    return bool(verbs) and (
        verbs[0] in SHUTDOWN_STATES or (verbs[0] in ("isolate", "start") and verbs[-1] in SHUTDOWN_TARGETS)
    )


def _ends_session(args: tuple[str, ...]) -> bool:
    """The machine, or all that somebody has open on it: `loginctl terminate-user ann`."""
    verb = next((text for text in args if text[:1] != "-"), "")
    return verb in SESSION_ENDS or _enters_state(args)


def _kills_everything(args: tuple[str, ...]) -> bool:
    """`kill -9 -1`, `kill -- -1`, `kill -s KILL 1`: the first word may be a signal, `-l` lists them."""
    if not args or args[0] in ("-l", "-L", "--list"):
        return False
    signal = args[0][:1] == "-" and args[0] != "--" and len(args) > 1
    pids = args[2:] if args[0] in ("-s", "-n", "--signal") else args[1:] if signal else args
    return bool(EVERY_PROCESS.intersection(pids))


def _kills_user(args: tuple[str, ...]) -> bool:
    """A pattern for everything, or everything of a user."""
    plain = [text for text in args if text[:1] != "-"]
    users = any(text in ("-u", "-U", "--user", "--euid", "--uid") for text in args)
    return (users and len(plain) <= 1) or bool(EVERYONE.intersection(plain))


def _scripts_shutdown(args: tuple[str, ...]) -> bool:
    text = " ".join(args).lower()
    return any(order in text for order in ("shut down", "to restart", "log out"))


SHUTDOWN_TESTS: Mapping[str, Callable[[tuple[str, ...]], bool]] = {
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "stop-computer", "restart-computer"), _switches_off),
    **dict.fromkeys(("init", "telinit"), _changes_runlevel),
    "systemctl": _enters_state,
    "loginctl": _ends_session,
    "kill": _kills_everything,
    "killall5": _switches_off,
    **dict.fromkeys(("pkill", "killall", "skill"), _kills_user),
    "osascript": _scripts_shutdown,
}
"""Programs that can end everything, and whether these arguments make them."""
SHUTDOWN_PROGRAMS = frozenset(SHUTDOWN_TESTS)
