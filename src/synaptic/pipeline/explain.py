"""The walk of one past event in plain words, for someone who sees the engine for the first time."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import POLICIES, Decision, Kind, Step

MEANING: Mapping[Kind, str] = {
    Kind.NONE: "nobody had anything to say, so the agent went on as it would have without hooks",
    Kind.ADVISE: "the agent went on, and was told something",
    Kind.ALLOW: "a hook allowed it, so no permission was asked for",
    Kind.REWRITE: "it went ahead in another form",
    Kind.ASK: "a person was asked to decide",
    Kind.DENY: "it was stopped",
}
SAID: Mapping[Kind, str] = {
    Kind.NONE: "no opinion",
    Kind.ADVISE: "advised",
    Kind.ALLOW: "allowed",
    Kind.REWRITE: "rewrote the input",
    Kind.ASK: "wanted a person to decide",
    Kind.DENY: "denied",
}


class Story(msgspec.Struct, frozen=True, kw_only=True):
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


def explain(story: Story) -> list[str]:
    """Lines to print, one step of the walk after another."""
    return [line for part in (_arrived, _asked, _decided, _answered) for line in part(story)]


def _arrived(story: Story) -> Iterator[str]:
    about = f" about {story.subject}" if story.subject else ""
    yield f"Event {story.number}: {story.event}{about}, from {story.agent} at {story.when}"
    yield f"  session {story.session or 'unknown'}, project {story.root or 'unknown'}, call {story.call}"
    if story.payload:
        yield f"  the agent sent {_shortened(story.payload)}"


def _asked(story: Story) -> Iterator[str]:
    trace = story.decision.trace
    if not trace:
        yield "No hook is registered for this event."
        return
    together = [step for step in trace if step.hook == POLICIES]
    yield from (_together(step) for step in together if step.phase == "quiet")
    if spoken := [step for step in trace if step.hook != POLICIES]:
        yield f"{_count(spoken)}, lowest priority number first:"
        yield from (f"  {_step(step)}" for step in spoken)
    yield from (_together(step) for step in together if step.phase != "quiet")


def _together(step: Step) -> str:
    """Describe a step of the trace that stands for several policies."""
    names = step.note.removeprefix("after a deny: ").split()
    who = "1 policy was" if len(names) == 1 else f"{len(names)} policies were"
    what = "asked and had nothing to say" if step.phase == "quiet" else "not asked any more after the deny"
    return f"{who} {what}: {', '.join(names)}"


def _step(step: Step) -> str:
    where = f" [{step.source}]" if step.source else ""
    took = f" in {_took(step.micros)}" if step.phase in ("run", "recheck") else ""
    reason = f": {step.reason}" if step.reason else ""
    note = f" ({step.note})" if step.note else ""
    return f"{step.priority:>3} {step.hook}{where} {_outcome(step)}{took}{reason}{note}"


def _outcome(step: Step) -> str:
    if step.fault:
        return f"failed, {step.fault},"
    if step.phase == "skipped":
        return "was skipped"
    if step.phase == "started":
        return "was started in the background"
    if step.phase == "degraded":
        return "was adapted to what this agent can honour"
    again = "looked again at the rewritten input and " if step.phase == "recheck" else ""
    return again + SAID[step.kind]


def _decided(story: Story) -> Iterator[str]:
    decision = story.decision
    by = f" by {decision.by}" if decision.by else ""
    yield f"Decision: {decision.kind}{by}: {MEANING[decision.kind]}."
    if decision.reason:
        yield f"  reason: {decision.reason}"
    if decision.input is not None:
        yield f"  final input: {_shortened(msgspec.json.encode(decision.input).decode())}"
    for label, lines in (
        ("told the model", decision.context + decision.feedback),
        ("told the user", decision.messages),
        ("warning", decision.warnings),
    ):
        yield from (f"  {label}: {line}" for line in lines)


def _answered(story: Story) -> Iterator[str]:
    answer = story.answer
    said = _shortened(answer.stdout.decode("utf-8", "replace")) if answer.stdout else "nothing"
    yield f"Answer to {story.agent}: {said} (exit code {answer.exit}), {_took(story.micros)} after it arrived"
    if answer.stderr:
        yield f"  on stderr: {_shortened(answer.stderr.decode('utf-8', 'replace').strip())}"


def _count(trace: Sequence[Step]) -> str:
    hooks = len({(step.priority, step.hook) for step in trace})
    return "1 hook was concerned" if hooks == 1 else f"{hooks} hooks were concerned"


def _took(micros: int) -> str:
    return f"{micros} µs" if micros < 1000 else f"{micros / 1000:.1f} ms"


def _shortened(text: str, longest: int = 2000) -> str:
    text = text.strip()
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
