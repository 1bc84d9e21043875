"""Where exported events come from: the names under which others find this machine again."""

import hashlib
import os
import socket
from contextlib import suppress

import msgspec

from synaptic.files.bounded import read_bounded
from synaptic.files.home import find_home
from synaptic.hub.place import HubPlace, Membership
from synaptic.model.home import Home

MOST_BYTES = 65_536


class ExportSource(msgspec.Struct, frozen=True):
    """One home on one machine."""

    host: str
    """The name at the hub where one was joined, else that of the machine."""
    identity: str
    """Of the machine and the home folder, in hex: the same user's events of two machines stay apart."""


def find_source(home: Home | None = None) -> ExportSource:
    """This machine and this user's home."""
    home = home or find_home(os.environ)
    machine = socket.gethostname()
    seed = f"{machine}\0{home.root}".encode("utf-8", "replace")
    name = (_find_name(home) or machine).encode("utf-8", "replace").decode()
    return ExportSource(name, hashlib.blake2b(seed, digest_size=16).hexdigest())


def _find_name(home: Home) -> str:
    with suppress(OSError, ValueError, msgspec.MsgspecError):
        return msgspec.json.decode(read_bounded(HubPlace.of(home).membership, MOST_BYTES), type=Membership).host
    return ""
