"""What a hook says that is set to advise: its refusal, its question and its rewrite are told, and change nothing."""

import msgspec

from synaptic.model.decision import Failure, Kind, Verdict
from synaptic.model.text import cut_start
from synaptic.model.tool import Input

ADVICE_TEXT = "{hook} would {verb} this, and is set to advise, so it goes on: {reason}"
INSTEAD_TEXT = "{hook} would do this instead, and is set to advise, so it goes on as it is: {what}"
VERBS = {Kind.DENY: "refuse", Kind.ASK: "ask a person about"}
MOST_SHOWN = 2000
"""Characters of an input that is suggested."""


def soften_answer(hook: str, answer: Verdict | Failure | None) -> tuple[Verdict | Failure | None, str]:
    """The same as advice, and what the trace says it would have been."""
    if isinstance(answer, Failure):
        return msgspec.structs.replace(answer, asks=False), ""
    return (soften_verdict(hook, answer), _name_stronger(answer)) if answer is not None else (None, "")


def soften_verdict(hook: str, verdict: Verdict) -> Verdict:
    """Texts and structured results stay; nothing is refused, asked, rewritten or permitted.

    What a refusal or a rewrite would have written down has not happened, so it is not written down.
    """
    told: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    if verdict.says in VERBS:
        reason = verdict.reason or "it gives no reason"
        told = (ADVICE_TEXT.format(hook=hook, verb=VERBS[verdict.says], reason=reason),)
    if verdict.input is not None and verdict.says is not Kind.DENY:
        suggested = (INSTEAD_TEXT.format(hook=hook, what=_show_input(verdict.input)),)
    return Verdict(
        context=(*told, *suggested, *verdict.context),
        messages=(*told, *verdict.messages),
        effects=() if told or suggested else verdict.effects,
        result=verdict.result,
        warnings=verdict.warnings,
    )


def _name_stronger(verdict: Verdict) -> str:
    kind = verdict.kind
    return f"would {kind}; it is set to advise" if kind.rank > Kind.ADVISE.rank else ""


def _show_input(given: Input) -> str:
    command = given.get("command")
    shown = command if isinstance(command, str) else msgspec.json.encode(given, enc_hook=repr).decode()
    return cut_start(shown, MOST_SHOWN)
