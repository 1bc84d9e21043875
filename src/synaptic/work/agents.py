"""Agents by name: made known, looked at, and what people and programs say about them."""

import time
from typing import ClassVar

import msgspec

from synaptic.model.layers import Agent, Effort
from synaptic.store import agents, layers
from synaptic.store.agents import AgentRegistration
from synaptic.work.command import Command, CommandContext, EffortCommand, ProjectCommand
from synaptic.work.views import View, agent_to_view, effort_to_view


class AgentDetails(msgspec.Struct, frozen=True):
    """An agent and what it works on."""

    agent: Agent
    effort: Effort | None = None


class RegisterAgent(AgentRegistration, Command[Agent], frozen=True, kw_only=True):
    """An agent by name, in place of whatever was known by it: its arguments are a whole registration."""

    method: ClassVar[str] = "agents.register"

    def run(self, context: CommandContext) -> Agent:
        return agents.register_agent(context.require_durable_store(), self, time.time())

    def answer(self, result: Agent) -> View:
        return agent_to_view(result)


class SetAgentStatus(Command[Agent], frozen=True, kw_only=True):
    """What an agent does, said by somebody else than its events."""

    method: ClassVar[str] = "agents.updateStatus"

    agent_id: str
    """Its name, or its window's id."""
    status: str
    """error, attention, working, checked or done."""
    note: str = ""
    """What a person should know."""

    def run(self, context: CommandContext) -> Agent:
        store = context.require_durable_store()
        return agents.set_agent_status(store, self.agent_id, self.status, self.note, time.time())

    def answer(self, result: Agent) -> View:
        return agent_to_view(result)


class ListAgents(ProjectCommand[list[Agent]], frozen=True, kw_only=True):
    """Everybody who is known, by name."""

    method: ClassVar[str] = "agents.list"

    def run(self, context: CommandContext) -> list[Agent]:
        return layers.list_agents(context.store)

    def answer(self, result: list[Agent]) -> list[View]:
        return [agent_to_view(one) for one in result]


class ShowAgent(Command[AgentDetails], frozen=True, kw_only=True):
    """An agent and what it works on."""

    agent_id: str
    """Its name, or its window's id."""

    def run(self, context: CommandContext) -> AgentDetails:
        found = agents.require_agent(context.store, self.agent_id)
        return AgentDetails(
            found, layers.find_effort(context.store, found.effort) if found.effort is not None else None
        )

    def answer(self, result: AgentDetails) -> View:
        return {**agent_to_view(result.agent), "effort": effort_to_view(result.effort) if result.effort else None}


class FindAgentOfEffort(EffortCommand[Agent | None], frozen=True, kw_only=True):
    """Who works on an effort; null when nobody does."""

    method: ClassVar[str] = "agents.findByEffort"

    def run(self, context: CommandContext) -> Agent | None:
        return agents.find_effort_agent(context.store, context.find_effort(self.effort_id).id)

    def answer(self, result: Agent | None) -> View | None:
        return agent_to_view(result) if result else None
