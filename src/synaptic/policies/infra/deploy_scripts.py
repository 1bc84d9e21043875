"""Scripts and targets of a project that say of themselves that they deploy to production."""

import re

from synaptic.policies.infra.environments import name_environment
from synaptic.policies.infra.verbs import is_dry_run
from synaptic.shell.book.entries import SHELL_PROGRAMS
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command

PACKAGE_RUNNERS = split_names("npm yarn pnpm bun")
TARGET_RUNNERS = split_names("make gmake just task rake mage invoke")
OWN_SCRIPTS = split_names(
    "deploy deploy.sh deploy.py deploy-prod deploy-prod.sh deploy_prod.sh deploy-production.sh deploy_production.sh"
)
"""Names of scripts that are started by themselves: `./deploy.sh production`."""
SCRIPT_RUNNERS = PACKAGE_RUNNERS | TARGET_RUNNERS | SHELL_PROGRAMS | OWN_SCRIPTS
RUN_WORDS = split_names("run run-script")
DEPLOYING = re.compile(r"(?<![^\W_])(?:re)?deploy(?![a-z])", re.IGNORECASE)
REHEARSING = re.compile(
    r"(?<![^\W_])(?:dry|plan|check|diff|status|logs?|lint|validate|tests?|verify|preview|list|info|build|undeploy)(?![^\W_])",
    re.IGNORECASE,
)
TEXT_OPTION = re.compile(r"-[a-zA-Z]*[cn][a-zA-Z]*")
"""How a shell is given a text in place of a script, or told to run nothing."""


def deploys_by_script(command: Command) -> bool:
    """Whether it runs a script or a target that is called after deploying, for production."""
    if command.name not in SCRIPT_RUNNERS or is_dry_run(command):
        return False
    words = [text[:MAX_PATH] for text in command.args]
    named = _find_script(command, words)
    if DEPLOYING.search(named) is None or REHEARSING.search(named) is not None:
        return False
    return name_environment((named.rpartition("/")[2], *words)) is True


def _find_script(command: Command, words: list[str]) -> str:
    """What it runs: the name of a script, or of a target."""
    if command.name in OWN_SCRIPTS:
        return command.name
    if command.name in SHELL_PROGRAMS and any(map(TEXT_OPTION.fullmatch, words[:1])):
        return ""
    plain = [text for text in words if text[:1] != "-" and "=" not in text]
    if command.name in PACKAGE_RUNNERS and plain[:1] and plain[0] in RUN_WORDS:
        plain = plain[1:]
    return plain[0] if plain else ""
