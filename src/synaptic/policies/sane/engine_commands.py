"""Commands that change what the engine enforces, typed by an agent."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import mentions_engine, read_engine_arguments


class EngineCommands(Policy):
    """Commands that change what the engine enforces, typed by an agent.

    ## What it does
    Denies shell commands such as `synaptic state reset circuit_breaker` or `synaptic policy disable`. Looking
    (`state get`, `list`, `explain`) and the loop are free.
    ## Why
    Resetting the breaker, lifting safemode and switching policies off is up to the user.
    ## Known gaps
    A script file that holds such a command is not read.
    """

    id = "sane.engine-commands"
    events = (PreToolUse,)
    tools = ("Bash",)
    priority = 21
    preset = "sane"

    commands: tuple[str, ...] = (
        "state set",
        "state reset",
        "rpc state.set",
        "rpc state.update",
        "rpc state.reset",
        "rpc daemon.stop",
        "policy enable",
        "policy disable",
        "policy enforce",
        "policy advise",
        "policy shadow",
        "config set",
        "daemon stop",
        "trust",
        "down",
    )
    """What only the user may type after `synaptic`."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if facts.command is None or not mentions_engine(facts.command):
            return None
        for command in facts.command.script.commands:
            words = read_engine_arguments(command) or ()
            typed = " ".join(word for word in words if not word.startswith("-"))
            if any(f"{typed} ".startswith(f"{command} ") for command in self.commands):
                return deny(
                    f"`synaptic {typed}` changes what is enforced here: only the user may type it. "
                    "Say what you need and why, and let them decide."
                )
        return None
