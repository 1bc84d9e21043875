"""Read stored sections for the gates. A section with a wrong signature never loosens a gate."""

from collections.abc import Mapping

from synaptic.agents.shared.discover import OWN_NAME
from synaptic.model import sane
from synaptic.model.event import Event, UserPromptSubmit
from synaptic.model.state import State
from synaptic.policies import prompt
from synaptic.policies.facts import Facts

TASK_SECTION = "project:task"
"""The last prompt that was a task: its `class` and the `keywords` of the task; `research_only` while no edit was asked
for; `waived`: since when the user does without research; `tried`: by category, how often its tools found nothing;
`freed`: lines that were changed without research."""
VERIFICATION_SECTION = "session:verification"
"""Edits of the session since something was checked."""
NEW_TASK: Mapping[str, object] = {"waived": None, "tried": {}, "freed": 0}
"""What a task that has just begun has of the one before."""


def read_user_command(event: Event) -> str:
    """The command that a user typed, or nothing."""
    if not isinstance(event, UserPromptSubmit) or event.agent_id or not prompt.is_typed(event.prompt, event.source):
        return ""
    return prompt.find_command(event.prompt)


def read_task_prompt(event: Event) -> str:
    """The text of a prompt by which a user sets a task; nothing for every other event."""
    if not isinstance(event, UserPromptSubmit) or event.agent_id or not prompt.is_typed(event.prompt, event.source):
        return ""
    if prompt.find_command(event.prompt) or prompt.classify_prompt(event.prompt) not in prompt.GATED_CLASSES:
        return ""
    return event.prompt


def is_hearsay(facts: Facts) -> bool:
    """Whether an event comes from an orchestrator, which anybody can be: what it reports opens no gate."""
    return facts.agent == OWN_NAME


def read_flag(state: State, section: str, key: str) -> bool:
    """Whether a switch is on; in a section with a wrong signature, its cautious value counts."""
    if section in state.tampered:
        return sane.WARY.get(section, {}).get(key) is True
    return state.read_flag(section, key)


def read_texts(state: State, section: str, key: str) -> tuple[str, ...]:
    """A list of words."""
    return tuple(item for item in state.read_items(section, key) if isinstance(item, str))


def is_gated(state: State) -> bool:
    """Whether edits have to wait for research: for a task, and where no prompt has said what this is."""
    known = state.read_section(sane.REQUIREMENTS) and sane.REQUIREMENTS not in state.tampered
    return (
        not known
        or "is_task" not in state.read_section(sane.REQUIREMENTS)
        or state.read_flag(sane.REQUIREMENTS, "is_task")
    )
