"""Contexts of the orchestrator, one line each."""

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.effect import AppendLine
from synaptic.model.event import Event, PostAbilityCall, PreAbilityCall, SessionStop
from synaptic.model.result import HookResult
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.routing.summary import shorten_texts

CONTEXT_LOG = ".system/logs/hooks.log"


class ContextLog(Policy):
    """Events of an orchestrator that nobody can look at afterwards.

    ## What it does
    Appends the whole context of every ability event as one JSON line to `.system/logs/hooks.log`. While it is on, the
    `logs` that hooks answer are written there too, each with its level and its hook.
    ## Why
    A file beside the code is what people and agents look at first.
    ## Known gaps
    Texts of more than 8,000 characters are cut. The file is never rotated; the journal is the record, this is a copy.
    """

    id = "routing.context-log"
    events = (PreAbilityCall, PostAbilityCall, SessionStop)
    priority = 44
    preset = "routing"
    needs = ("payload",)
    hook_log = CONTEXT_LOG

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if not facts.root or not facts.payload:
            return None
        line = msgspec.json.encode(shorten_texts(facts.payload), enc_hook=repr).decode()
        return Verdict(
            effects=(AppendLine(f"{facts.root}/{CONTEXT_LOG}", line),), result=HookResult(usage_recorded=True)
        )
