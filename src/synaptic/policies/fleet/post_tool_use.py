"""A tool has run: what waits for the model is told, what was asked and read is kept, directives are found."""

from collections.abc import Iterator, Mapping

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect
from synaptic.model.event import PostToolUse
from synaptic.model.layers import INJECTIONS, Discovered, Effort, Loaded, Metadata, Note, Session, SetStatus
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet import dialogue
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.standing import build_status


class ToolAftermath(Policy):
    """What a tool call brings up and nobody keeps.

    ## What it does
    Tells the model what waits for it in the effort's metadata (`pendingInjections`), each once. Keeps questions to the
    user with their answers as messages, and which files were read. Looks for directives (`.directives/*.md`,
    `AGENTS.md` and the like) from the touched file up to the project's root, once a folder, and names those it finds.
    An agent that waited for somebody, had failed, or was kept from stopping, is working again.
    ## Why
    All of it in the one answer that the agent waits for anyway.
    ## Known gaps
    Files that a shell command reads are not seen.
    """

    id = "fleet.post-tool-use"
    events = (PostToolUse,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "agent_name", "directives", "directive_folders")
    recheck = False

    def handle(self, event: PostToolUse, facts: Facts) -> HandlerResult:
        effort, session = facts.layers.effort, facts.layers.session
        # They are told once, and to the main agent: a sub-agent must not use them up.
        injections = _list_injections(effort) if effort and not event.agent_id else []
        asked = event.tool_name == dialogue.ASK_TOOL
        said = dialogue.build_entry(event.tool_input, event.tool_response) if asked and effort else None
        answer = {
            "heartbeatCount": session.heartbeat if session else 0,
            "pendingInjections": injections,
            "dialogueEntry": said,
            "discoveredDirectives": list(facts.directives) if effort else [],
        }
        effects = (
            *_record_messages(event, session, said),
            *_record_discoveries(effort, len(injections), facts),
            *_mark_working(event, facts),
        )
        context = _build_context(injections, facts.directives if effort else ())
        if not effects and not context:
            return HandlerResult(answer)
        return HandlerResult(answer, Verdict(context=(context,) if context else (), effects=effects))

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _list_injections(effort: Effort) -> list[object]:
    waiting = effort.metadata.get(INJECTIONS)
    return list(waiting) if isinstance(waiting, list | tuple) else []


def _record_messages(event: PostToolUse, session: Session | None, said: dict[str, object] | None) -> Iterator[Effect]:
    if session is None:
        return
    if said is not None:
        content = msgspec.json.encode(said, enc_hook=str).decode()
        yield Note(session=session.id, role="dialogue", content=content, tool=event.tool_name)
    path = event.tool.read_text("file_path") if event.tool_name == "Read" else ""
    if path and path not in session.loaded:
        yield Loaded(session=session.id, files=(path,))


def _record_discoveries(effort: Effort | None, taken: int, facts: Facts) -> Iterator[Effect]:
    if effort is None:
        return
    if taken:
        yield Metadata(effort=effort.id, take={INJECTIONS: taken})
    if facts.directives or facts.directive_folders:
        yield Discovered(effort=effort.id, directives=facts.directives, directories=facts.directive_folders)


def _mark_working(event: PostToolUse, facts: Facts) -> Iterator[SetStatus]:
    agent, session = facts.layers.agent, facts.layers.session
    if agent is None or agent.status == "working" or (agent.status == "done" and session is None):
        return  # a late word of a window that has ended
    if changed := build_status(event, facts, "working"):
        yield changed


def _build_context(injections: list[object], directives: tuple[str, ...]) -> str:
    parts = [_format_injection(item) for item in injections]
    if directives:
        parts.append("\n".join(("Directives for this part of the project. Read them before you go on:", *directives)))
    return "\n\n".join(parts)


def _format_injection(item: object) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    return f"[Directive: {item.get('ruleId') or ''}]\n{item.get('content') or ''}".rstrip()
