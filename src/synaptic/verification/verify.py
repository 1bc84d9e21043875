"""Verify clients: each in a session of its own, several at a time, and what came of it as one value."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from synaptic.model.errors import SynapticError
from synaptic.setup.verified import Verification, mark_program
from synaptic.verification.cases import CASES
from synaptic.verification.client_session import ClientPlan, SessionFindings, hold_session
from synaptic.verification.driver import find_driver
from synaptic.verification.judgement import CaseResult, Verdict, judge_case, judge_client

AT_A_TIME = 4
MOST_WORDS = 300


class VerifiedClient(msgspec.Struct, frozen=True, kw_only=True):
    """One client that was verified."""

    agent: str
    program: str
    version: str
    standing: str
    words: str
    results: tuple[CaseResult, ...]
    seconds: float

    def to_memory(self) -> Verification:
        """What is remembered of it."""
        return Verification(
            agent=self.agent,
            version=self.version,
            at=time.time(),
            standing=self.standing,
            words=self.words[:MOST_WORDS],
            program=self.program,
            mark=mark_program(self.program),
        )


def verify_clients(plans: Sequence[ClientPlan]) -> list[VerifiedClient]:
    """Verify several clients at once. Whoever stops waiting leaves no client behind."""
    stop = threading.Event()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        waiting = [pool.submit(verify_client, plan, stop) for plan in plans]
        try:
            return [one.result() for one in waiting]
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def verify_client(plan: ClientPlan, stop: threading.Event) -> VerifiedClient:
    """Verify one client: whatever goes wrong with it is its verdict."""
    began = time.monotonic()
    version = ""
    results: tuple[CaseResult, ...] = ()
    try:
        found = hold_session(plan, find_driver(plan.agent), stop)
    except (SynapticError, OSError) as error:
        verdict = Verdict("not verified", str(error))
    else:
        version, results = found.version, _judge_cases(found)
        verdict = judge_client(results, found.session)
    return VerifiedClient(
        agent=plan.agent,
        program=plan.launch[-1],
        version=version,
        standing=verdict.standing,
        words=verdict.words,
        results=results,
        seconds=round(time.monotonic() - began, 1),
    )


def _judge_cases(found: SessionFindings) -> tuple[CaseResult, ...]:
    return tuple(judge_case(case, seen) for case, seen in zip(CASES, found.evidence, strict=True))
