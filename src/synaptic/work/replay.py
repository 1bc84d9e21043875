"""What a change would have decided otherwise: past events, decided again, counted by policy."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastFacts
from synaptic.engine.replay import ReplayedEvent, Standing, is_new_denial, replay_event
from synaptic.model.decision import Decision, Kind
from synaptic.policies.base import load_policies
from synaptic.store.db import Store
from synaptic.store.past_events import PastEvent, iter_past_events
from synaptic.store.redact import redact_again
from synaptic.work.refusal_report import describe_subject

MOST_REASONS = 100
"""Different reasons that are counted by themselves."""
OTHER_REASON = "other reasons"
MOST_TEXT = 300

ShowProgress = Callable[["ReplaySummary"], None]


class ReplayScope(msgspec.Struct, frozen=True, kw_only=True):
    """Which events are decided again."""

    since: float
    until: float
    root: str = ""
    """Of one project; empty for all."""
    samples: int = 3
    """Flips of a kind that are shown."""


class FlippedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event that would be decided otherwise."""

    event: int
    at: float
    root: str
    tool: str
    subject: str
    was: Kind
    was_by: str
    now: Kind
    now_by: str
    reason: str
    """What would be said."""
    standing: Standing
    why: str = ""
    """What is not exact about it."""


class FlipGroup(msgspec.Struct, kw_only=True):
    """Events that one policy would decide otherwise, in one way."""

    policy: str
    was: Kind
    now: Kind
    count: int = 0
    approximate: int = 0
    """Of them, those that are not exact."""
    samples: list[FlippedEvent] = []


class ReplaySummary(msgspec.Struct, kw_only=True):
    """What a replay has found; as large for a million events as for a thousand."""

    events: int = 0
    exact: int = 0
    approximate: int = 0
    impossible: int = 0
    why: Counter[str] = msgspec.field(default_factory=Counter)
    """Of what is not exact, by reason."""
    versions: Counter[str] = msgspec.field(default_factory=Counter)
    flips: int = 0
    new_denials: int = 0
    groups: dict[tuple[str, str, str], FlipGroup] = msgspec.field(default_factory=dict)

    def add(self, one: ReplayedEvent, samples: int) -> None:
        """Count one event."""
        self.events += 1
        match one.standing:
            case Standing.EXACT:
                self.exact += 1
            case Standing.APPROXIMATE:
                self.approximate += 1
            case _:
                self.impossible += 1
        if one.why:
            self.why[one.why if one.why in self.why or len(self.why) < MOST_REASONS else OTHER_REASON] += 1
        if one.version:
            self.versions[one.version] += 1
        if one.decision is not None and one.flips:
            self.flips += 1
            self.new_denials += is_new_denial(one)
            self._add_flip(one, one.decision, samples)

    def list_groups(self) -> list[FlipGroup]:
        """The strictest first, then the most frequent."""
        return sorted(self.groups.values(), key=lambda group: (-group.now.rank, -group.count, group.policy))

    def _add_flip(self, one: ReplayedEvent, decision: Decision, samples: int) -> None:
        was = one.entry.decision
        # Who speaks now, or who has nothing to say any more.
        policy = (decision.by if decision.kind.rank >= was.kind.rank else was.by) or decision.by or was.by or "engine"
        key = (policy, was.kind, decision.kind)
        group = self.groups.setdefault(key, FlipGroup(policy=policy, was=was.kind, now=decision.kind))
        group.count += 1
        group.approximate += one.standing is Standing.APPROXIMATE
        if len(group.samples) < samples:
            group.samples.append(describe_flip(one, decision))


def describe_flip(one: ReplayedEvent, decision: Decision) -> FlippedEvent:
    """A flip, for people and programs; without secrets, as everything in the journal."""
    entry = one.entry
    return FlippedEvent(
        event=entry.id,
        at=entry.at,
        root=entry.root,
        tool=entry.tool,
        subject=describe_subject(entry),
        was=entry.decision.kind,
        was_by=entry.decision.by,
        now=decision.kind,
        now_by=decision.by,
        reason=redact_again(decision.reason)[:MOST_TEXT],
        standing=one.standing,
        why=one.why,
    )


def replay_events(events: Iterable[PastEvent], facts: PastFacts) -> Iterable[ReplayedEvent]:
    """Decide events again, one after the other. Raises DeclarationError for a change that cannot be made."""
    return (replay_event(entry, basis, facts) for entry, basis in events)


def replay_journal(
    store: Store, scope: ReplayScope, change: CatalogChange, show: ShowProgress = lambda summary: None
) -> ReplaySummary:
    """Decide the events of a time again. Raises DeclarationError for a change that cannot be made."""
    change.check()
    summary = ReplaySummary()
    events = iter_past_events(store, (scope.since, scope.until), scope.root)
    for one in replay_events(events, PastFacts(store, change)):
        summary.add(one, scope.samples)
        show(summary)
    return summary


def summary_to_json(summary: ReplaySummary) -> Mapping[str, object]:
    """A summary as JSON can hold it."""
    return {
        "events": summary.events,
        "exact": summary.exact,
        "approximate": summary.approximate,
        "not_replayable": summary.impossible,
        "why": dict(summary.why.most_common()),
        "versions": dict(summary.versions.most_common()),
        "flips": summary.flips,
        "new_denials": summary.new_denials,
        "by_policy": [msgspec.structs.asdict(group) for group in summary.list_groups()],
    }


def complete_key(key: str) -> str:
    """A key of the config; `git.force-push.protected` stands for the option of that policy."""
    name = max((name for name in load_policies() if key.startswith(f"{name}.")), key=len, default="")
    return f'policies."{name}".{key[len(name) + 1 :]}' if name else key
