"""What the next commit of a working tree would be."""

import msgspec


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """What waits to be committed."""

    merging: bool = False
    """It would complete a merge."""
    staged: tuple[str, ...] = ()
    """Its files."""
