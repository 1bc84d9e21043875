"""A text as one word of a shell command."""


def quoted(text: str) -> str:
    """Whatever is in it, a shell reads it as this one word."""
    return "'" + text.replace("'", "'\\''") + "'"
