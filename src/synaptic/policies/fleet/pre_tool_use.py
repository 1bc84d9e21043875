"""A tool is about to run: heartbeat, overflow, guard rules."""

from typing import Annotated, Any

from synaptic.model.decision import Verdict, deny, record
from synaptic.model.event import PreToolUse
from synaptic.model.layers import OVERFLOW, Beat, ContextUsage, Effort, Loaded, Metadata, Session
from synaptic.policies.base import FEWER, LOWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet import guards
from synaptic.policies.fleet.engine_call import classify_engine_call
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.metadata import GUARDS, PRELOADS, is_busy
from synaptic.policies.fleet.orders import build_dehydrate_order, build_log_order
from synaptic.policies.fleet.preloads import describe_files, list_waiting_files

ENGINE_COMMANDS = ("synaptic", "syn", "engine")
UNCOUNTED_TOOLS = ("Task", "Agent", "TaskOutput", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet")


class Heartbeat(Policy):
    """Tool calls without a word about them.

    ## What it does
    Counts the tool calls of each context window since the agent last wrote to the log of its effort, and stops them
    from the tenth on (`blockAfter` in the effort's metadata) until it does. Calls of the engine itself and of the
    agent's own task list are not counted, and edits of one file in a row count once. When the context is nearly full,
    tells the model how to hand over. Reports guard rules of the effort that hold; they never block.
    ## Why
    A log that is written while the work goes on is what survives the window, and what others can follow.
    ## Known gaps
    A log command that fails has set the count back all the same. Without an effort, nothing is counted.
    """

    id = "fleet.pre-tool-use"
    events = (PreToolUse,)
    priority = 19
    preset = "fleet"
    needs = ("layers", "usage", "preloads")
    counts_repeats = False

    commands: Annotated[tuple[str, ...], FEWER] = ENGINE_COMMANDS
    """Programs whose calls are not counted; their `effort log` or `log` sets the count back."""
    uncounted: Annotated[tuple[str, ...], FEWER] = UNCOUNTED_TOOLS
    """Tools that are neither counted nor stopped."""
    overflow: Annotated[float, LOWER] = OVERFLOW
    """How full the context is, from 0 to 1, when the model is told to hand over."""

    def handle(self, event: PreToolUse, facts: Facts) -> HandlerResult:
        effort, session = facts.layers.effort, facts.layers.session
        if effort is None or session is None:
            return HandlerResult(_build_answer(0))
        # Before any counting: the call that writes the log must pass even when every other call is stopped.
        if said := classify_engine_call(event, facts, self.commands):
            return _answer_engine_call(said, session)
        if effort.finished or is_busy(effort.metadata):
            return HandlerResult(_build_answer(session.heartbeat))
        if event.tool_name in self.uncounted:
            return self._let_through(event, facts, effort, None)
        edited = next(iter(event.tool.paths), "") if event.tool.is_edit else ""
        again = edited != "" and edited == session.edited
        added = 0 if again else 1
        if session.heartbeat + added >= effort.limit:
            return _stop_call(session.heartbeat + added, effort, _make_beat(session, add=added, edited=edited))
        # Without AGENT_ID the session may belong to another window, whose usage must not be overwritten.
        usage = facts.usage if _is_own(event, session) else ContextUsage()
        beat = _make_beat(session, add=added, edited=edited, usage=usage.share, offset=usage.offset)
        return self._let_through(event, facts, effort, beat)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict

    def _let_through(self, event: PreToolUse, facts: Facts, effort: Effort, beat: Beat | None) -> HandlerResult:
        session = facts.layers.session
        count = (session.heartbeat if session else 0) + (beat.add if beat else 0)
        usage = _read_usage(event, facts)
        full = usage is not None and usage >= self.overflow
        rules = effort.metadata.get(GUARDS)
        fired = guards.find_fired_rules(rules, {"heartbeat_counter": count, "context_usage": usage}) if rules else []
        preloads = [] if event.agent_id else list_waiting_files(effort.metadata)
        if not (full or fired or preloads):  # nearly every call
            return HandlerResult(_build_answer(count, usage), record(beat) if beat else None)
        answer = _build_answer(count, usage, overflowWarning=full, pendingPreloads=preloads, firedRules=fired)
        taken = Metadata(effort=effort.id, take={PRELOADS: len(preloads)}) if preloads else None
        read = Loaded(session=session.id, files=tuple(facts.preloads)) if session and facts.preloads else None
        effects = tuple(effect for effect in (beat, taken, read) if effect is not None)
        told = (
            [build_dehydrate_order(usage)] if full and usage is not None and self._is_news(event, usage, facts) else []
        )
        told += [describe_files(preloads, facts.preloads, "Read before you go on:")] if preloads else []
        return HandlerResult(answer, Verdict(context=(*told, *guards.describe_rules(fired)), effects=effects))

    def _is_news(self, event: PreToolUse, usage: float, facts: Facts) -> bool:
        """Whether to tell the model again: once for every percent, not with every call.

        What the session's row holds was told: a call that is stopped or logs leaves it as it is.
        """
        session = facts.layers.session
        before = session.usage if session and _is_own(event, session) else None
        if before is None or before < self.overflow or not facts.usage.offset:
            return True  # the first time, or a value that somebody else keeps and the transcript does not tell
        return int(usage * 100) > int(before * 100)


def _make_beat(session: Session, **fields: Any) -> Beat:
    return Beat(session=session.id, claim=not session.host, **fields)


def _answer_engine_call(said: str, session: Session) -> HandlerResult:
    if said != "log":
        return HandlerResult(_build_answer(session.heartbeat))
    return HandlerResult(_build_answer(0), record(_make_beat(session, reset=True)))


def _stop_call(count: int, effort: Effort, beat: Beat) -> HandlerResult:
    reason = build_log_order(count, effort.limit)
    return HandlerResult(_build_answer(count, allow=False, reason=reason), deny(reason, beat))


def _read_usage(event: PreToolUse, facts: Facts) -> float | None:
    """A sub-agent's call names the transcript of its parent: it says nothing about its own context."""
    if event.agent_id:
        return None
    session = facts.layers.session
    if facts.usage.share is not None or session is None:
        return facts.usage.share
    return session.usage if _is_own(event, session) else None


def _is_own(event: PreToolUse, session: Session) -> bool:
    """Whether the session is that of the call's own window: without AGENT_ID, it may be the newest of the effort."""
    return not (session.host and event.session_id) or session.host == event.session_id


def _build_answer(count: int, usage: float | None = None, **more: object) -> dict[str, object]:
    return {
        "allow": True,
        "heartbeatCount": count,
        "contextUsage": usage,
        "overflowWarning": False,
        "pendingPreloads": [],
        "firedRules": [],
        **more,
    }
