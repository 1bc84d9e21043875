"""`synaptic hub login` and `logout`: at which hub this person reads, and with which token."""

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.verbs import Json
from synaptic.files.home import find_home
from synaptic.model.errors import SynapticError


def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="The hub, such as https://hub.example.")],
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificates to believe, where the hub has one of its own.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Keep a token for `--hub`: typed where nobody sees it, or read from a pipe. It is tried first."""
    from synaptic.hub.address import check_url  # noqa: PLC0415
    from synaptic.hub.answers import HostAnswer  # noqa: PLC0415
    from synaptic.hub.client import HubAccess, PersonClient, keep_access  # noqa: PLC0415

    trusted = str(certificate.expanduser().resolve()) if certificate else ""
    access = HubAccess(url=check_url(url), token=_read_token(), certificate=trusted)
    with PersonClient(access) as client:
        client.ask("hosts", list[HostAnswer], limit=1)
    keep_access(find_home(os.environ), access)
    if as_json:
        screen.print_json({"ok": True, "url": access.url})
    else:
        screen.say(f"logged in at {access.url}; try: synaptic fleet --hub")


def logout(as_json: Json = False) -> None:
    """Forget the hub's token on this machine. It counts until an administrator revokes it."""
    from synaptic.hub.client import forget_access  # noqa: PLC0415

    was_there = forget_access(find_home(os.environ))
    if as_json:
        screen.print_json({"ok": True, "was_logged_in": was_there})
    else:
        screen.say("the token is forgotten here" if was_there else "there was no token here")


def _read_token() -> str:
    """Never from the command line: others see it there. Raises SynapticError."""
    token = getpass.getpass("token: ") if sys.stdin.isatty() else sys.stdin.readline(500)
    if not token.strip():
        raise SynapticError("no token was given", hint="an administrator makes one: synaptic hub token add NAME")
    return token.strip()
