"""The environment of another machine, or of what runs in production, printed into the transcript."""

import re

from synaptic.policies.reading import CONTAINER_PROGRAMS, REMOTE_PROGRAMS, select_commands
from synaptic.policies.secrets.picked import shows_values
from synaptic.policies.secrets.printers import ENVIRONMENT_PRINTERS, SECRET_NAME, PrintedOutputs
from synaptic.policies.secrets.private import ENVIRONMENT
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import CommandReading

CLUSTER_PROGRAMS = split_names("kubectl oc k3s microk8s")
PRODUCTION = re.compile(r"(?:^|[-_./@:=])(?:prod|production|prd|live)(?:$|[-_./@:\d])", re.IGNORECASE)
OWN_MACHINES = split_names("vagrant colima minikube multipass limactl lxc incus")
"""Machines that run on this one."""
FAR_PROGRAMS = REMOTE_PROGRAMS | CONTAINER_PROGRAMS | CLUSTER_PROGRAMS
FILE_PRINTERS = split_names("cat bat less more head tail tac nl")
ENVIRONMENT_FILE = ".env"


def find_far_environment(known: CommandReading) -> str:
    """What is shown of an environment that is not the project's own: `ssh host cat .env`, `kubectl exec x -- env`."""
    if known.programs.isdisjoint(FAR_PROGRAMS):
        return ""
    found = known.script
    outputs: PrintedOutputs | None = None
    for command in select_commands(found, ENVIRONMENT_PRINTERS | FILE_PRINTERS):
        if (shown := _name_shown(command)) and _is_far(command, found):
            outputs = outputs or PrintedOutputs(found)
            if shows_values(command, found, outputs):
                return shown
    return ""


def _name_shown(command: Command) -> str:
    if command.name in FILE_PRINTERS:
        return next((text for text in command.args if ENVIRONMENT_FILE in text and ENVIRONMENT.search(f"/{text}")), "")
    if not command.args:
        return command.name
    return next((text for text in command.args if re.fullmatch(SECRET_NAME, text)), "")


def _is_far(command: Command, found: Script) -> bool:
    """Whether it runs on another machine, or in a container or cluster that is called after production.

    In a cluster a name that says what it is, or a file, is enough; the variables of a pod are looked at every day.
    """
    labels = {label.partition(" ")[0] for label in command.via}
    if not labels.isdisjoint(REMOTE_PROGRAMS - OWN_MACHINES) or (command.args and labels & CLUSTER_PROGRAMS):
        return True
    outer = select_commands(found, labels & (CONTAINER_PROGRAMS | CLUSTER_PROGRAMS))
    return any(PRODUCTION.search(text) for one in outer if one.index < command.index for text in one.args[:8])
