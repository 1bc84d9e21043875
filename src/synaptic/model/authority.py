"""Who says yes to something that only a person may say yes to, and how that is known."""

from typing import Literal

import msgspec

AuthorityStanding = Literal["sure", "unsure", "agent"]
"""A person, as far as processes show it; nobody can tell; something below an agent."""


class Authority(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks. It is worked out of processes, never of anything that a request says."""

    standing: AuthorityStanding
    who: str = ""
    """Where they sit, such as `pts/3, by ssh`: it is kept with what they have said yes to."""
    why: str = ""
    """What makes it an agent, or keeps it from being sure, in words for a refusal."""


UNKNOWN_AUTHORITY = Authority(standing="unsure", why="nobody has looked at who asks")
