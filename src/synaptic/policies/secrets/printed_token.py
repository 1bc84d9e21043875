"""Tokens and passwords printed by the programs that keep them."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.policies.secrets.printers import PRINTERS, find_stranger, is_shown, prints_secret
from synaptic.shell.reading import CommandReading

GIT = frozenset({"git"})


class PrintedToken(Policy):
    """Printing a token or a password that a program keeps.

    ## What it does
    Asks before a program shows a secret that it keeps: `gh auth token`, `gcloud auth print-access-token`, `kubectl
    config view --raw`, `aws configure export-credentials`, `op read`, `vault kv get`, `pass show` and their kin. It is
    ordinary, and free, where a program takes it: through a pipe (`gh auth token | docker login --password-stdin`), in
    a variable or an argument (`TOKEN=$(gh auth token) make`), or into a file. Denies handing a token of GitHub, GitLab,
    AWS, Azure, Google, Heroku or Fly to an address of somebody else.
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
        found = get_script(event, facts, PRINTERS)
        if found is None or not _may_print(facts.command):
            return None
        for command in filter(prints_secret, select_commands(found, PRINTERS)):
            shown = " ".join((command.name, *command.args[:3]))
            if address := find_stranger(command, found):
                return deny(f"`{shown}` here hands its token to {address!r}. Use it with the service it is for.")
            if is_shown(command, found):
                return ask(
                    f"`{shown}` would print a secret into the transcript. Hand it to the program that needs it "
                    "(a pipe, or `VARIABLE=$(...)`), and print no more than whether it is there."
                )
        return None


def _may_print(known: CommandReading | None) -> bool:
    """Whether a program runs that may print a secret; git is in every other command, and does so with one verb."""
    return known is not None and (not known.programs & PRINTERS <= GIT or "credential" in known.text)
