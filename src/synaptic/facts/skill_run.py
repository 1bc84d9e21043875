"""The skill that an event starts: a call of the skill tool, or a command that a person types."""

import os
import re
from collections.abc import Mapping

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer
from synaptic.facts.layers import find_call_layers
from synaptic.hooks.skill_files import SKILL_NAME, find_named_skill
from synaptic.model.call import Call
from synaptic.model.errors import LayerError
from synaptic.model.event import Event, PostToolUse, UserPromptExpansion, UserPromptSubmit
from synaptic.model.layers import Skill, SkillRun
from synaptic.model.text import to_utf8
from synaptic.store.redact import redact_text

TASKS_FOLDER = ".tasks"
TOOL_FIELDS: Mapping[str, tuple[str, ...]] = {"Skill": ("skill", "command", "name"), "SlashCommand": ("command",)}
"""Tools that start skills, and the fields of their input that may name one."""
OWN_SKILLS = frozenset({"effort", "synaptic"})
"""Skills about the engine itself are no work of their own."""
UNSAFE_LETTERS = re.compile(r"[^\w.-]+")
MAX_NAME, MAX_TITLE = 40, 200


async def gather_skill_run(call: Call, means: EngineMeans) -> SkillRun | None:
    """The skill that starts, with its task; None for an event that starts none, and for what is no skill."""
    name, asked = _read_start(call.event)
    if not name or not call.root or call.event.agent_id or name.rpartition(":")[2] in OWN_SKILLS:
        return None
    skill = _find_skill(name, call)
    if skill is None:
        return None
    found = find_call_layers(call, means)
    # Without links and as the database spells it: whoever comes here by another name finds the same project.
    root = found.root or to_utf8(os.path.realpath(call.root))
    running = found.effort.task if found.effort and not found.effort.finished else ""
    title = redact_text(to_utf8(" ".join(asked.split())[:MAX_TITLE]))
    if running:
        return SkillRun(skill=skill, root=root, task=running)  # the task keeps the title that it has
    return SkillRun(skill=skill, root=root, task=_name_task(root, title, name), title=title)


FACTS: Mapping[str, Gatherer] = {"skill_run": gather_skill_run}


def _read_start(event: Event) -> tuple[str, str]:
    """The name of the skill, and what it is asked to do; two times "" where none starts."""
    if isinstance(event, UserPromptExpansion):
        return _check_name(event.command_name), event.command_args
    if isinstance(event, UserPromptSubmit) and event.prompt.startswith("/"):
        return _split_name(event.prompt)
    if isinstance(event, PostToolUse) and event.tool_name in TOOL_FIELDS:
        name, asked = _split_name(next(filter(None, map(event.tool.read_text, TOOL_FIELDS[event.tool_name])), ""))
        return name, asked or event.tool.read_text("args")
    return "", ""


def _split_name(words: str) -> tuple[str, str]:
    """The name, and what stands behind it: also on the next line, where longer texts begin."""
    name, *asked = words.split(None, 1) or ("",)
    return _check_name(name), "".join(asked)


def _check_name(given: str) -> str:
    name = given.strip().removeprefix("/")
    return name if SKILL_NAME.fullmatch(name) else ""


def _find_skill(name: str, call: Call) -> Skill | None:
    """The skill as its file says; what the skill tool names is a skill without one, what a person types is none."""
    bare = Skill(name=name) if isinstance(call.event, PostToolUse) else None
    try:
        return find_named_skill(call.root, name, call.env.get("HOME") or USER_HOME) or bare
    except LayerError:
        return Skill(name=name)  # its file is there and cannot be read: it runs all the same


def _name_task(root: str, title: str, skill: str) -> str:
    name = UNSAFE_LETTERS.sub("-", title.lower())[:MAX_NAME].strip("-.")
    return f"{root}/{TASKS_FOLDER}/{name or UNSAFE_LETTERS.sub('-', skill.lower()).strip('-.') or 'work'}"
