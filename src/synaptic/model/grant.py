"""What a person said yes to: a policy's verdict about one call, or about calls of one shape, is lifted."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

GrantScope = Literal["once", "session", "until", "here", "always"]
"""One call; one session; for a time; one project; everywhere. Each of them is also bound to policy and call."""
SCOPE_WORDS: Mapping[GrantScope, str] = {
    "once": "once",
    "session": "for this session",
    "until": "for a time",
    "here": "in this project",
    "always": "everywhere",
}
CODE_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without letters that look like another one: a code is read aloud and typed."""
CODE_LENGTH = 5
"""Whoever makes calls until one of them has the handle that a person is about to type needs some 28 million."""
NEVER_LIFTED = ("self.*", "devices.raw-write", "system.fork-bomb")
"""Policies whose word nobody can overrule by a grant: what guards the guard, and what no one means."""


class RefusedAct(msgspec.Struct, frozen=True, kw_only=True):
    """One policy's refusal of a call, or its question: what a person would have to lift."""

    policy: str
    options: str
    """Digest of how the policy is set here: set otherwise, it is another policy."""
    fingerprint: str
    """Of the call, as it was made and as the policy saw it, with the folder it was made in. Keyed: it tells nothing."""
    stakes: str = ""
    """Digest of what would be lost, where the reason names that: a yes to one file is no yes to two."""
    asks: bool = False
    """It was a question."""
    is_grantable: bool = True


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """One exception. It lifts what one policy says, and nothing that any other policy says."""

    id: str
    at: float
    policy: str
    options: str
    scope: GrantScope = "once"
    fingerprint: str = ""
    """Of the one call that it covers; empty where `like` says which."""
    stakes: str = ""
    like: str = ""
    """A pattern of commands or of paths."""
    subject: str = ""
    """Of a pattern: the program that it begins with, or `edit`, or `read`."""
    root: str = ""
    """The project it counts in; empty: everywhere."""
    session: str = ""
    expires: float = 0.0
    """0: never."""
    shown: str = ""
    """What it is about, for people: without secrets."""
    because: str = ""
    granted_by: str = ""
    """Who has said yes, and how that was known."""
    used_by: str = ""
    """The call that has used it up."""
    revoked: float = 0.0

    def is_in_force(self, now: float, call: str = "") -> bool:
        """Whether it counts for a call: not revoked, not over, and not used up by another one."""
        if self.revoked or (self.expires and now >= self.expires):
            return False
        return self.scope != "once" or self.used_by in ("", call)


class RefusedSubject(msgspec.Struct, frozen=True, kw_only=True):
    """What was refused, as it is signed: a row with another text or other policies does not count."""

    code: str
    acts: tuple[RefusedAct, ...]
    asks: bool
    """It was a question."""
    tool: str
    shown: str
    """The command or the files."""
    root: str
    cwd: str
    shape: str = ""
    """What calls of its kind have in common: a program with its verb, a tool with the file's ending."""


class RefusedNews(msgspec.Struct, frozen=True):
    """A refusal as the engine leaves it with its event."""

    subject: RefusedSubject
    said: str = ""
    """What the agent itself said about the call."""
    reason: str = ""
    """What it was told; empty where the journal keeps no texts."""


def make_code(acts: Sequence[RefusedAct], place: str) -> str:
    """The handle of a refusal: the same for the same call refused by the same policies in the same place."""
    said = "\0".join((place, *(f"{act.policy}\0{act.options}\0{act.fingerprint}\0{act.stakes}" for act in acts)))
    import hashlib  # noqa: PLC0415  with OpenSSL, which verbs that read the journal need not load

    number = int.from_bytes(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[:8])
    letters = []
    for _ in range(CODE_LENGTH):
        number, place_of = divmod(number, len(CODE_LETTERS))
        letters.append(CODE_LETTERS[place_of])
    return "".join(letters)
