"""What notes that something has happened which rules ask about: a hook of the catalog, there only if one asks."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec

from synaptic.hooks.rules.commands import SortedCommand
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.conditions import CONDITIONS, RulePlace, find_commands, list_phrases, make_command_pattern
from synaptic.hooks.rules.entry import RuleEntry
from synaptic.hooks.rules.judged_call import JudgedCall, judge_call
from synaptic.hooks.rules.marks import ENDED_WELL, MARKS, MAX_MARKS, PROMPTED, Phrase
from synaptic.hooks.rules.test_runs import runs_tests, shows_its_end
from synaptic.model.decision import Verdict, record
from synaptic.model.event import Event, PostToolUse, PostToolUseFailure, ToolEvent, UserPromptSubmit
from synaptic.model.hook import Builtin, Hook
from synaptic.model.once import computed_once
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import is_typed
from synaptic.policies.sane.outcome import find_failure, is_interrupted

KEEPER_ID = "rules.marks"
KEEPER_PRIORITY = 45
EMPTY_ENTRY = RuleEntry(id=KEEPER_ID, then="record")


class MarkKeeper(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Notes what has happened in a session, for the rules that ask; it has what a policy has."""

    phrases: tuple[tuple[Phrase, RulePlace], ...]
    notes_prompts: bool = False

    id: ClassVar[str] = KEEPER_ID
    needs: ClassVar[tuple[str, ...]] = ("real_paths",)
    counts_repeats: ClassVar[bool] = True
    derives_event: ClassVar[bool] = False
    hook_log: ClassVar[str] = ""
    keeps_audit: ClassVar[bool] = False
    speaks_of: ClassVar[frozenset[str] | None] = None
    is_named_when_quiet: ClassVar[bool] = True

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        """The marks of an event."""
        if isinstance(event, UserPromptSubmit):
            spoken = self.notes_prompts and is_typed(event.prompt, event.source)
            return _record_marks({PROMPTED: facts.now}) if spoken else None
        if not isinstance(event, ToolEvent):
            return None
        put: dict[str, object] = {}
        for phrase, test in self._tests:
            happened, ended_well = test(judge_call(event, facts))
            if happened:
                put[phrase.key] = facts.now
            if ended_well and is_success(event):
                put[phrase.key + ENDED_WELL] = facts.now
        return _record_marks(put) if put else None

    def guards(self, event: Event) -> bool:
        """It only looks back."""
        return False

    @computed_once
    def _tests(self) -> "tuple[tuple[Phrase, PhraseTest], ...]":
        return tuple((phrase, PhraseTest(phrase, place)) for phrase, place in self.phrases)


class PhraseTest:
    """Whether a call fulfils a phrase, and whether it can be told that it ended well."""

    def __init__(self, phrase: Phrase, place: RulePlace) -> None:
        self._phrase = phrase
        key = phrase.condition or "run"
        entry = msgspec.structs.replace(EMPTY_ENTRY, **{key: phrase.value})
        self._pattern = make_command_pattern(entry) if phrase.condition == "run" else None
        self._condition = CONDITIONS[key](entry, place) if phrase.condition not in ("", "run") else None

    def __call__(self, call: JudgedCall) -> tuple[bool, bool]:
        if self._condition is not None:
            happened = self._condition.holds(call)
            return happened, happened
        found = self._find_commands(call)
        known = call.facts.command
        return bool(found), known is not None and any(shows_its_end(one, known) for one in found)

    def _find_commands(self, call: JudgedCall) -> tuple[SortedCommand, ...]:
        if self._pattern is not None:
            return find_commands(self._pattern, call)
        return tuple(filter(runs_tests, call.iter_commands(())))


def is_success(event: ToolEvent) -> bool:
    """Whether a call has ended, and well: one that was left to itself has not."""
    if not isinstance(event, PostToolUse) or event.tool_input.get("run_in_background") is True:
        return False
    return find_failure(event) is None and not is_interrupted(event)


def make_keeper_hook(rules: Iterable[Rule]) -> tuple[Hook, ...]:
    """The hook that notes what these rules ask about; none where no rule asks."""
    phrases: dict[str, tuple[Phrase, RulePlace]] = {}
    notes_prompts = False
    for rule in rules:
        for key in ("after", "before"):
            phrases.update({phrase.key: (phrase, rule.base) for phrase in list_phrases(key, rule.entry, rule.base)})
        notes_prompts |= rule.entry.then == "remind" and rule.entry.once == "prompt"
    if not phrases and not notes_prompts:
        return ()
    keeper = MarkKeeper(phrases=tuple(phrases.values()), notes_prompts=notes_prompts)
    tools = (PostToolUse.__name__, PostToolUseFailure.__name__) if phrases else ()
    prompts = (UserPromptSubmit.__name__,) if notes_prompts else ()
    return (
        Hook(
            id=KEEPER_ID,
            events=(*tools, *prompts),
            handler=Builtin(keeper),
            priority=KEEPER_PRIORITY,
            protocol="native",
            source="built in",
        ),
    )


def _record_marks(put: Mapping[str, object]) -> Verdict:
    return record(Change(section=MARKS, put=put, most=MAX_MARKS))
