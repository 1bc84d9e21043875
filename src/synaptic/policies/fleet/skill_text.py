"""What a window is told about the skill that it runs: phases, directives, what comes next."""

from collections.abc import Mapping

from synaptic.model.layers import INJECTIONS, Effort, Skill

SKILL_RULE = "skill"
"""The rule id of what waits about a skill, for a window that runs already."""


def describe_skill(skill: Skill | None, effort: Effort | None = None) -> str:
    """The skill in words; "" for one that declares nothing. Phases as the effort knows them, which may be more."""
    if skill is None:
        return ""
    phases = (effort.phases if effort else ()) or skill.phases
    lines = [
        f"Phases: {'; '.join(phases)}" if phases else "",
        f"Directives: {', '.join(skill.directives)}" if skill.directives else "",
        f"Next skills: {', '.join(skill.next_skills)}" if skill.next_skills else "",
    ]
    told = [line for line in lines if line]
    return "\n".join((f"## Skill {skill.name}", *told)) if told else ""


def build_injection(skill: Skill) -> dict[str, object] | None:
    """What a window that runs already is told after its next tool call; None for a skill that declares nothing."""
    templates = [f"- {path}" for path in dict.fromkeys(skill.templates.values()) if path]
    parts = [describe_skill(skill), "\n".join(("Templates:", *templates)) if templates else ""]
    text = "\n".join(part for part in parts if part)
    return {"ruleId": SKILL_RULE, "content": text} if text else None


def drop_injection(metadata: Mapping[str, object]) -> list[object] | None:
    """What waits without the word about the skill; None where it is not among it."""
    waiting = metadata.get(INJECTIONS)
    items = list(waiting) if isinstance(waiting, list | tuple) else []
    rest = [item for item in items if not (isinstance(item, Mapping) and item.get("ruleId") == SKILL_RULE)]
    return rest if len(rest) != len(items) else None
