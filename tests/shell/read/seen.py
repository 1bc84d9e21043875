"""What the reader sees in a text, as plain lines."""

from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Command


def commands(text: str) -> tuple[Command, ...]:
    return read_script(text, "/p", "/home/u").commands


def seen(text: str) -> list[str]:
    """Each command as one line; what is not known stands in angle brackets."""
    return [" ".join(w.text if w.known else f"<{w.text}>" for w in command.argv) for command in commands(text)]


def script(name: str, *lines: str) -> str:
    """A command that writes these lines to a file."""
    return "\n".join([f"cat > {name} <<'END'", *lines, "END", ""])


def lines(text: str) -> list[str]:
    """The commands behind the first: unknown words in angle brackets, then the redirections."""
    found = read_script(text, "/p", "/home/u").commands[1:]
    return [
        " ".join(
            [w.text if w.known else f"<{w.text}>" for w in c.argv]
            + [f"{r.operator} {r.target.text}" for r in c.redirects]
        )
        for c in found
    ]


def gaps(text: str) -> list[str]:
    """What code could not be known, with where it comes from behind its program."""
    found = [gap for gap in read_script(text, "/p", "/home/u").unresolved if gap.kind == "code"]
    return [gap.text.replace(": ", f": {gap.origin}: ", 1) if gap.origin else gap.text for gap in found]
