"""Tool calls of an agent that are ability calls."""

from synaptic.model.decision import Verdict
from synaptic.model.event import PostAbilityCall, PostToolUse, PostToolUseFailure, PreAbilityCall, PreToolUse, ToolEvent
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.routing.summary import summarize_text


class AbilityEvents(Policy):
    """Abilities that an agent calls as its own tools, past the hooks for ability calls.

    ## What it does
    Maps the agent's skill calls to `PreAbilityCall` and `PostAbilityCall`: hooks that are registered for these run with
    the tool's own event, and what they decide counts for it.
    ## Why
    Guards and usage tracking are written once, for every way an ability can be called.
    ## Known gaps
    Only `Skill`, `SlashCommand`, `Agent` and `Task` can be mapped.
    """

    id = "routing.ability-events"
    events = (PreToolUse, PostToolUse, PostToolUseFailure)
    tools = ("Skill", "SlashCommand", "Agent", "Task")
    priority = 29
    preset = "routing"
    recheck = False
    derives_event = True

    mapping: tuple[str, ...] = ("Skill:skill", "SlashCommand:command")
    """Tools, each with the field of its input that names the ability."""

    def check(self, event: ToolEvent, facts: Facts) -> Verdict | None:
        """Never an opinion of its own: the engine asks `derive_event`, and then the hooks of that event."""
        return Verdict() if self.derive_event(event, "") else None

    def derive_event(self, event: ToolEvent, at: str) -> PreAbilityCall | PostAbilityCall | None:
        """The ability event that a tool event stands for."""
        fields = dict(entry.split(":", 1) for entry in self.mapping if ":" in entry)
        named = event.tool.read_text(fields.get(event.tool_name, "")).strip().lstrip("/")
        name = named.split()[0] if named else ""
        if not name:
            return None
        common = {
            "session_id": event.session_id, "cwd": event.cwd, "agent_id": event.agent_id, "ability_id": name,
            "operation_key": f"tool.{event.tool_name}", "timestamp": at,
        }  # fmt: skip
        told = summarize_text(str(dict(event.tool_input)))
        if isinstance(event, PreToolUse):
            return PreAbilityCall(**common, hook_event_name="PreAbilityCall", planned_input_summary=told)
        failed = isinstance(event, PostToolUseFailure)
        said = event.error if isinstance(event, PostToolUseFailure) else getattr(event, "tool_response", "")
        return PostAbilityCall(
            **common,
            hook_event_name="PostAbilityCall",
            status="failure" if failed else "success",
            duration_ms=getattr(event, "duration_ms", 0.0),
            input_summary=told,
            output_summary=summarize_text(said if isinstance(said, str) else str(said)),
        )
