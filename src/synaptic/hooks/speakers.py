"""Which policies may have something to say about a call, by the programs that it runs: the others are not asked."""

from collections.abc import Sequence
from itertools import chain

from synaptic.policies.base import Policy
from synaptic.policies.infra.verbs import RUNNER_NAMES, list_tools
from synaptic.shell.reading import CommandReading

ANY_GIT = "git *"
"""In `Policy.speaks_of`: any call of git that does something."""
MEMO_LIMIT = 256

CommandNames = tuple[frozenset[str], frozenset[str]]
"""The programs of a command with what runners are given (`python manage.py`), and the verbs of its calls of git."""


class PolicySpeakers:
    """The policies of one selection by what they speak about, found again at the price of one look-up per command."""

    def __init__(self, policies: Sequence[Policy | None]) -> None:
        named = ((place, policy.speaks_of) for place, policy in enumerate(policies) if policy is not None)
        self._named = tuple((place, words) for place, words in named if words is not None)
        self._all_named = frozenset(place for place, _ in self._named)
        self._spoken = frozenset(chain.from_iterable(words for _, words in self._named))
        self._memo: dict[CommandNames, frozenset[int]] = {}

    def find_silent(self, command: CommandReading | None) -> frozenset[int]:
        """The places of policies that would say nothing about a command, or about a call without one."""
        if command is None or not self._named:
            return self._all_named
        try:
            programs = command.programs if RUNNER_NAMES.isdisjoint(command.programs) else list_tools(command)
            # A script may define hundreds of names that nobody speaks of: they would be another command each time.
            names = programs & self._spoken, command.git_verbs
        except Exception:  # noqa: BLE001 - a reader that fails on this text: each policy meets it itself, and is a question
            return frozenset()
        silent = self._memo.get(names)
        if silent is None:
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            silent = self._memo[names] = self._select_silent(*names)
        return silent

    def _select_silent(self, programs: frozenset[str], verbs: frozenset[str]) -> frozenset[int]:
        said = programs | {f"git {verb}" for verb in verbs} | ({ANY_GIT} if verbs else frozenset())
        return frozenset(place for place, words in self._named if words.isdisjoint(said))


NO_SPEAKERS = PolicySpeakers(())
