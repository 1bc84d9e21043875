"""What a rule says once all of its conditions hold: one function for each `then`."""

from collections.abc import Callable, Mapping

import msgspec

from synaptic.hooks.rules.entry import RuleEntry
from synaptic.hooks.rules.judged_call import JudgedCall
from synaptic.hooks.rules.marks import MARKS, PROMPTED
from synaptic.hooks.rules.rewriting import rewrite_matched
from synaptic.model.decision import Verdict, advise, ask, deny
from synaptic.model.event import Stop, Timing
from synaptic.model.state import Change

REMINDERS = "session:rule-reminders"
"""When each rule was last told, by rule and agent."""
MAX_REMINDERS = 500


class RuleSpeech(msgspec.Struct, frozen=True):
    """A rule that speaks: what it says, under which name, and for whom."""

    entry: RuleEntry
    name: str
    """With its file, so that two files may have a rule of the same id."""
    by_user: bool


def make_verdict(speech: RuleSpeech, call: JudgedCall) -> Verdict | None:
    """The opinion of a rule whose conditions hold."""
    return VERDICTS[speech.entry.then](speech, call)


def format_reason(entry: RuleEntry) -> str:
    """What is told, with the command to type instead."""
    return f"{entry.say}\nUse instead: {entry.instead}" if entry.instead else entry.say


def _deny(speech: RuleSpeech, call: JudgedCall) -> Verdict:
    return deny(format_reason(speech.entry))


def _ask(speech: RuleSpeech, call: JudgedCall) -> Verdict:
    return ask(format_reason(speech.entry))


def _advise(speech: RuleSpeech, call: JudgedCall) -> Verdict:
    return advise(format_reason(speech.entry))


def _remind(speech: RuleSpeech, call: JudgedCall) -> Verdict | None:
    """Advice that is given once; where the agent wants to stop, it holds it that once."""
    event, entry = call.event, speech.entry
    name = f"{speech.name} {event.agent_id}".rstrip()
    told = call.facts.state.read_number(REMINDERS, name)
    since = call.facts.state.read_number(MARKS, PROMPTED) if entry.once == "prompt" else 0.0
    if told and told >= since:
        return None
    if isinstance(event, Stop) and event.stop_hook_active:
        return None
    noted = Change(section=REMINDERS, put={name: call.facts.now or 1.0}, most=MAX_REMINDERS)
    text = format_reason(entry)
    return deny(text, noted) if event.TIMING is Timing.STOP else advise(text, noted)


def _rewrite(speech: RuleSpeech, call: JudgedCall) -> Verdict | None:
    return rewrite_matched(speech.entry, call, by_user=speech.by_user)


def _record(speech: RuleSpeech, call: JudgedCall) -> Verdict:
    """No opinion, and a step in the trace all the same: so it is found again."""
    return Verdict(reason=speech.entry.say)


VERDICTS: Mapping[str, Callable[[RuleSpeech, JudgedCall], Verdict | None]] = {
    "deny": _deny,
    "ask": _ask,
    "advise": _advise,
    "remind": _remind,
    "rewrite": _rewrite,
    "record": _record,
}
