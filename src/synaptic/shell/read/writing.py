"""Text put back into a command line, so that the shell reads it as it is."""

from synaptic.shell.read.script import PLAIN


def as_word(text: str) -> str:
    """One word: plain where that is enough, else in single quotes."""
    if PLAIN.fullmatch(text) and text[:1] != "~":
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def in_double_quotes(text: str) -> str:
    """The inside of a double-quoted word."""
    return "".join(f"\\{letter}" if letter in '\\"$`' else letter for letter in text)
