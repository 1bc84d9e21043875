"""What the model says: turns of blocks, and which request each turn answers."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec


class Text(msgspec.Struct, frozen=True):
    """The model speaks."""

    text: str


class Use(msgspec.Struct, frozen=True):
    """The model calls a tool."""

    name: str
    input: Mapping[str, object]


class Do(msgspec.Struct, frozen=True):
    """Something happens in the world before the model answers."""

    act: Callable[[], object]


class Tokens(msgspec.Struct, frozen=True):
    """The size of the conversation, as the model reports it."""

    used: int


Block = Text | Use | Do | Tokens
Turn = tuple[Block, ...]


class Rule(msgspec.Struct, frozen=True):
    """Turns for the requests whose first or last user message matches; the last turn is repeated for ever."""

    turns: tuple[Turn, ...]
    first: str = ""
    last: str = ""

    def takes(self, request: Mapping[str, Any]) -> bool:
        said = [flat(message["content"]) for message in request["messages"] if message["role"] == "user"]
        return bool(said) and bool(re.search(self.first, said[0])) and bool(re.search(self.last, said[-1]))


DONE: Turn = (Text("done"),)


def bash(command: str) -> Turn:
    """One turn that runs one command."""
    return (Use("Bash", {"command": command, "description": "step"}),)


def write(path: object, content: str) -> Turn:
    """One turn that writes one file."""
    return (Use("Write", {"file_path": str(path), "content": content}),)


def conversation(*turns: Turn) -> Rule:
    """The main loop: these turns, then `done`."""
    return Rule((*turns, DONE))


def flat(content: object) -> str:
    """The text of a message, tool results included."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block.get("text") or flat(block.get("content")) for block in blocks)
