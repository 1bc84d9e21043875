"""A machine cut off, or left without what it needs."""

import re
from itertools import pairwise

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import SHELL_TOOLS, get_script, runs_in_container, runs_remotely
from synaptic.policies.system.uninstalled import MANAGERS, uninstalls_everything
from synaptic.shell.read.script import Command, Script

HARM = read_harm(
    "machine",
    "cut the machine off, or take away accounts or programs that it needs or is protected by",
    "Write down what is there now (`iptables-save`, `systemctl status`, `getent passwd`) and let the user do this.",
)

ACCESS = read_harm(
    "access",
    "close the machine over there to everything that no rule lets in, this connection too",
    "Let ssh in first in the same line (`ufw allow OpenSSH && ufw enable`), or let the user do this.",
)
LETS_IN = re.compile(r"(?:allow|limit) (?:.* )?(?:(?:open)?ssh|22(?:/tcp)?|from \S+|in on \S+)(?: .*)?", re.IGNORECASE)
"""A rule of a firewall by which whoever is connected stays so."""
MAX_RULE = 200
STARTING_WORDS = frozenset({"up", "start", "restart", "enable", "unmask", "install", "on"})
STOPPING_WORDS = frozenset({"down", "stop", "disable", "mask", "remove", "purge", "off", "link", "set", "dev"})


class Disruption(Policy):
    """Cutting a machine off, or taking away what it needs.

    ## What it does
    Asks before firewall rules are flushed or a firewall is switched off (`iptables -F`, `ufw disable`), before one is
    switched on over ssh in a line that does not let ssh in (`ssh host 'ufw --force enable'`), before ssh or the network
    is stopped (`systemctl disable --now sshd`, `ip link set eth0 down`), before what protects the machine or records
    what happens on it is switched off (`systemctl stop auditd apparmor fail2ban`, `setenforce 0`), before an account is
    removed (`userdel`) or loses its other groups (`usermod -G docker ann`), before packages are removed without which a
    system does not start or cannot be reached (`apt purge systemd`), and before everything that is installed is removed
    (`brew list | xargs brew uninstall`). Here and on machines that are reached with ssh; inside containers all of it is
    free, and so are interfaces of containers and tunnels, and what a later command of the same line starts or installs
    again (`ifdown eth0 && ifup eth0`).
    ## Why
    Who is cut off cannot undo it from where they are.
    ## Known gaps
    Rules that are changed one by one, and files below `/etc` that are edited, are not judged here.
    """

    id = "system.disruption"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = HARM.tools | ACCESS.tools | MANAGERS
    priority = 22
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        for command, found in HARM.iter_destroying(event, facts):
            if not runs_in_container(command) and not _is_put_back(command, found):
                return HARM.tell(command)
        for command, found in ACCESS.iter_destroying(event, facts):
            if runs_remotely(command) and not any(_lets_in(one, found) for one in found.commands):
                return ACCESS.tell(command)
        script = get_script(event, facts, MANAGERS)
        if script is None:
            return None
        removing = (one for one in script.commands if uninstalls_everything(one, script))
        return next((HARM.tell(one) for one in removing if not runs_in_container(one)), None)


def _lets_in(command: Command, found: Script) -> bool:
    """Whether a rule lets ssh in, on its own port or the one that the line connects to."""
    if command.name not in ACCESS.forms:
        return False
    ports = {value for one in found.commands if one.name == "ssh" for name, value in pairwise(one.args) if name == "-p"}
    words = [text for text in command.args if text != "--force"]
    named = {text.partition("/")[0] for text in words[1:]}
    return bool(
        LETS_IN.fullmatch(" ".join(words)[:MAX_RULE]) or (words[:1] == ["allow"] and not ports.isdisjoint(named))
    )


def _is_put_back(command: Command, found: Script) -> bool:
    """Whether a later command of the same line starts or installs again what this one takes away."""
    names = {text for text in command.args if text[:1] != "-"} - STOPPING_WORDS
    later = (one for one in found.commands[command.index + 1 :] if not names.isdisjoint(one.args))
    return any(one.name == "ifup" or not STARTING_WORDS.isdisjoint(one.args) for one in later)
