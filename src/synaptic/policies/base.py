"""What a policy is: metadata as class variables, options as fields, a pure `check`, and its documentation."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, dataclass_transform

import msgspec

import synaptic.policies
from synaptic.model.decision import Verdict
from synaptic.model.errand import ErrandResult
from synaptic.model.event import Event, PreToolUse
from synaptic.model.hook import OnError
from synaptic.model.outside import POLICY_ID
from synaptic.model.presets import PRESETS
from synaptic.policies.facts import Facts

DOC_SECTIONS = ("## What it does", "## Why")

MORE = msgspec.Meta(extra={"project": "more"})
"""A project's config may add entries to this option."""
FEWER = msgspec.Meta(extra={"project": "fewer"})
"""A project's config may only take entries away."""
LOWER = msgspec.Meta(extra={"project": "lower"})
"""A project's config may only lower this number."""
ON = msgspec.Meta(extra={"project": "on"})
"""A project's config may switch this on, never off. An option without such a mark belongs to the user alone."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Frozen(msgspec.StructMeta):
    """Tells type checkers what msgspec does anyway: a subclass of a frozen struct is frozen."""


class Policy(msgspec.Struct, metaclass=_Frozen, frozen=True, kw_only=True):
    """A built-in hook. Subclasses set the class variables, declare options as fields and write `check`."""

    id: ClassVar[str] = ""
    events: ClassVar[tuple[type[Event], ...]] = ()
    tools: ClassVar[tuple[str, ...]] = ()
    """Tool names it looks at; none means every subject."""
    priority: ClassVar[int] = 30
    preset: ClassVar[str] = "essentials"
    on_error: ClassVar[OnError] = "allow"
    needs: ClassVar[tuple[str, ...]] = ()
    """Facts beyond `root`, `home`, `now` and `agent`, which are always there."""
    speaks_of: ClassVar[frozenset[str] | None] = None
    """Programs, also such as a runner is given (`python manage.py`), and calls of git (`git push`, any of them as
    `git *`), one of which a shell command must hold before it has anything to say: about all other calls it is not even
    asked. None: it is asked about every call."""
    recheck: ClassVar[bool] = True
    """Sees the final input again after a rewrite; a policy must be idempotent then."""

    guard_band: ClassVar[range] = range(20, 40)
    """Priorities of guards: what fails among them before a tool runs is asked about."""
    counts_repeats: ClassVar[bool] = True
    """A call that it refused is refused more firmly each time it comes again, until the user is asked. Set this to
    False for a refusal that the same call is free of later, such as "write your log first"."""
    is_gate: ClassVar[bool] = False
    """Refuses a call until something else was done (a plan, a branch, research), whatever the call itself would do.
    When one gate refuses, the others that are still to come are asked too, so that all their reasons are told at once;
    nothing follows from what they say then, so `check` must be cheap and need no errand."""
    derives_event: ClassVar[bool] = False
    """Maps some of its events to further ones (`derive_event`), whose hooks are asked too."""
    hook_log: ClassVar[str] = ""
    """A file below the project's root that this policy keeps, and to which the log lines of hooks are appended."""
    keeps_audit: ClassVar[bool] = False
    """Keeps files in which every refused call is noted, whoever refused it."""
    is_shared_form: ClassVar[bool] = False
    """Set in a class that is no policy itself, only what several policies have in common."""
    is_named_when_quiet: ClassVar[bool] = True
    """Is named among those that had nothing to say. False for rules: there may be a thousand of them."""
    doc_sections: ClassVar[tuple[str, ...]] = DOC_SECTIONS
    known_presets: ClassVar[tuple[str, ...]] = PRESETS
    runs: ClassVar[bool] = False
    """Starts programs of the project: then only the user, and no project's config, can switch it on."""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if vars(cls).get("is_shared_form"):
            return
        # Checked at import, so that a policy with a bad id or without documentation never gets into a release.
        if defect := cls.find_defect():
            raise TypeError(f"{cls.__module__}.{cls.__qualname__}: {defect}")

    @classmethod
    def find_defect(cls) -> str:
        """What is wrong with how it is declared; empty when nothing is."""
        if not POLICY_ID.fullmatch(cls.id):
            return f"id {cls.id!r} must look like `git.force-push`"
        if missing := [section for section in cls.doc_sections if section not in (cls.__doc__ or "")]:
            return f"its docstring lacks {', '.join(missing)}"
        if not cls.events:
            return "it listens to no event"
        if cls.preset not in cls.known_presets:
            return f"preset {cls.preset!r} is none of {', '.join(PRESETS)}"
        return ""

    def check(self, event: Any, facts: Facts) -> Verdict | None:
        """The opinion of this policy, from the event and the facts alone."""
        raise TypeError(f"{self.id} has no check")

    def conclude(self, event: Any, facts: Facts, ended: ErrandResult) -> Verdict | None:
        """The opinion once the errand that `check` asked for has ended; as pure as `check`."""
        raise TypeError(f"{self.id} asks for an errand and has no conclude")

    def guards(self, event: Event) -> bool:
        """Whether it keeps this act from happening: then its failure is a question, never an allow."""
        return type(event) is PreToolUse and self.priority in self.guard_band

    def derive_event(self, event: Any, at: str) -> Event | None:
        """The further event that this one stands for; `at` is the time of the call, as an orchestrator writes it."""
        return None


@cache
def load_policies() -> dict[str, type[Policy]]:
    """Every policy in this package, by id, in a stable order. There is no list to add to: the package is walked."""
    found = {policy.id: policy for module in _iter_modules() for policy in _iter_declared(module)}
    return dict(sorted(found.items()))


def _iter_modules() -> Iterator[str]:
    for info in pkgutil.walk_packages(synaptic.policies.__path__, "synaptic.policies."):
        if not info.ispkg and info.name != __name__:
            yield info.name


def _iter_declared(name: str) -> Iterator[type[Policy]]:
    module = importlib.import_module(name)
    for value in vars(module).values():
        # Only in the module that defines it: one that another module imports would be found twice.
        if isinstance(value, type) and issubclass(value, Policy) and value.__module__ == name and value.id:
            yield value
