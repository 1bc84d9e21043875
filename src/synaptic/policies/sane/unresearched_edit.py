"""Edits before anything was looked up."""

from collections.abc import Mapping

import msgspec

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.event import Event, PostToolUse, PostToolUseFailure, PreToolUse, ToolEvent, UserPromptSubmit
from synaptic.model.state import Change
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.free_edit import count_changed_lines, is_free_file
from synaptic.policies.sane.known import (
    TASK_SECTION,
    is_gated,
    is_hearsay,
    read_task_prompt,
    read_texts,
    read_user_command,
)
from synaptic.policies.sane.outcome import find_failure, is_empty_result, is_interrupted
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.sane.research import (
    OUTWARD_TOOLS,
    ResearchCategories,
    ResearchProgress,
    count_tries,
    is_waived,
    list_researched,
)
from synaptic.policies.sane.shell_edit import authors_files
from synaptic.policies.sane.stamp import format_stamp
from synaptic.policies.sane.tell import answer_command
from synaptic.policies.task_words import continues_task

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
    docs, web, github, local. A category is done when one of its tools succeeded and found something, as the agent's
    own hook says: what an orchestrator reports (`synaptic emit`) is no research. A prompt that starts a task, and every
    refusal, says what is still missing. A category is not asked for when no server that is set up serves it, and when
    its tools (of a server or of the web) were called twice and brought nothing. A question gates nothing; where no
    prompt was seen, edits are gated. The prompt `research` shows the progress, and `waive` opens edits for this task:
    only the user's own prompt does that.
    ## Why
    An edit from memory alone repeats known mistakes; a look at what exists costs a minute.
    ## Known gaps
    Servers that come with plugins or command line options are in no file that lists servers: what only they serve is
    not asked for. For agents other than Claude Code the servers are not known, and every category is asked for. A
    sub-agent's edits are gated as any other; starting one is not. What shell commands write is never free by
    `free_lines` or `free_files`.
    """

    id = "sane.unresearched-edit"
    events = (PreToolUse, PostToolUse, PostToolUseFailure, UserPromptSubmit)
    priority = 24
    preset = "sane"
    is_gate = True
    needs = (sane.RESEARCH, sane.REQUIREMENTS, sane.ENFORCEMENT, TASK_SECTION, "tool_servers")

    categories: dict[str, tuple[str, ...]] = msgspec.field(default_factory=lambda: dict(RESEARCH_TOOLS))
    """Each category and the tools that serve it; `*` at the end stands for any rest."""
    free_lines: int = 0
    """Lines that a task may change without research, over all of its edits; whole files that are written are not
    counted and not free. 0: none."""
    free_files: tuple[str, ...] = ()
    """Files that are edited without research, as globs over the path in the project or over the name: `*.md`."""

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if isinstance(event, PreToolUse):
            return self._judge_edit(event, facts)
        if isinstance(event, PostToolUse | PostToolUseFailure):
            return self._mark_research(event, facts)
        if read_user_command(event) == "research status":
            return self._describe_progress(facts)
        return self._announce_gate(event, facts) if isinstance(event, UserPromptSubmit) else None

    def _judge_edit(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if event.tool_name not in EDITS and facts.command is None:
            return None
        done = facts.state.read_section(sane.RESEARCH)
        if not facts.state.known or not is_gated(facts.state) or is_waived(facts.state):
            return None
        if sane.RESEARCH not in facts.state.tampered and all(map(done.get, self.categories)):
            return None
        if facts.command and not authors_files(facts.command, facts.root):
            return None
        progress = ResearchCategories(self.categories).read_progress(facts.state, facts.tool_servers)
        if not progress.missing:
            return None
        return self._pass_free_edit(event, facts) or refuse_call(self.id, event, facts, self._explain_missing(progress))

    def _pass_free_edit(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        """Nothing but a note where the user has set a threshold that this edit stays below."""
        if event.tool_name not in EDITS:
            return None
        if is_free_file(event.tool.paths, self.free_files, facts.root):
            return record()
        lines = count_changed_lines(event.tool) if self.free_lines > 0 else None
        # Counted over the task: ten edits of one line are ten lines.
        if lines is None or facts.state.read_number(TASK_SECTION, "freed") + lines > self.free_lines:
            return None
        return record(Change(section=TASK_SECTION, add={"freed": lines}))

    def _mark_research(self, event: ToolEvent, facts: Facts) -> Verdict | None:
        """On success only: an error or an empty result is no knowledge, and it is counted as a try."""
        served = ResearchCategories(self.categories).find_for_tool(event.tool_name)
        done = list_researched(facts.state) if served else ()
        new = [name for name in served if name not in done]
        if not new or is_interrupted(event) or is_hearsay(facts):
            return None
        if find_failure(event) or (isinstance(event, PostToolUse) and is_empty_result(event)):
            return _count_try(event, new, facts)
        entry = {"completed_at": format_stamp(facts.now), "tool": event.tool_name, "via_task": bool(event.agent_id)}
        return record(Change(section=sane.RESEARCH, put=dict.fromkeys(new, entry)))

    def _announce_gate(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        """What a prompt that is a task still has to wait for, and what became of the research before it."""
        if not (text := read_task_prompt(event)):
            return None
        categories, state = ResearchCategories(self.categories), facts.state
        goes_on = continues_task(text, read_texts(state, TASK_SECTION, "keywords"))
        if goes_on and is_waived(state):
            return None
        before = categories.read_progress(state, facts.tool_servers)
        progress = before if goes_on else categories.start_anew(facts.tool_servers)
        lost = before.done if not goes_on else ()
        told = _describe_gate(progress, lost)
        messages = (
            (f"A new task: research starts anew ({', '.join(lost)} were done). `waive` opens edits.",) if lost else ()
        )
        return Verdict(context=(told,), messages=messages) if told else None

    def _describe_progress(self, facts: Facts) -> Verdict:
        progress = ResearchCategories(self.categories).read_progress(facts.state, facts.tool_servers)
        parts = (("done", progress.done), ("missing", progress.missing), *_list_spared(progress))
        text = "; ".join(f"{name}: {', '.join(names)}" for name, names in parts if names)
        waived = " Research is waived for this task: edits are open." if is_waived(facts.state) else ""
        return answer_command(
            "research", f"Research, {len(progress.done)} of {len(self.categories)} done. {text}.{waived}"
        )

    def _explain_missing(self, progress: ResearchProgress) -> str:
        use = "; ".join(f"{name} ({', '.join(self.categories[name])})" for name in progress.missing)
        spared = "".join(
            f" {name.capitalize()}: {', '.join(names)}." for name, names in _list_spared(progress) if names
        )
        return (
            f"Research before edits: {len(progress.done)} of {len(self.categories)} categories done, missing "
            f"{', '.join(progress.missing)}. Use one tool of each first: {use}.{spared} What cannot be reached is "
            "not asked for after two tries. The user, and nobody else, may type `waive` to do without for this task."
        )


def _count_try(event: ToolEvent, names: list[str], facts: Facts) -> Verdict | None:
    if not event.tool_name.startswith(OUTWARD_TOOLS):
        return None
    tries = count_tries(facts.state)
    tried = {**tries, **{name: tries.get(name, 0) + 1 for name in names}}
    return record(Change(section=TASK_SECTION, put={"tried": tried}))


def _list_spared(progress: ResearchProgress) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("waived, because no such server is set up", progress.unserved),
        ("waived, because calls brought nothing", progress.unreached),
    )


def _describe_gate(progress: ResearchProgress, lost: tuple[str, ...]) -> str:
    if progress.missing:
        again = f" It is a new task: the research done before ({', '.join(lost)}) was for another." if lost else ""
        kept = f" Done already, and it still counts: {', '.join(progress.done)}." if progress.done else ""
        return f"This is a task: edits open once {_join_names(progress.missing)} been looked into.{again}{kept}"
    return (
        f"This is a task. Edits are open: the research done before ({', '.join(progress.done)}) still counts."
        if progress.done
        else ""
    )


def _join_names(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]} have" if len(names) > 1 else f"{names[0]} has"
