"""Files that a window should know first: which they are, and how they are told."""

from collections.abc import Iterable, Mapping

from synaptic.model.layers import Effort, Skill
from synaptic.policies.fleet.metadata import PRELOADS


def list_first_files(effort: Effort, skill: Skill | None) -> list[str]:
    """What a new window begins with: the skill's files, then the directives that the effort has met."""
    return list(dict.fromkeys((*list_skill_files(skill), *effort.directives)))


def list_skill_files(skill: Skill | None) -> list[str]:
    """The templates of a skill."""
    return list(dict.fromkeys(path for path in skill.templates.values() if path)) if skill else []


def list_waiting_files(metadata: Mapping[str, object]) -> list[str]:
    """What waits in an effort's metadata."""
    waiting = metadata.get(PRELOADS)
    return [str(item) for item in waiting] if isinstance(waiting, list | tuple) else []


def describe_files(paths: Iterable[str], texts: Mapping[str, str], title: str) -> str:
    """The files with their texts, and below a title the names of those that were not read."""
    named = list(paths)
    parts = [f"[Preloaded: {path}]\n{texts[path].rstrip()}" for path in named if path in texts]
    rest = [f"- {path}" for path in named if path not in texts]
    return "\n\n".join((*parts, "\n".join((title, *rest)))) if rest else "\n\n".join(parts)
