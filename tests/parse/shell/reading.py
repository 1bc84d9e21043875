"""What a reader of shell text sees, as lines that can be compared."""

from synaptic.parse.shell.reader import read


def lines(text: str) -> list[str]:
    """The commands behind the first: unknown words in angle brackets, then the redirections."""
    found = read(text, "/p", "/h").commands[1:]
    return [
        " ".join(
            [w.text if w.known else f"<{w.text}>" for w in c.argv]
            + [f"{r.operator} {r.target.text}" for r in c.redirects]
        )
        for c in found
    ]


def gaps(text: str) -> list[str]:
    """What code could not be known."""
    return [gap.text for gap in read(text, "/p", "/h").unresolved if gap.kind == "code"]
