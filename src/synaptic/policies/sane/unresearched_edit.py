"""Edits before anything was looked up."""

from collections.abc import Mapping

import msgspec

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.event import Event, PostToolUse, PreToolUse, UserPromptSubmit
from synaptic.model.state import Change
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import ResearchCategories, is_gated, list_researched, read_user_command
from synaptic.policies.sane.outcome import find_failure, is_empty_result, is_interrupted
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.sane.shell_edit import edits_files
from synaptic.policies.sane.stamp import format_stamp
from synaptic.policies.sane.tell import answer_command

RESEARCH_TOOLS: Mapping[str, tuple[str, ...]] = {
    "memory": ("mcp__memory__*",),
    "docs": ("mcp__context7__*", "mcp__apple-docs__*"),
    "web": ("WebSearch", "WebFetch"),
    "github": ("mcp__github__*",),
    "local": ("Grep", "Glob", "Read"),
}


class UnresearchedEdit(Policy):
    """Edits before anything was looked up.

    ## What it does
    For a task, denies edits and shell commands that write files until every category of research is done: memory,
    docs, web, github, local. A category is done when one of its tools succeeded and found something. The reason names
    what is missing. A category whose tools nobody has set up is waived, and the reason says so. A question gates
    nothing; where no prompt was seen, edits are gated. The prompt `research` shows the progress.
    ## Why
    An edit from memory alone repeats known mistakes; a look at what exists costs a minute.
    ## Known gaps
    Servers that come with plugins or command line options are not in the files that list servers; once one of their
    tools has run, nothing is waived any more. A sub-agent's edits are gated as any other; starting one is not.
    """

    id = "sane.unresearched-edit"
    events = (PreToolUse, PostToolUse, UserPromptSubmit)
    priority = 24
    preset = "sane"
    needs = (sane.RESEARCH, sane.REQUIREMENTS, sane.ENFORCEMENT, "tool_servers")

    categories: dict[str, tuple[str, ...]] = msgspec.field(default_factory=lambda: dict(RESEARCH_TOOLS))
    """Each category and the tools that serve it; `*` at the end stands for any rest."""

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if isinstance(event, PreToolUse):
            return self._judge_edit(event, facts)
        if isinstance(event, PostToolUse):
            return self._mark_research(event, facts)
        return self._describe_progress(facts) if read_user_command(event) == "research status" else None

    def _judge_edit(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if event.tool_name not in EDITS and facts.command is None:
            return None
        done = facts.state.read_section(sane.RESEARCH)
        if not facts.state.known or not is_gated(facts.state):
            return None
        if sane.RESEARCH not in facts.state.tampered and all(map(done.get, self.categories)):
            return None
        if facts.command and not edits_files(facts.command, facts.root):
            return None
        missing, waived = ResearchCategories(self.categories).split_missing(facts.state, facts.tool_servers)
        return refuse_call(self.id, event, facts, self._explain_missing(missing, waived)) if missing else None

    def _mark_research(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        """On success only: an error or an empty result is no knowledge."""
        done = list_researched(facts.state)
        new = [name for name in ResearchCategories(self.categories).find_for_tool(event.tool_name) if name not in done]
        if not new or find_failure(event) or is_interrupted(event) or is_empty_result(event):
            return None
        entry = {"completed_at": format_stamp(facts.now), "tool": event.tool_name, "via_task": bool(event.agent_id)}
        return record(Change(section=sane.RESEARCH, put=dict.fromkeys(new, entry)))

    def _describe_progress(self, facts: Facts) -> Verdict:
        done = [name for name in self.categories if name in list_researched(facts.state)]
        missing, waived = ResearchCategories(self.categories).split_missing(facts.state, facts.tool_servers)
        parts = (("done", done), ("missing", missing), ("waived (no such server is set up)", waived))
        text = "; ".join(f"{name}: {', '.join(names)}" for name, names in parts if names)
        return answer_command("research", f"Research, {len(done)} of {len(self.categories)} done. {text}.")

    def _explain_missing(self, missing: tuple[str, ...], waived: tuple[str, ...]) -> str:
        use = "; ".join(f"{name} ({', '.join(self.categories[name])})" for name in missing)
        done = len(self.categories) - len(missing) - len(waived)
        spared = f" Waived, because no such server is set up: {', '.join(waived)}." if waived else ""
        return (
            f"Research before edits: {done} of {len(self.categories)} categories done, missing {', '.join(missing)}. "
            f"Use one tool of each first: {use}.{spared}"
        )
