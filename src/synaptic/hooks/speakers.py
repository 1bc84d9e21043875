"""Which hooks of a selection may have something to say about a call: only those are asked.

An index from what a call holds to places: policies by the programs that they speak about, rules by the words that they
name. Adding a thousand of them costs a call nothing that it does not concern.
"""

from collections.abc import Sequence
from typing import cast

from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.index import RuleIndex
from synaptic.model.event import Event
from synaptic.model.once import computed_once
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import RUNNER_NAMES, list_tools
from synaptic.shell.reading import CommandReading

ANY_GIT = "git *"
"""In `Policy.speaks_of`: any call of git that does something."""
MEMO_LIMIT = 256

CommandNames = tuple[frozenset[str], frozenset[str]]
"""The programs of a command with what runners are given (`python manage.py`), and the verbs of its calls of git."""


class PolicySpeakers:
    """The places of one selection by what they speak about, found again at the price of one look-up per command."""

    def __init__(self, policies: Sequence[Policy | None]) -> None:
        self._rules = [
            (place, rule) for place, policy in enumerate(policies) if isinstance(rule := cast(object, policy), Rule)
        ]
        self.has_rules = bool(self._rules)
        ruled = {place for place, _ in self._rules}
        others = [(place, policy) for place, policy in enumerate(policies) if place not in ruled]
        self._always = tuple(place for place, policy in others if policy is None or policy.speaks_of is None)
        self._places: dict[str, list[int]] = {}
        for place, policy in others:
            for word in (policy.speaks_of if policy is not None else None) or ():
                self._places.setdefault(word, []).append(place)
        self._words = frozenset(self._places)
        self._all_others = tuple(place for place, _ in others)
        self._memo: dict[CommandNames, tuple[int, ...]] = {}

    @computed_once
    def _index(self) -> RuleIndex | None:
        return RuleIndex(self._rules) if self._rules else None

    @property
    def needs(self) -> frozenset[str]:
        """Facts that it takes to know which rules may speak."""
        return self._index.needs if self._index is not None else frozenset()

    def find_speakers(self, event: Event, facts: Facts) -> Sequence[int]:
        """The places of those that may have something to say, in order; hooks that are no policies are among them."""
        found = self._find_others(facts.command)
        if self._index is None:
            return found
        more = self._index.find(event, facts)
        return sorted((*found, *more)) if more else found

    def _find_others(self, command: CommandReading | None) -> tuple[int, ...]:
        if command is None or not self._places:
            return self._always
        try:
            programs = command.programs if RUNNER_NAMES.isdisjoint(command.programs) else list_tools(command)
            # A script may define hundreds of names that nobody speaks of: they would be another command each time.
            names = programs & self._words, command.git_verbs
        except Exception:  # noqa: BLE001 - a reader that fails on this text: each policy meets it itself, and is a question
            return self._all_others
        found = self._memo.get(names)
        if found is None:
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            found = self._memo[names] = self._select(*names)
        return found

    def _select(self, programs: frozenset[str], verbs: frozenset[str]) -> tuple[int, ...]:
        said = programs | {f"git {verb}" for verb in verbs} | ({ANY_GIT} if verbs else frozenset())
        spoken = {place for word in said for place in self._places.get(word, ())}
        return tuple(sorted((*self._always, *spoken)))


NO_SPEAKERS = PolicySpeakers(())
