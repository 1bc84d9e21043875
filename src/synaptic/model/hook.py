"""Something registered for events: when it runs, in which order, and what a failure of it means."""

from collections.abc import Mapping
from typing import Literal
from typing import Protocol as Contract

import msgspec

Protocol = Literal["decision", "native", "result", "exitcode"]
OnError = Literal["allow", "deny"]
Scope = Literal["builtin", "organisation", "user", "project"]
Mode = Literal["shadow", "advise", "enforce"]

MODES: tuple[Mode, ...] = ("shadow", "advise", "enforce")
"""From the loosest to the strictest: what it would say is only kept, is told as advice, or counts."""
PROTOCOLS: tuple[str, ...] = ("decision", "native", "result", "exitcode")
DEFAULT_TIMEOUT = 30.0


class PolicyLike(Contract):
    """The face of a built-in policy that a hook carries; its contract is `policies.base.Policy`."""

    @property
    def id(self) -> str:
        """Its name, such as `git.force-push`."""


class Builtin(msgspec.Struct, frozen=True):
    """A policy of our own, called in process."""

    policy: PolicyLike


class Command(msgspec.Struct, frozen=True):
    """A script: `argv` is executed as it is, `shell` through /bin/sh."""

    argv: tuple[str, ...] = ()
    shell: str = ""
    cwd: str = ""
    """Where it runs; empty means the event's own directory."""

    @property
    def script(self) -> str:
        return self.argv[0] if self.argv else ""


class PythonFunction(msgspec.Struct, frozen=True):
    """A function in a file, kept warm in a process of its own."""

    file: str
    function: str


class HttpEndpoint(msgspec.Struct, frozen=True):
    """A server on this machine that answers like a native hook."""

    url: str
    headers: Mapping[str, str] = {}


class OutsidePolicy(msgspec.Struct, frozen=True):
    """A policy from outside the program, in a file that is kept warm in a process of its own."""

    file: str
    policy: str = ""
    """Its id; empty for a file that has not been asked yet what it holds."""
    module: str = ""
    """The file's name for an import, where it belongs to an installed distribution."""
    digest: str = ""
    """Of the file and its neighbours, as they were described."""
    needs: frozenset[str] = frozenset()
    """The facts it is sent, and its sections by their stored names."""
    sections: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """Of each section its own name, its stored name and its fields."""
    speaks_of: frozenset[str] | None = None
    options: bytes = b"{}"
    """As they are set here, in JSON."""
    broken: str = ""
    """Why its file cannot be asked any more: every question to it is a failure with these words."""


Handler = Builtin | Command | PythonFunction | HttpEndpoint | OutsidePolicy


class Match(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Further conditions of a YAML hook; all that are present must hold."""

    ability_scope: tuple[str, ...] = ()
    operation_key: tuple[str, ...] = ()
    min_duration_ms: float | None = None
    only_if_changed_paths: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """One registered hook. The total order is `(priority, order, id)`."""

    id: str
    events: tuple[str, ...]
    handler: Handler
    matcher: str = ""
    """Full match: empty or `*` is all, names joined by `|`, else a regular expression."""
    match: Match | None = None
    priority: int = 50
    order: int = 0
    """Position in its source, after all sources before it."""
    blocking: bool = True
    """A failure of it may stop the act, and after a deny it is not asked any more."""
    can_block: bool = True
    """A block that it asks for counts, whatever its failure means; False for one that says that it never blocks."""
    awaited: bool = True
    """Its answer counts: somebody waits for it. Else it is started, and nothing that it says decides anything."""
    timeout: float = DEFAULT_TIMEOUT
    on_error: OnError = "allow"
    protocol: Protocol = "decision"
    scope: Scope = "builtin"
    skill: str = ""
    source: str = ""
    """File and position it was declared at, for people."""
    root: str = ""
    """For a project's hook, the folder that it is declared in: its paths start there, and its trust counts there."""
    mode: Mode = "enforce"
    """Whether its verdict counts (`enforce`), is told as advice (`advise`), or is only kept (`shadow`)."""
    recheck: bool = True
    """Sees the final input again when a later hook rewrote it."""

    @property
    def observes(self) -> bool:
        """Whether it is told of every event, also of one that an earlier hook has refused."""
        return self.awaited and not self.blocking

    @property
    def is_policy(self) -> bool:
        """Whether it judges whatever tool plays the part it is about; other hooks are matched by the tool's name."""
        return isinstance(self.handler, Builtin | OutsidePolicy)

    @property
    def rank(self) -> tuple[int, int, str]:
        return (self.priority, self.order, self.id)
