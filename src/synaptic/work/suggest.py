"""What the last weeks speak for: presets, rules and exceptions, each with its evidence. Reads, and changes nothing."""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastFacts, Unknown
from synaptic.engine.replay import ReplayedEvent, Standing, replay_event
from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.model.presets import PRESETS
from synaptic.pipeline.likeness import covers_command
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant
from synaptic.store.past_events import iter_past_events
from synaptic.store.refused import RefusedCall
from synaptic.work.refusal_report import StoppedCall, describe_subject, make_report
from synaptic.work.replay import ReplayScope

LEAST = 3
"""Times after which something is a habit."""
MOST_SHOWN = 5
MOST_TEXT = 160
CUT = "…"
"""Ends a text that goes on."""
STOPPING = (Kind.DENY, Kind.ASK)
UPHELD = "upheld"
TRIED_PRESETS = tuple(name for name in PRESETS if name != "strict")
"""That one is all of them together, so it would say everything twice."""
OPTION = re.compile(r"--?[A-Za-z][\w-]*")
PLAIN_WORDS = re.compile(r"[A-Za-z][\w.+-]*(?: [A-Za-z][\w.+-]*)?")

ShowPreset = Callable[[str], None]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened."""

    at: float
    text: str
    event: int = 0
    by: str = ""


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """Something to think about, how often it would have counted, and what to type."""

    kind: Literal["preset", "rule", "exception"]
    what: str
    why: str
    count: int
    approximate: int = 0
    """Of these, those that can only be guessed."""
    type: str
    """The command that does it, or that looks closer."""
    evidence: tuple[Evidence, ...] = ()


def find_suggestions(store: Store, scope: ReplayScope, show: ShowPreset = lambda preset: None) -> list[Suggestion]:
    """All suggestions, those with the most behind them first in each kind. Raises StoreError."""
    calls = [call for call in make_report(store, scope.since).calls if scope.root in ("", call.root)]
    known = refused.list_refused(store, scope.since)
    return [
        *_rank(_suggest_presets(store, scope, show)),
        *_rank(_suggest_rules(known, scope)),
        *_rank((*_suggest_lasting(grants.list_grants(store), known, scope), *_suggest_answered(calls))),
    ]


def _rank(found: Iterable[Suggestion]) -> list[Suggestion]:
    return sorted(found, key=lambda one: (one.approximate - one.count, one.what))


def _suggest_presets(store: Store, scope: ReplayScope, show: ShowPreset) -> Iterator[Suggestion]:
    for preset in TRIED_PRESETS:
        show(preset)
        tally = _Tally()
        for one in _iter_stopped(store, scope, f"@{preset}"):
            tally.add(one)
        if tally.count:
            yield _suggest_preset(preset, tally)


class _Tally:
    """Events, counted; of them the first few, those that are exact before the others."""

    def __init__(self) -> None:
        self.count = self.approximate = 0
        self._exact: list[Evidence] = []
        self._guessed: list[Evidence] = []

    def add(self, one: ReplayedEvent) -> None:
        is_exact = one.standing is Standing.EXACT
        self.count += 1
        self.approximate += not is_exact
        shown = self._exact if is_exact else self._guessed
        if len(shown) < MOST_SHOWN:
            shown.append(_describe_event(one))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return (*self._exact, *self._guessed)[:MOST_SHOWN]


def _iter_stopped(store: Store, scope: ReplayScope, preset: str) -> Iterator[ReplayedEvent]:
    """Calls that would not have gone on with a preset."""
    facts = PastFacts(store, CatalogChange(enable=(preset,)))
    for entry, basis in iter_past_events(store, (scope.since, scope.until), scope.root):
        if entry.event != PreToolUse.__name__ or entry.decision.kind in STOPPING:
            continue
        if isinstance(facts.read(basis), Unknown):
            continue
        one = replay_event(entry, basis, facts)
        if one.decision is not None and one.decision.kind in STOPPING:
            yield one


def _suggest_preset(preset: str, tally: _Tally) -> Suggestion:
    calls = "1 call" if tally.count == 1 else f"{tally.count} calls"
    return Suggestion(
        kind="preset",
        what=f"@{preset}",
        why=f"`@{preset}` would have stopped {calls}",
        count=tally.count,
        approximate=tally.approximate,
        type=f"synaptic replay --enable @{preset}",
        evidence=tally.evidence,
    )


def _describe_event(one: ReplayedEvent) -> Evidence:
    by = one.decision.by if one.decision else ""
    text = f"{one.entry.tool} {describe_subject(one.entry)}"
    return Evidence(at=one.entry.at, text=_shorten(text), event=one.entry.id, by=by)


def _suggest_rules(calls: Iterable[RefusedCall], scope: ReplayScope) -> Iterator[Suggestion]:
    """Calls of one kind about which it was asked, and to which a person has said no again and again.

    What was refused without asking is none: a rule would say nothing that is not said already.
    """
    groups: dict[str, list[RefusedCall]] = defaultdict(list)
    for call in calls:
        is_command = PLAIN_WORDS.fullmatch(call.subject.shape) and not call.subject.tool.startswith(("Edit", "Write"))
        if call.answer == UPHELD and call.subject.asks and is_command and scope.root in ("", call.subject.root):
            groups[call.subject.shape].append(call)
    for shape, found in groups.items():
        if len(found) >= LEAST:
            yield Suggestion(
                kind="rule",
                what=f"`{shape}`",
                why=f"you said no to it {len(found)} times: a rule would say it for you",
                count=len(found),
                type=f"synaptic rule add --run '{shape}'{_write_flags(found)} --deny 'TEXT'",
                evidence=tuple(
                    Evidence(at=one.last_at, text=_shorten(one.subject.shown)) for one in found[:MOST_SHOWN]
                ),
            )


def _write_flags(calls: Iterable[RefusedCall]) -> str:
    """The options that all of them have, or else all that any has: what comes without one is another call."""
    rows = [
        dict.fromkeys(found[0] for word in one.subject.shown.split() if (found := OPTION.match(word))) for one in calls
    ]
    if not all(rows):
        return ""
    common = [name for name in rows[0] if all(name in row for row in rows)]
    names = common or dict.fromkeys(name for row in rows for name in row)
    return "".join(f" --flags={name}" for name in names)


def _suggest_lasting(
    stored: Iterable[StoredGrant], calls: Iterable[RefusedCall], scope: ReplayScope
) -> Iterator[Suggestion]:
    """The same exception, made for a while again and again."""
    codes: dict[tuple[str, str, str], str] = {}
    for one in calls:
        for policy in one.policies:
            # An exception counts in the project of the refusal whose code is typed.
            codes[policy, one.subject.root, _find_beginning(one.subject.shown)] = one.code
    groups: dict[tuple[str, str, str], list[StoredGrant]] = defaultdict(list)
    for known in stored:
        grant = known.grant
        if grant.at >= scope.since and grant.scope != "always" and scope.root in ("", grant.root) and grant.shown:
            groups[grant.policy, grant.root, _find_beginning(grant.shown)].append(known)
    for (policy, root, beginning), found in groups.items():
        if len(found) >= LEAST:
            shown = [Evidence(at=made.grant.at, text=_shorten(made.grant.shown), by=policy) for made in found]
            named = codes.get((policy, root, beginning), "CODE")
            yield _suggest_exception(f"`{beginning}`", f"you allowed it past {policy}", (root, named), shown)


def _suggest_answered(calls: Iterable[StoppedCall]) -> Iterator[Suggestion]:
    """Questions that a person has answered with yes, at the agent."""
    groups: dict[tuple[str, str, str], list[StoppedCall]] = defaultdict(list)
    for call in calls:
        if call.kind == Kind.ASK and call.outcome == "answered":
            groups[call.by, call.root, _find_beginning(call.subject)].append(call)
    for (policy, root, beginning), found in groups.items():
        if len(found) >= LEAST:
            shown = [Evidence(at=one.at, text=_shorten(one.subject), event=one.id, by=policy) for one in found]
            named = str(found[-1].id)
            yield _suggest_exception(f"`{beginning}`", f"you let it run when {policy} asked", (root, named), shown)


def _suggest_exception(what: str, why: str, place: tuple[str, str], shown: list[Evidence]) -> Suggestion:
    root, named = place
    texts = list(dict.fromkeys(one.text for one in shown))
    like = _find_common(texts)
    return Suggestion(
        kind="exception",
        what=what,
        why=f"{why} {len(shown)} times{f' in {root}' if root else ''}: an exception would last",
        count=len(shown),
        type=_write_allow(named, texts, like),
        evidence=tuple(shown[:MOST_SHOWN]),
    )


def _write_allow(named: str, texts: Sequence[str], like: str) -> str:
    """The command that lets all of them through from now on; where no pattern can say them, a look at one."""
    if len(texts) == 1 and not texts[0].endswith(CUT):
        return f"synaptic allow {named} --here"
    if all(covers_command(like, text) for text in texts):
        return f"synaptic allow {named} --here --like '{like}'"
    return f"synaptic explain {named}"


def _find_beginning(text: str) -> str:
    """The words that say what is done: a program and its verb."""
    found = PLAIN_WORDS.match(text)
    return found[0] if found else text.partition(" ")[0][:40]


def _find_common(texts: Iterable[str]) -> str:
    """A pattern for several commands: of each word what they have in common, and `*`; "" where none covers all."""
    rows = [text.split(" ") for text in texts]
    if len({len(row) for row in rows}) != 1 or any(row[-1].endswith(CUT) for row in rows):
        return ""
    return " ".join(map(_join_words, zip(*rows, strict=True)))


def _join_words(words: Sequence[str]) -> str:
    if len(set(words)) == 1:
        return words[0]
    return f"{os.path.commonprefix(words)}*"  # noqa: RUF071  letters are what is meant, not folders


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_TEXT else f"{line[:MOST_TEXT]}{CUT}"
