"""What the model says: turns of blocks, and which request each turn answers."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from synaptic.verification.script import DONE, Block, Do, Text, Tokens, Turn, Use

__all__ = ["DONE", "Block", "Do", "Rule", "Text", "Tokens", "Turn", "Use", "bash", "conversation", "flat", "write"]


class Rule(msgspec.Struct, frozen=True):
    """Turns for the requests whose first or last user message matches; the last turn is repeated for ever."""

    turns: tuple[Turn, ...]
    first: str = ""
    last: str = ""

    def takes(self, request: Mapping[str, Any]) -> bool:
        said = [flat(message["content"]) for message in request["messages"] if message["role"] == "user"]
        return bool(said) and bool(re.search(self.first, said[0])) and bool(re.search(self.last, said[-1]))


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
