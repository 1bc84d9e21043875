"""Policies from outside the program: the files they are in, and what is known of each without importing it."""

import re
from typing import Any, Literal

import msgspec

from synaptic.model.hook import Mode, OnError

POLICY_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\.[a-z][a-z0-9]*(-[a-z0-9]+)*")
Origin = Literal["user", "project", "package", "distribution"]
StateScope = Literal["project", "session"]

POLICY_FOLDER = "policies"
"""The folder of a user's or a project's `.synaptic`, and of a package's skill, in which policies are."""
DEFAULT_SECONDS = 5.0
MAX_SECONDS = 30.0
PRIORITIES = range(1, 100)
PLACEHOLDER_PREFIX = f"{POLICY_FOLDER}/"
"""What the id of a file begins with that nobody has asked yet what it holds. No policy has such an id."""


class PolicySource(msgspec.Struct, frozen=True, kw_only=True):
    """One file with policies, as it was read."""

    file: str
    origin: Origin
    digest: str
    """Of the file, and of the others in its folder, which it may import."""
    module: str = ""
    """Its name for an import, where it belongs to an installed distribution; else it is loaded by its path."""
    skill: str = ""
    """The package that brought it."""
    site: str = ""
    """The project that this package was installed into; empty for all projects."""
    trouble: str = ""
    """Why its content could not be read: then it is not asked what it holds."""

    @property
    def is_local(self) -> bool:
        """Whether it is in the project: a repository, or a package of this project, has put it there."""
        return self.origin == "project" or bool(self.site)

    @property
    def label(self) -> str:
        """The name under which it is asked about as a whole."""
        return f"{PLACEHOLDER_PREFIX}{self.file.rpartition('/')[2]}"


class StateSection(msgspec.Struct, frozen=True):
    """A section of its own that a policy remembers things in."""

    name: str
    scope: StateScope
    fields: tuple[str, ...]


class PolicyOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option, its value as it is set here, and what it is for."""

    name: str
    value: Any
    about: str = ""


class DescribedPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file says of one of its policies. It comes from somebody else's process: nothing of it is believed yet."""

    id: str
    events: tuple[str, ...]
    line: int = 0
    tools: tuple[str, ...] = ()
    priority: int = 30
    preset: str = ""
    on_error: OnError = "allow"
    timeout: float = DEFAULT_SECONDS
    recheck: bool = True
    needs: tuple[str, ...] = ()
    own_facts: tuple[str, ...] = ()
    speaks_of: tuple[str, ...] | None = None
    sections: tuple[StateSection, ...] = ()
    options: tuple[PolicyOption, ...] = ()
    doc: str = ""

    @property
    def about(self) -> str:
        """Its first line."""
        return self.doc.strip().partition("\n")[0]


class PolicyEntry(msgspec.Struct, frozen=True):
    """A policy from outside in one project's catalog."""

    policy: DescribedPolicy
    source: PolicySource
    is_on: bool
    broken: str = ""
    """Why it cannot be asked now; it is one that was known before, and fails whenever it is concerned."""
    mode: Mode = "enforce"
    """`enforce` or `advise`: who is asked in a process of its own cannot be asked once more for a shadow."""


def name_section(origin: Origin, policy: str, section: StateSection) -> str:
    """The name under which a section is stored: nobody else's, and no other for a repository that takes the same id."""
    owner = "project-policies" if origin == "project" else "policies"
    return f"{section.scope}:{owner}/{policy}/{section.name}"
