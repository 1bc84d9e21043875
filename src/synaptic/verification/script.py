"""What a scripted model says: turns of blocks."""

from collections.abc import Callable, Mapping

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
DONE: Turn = (Text("done"),)
