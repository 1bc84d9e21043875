"""What a client's behaviour is worth, from what was found on the disk, before the model and in the journal. Pure."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from synaptic.verification.cases import VerifyCase

Standing = Literal["guarded", "incomplete", "not verified", "NOT guarded"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one call has left behind."""

    ran: bool = False
    ran_instead: bool = False
    """In the form that it was rewritten to."""
    told: bool = False
    """The model, or the user, has read what the hook said."""
    decision: str = ""
    """What was decided, as the journal has it; "" when no hook was called."""


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """One cell of the table."""

    name: str
    found: str
    problem: str = ""
    is_breach: bool = False
    """What was to be kept from happening has happened."""


class ClientSession(msgspec.Struct, frozen=True, kw_only=True):
    """How the session of a client went as a whole."""

    turns: int
    """Answers that the client has fetched from the model."""
    trouble: str = ""
    """Why it could not be started, or how it had to be ended."""
    last_words: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """The judgement about a client, in words."""

    standing: Standing
    words: str


def judge_case(case: VerifyCase, seen: Evidence) -> CaseResult:
    """Compare what was found with what was wanted.

    An agent that cannot rewrite was told to stop the call instead, and its model what to run: then a denial is decided.
    """
    if case.wanted == "run":
        return _judge_allowed(case, seen)
    if case.wanted == "advise":
        return _judge_advised(case, seen)
    if seen.ran:
        return CaseResult(name=case.name, found="RAN", problem=f"{case.breach}, {_explain(seen)}", is_breach=True)
    if case.wanted == "rewrite" and seen.decision != "deny":
        return _judge_rewritten(case, seen)
    return _judge_stopped(case, seen)


def _judge_allowed(case: VerifyCase, seen: Evidence) -> CaseResult:
    if not seen.ran:
        return CaseResult(name=case.name, found="no", problem="an allowed call did not run")
    if not seen.decision:
        return CaseResult(name=case.name, found="unseen", problem="an allowed call ran, and no hook was called")
    return CaseResult(name=case.name, found="ran")


def _judge_advised(case: VerifyCase, seen: Evidence) -> CaseResult:
    if not seen.ran:
        return CaseResult(name=case.name, found="no", problem="a call with advice did not run")
    if not seen.told:
        return CaseResult(name=case.name, found="lost", problem="advice did not reach the model")
    return CaseResult(name=case.name, found="told")


def _judge_rewritten(case: VerifyCase, seen: Evidence) -> CaseResult:
    if seen.ran_instead:
        return CaseResult(name=case.name, found="rewritten")
    return CaseResult(name=case.name, found="no", problem="a rewritten call did not run")


def _judge_stopped(case: VerifyCase, seen: Evidence) -> CaseResult:
    if not seen.decision:
        return CaseResult(name=case.name, found="no", problem=f"{case.name}: the call was never made")
    if not seen.told:
        return CaseResult(name=case.name, found="stopped", problem=f"{case.name}: nobody was told why")
    return CaseResult(name=case.name, found="suggested" if case.wanted == "rewrite" else "stopped")


def _explain(seen: Evidence) -> str:
    if not seen.decision:
        return "and no hook was called"
    return f"although the hooks' answer was {seen.decision}"


def judge_client(results: Sequence[CaseResult], session: ClientSession) -> Verdict:
    """The verdict: a breach outweighs everything, and where nothing ran, nothing is known."""
    if breaches := [one.problem for one in results if one.is_breach]:
        return Verdict("NOT guarded", "; ".join(breaches))
    last = f"; its last words: {session.last_words}" if session.last_words else ""
    if not session.turns:
        return Verdict("not verified", f"{session.trouble or 'it asked the scripted model nothing'}{last}")
    problems = [one.problem for one in results if one.problem]
    if any(one.name == "allowed" and one.problem for one in results):
        return Verdict("not verified", "; ".join(filter(None, (session.trouble, *problems[:1]))) + last)
    if problems or session.trouble:
        return Verdict("incomplete", "; ".join(filter(None, (*problems, session.trouble))))
    return Verdict("guarded", "")
