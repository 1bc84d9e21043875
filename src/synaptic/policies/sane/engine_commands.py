"""Commands that change what the engine enforces, typed by an agent."""

import os
from collections.abc import Iterator

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.shell.engine_calls import bare
from synaptic.shell.words import simple_commands

NAMES = ("synaptic", "synaptic.cli.main")
SHELLS = frozenset({"bash", "dash", "eval", "sh", "zsh"})
DEPTH = 4


class EngineCommands(Policy):
    """Commands that change what the engine enforces, typed by an agent.

    ## What it does
    Denies shell commands such as `synaptic state reset circuit_breaker` or `synaptic policy disable`. Looking
    (`state get`, `list`, `explain`) and the loop are free.
    ## Why
    Resetting the breaker, lifting safemode and switching policies off is up to the user.
    ## Known gaps
    A script file that holds such a command is not read, and a name that a variable spells is not seen.
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
        "config set",
        "daemon stop",
        "trust",
        "down",
    )
    """What only the user may type after `synaptic`."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        text = event.tool_input.get("command")
        if not isinstance(text, str) or "synaptic" not in text:
            return None
        for typed in _typed(bare(text)):
            if any(f"{typed} ".startswith(f"{command} ") for command in self.commands):
                return deny(
                    f"`synaptic {typed}` changes what is enforced here: only the user may type it. "
                    "Say what you need and why, and let them decide."
                )
        return None


def _typed(text: str, depth: int = DEPTH) -> Iterator[str]:
    """What follows the engine's name in every simple command, without options."""
    for words in simple_commands(text):
        names = [os.path.basename(word) for word in words]  # noqa: PTH119 - text, not a path of this machine
        for place, name in enumerate(names):
            if name in NAMES:
                yield " ".join(word for word in words[place + 1 :] if not word.startswith("-"))
        if depth and not SHELLS.isdisjoint(names):
            for word in words:
                if " " in word and "synaptic" in word:
                    yield from _typed(word, depth - 1)
