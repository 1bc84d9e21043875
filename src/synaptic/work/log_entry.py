"""One entry of an effort's log: its first heading says when it was written, and a blank line stands before it."""

import re

HEADING = re.compile(r"^## ", re.MULTILINE)


def stamped(text: str, when: str) -> str:
    """The entry with `[when]` after its first `## `, unless a bracket is there; without a heading it stays as it is."""
    first = HEADING.search(text)
    if first is None or text.startswith("[", first.end()):
        return text
    return f"{text[: first.end()]}[{when}] {text[first.end() :]}"


def appended(before: bytes, entry: str) -> bytes:
    """What is written behind the end of a log; `before` is that end, as much of it as there is."""
    body = entry.strip("\n").encode("utf-8", "replace") + b"\n"
    if not before:
        return body
    tail = before[-2:]
    newlines = len(tail) - len(tail.rstrip(b"\n"))
    return b"\n" * (2 - newlines) + body
