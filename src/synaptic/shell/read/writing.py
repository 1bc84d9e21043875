"""Text put back into a command line, so that the shell reads it as it is."""

import shlex


def quote_word(text: str) -> str:
    """One word: plain where that is enough, else in single quotes."""
    return shlex.quote(text)


def escape_double_quoted(text: str) -> str:
    """The inside of a double-quoted word."""
    return "".join(f"\\{letter}" if letter in '\\"$`' else letter for letter in text)
