"""The state layers as JSON shows them, the same to programs and on the command line."""

from collections.abc import Iterable
from typing import Any

import msgspec

from synaptic.model.layers import Agent, Effort, Session, Skill
from synaptic.store.efforts import PhaseRecord
from synaptic.store.messages import DialogueMessage
from synaptic.store.tasks import TaskSummary

View = dict[str, Any]


def effort_to_view(effort: Effort) -> View:
    """An effort."""
    return {
        "effortId": effort.id,
        "taskDir": effort.task,
        "skill": effort.skill,
        "mode": effort.mode or None,
        "ordinal": effort.ordinal,
        "lifecycle": "finished" if effort.finished else "active",
        "phase": effort.phase or None,
        "phases": list(effort.phases),
        "logPath": effort.artifact_path("log"),
        "blockAfter": effort.limit,
        "directives": list(effort.directives),
        "metadata": dict(effort.metadata),
        "createdAt": effort.created_at,
        "finishedAt": effort.finished_at,
    }


def session_to_view(session: Session) -> View:
    """A session; the agent's own id of the window is `hostSession`, never ours."""
    return {
        "sessionId": session.id,
        "effortId": session.effort,
        "taskDir": session.task,
        "prevSessionId": session.previous,
        "hostSession": session.host or None,
        "agentId": session.agent or None,
        "subagent": session.subagent or None,
        "heartbeat": session.heartbeat,
        "lastHeartbeat": session.last_heartbeat,
        "contextUsage": session.usage,
        "loadedFiles": list(session.loaded),
        "dehydrationPayload": payload_to_view(session.payload),
        "handedOver": session.handed_over,
        "model": session.model or None,
        "createdAt": session.created_at,
        "endedAt": session.ended_at,
    }


def task_to_view(task: TaskSummary) -> View:
    """A task: whether it is active follows from its efforts."""
    return {
        "taskDir": task.folder,
        "project": task.project,
        "title": task.title or None,
        "description": task.description or None,
        "keywords": list(task.keywords),
        "efforts": task.efforts,
        "active": task.active > 0,
        "createdAt": task.created_at,
        "lastActivity": task.last_activity,
    }


def agent_to_view(agent: Agent) -> View:
    """An agent."""
    return {
        "agentId": agent.id,
        "label": agent.label or None,
        "kind": agent.kind or None,
        "status": agent.status,
        "effortId": agent.effort,
        "parent": agent.parent or None,
        "hostSession": agent.host or None,
        "named": agent.named,
        "note": agent.note or None,
    }


def skill_to_view(skill: Skill) -> View:
    """A skill."""
    return {
        "name": skill.name,
        "description": skill.description or None,
        "version": skill.version or None,
        "tier": skill.tier or None,
        "phases": list(skill.phases),
        "nextSkills": list(skill.next_skills),
        "templates": dict(skill.templates),
        "path": skill.path,
    }


def history_to_view(history: Iterable[PhaseRecord]) -> list[View]:
    """The phases that an effort went through."""
    return [{"phase": one.phase, "reason": one.reason or None, "proof": one.proof, "at": one.at} for one in history]


def message_to_view(message: DialogueMessage) -> View:
    """One line of a dialogue."""
    return {
        "id": message.id,
        "sessionId": message.session,
        "role": message.role,
        "content": message.content,
        "toolName": message.tool or None,
        "at": message.at,
    }


def payload_to_view(stored: str | None) -> Any:
    """A hand-over as data; one that somebody has damaged as the text it is."""
    try:
        return None if stored is None else msgspec.json.decode(stored)
    except msgspec.DecodeError:
        return stored
