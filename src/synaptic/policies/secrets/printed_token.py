"""Tokens and passwords printed by the programs that keep them."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, select_commands
from synaptic.policies.secrets.far_environment import find_far_environment
from synaptic.policies.secrets.picked import find_other_environment, find_picked_token
from synaptic.policies.secrets.printers import (
    ENVIRONMENT_PRINTERS,
    PRINTERS,
    SECRET_HINTS,
    VARIABLE_PRINTERS,
    PrintedOutputs,
    find_variable,
    may_print,
    select_printing,
)
from synaptic.shell.paths import Standpoint
from synaptic.shell.reading import CommandReading


class PrintedToken(Policy):
    """Printing a token or a password that a program keeps.

    ## What it does
    Asks before a program shows a secret that it keeps: `gh auth token`, `gcloud auth print-access-token`, `kubectl
    config view --raw`, `aws configure export-credentials`, `op read`, `vault kv get`, `pass show` and their kin. It is
    ordinary, and free, where a program takes it: through a pipe (`gh auth token | docker login --password-stdin`), in a
    variable or an argument (`TOKEN=$(gh auth token) make`), or into a file. The same holds for variables of the
    environment that are called like one (`echo $API_TOKEN`, `printenv DB_PASSWORD`, `env | grep -i secret`), for the
    environment of another process (`/proc/<id>/environ`), of another machine, and of a cluster or a container that is
    called after production (`ssh host cat .env`, `kubectl exec -n prod x -- env`, `docker exec shop-prod env`),
    for the line of a token that is picked out of a file of settings (`grep _authToken ~/.npmrc`), for outputs of
    terraform and for secrets of a cluster whose name says so (`terraform output -raw db_password`, `kubectl get secret
    x -o jsonpath={.data.password}`), for whole secrets of a cluster (`kubectl get secrets -o yaml`; `jq` that prints
    names alone is free), and for the credentials that a cloud hands its machine
    (`curl http://169.254.169.254/.../security-credentials/<role>`). Denies handing a token of GitHub, GitLab, AWS,
    Azure, Google, Heroku or Fly to an address of somebody else.
    ## Why
    What an agent has seen is in its transcript, and can end up in a log, a commit or a request.
    ## Known gaps
    A variable that was filled before the command, and what a later command reads from the file, are not followed.
    """

    id = "secrets.printed-token"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        return _judge_text(known, _stand(event, facts)) if known is not None else None


@kept_beside
def _judge_text(known: CommandReading, at: Standpoint) -> Verdict | None:
    if name := _find_shown_variable(known):
        return ask(
            f"This would print the value of {name!r} into the transcript. Print whether it is there: "
            '`[ -n "$NAME" ] && echo set`.'
        )
    if shown := find_far_environment(known):
        return ask(
            f"This would print {shown!r} of another machine or of production into the transcript, with the keys and "
            "passwords in it. Print no more than the names (`... | cut -d= -f1`), or whether one is there."
        )
    if (place := find_other_environment(known)) or (place := find_picked_token(known, at)):
        return ask(
            f"This would print keys and tokens of {place!r} into the transcript. Print no more than the names "
            "(`... | cut -d= -f1`), or whether a line is there (`grep -c`)."
        )
    return _check_programs(known) if _may_print(known) else None


def _check_programs(known: CommandReading) -> Verdict | None:
    found = known.script
    outputs: PrintedOutputs | None = None
    for command in select_printing(known):
        outputs = outputs or PrintedOutputs(found)
        shown = " ".join((command.name, *command.args[:3]))
        if address := outputs.find_stranger(command):
            return deny(f"`{shown}` here hands its token to {address!r}. Use it with the service it is for.")
        if outputs.is_shown(command):
            return ask(
                f"`{shown}` would print a secret into the transcript. Hand it to the program that needs it "
                "(a pipe, or `VARIABLE=$(...)`), and print no more than whether it is there."
            )
    return None


def _find_shown_variable(known: CommandReading) -> str:
    """A variable with a secret that is shown; almost every command ends at the first question."""
    if VARIABLE_PRINTERS.isdisjoint(known.programs) and ENVIRONMENT_PRINTERS.isdisjoint(known.programs):
        return ""
    if not any(hint in known.low_text for hint in SECRET_HINTS):
        return ""
    found, outputs = known.script, PrintedOutputs(known.script)
    for command in select_commands(found, VARIABLE_PRINTERS | ENVIRONMENT_PRINTERS):
        if (name := find_variable(command, found)) and outputs.is_shown(command):
            return name
    return ""


def _stand(event: PreToolUse, facts: Facts) -> Standpoint:
    return Standpoint(event.cwd or facts.root, facts.home)


def _may_print(known: CommandReading) -> bool:
    """Whether a program runs that may print a secret; git and its like are everywhere, and hardly ever do."""
    return any(may_print(known, name) for name in PRINTERS & known.programs)
