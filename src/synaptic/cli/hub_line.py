"""What `status` says of the hub that this machine has joined: how far it is there, and what keeps it back."""

import time
from typing import TypeVar

import msgspec

from synaptic.cli.cells import clean_line
from synaptic.files.bounded import read_content
from synaptic.model.home import Home

Kind = TypeVar("Kind")
FOLDER, JOINED, STATE = "hub", "joined.json", "state.json"
MOST_BYTES = 1 << 20


class JoinedHub(msgspec.Struct, frozen=True):
    """As which host this machine has joined which hub."""

    url: str
    host: str
    hub: str = ""


class ShippedTo(msgspec.Struct, frozen=True, kw_only=True):
    """One destination as the shipper last spoke of it."""

    name: str
    id: int = 0
    newest: int = 0
    trouble: str = ""
    since: float = 0.0


class ShipperWords(msgspec.Struct, frozen=True, kw_only=True):
    """What the shipper last said."""

    at: float = 0.0
    destinations: tuple[ShippedTo, ...] = ()
    problems: tuple[str, ...] = ()


def describe_hub(home: Home) -> str:
    """One line; "" where no hub was joined."""
    folder = home.root / FOLDER
    joined = _read(f"{folder / JOINED}", JoinedHub)
    if joined is None:
        return ""
    who = clean_line(f"{joined.hub or joined.url}, as {joined.host}")
    said = _read(f"{folder / STATE}", ShipperWords)
    return f"{who}: {describe_shipping(said, time.time())}"


def describe_shipping(said: ShipperWords | None, now: float) -> str:
    """How far it is. The hub's destination is the one that is called so."""
    one = next((one for one in said.destinations if one.name.partition(" ")[0] == "hub"), None) if said else None
    if one is None:
        return "nothing was shipped yet: synaptic ship"
    behind = max(one.newest - one.id, 0)
    far = f"{behind:,} event{'' if behind == 1 else 's'} behind" if behind else "everything shipped"
    told = f"{far}, up to event {one.id:,}"
    trouble = one.trouble or next(iter(said.problems if said else ()), "")
    if not trouble:
        return told
    span = f" for {max(now - one.since, 0) / 60:.0f} min" if one.since else ""
    return f"{told}; trouble{span}: {clean_line(trouble)}"


def _read(path: str, kind: type[Kind]) -> Kind | None:
    content = read_content(path, MOST_BYTES)
    try:
        return msgspec.json.decode(content, type=kind) if isinstance(content, bytes) else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
