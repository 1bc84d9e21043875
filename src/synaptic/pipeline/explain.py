"""The walk of one past event in plain words, for someone who sees the engine for the first time."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import POLICIES, RAISED, Decision, Kind, TraceStep
from synaptic.store.journal_payload import find_subject

KIND_MEANINGS: Mapping[Kind, str] = {
    Kind.NONE: "nobody had anything to say, so the agent went on as it would have without hooks",
    Kind.ADVISE: "the agent went on, and was told something",
    Kind.ALLOW: "a hook allowed it, so no permission was asked for",
    Kind.REWRITE: "it went ahead in another form",
    Kind.ASK: "a person was asked to decide",
    Kind.DENY: "it was stopped",
}
KIND_WORDS: Mapping[Kind, str] = {
    Kind.NONE: "no opinion",
    Kind.ADVISE: "advised",
    Kind.ALLOW: "allowed",
    Kind.REWRITE: "rewrote the input",
    Kind.ASK: "wanted a person to decide",
    Kind.DENY: "denied",
}

WOULD_WORDS: Mapping[Kind, str] = {
    Kind.ADVISE: "would have advised",
    Kind.ALLOW: "would have allowed it",
    Kind.REWRITE: "would have rewritten the input",
    Kind.ASK: "would have wanted a person to decide",
    Kind.DENY: "would have denied it",
}

FINAL_INPUT = "  final input: "
SILENT_POLICIES = re.compile(
    r"^(\d+ polic(?:y was|ies were) (?:asked and had nothing to say|not asked any more after the deny)): .*", re.DOTALL
)
"""Their names are the longest and least of what is told."""
SPEAKING = ("run", "recheck", "told")
"""Phases in which a hook has judged the call."""


class EventStory(msgspec.Struct, frozen=True, kw_only=True):
    """What the journal knows about one event."""

    number: int
    call: str
    when: str
    agent: str
    event: str
    subject: str
    session: str
    root: str
    payload: str
    decision: Decision
    answer: Answer
    micros: int
    exceptions: Mapping[str, str] = {}
    """What is known of those that the decision rests on, by their ids."""


def explain_event(story: EventStory) -> list[str]:
    """Lines to print, one step of the walk after another."""
    return [
        line
        for part in (_describe_arrival, _describe_hooks, _describe_decision, _describe_answer)
        for line in part(story)
    ]


def explain_past_event(story: EventStory, *, is_whole: bool = False) -> list[str]:
    """The same for somebody who asks why: the decision first, then what was done, then who said what.

    Unless it is to be the whole story, without the payload and without the names of policies that said nothing.
    """
    story = story if is_whole else _drop_repetitions(story)
    parts = [_describe_decision(story), _describe_act(story, is_whole=is_whole), _describe_hooks(story)]
    answer = _describe_answer(story) if is_whole else _describe_answer_briefly(story)
    lines = [line for part in (*parts, answer) for line in part]
    if is_whole:
        return lines
    shown = (line for line in lines if not line.startswith(FINAL_INPUT))  # it is there as what the call became
    return [SILENT_POLICIES.sub(r"\1 (-v names them)", line) for line in shown]


def _drop_repetitions(story: EventStory) -> EventStory:
    """Without the code of a refusal in its reason, which has a line of its own, and each reason once."""
    decision = story.decision
    lines = decision.reason.split("\n")
    if decision.code:
        lines = [line for line in lines if not line.startswith("[synaptic ") or decision.code not in line]
    trace = [
        msgspec.structs.replace(step, reason="") if step.reason and step.reason in decision.reason else step
        for step in decision.trace
    ]
    told = msgspec.structs.replace(decision, reason="\n".join(lines).rstrip(), trace=tuple(trace))
    return msgspec.structs.replace(story, decision=told)


def _describe_act(story: EventStory, *, is_whole: bool) -> Iterator[str]:
    """What was done, as it can be read; where all is wanted, what the agent has sent, too."""
    first, second, *payload = _describe_arrival(story)
    yield first
    yield from (f"  | {line}" for line in _shorten_text(find_subject(story.payload)).splitlines())
    if story.decision.input is not None:
        given = msgspec.json.encode({"tool_input": story.decision.input}, enc_hook=repr).decode()
        yield from (f"  became | {line}" for line in _shorten_text(find_subject(given)).splitlines())
    yield second
    if is_whole:
        yield from payload


def _describe_arrival(story: EventStory) -> Iterator[str]:
    about = f" about {story.subject}" if story.subject else ""
    yield f"Event {story.number}: {story.event}{about}, from {story.agent} at {story.when}"
    yield f"  session {story.session or 'unknown'}, project {story.root or 'unknown'}, call {story.call}"
    if story.payload:
        yield f"  the agent sent {_shorten_text(story.payload)}"


def _describe_hooks(story: EventStory) -> Iterator[str]:
    trace = story.decision.trace
    if not trace:
        yield "No hook is registered for this event."
        return
    together = [step for step in trace if step.hook == POLICIES]
    yield from (_describe_shared_step(step) for step in together if step.phase == "quiet")
    if spoken := [step for step in trace if step.hook != POLICIES]:
        yield f"{_count_hooks(spoken)}, lowest priority number first:"
        for step in spoken:
            yield f"  {_describe_step(step)}"
            yield from (f"      | {line}" for line in _shorten_text(step.stderr).splitlines())
    yield from (_describe_shared_step(step) for step in together if step.phase != "quiet")


def _describe_shared_step(step: TraceStep) -> str:
    """Describe a step of the trace that stands for several policies."""
    names = step.note.removeprefix("after a deny: ").split()
    who = "1 policy was" if len(names) == 1 else f"{len(names)} policies were"
    what = "asked and had nothing to say" if step.phase == "quiet" else "not asked any more after the deny"
    return f"{who} {what}: {', '.join(names)}"


def _describe_step(step: TraceStep) -> str:
    where = f" [{step.source}]" if step.source else ""
    took = f" in {_format_duration(step.micros)}" if step.phase in ("run", "recheck") else ""
    reason = f": {step.reason}" if step.reason else ""
    note = f" ({step.note})" if step.note else ""
    return f"{step.priority:>3} {step.hook}{where} {describe_outcome(step)}{took}{reason}{note}"


def describe_outcome(step: TraceStep) -> str:
    """What a hook said or what became of it, as the end of a sentence that begins with its name."""
    if step.phase == "shadow":
        return f"{_describe_shadow(step)}; it is in shadow, so that changed nothing"
    if step.fault:
        return f"failed, {step.fault},"
    if step.phase == "skipped":
        return "was skipped"
    if step.phase == "started":
        return "was started in the background"
    if step.phase == RAISED:
        return "was raised by this event"
    if step.phase == "lifted":
        return "was lifted by an exception"
    if step.phase == "told":
        return "was heard after that, and would have denied it too"
    if step.phase == "degraded":
        return "was adapted to what this agent can honour"
    again = "looked again at the rewritten input and " if step.phase == "recheck" else ""
    return again + KIND_WORDS[step.kind]


def _describe_shadow(step: TraceStep) -> str:
    if step.fault:
        return f"failed, {step.fault}"
    return WOULD_WORDS.get(step.kind, "could not say anything")


def _describe_decision(story: EventStory) -> Iterator[str]:
    decision = story.decision
    by = f" by {decision.by}" if decision.by else ""
    yield f"Decision: {decision.kind}{by}: {describe_meaning(decision)}."
    if decision.reason:
        yield f"  reason: {decision.reason}"
    if decision.input is not None:
        yield f"{FINAL_INPUT}{_shorten_text(msgspec.json.encode(decision.input).decode())}"
    for label, lines in (
        ("told the model", decision.context + decision.feedback),
        ("told the user", decision.messages),
        ("warning", decision.warnings),
    ):
        yield from (f"  {label}: {line}" for line in lines)
    yield from _describe_exceptions(story)


def describe_meaning(decision: Decision) -> str:
    """What a decision meant for the agent; where nobody stood in its way, whether somebody would have."""
    if decision.kind is not Kind.NONE:
        return KIND_MEANINGS[decision.kind]
    if decision.grants:
        return "a person's exception let it through"
    would = [one for one in decision.trace if one.phase == "shadow" and one.kind in (Kind.DENY, Kind.ASK)]
    if would:
        return f"it went through; {would[0].hook} is only watched, and {WOULD_WORDS[would[0].kind]}"
    return KIND_MEANINGS[Kind.NONE]


def _describe_exceptions(story: EventStory) -> Iterator[str]:
    """What was lifted, and what would lift the rest. A rehearsed event has nothing to be lifted."""
    decision = story.decision
    yield from (f"  exception {name}: {story.exceptions.get(name, 'not looked up')}" for name in decision.grants)
    if not story.number or decision.kind not in (Kind.DENY, Kind.ASK):
        return
    if decision.code:
        yield f"  a person may allow it: synaptic allow {decision.code} (it lifts {', '.join(list_against(decision))})"
    else:
        yield "  it has no code, so no exception can be made to it"


def _describe_answer_briefly(story: EventStory) -> Iterator[str]:
    after = _format_duration(story.micros)
    yield f"Answer to {story.agent}: exit code {story.answer.exit}, {after} after it arrived"
    if story.answer.stderr:
        yield f"  on stderr: {_shorten_text(story.answer.stderr.decode('utf-8', 'replace').strip())}"


def _describe_answer(story: EventStory) -> Iterator[str]:
    answer = story.answer
    said = _shorten_text(answer.stdout.decode("utf-8", "replace")) if answer.stdout else "nothing"
    after = _format_duration(story.micros)
    yield f"Answer to {story.agent}: {said} (exit code {answer.exit}), {after} after it arrived"
    if answer.stderr:
        yield f"  on stderr: {_shorten_text(answer.stderr.decode('utf-8', 'replace').strip())}"


def list_against(decision: Decision) -> tuple[str, ...]:
    """Whose verdicts would have to be lifted for a call to run, the deciding one first."""
    against = (step.hook for step in decision.trace if step.kind in (Kind.DENY, Kind.ASK) and step.phase in SPEAKING)
    return tuple(dict.fromkeys((decision.by, *against)))


def _count_hooks(trace: Sequence[TraceStep]) -> str:
    hooks = len({(step.priority, step.hook) for step in trace if step.phase != RAISED})
    return "1 hook was concerned" if hooks == 1 else f"{hooks} hooks were concerned"


def _format_duration(micros: int) -> str:
    return f"{micros} µs" if micros < 1000 else f"{micros / 1000:.1f} ms"


def _shorten_text(text: str, longest: int = 2000) -> str:
    text = text.strip()
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
