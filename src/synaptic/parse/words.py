"""The words of a simple command: quotes and backslashes understood, nothing expanded, operators left in."""

import shlex  # noqa: TID251 this is parse/


def split_words(command: str) -> tuple[str, ...]:
    """The words, or none when a quote is not closed."""
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return ()
