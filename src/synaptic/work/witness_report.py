"""What was witnessed, for people and programs: first of how many calls anything is known, then what became of them."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.model.witness import ALARMS, Sign, Standing
from synaptic.pipeline.witness import ASKED, judge_call, judge_kept
from synaptic.store import entries, witnessed
from synaptic.store.db import Store
from synaptic.store.witnessed import Alarm
from synaptic.work.refusal_report import describe_subject

FAILING = frozenset({Standing.DISOBEYED, Standing.UNASKED})
MOST_TOLD = 200
MEANING = {
    Standing.OBEYED: "ran as it was let through, or did not run",
    Standing.DISOBEYED: "was refused, and ran all the same",
    Standing.REWRITE_IGNORED: "was to run in another form, and ran as it was",
    Standing.UNASKED: "ran without asking, because the entry that asks is gone",
    Standing.UNSEEN: "only the agent's transcript has it: no hook was called",
    Standing.NOT_OBSERVABLE: "no result was told, its question may be lost, or its result made up",
}
RUN_OR_LET = Sign.RAN | Sign.CLAIMED | Sign.LET | Sign.REFUSED


class ToldCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that a person was told of."""

    standing: Standing
    at: float
    agent: str
    session: str
    asked: int
    """The event that asked; 0 for none."""
    ran: int
    """The event that told its result; 0 where only the transcript has it."""
    tool: str
    subject: str
    by: str


class WitnessReport(msgspec.Struct, frozen=True, kw_only=True):
    """Calls since a moment, and what became of them."""

    calls: int
    asked: int
    """Those that a hook was asked about."""
    reported: int
    """Those whose result came."""
    written: int
    """Those that are in the agent's transcript as well."""
    unnumbered: int
    """Those that their agent gives no number: the same call again in a session is the same row."""
    standings: dict[str, int]
    alarms: int
    """Calls that a person was told of."""
    told: tuple[ToldCall, ...]
    """The newest of them."""

    @property
    def has_failed(self) -> bool:
        """Whether anything was disobeyed, or ran unasked."""
        return any(self.standings[standing] for standing in FAILING)


def make_report(store: Store, since: float, session: str = "") -> WitnessReport:
    """What is known since a moment, of one session or of all. Raises StoreError."""
    known = witnessed.count_signs(store, since, session)
    # A call that was let through in another form has a row for the old one, too: only where that ran, it is a call.
    counts = {signs: count for signs, count in known.items() if Sign.REPLACED not in signs or signs & RUN_OR_LET}
    standings = Counter(dict.fromkeys(Standing, 0))
    for signs, count in counts.items():
        standings[judge_kept(signs)] += count
    alarms = witnessed.list_alarms(store, since, session, MOST_TOLD)
    return WitnessReport(
        calls=sum(counts.values()),
        asked=_count(counts, ASKED),
        reported=_count(counts, Sign.RAN),
        written=_count(counts, Sign.WRITTEN),
        unnumbered=sum(count for signs, count in counts.items() if Sign.NUMBERED not in signs),
        standings={str(standing): count for standing, count in standings.items()},
        alarms=sum(standings[standing] for standing in ALARMS),
        told=tuple(_describe(store, one) for one in alarms),
    )


def count_alarms(store: Store, since: float) -> dict[Standing, int]:
    """How many calls a person was told of, for `status` and `fleet`: cheap. Raises StoreError."""
    found = Counter(judge_call(one.signs) for one in witnessed.list_alarms(store, since))
    return {standing: count for standing, count in found.items() if standing in ALARMS}


def describe_alarms(counts: Mapping[Standing, int]) -> str:
    """One line about them; "" where there are none."""
    said = ", ".join(f"{count} {standing}" for standing, count in sorted(counts.items()))
    return f"{said} (synaptic witness)" if said else ""


def find_alarmed_agents(store: Store, since: float) -> dict[str, dict[Standing, int]]:
    """The same by the agent's session. Raises StoreError."""
    found: dict[str, Counter[Standing]] = {}
    for one in witnessed.list_alarms(store, since):
        if (standing := judge_call(one.signs)) in ALARMS:
            found.setdefault(one.session, Counter())[standing] += 1
    return {session: dict(counts) for session, counts in found.items()}


def _count(counts: Mapping[Sign, int], wanted: Sign) -> int:
    return sum(count for signs, count in counts.items() if signs & wanted)


def _describe(store: Store, one: Alarm) -> ToldCall:
    ran, asked = (entries.find_entry(store, id) if id else None for id in (one.ran, one.asked))
    entry = ran or asked
    return ToldCall(
        standing=judge_call(one.signs),
        at=one.at,
        agent=find_agent(one.agent).title if one.agent in list_agent_names() else one.agent,
        session=one.session,
        asked=one.asked,
        ran=one.ran,
        tool=entry.tool if entry else "",
        subject=describe_subject(entry) if entry else "",
        by=asked.decision.by if asked else "",
    )
