"""Lists of names, written as text."""


def split_names(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())
