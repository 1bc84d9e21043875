"""What became of a call, by the signs that were seen of it. Pure, and in doubt for the agent: "not observable"."""

from collections.abc import Mapping

import msgspec

from synaptic.model.decision import Decision, Kind
from synaptic.model.tool import Input, Tool
from synaptic.model.witness import ALARMS, Sign, Standing, WitnessedCall

ASKED = Sign.LET | Sign.REFUSED | Sign.QUESTION | Sign.REPLACED
UNTOLD_KEYS = frozenset({"description", "timeout"})
"""What an agent may leave out when it tells what ran."""
ASKED_BY_KIND: Mapping[Kind, Sign] = {Kind.DENY: Sign.REFUSED, Kind.ASK: Sign.QUESTION}
ASKED_SIGNS: Mapping[tuple[Kind, bool], Sign] = {
    (kind, numbered): ASKED_BY_KIND.get(kind, Sign.LET) | (Sign.NUMBERED if numbered else Sign(0))
    for kind in Kind
    for numbered in (False, True)
}
"""By decision, and whether the agent numbers the call: flags are joined once, not with every call."""
_encoder = msgspec.json.Encoder(enc_hook=repr, order="sorted")


def judge_call(signs: Sign) -> Standing:
    """What became of a call with one input."""
    if Sign.TOLD in signs:
        return _recall_alarm(signs)
    if Sign.RAN not in signs:
        return _judge_unreported(signs)
    if signs & (Sign.LET | Sign.QUESTION):  # who said yes, and how often, does not matter any more
        return Standing.OBEYED
    if signs & (Sign.DOUBTED | Sign.OTHER_INPUT):
        return Standing.NOT_OBSERVABLE
    if Sign.REFUSED in signs:
        return Standing.DISOBEYED
    if Sign.REPLACED in signs:
        return Standing.REWRITE_IGNORED
    # A question may be lost on its way: only where nothing asks any more, nobody has asked.
    return Standing.UNASKED if Sign.NO_ENTRY in signs else Standing.NOT_OBSERVABLE


def judge_kept(signs: Sign) -> Standing:
    """The same of what is long over: who ran before it was refused has disobeyed nobody, and nobody was told."""
    standing = judge_call(signs)
    return Standing.NOT_OBSERVABLE if standing in ALARMS and Sign.TOLD not in signs else standing


def _recall_alarm(signs: Sign) -> Standing:
    """What a person was told: a later yes to the same call takes nothing of it back."""
    if Sign.NO_ENTRY in signs:
        return Standing.UNASKED
    return Standing.REWRITE_IGNORED if Sign.REPLACED in signs and Sign.REFUSED not in signs else Standing.DISOBEYED


def _judge_unreported(signs: Sign) -> Standing:
    if signs & (Sign.LET | Sign.CLAIMED | Sign.DOUBTED):
        return Standing.NOT_OBSERVABLE  # it may have run, or its person said no
    if not signs & ASKED:
        return Standing.UNASKED if Sign.NO_ENTRY in signs else Standing.UNSEEN
    return Standing.OBEYED


def add_report(known: Mapping[int, Sign], input: int, report: Sign) -> Sign:
    """The signs of a report, given what is known by input about the calls of its number."""
    if not any(signs & ASKED for signs in known.values()):
        return report
    # Agents tell defaults that nobody gave, and other hooks rewrite too: that is no other call.
    return report if known.get(input, Sign(0)) & ASKED else report | Sign.OTHER_INPUT


def describe_asked(tool: Tool, number: str, decision: Decision) -> WitnessedCall:
    """What an event before a tool says about its call."""
    said, signs = describe_input(tool), ASKED_SIGNS[decision.kind, bool(number)]
    if decision.kind is Kind.DENY:
        return WitnessedCall(number=number, said=said, signs=signs)
    if decision.input is None:
        return WitnessedCall(number=number, said=said, signs=signs)
    let = describe_input(Tool(tool.name, decision.input))
    return WitnessedCall(number=number, said=said, let=b"" if let == said else let, signs=signs)


def describe_input(tool: Tool) -> bytes:
    """What a call is, whatever an agent adds to it or leaves out when it tells the call again."""
    if command := tool.command:
        return b"$" + command.encode("utf-8", "replace")
    return tool.name.encode("utf-8", "replace") + b"\0" + _encode_input(tool.input)


def _encode_input(given: Input) -> bytes:
    told = {key: value for key, value in given.items() if value and key not in UNTOLD_KEYS}
    try:
        return _encoder.encode(told)
    except (UnicodeEncodeError, TypeError):  # what no JSON can hold
        return repr(sorted(told.items(), key=lambda item: str(item[0]))).encode("utf-8", "replace")
