"""What of an event can be searched for: its command and paths, its prompt, and why it was decided as it was."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from synaptic.model.text import to_utf8
from synaptic.model.tool_keys import COMMAND_ENDINGS, COMMAND_KEYS, NESTED_TEXT_KEYS, PATH_ENDINGS, PATH_KEYS

MOST_LETTERS = 8000
"""Of each part; what comes after it is in the journal and not in the index."""
MOST_DEPTH = 5
MOST_ITEMS = 100
COMMANDS = COMMAND_KEYS | PATH_KEYS | {"url", "query", "pattern", "description", "skill", "subagenttype", "task"}
PROMPTS = frozenset({"prompt", "userprompt", "question", "message", "custominstructions"})
UNSEARCHED = frozenset({
    "transcriptpath", "agenttranscriptpath", "cwd", "workdir", "workspaceroots", "projectdir", "toolresponse",
    "tooloutput", "toolresult", "result", "output", "content", "contents", "oldstring", "newstring", "filetext",
})  # fmt: skip
"""What is the same in every event, and what files and programs say."""
_PAYLOADS = msgspec.json.Decoder()


class _Step(msgspec.Struct):
    """What a step of a trace says."""

    hook: str = ""
    reason: str = ""
    fault: str = ""
    phase: str = "run"


class _Decision(msgspec.Struct):
    """The texts of a decision that are worth searching for."""

    by: str = ""
    reason: str = ""
    input: dict[str, Any] | None = None
    feedback: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    code: str = ""
    trace: tuple[_Step, ...] = ()


_DECISIONS = msgspec.json.Decoder(_Decision)


class EventWords(msgspec.Struct, frozen=True):
    """The texts of one event, each as a column of the index."""

    command: str
    prompt: str
    reason: str


def read_words(payload: str | None, decision: str) -> EventWords:
    """Read the texts of an event as the journal has it; a part that is damaged or was not kept has none."""
    said = _decode_decision(decision)
    found = list(_walk(_decode_payload(payload)))
    if said.input:
        found += _walk(said.input)
    commands = dict.fromkeys(text for kind, text in found if kind == "command")
    prompts = dict.fromkeys(text for kind, text in found if kind == "prompt")
    return EventWords(_join(commands), _join(prompts), _join(dict.fromkeys(_list_reasons(said))))


def _list_reasons(said: _Decision) -> Iterator[str]:
    yield said.by
    yield said.reason
    yield from said.feedback
    yield from said.warnings
    yield said.code
    for step in said.trace:
        if step.phase != "quiet" and (step.reason or step.fault):
            yield from (step.hook, step.reason, step.fault)


def _walk(value: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Texts under keys that name a command, a path or a prompt, however deep an agent has put them."""
    if not isinstance(value, dict) or depth > MOST_DEPTH:
        return
    for key, inner in value.items():
        if kind := _classify_key(key):
            yield from _read_value(kind, inner, depth)


@lru_cache(maxsize=1024)
def _classify_key(key: str) -> str:
    """What a text under a key is: command, prompt, nested JSON, other; "" for what nobody searches."""
    name = key.lower().replace("_", "").replace("-", "")
    if name in UNSEARCHED:
        return ""
    if name in PROMPTS:
        return "prompt"
    if name in COMMANDS or name.endswith((*COMMAND_ENDINGS, *PATH_ENDINGS)):
        return "command"
    return "nested" if name.endswith(tuple(NESTED_TEXT_KEYS)) else "other"


def _read_value(kind: str, inner: object, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(inner, dict):
        yield from _walk(inner, depth + 1)
    elif isinstance(inner, list):
        for one in inner[:MOST_ITEMS]:
            yield from _read_value(kind, one, depth + 1) if depth < MOST_DEPTH else ()
    elif isinstance(inner, str) and inner:
        if kind == "nested" and inner[0] == "{":
            yield from _walk(_decode_payload(inner), depth + 1)
        elif kind in ("command", "prompt"):
            yield kind, inner


def _join(texts: dict[str, None]) -> str:
    """One line of printable text: what it is shown with, and marked in, holds no control characters of its own."""
    whole = " ".join(text for text in texts if text)[:MOST_LETTERS]
    if not whole.isprintable():
        whole = "".join(letter if letter.isprintable() else " " for letter in whole)
    return to_utf8(whole)


def _decode_payload(text: str | None) -> object:
    try:
        return _PAYLOADS.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}


def _decode_decision(text: str) -> _Decision:
    try:
        return _DECISIONS.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _Decision()
