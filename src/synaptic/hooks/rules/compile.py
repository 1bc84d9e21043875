"""A rule as the engine asks it: compiled once, with the face of a policy, so that every verb knows it."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

import msgspec

from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.conditions import CONDITIONS, TOOL_CONDITIONS, Condition, RulePlace
from synaptic.hooks.rules.entry import CONDITION_KEYS, RuleEntry, list_items
from synaptic.hooks.rules.judged_call import JudgedCall, judge_call
from synaptic.hooks.rules.marks import MARKS
from synaptic.hooks.rules.verdicts import REMINDERS, RuleSpeech, make_verdict
from synaptic.model.decision import Verdict
from synaptic.model.errand import ErrandResult
from synaptic.model.event import Event, PreToolUse, UserPromptSubmit
from synaptic.model.hook import Builtin, Hook
from synaptic.model.once import computed_once
from synaptic.policies.facts import Facts

RULE_PRIORITY = 20
"""Before the guards that are built in: one of those may rewrite a call, and a rule is about the call as it was made.
Where both would refuse, the words of whoever wrote the rule are told."""
REWRITE_PRIORITY = 36
"""Behind them: what a guard refuses as it was made is refused, whatever a rule would make of it."""
GUARDING_ACTIONS = ("deny", "ask", "rewrite")


class Rule(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One compiled rule. It has what a policy has (`policies.base.Policy`), and is asked like one."""

    entry: RuleEntry
    place: DeclarationFile
    number: int
    """Its place in the file, from 1."""
    events: tuple[str, ...]
    conditions: tuple[Condition, ...]
    base: RulePlace = RulePlace()

    counts_repeats: ClassVar[bool] = True
    derives_event: ClassVar[bool] = False
    hook_log: ClassVar[str] = ""
    keeps_audit: ClassVar[bool] = False
    runs: ClassVar[bool] = False
    speaks_of: ClassVar[frozenset[str] | None] = None
    is_named_when_quiet: ClassVar[bool] = False

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def priority(self) -> int:
        return REWRITE_PRIORITY if self.entry.then == "rewrite" else RULE_PRIORITY

    @property
    def where(self) -> str:
        """File and number, for people."""
        return f"{self.place.file}: rule {self.number}"

    @computed_once
    def needs(self) -> tuple[str, ...]:
        """Facts that it takes to know whether its conditions hold, and what it says."""
        found = [need for condition in self.conditions for need in condition.needs]
        if self.entry.then == "remind":
            found += [REMINDERS, MARKS] if self.entry.once == "prompt" else [REMINDERS]
        return tuple(dict.fromkeys(found))

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        """What it says about a call: nothing, unless every condition holds."""
        call = judge_call(event, facts)
        if not self.holds(call):
            return None
        return make_verdict(RuleSpeech(self.entry, self.where, self.base.by_user), call)

    def holds(self, call: JudgedCall) -> bool:
        """Whether every condition holds."""
        for condition in self.conditions:  # noqa: SIM110 - asked of every rule that a call may concern
            if not condition.holds(call):
                return False
        return True

    def conclude(self, event: Event, facts: Facts, ended: ErrandResult) -> Verdict | None:
        raise TypeError(f"{self.id} asks for no errand")

    def guards(self, event: Event) -> bool:
        """Whether it keeps an act from happening: then its failure is a question."""
        return type(event) is PreToolUse and self.entry.then in GUARDING_ACTIONS

    def derive_event(self, event: Event, at: str) -> Event | None:
        return None


def compile_rule(entry: RuleEntry, place: DeclarationFile, number: int, home: str = "") -> Rule:
    """Compile a rule. Raises ValueError with the key and what is wrong with it; nothing else is checked here."""
    base = RulePlace(place.root, home, place.scope == "user")
    return Rule(
        entry=entry,
        place=place,
        number=number,
        events=choose_events(entry),
        conditions=tuple(_iter_conditions(entry, base)),
        base=base,
    )


def _iter_conditions(entry: RuleEntry, base: RulePlace) -> Iterator[Condition]:
    made = set()
    for key, make in CONDITIONS.items():
        # `run`, `flags` and `args` are one condition together.
        if is_given(entry, key) and (make is None or make not in made):
            made.add(make)
            yield make(entry, base)


def is_given(entry: RuleEntry, key: str) -> bool:
    """Whether a condition is present."""
    value = getattr(entry, key)
    return value is not None and value != ()


def list_given(entry: RuleEntry) -> tuple[str, ...]:
    """The conditions that are present."""
    return tuple(key for key in CONDITION_KEYS if is_given(entry, key))


def choose_events(entry: RuleEntry) -> tuple[str, ...]:
    """When a rule is asked: as it says, else as its conditions need it."""
    if named := list_items(entry.event):
        return tuple(dict.fromkeys(named))
    return (UserPromptSubmit.__name__,) if entry.prompt else (PreToolUse.__name__,)


def needs_tool(entry: RuleEntry) -> bool:
    """Whether only an event about a tool can fulfil it."""
    return not TOOL_CONDITIONS.isdisjoint(list_given(entry))


def select_rules(rules: Iterable[Rule], environment: str) -> tuple[Rule, ...]:
    """Those that hold in an environment."""
    return tuple(
        rule
        for rule in rules
        if not is_given(rule.entry, "environment") or environment in list_items(rule.entry.environment)
    )


def make_rule_hooks(rules: Iterable[Rule]) -> tuple[Hook, ...]:
    """The hooks of rules, in their order."""
    return tuple(map(make_rule_hook, rules))


def is_rule(hook: Hook) -> bool:
    """Whether a hook of the catalog is a rule."""
    return isinstance(hook.handler, Builtin) and isinstance(hook.handler.policy, Rule)


def make_rule_hook(rule: Rule) -> Hook:
    """The hook by which the catalog has a rule."""
    return Hook(
        id=rule.id,
        events=rule.events,
        handler=Builtin(rule),
        matcher="",
        priority=rule.priority,
        protocol="native",
        scope=rule.place.scope,
        source=rule.where,
        mode=rule.entry.enforcement,
    )
