"""Programs that a policy wants to be run: asked for as values, run by the engine, their end handed back as a value."""

import msgspec


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """A program whose word a policy needs before it can answer: it is run, and `Policy.conclude` gets its end."""

    argv: tuple[str, ...]
    cwd: str
    timeout: float = 10.0
    name: str = ""
    """What a person calls it."""


class ErrandResult(msgspec.Struct, frozen=True, kw_only=True):
    """How an errand ended."""

    exit: int = 0
    output: str = ""
    """What it printed on both streams, in its order."""
    trouble: str = ""
    """Why it could not be run to its end; then neither exit nor output mean anything."""


class RunTests(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An effect: the project's tests run in the background, one run at a time, and their result is kept."""

    name: str
    argv: tuple[str, ...]
    cwd: str
    timeout: float = 60.0
    debounce: float = 2.0
    cooldown: float = 10.0


class Alert(msgspec.Struct, frozen=True, tag=True):
    """An effect: the desktop tells the user something, where the desktop can."""

    title: str
    text: str
    sound: str = ""
