"""What the reader sees in a text, as plain lines."""

from synaptic.parse.shell.reader import read
from synaptic.parse.shell.script import Command


def commands(text: str) -> tuple[Command, ...]:
    return read(text, "/p", "/home/u").commands


def seen(text: str) -> list[str]:
    """Each command as one line; what is not known stands in angle brackets."""
    return [" ".join(w.text if w.known else f"<{w.text}>" for w in command.argv) for command in commands(text)]


def script(name: str, *lines: str) -> str:
    """A command that writes these lines to a file."""
    return "\n".join([f"cat > {name} <<'END'", *lines, "END", ""])
