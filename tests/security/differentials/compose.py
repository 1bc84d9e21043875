"""Compose constructions into commands: what one makes is the command of the next."""

import json
import random
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

PAYLOADS = {"work": "git reset --hard", "victim": "rm -rf ~/victim", "secret": "cat ~/.ssh/id_rsa"}
CONSTRUCTIONS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("constructions.toml").read_text())
TEMPLATES = {name: text for group in CONSTRUCTIONS.values() for name, text in group.items()}
QUOTED = re.compile(r"⟦([^⟦⟧]*)⟧")
DOUBLE_QUOTED = re.compile(r'(["\\$`])')
LONGEST = 4000


class Composed(msgspec.Struct, frozen=True):
    """A command, what it would destroy, and what it is made of, from the outside in."""

    text: str
    payload: str
    made_of: tuple[str, ...]


def compose(payload: str, made_of: tuple[str, ...]) -> Composed:
    """Wrap a payload, innermost construction first."""
    text = PAYLOADS[payload]
    for name in reversed(made_of):
        text = fill(TEMPLATES[name], text)
    return Composed(text, payload, made_of)


def fill(template: str, command: str) -> str:
    """Put a command into a construction."""
    values = {
        "§c": command,
        "§q": shlex.quote(command),
        "§d": DOUBLE_QUOTED.sub(r"\\\1", command),
        "§s": json.dumps(command),
    }
    whole = QUOTED.sub(lambda found: shlex.quote(put_values(found[1], values)), template)
    return put_values(whole, values)


def put_values(template: str, values: dict[str, str]) -> str:
    """Replace the marks of a template in one pass: a value that holds a mark is not filled again."""
    return re.sub("§[cqds]", lambda found: values[found[0]], template)


def iter_single() -> Iterator[Composed]:
    """Every construction by itself, with every payload."""
    for name in TEMPLATES:
        for payload in PAYLOADS:
            yield compose(payload, (name,))


def iter_random(seed: int, depths: tuple[int, ...] = (2, 2, 2, 3)) -> Iterator[Composed]:
    """Endless compositions, the same for the same seed."""
    chosen = random.Random(seed)
    names = list(TEMPLATES)
    while True:
        depth = chosen.choice(depths)
        made = compose(chosen.choice(list(PAYLOADS)), tuple(chosen.choices(names, k=depth)))
        if len(made.text) < LONGEST:
            yield made
