"""Agents that are started, by an agent, so that they ask nobody."""

from synaptic.agents.base import Agent
from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS
from synaptic.policies.self.nameless_agent import has_nameless_sign
from synaptic.policies.self.unguarded_agent import iter_options, iter_starts
from synaptic.shell.read.script import Command

QUOTES = str.maketrans("", "", "\"' ")


class UnaskedAgent(Policy):
    """Starting another agent so that it may do everything without a question.

    ## What it does
    Asks before an agent is started with the option that takes its own questions or its sandbox away:
    `claude --dangerously-skip-permissions`, `--permission-mode bypassPermissions`, `codex --yolo`, `codex exec
    --dangerously-bypass-approvals-and-sandbox`, `gemini --yolo`, `cursor-agent --force`, `copilot --allow-all-tools`,
    and their like. In a container or on another machine it is free: that is what these options are for.
    ## Why
    What a person has agreed to for one agent they have not agreed to for those that it starts. This guard runs in the
    new agent too, but it is the only one left there.
    ## Known gaps
    Settings in files that say the same, and programs that start an agent by themselves, are not looked at.
    """

    id = "self.unasked-agent"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        for command, agent in iter_starts(known, has_nameless_sign(known)):
            if option := _find_unasked(command, agent):
                return ask(
                    f"`{option}` lets {agent.title} do everything without asking anybody. Start it without that option "
                    "and allow what it needs, or in a container; or let a person agree."
                )
        return None


def _find_unasked(command: Command, agent: Agent) -> str:
    """The option that takes the agent's own questions away; empty when none does."""
    if not agent.bypass.unasked or not agent.bypass.other_use.isdisjoint(command.args):
        return ""
    for name, value in iter_options(command):
        said = f"{name}={value.translate(QUOTES)}"
        if name in agent.bypass.unasked or said in agent.bypass.unasked:
            return name if name in agent.bypass.unasked else f"{name} {value}"
    return ""
