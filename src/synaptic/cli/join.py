"""`synaptic join`: this machine becomes one of a team's."""

import asyncio
import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from synaptic.cli import screen, typer
from synaptic.cli.by_daemon import type_unseen
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

if TYPE_CHECKING:
    from synaptic.hub.keys import SecretKey
    from synaptic.hub.place import Membership
    from synaptic.hub.wire import JoinAnswer

app = make_verb_app()
MOST_NAME = 64

EXAMPLES = """
synaptic join https://hub.example.org                     asks for the code
synaptic join https://hub.example.org --code C --key RW...   for a script
"""


@app.command(epilog=format_examples(EXAMPLES))
def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of the hub.")],
    code: Annotated[str, typer.Option(help="The code that whoever runs the hub gave you; asked for without it.")] = "",
    name: Annotated[str, typer.Option(help="What this machine calls itself there; without it, its own name.")] = "",
    key: Annotated[
        str, typer.Option(metavar="KEY", help="The organisation's public key: bundles signed with it count here.")
    ] = "",
    managed: Annotated[
        bool, typer.Option("--managed", help="Locked keys of those bundles count against your own settings.")
    ] = False,
    certificate: Annotated[
        str, typer.Option(metavar="FILE", help="Certificates to believe, for a hub with one of its own.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Join a hub: this machine ships there what happened, and gets what is signed. Only for people."""
    from synaptic.hub.address import check_url  # noqa: PLC0415
    from synaptic.hub.keys import PublicKey  # noqa: PLC0415 - only where it is needed
    from synaptic.hub.place import Membership  # noqa: PLC0415

    home = find_place().home
    if managed and not key:
        raise SynapticError("--managed needs --key", hint="the key says whose locks count here")
    wanted = Membership(
        url=check_url(url),
        host=" ".join((name or socket.gethostname()).split())[:MOST_NAME],
        organisation_key=PublicKey.parse(key).text if key else "",
        is_managed=managed,
        certificate=str(Path(certificate).expanduser().absolute()) if certificate else "",
    )
    _refuse_second(home)
    member, offered = _join(home, wanted, code or type_unseen("The code of the hub"))
    _start(home)
    if as_json:
        screen.print_json({"ok": True, "hub": member.hub, "url": member.url, "host": member.host})
        return
    screen.say(f"joined {member.hub or member.url} as {member.host}")
    screen.say("what happened here is shipped there from now on: synaptic ship")
    if offered and offered != member.organisation_key:
        _say_other_key(offered, member.organisation_key)


def _refuse_second(home: Home) -> None:
    from synaptic.hub.shipping.plan import read_membership  # noqa: PLC0415

    if found := read_membership(home):
        hint = "type: synaptic leave"
        raise SynapticError(f"this machine has joined {found.url} already, as {found.host}", hint=hint)


def _join(home: Home, wanted: "Membership", code: str) -> tuple["Membership", str]:
    """The membership as it is kept, and the organisation's key that the hub names."""
    import msgspec  # noqa: PLC0415

    from synaptic.hub.keys import SecretKey  # noqa: PLC0415
    from synaptic.hub.place import HubPlace  # noqa: PLC0415
    from synaptic.hub.shipping.hub_client import is_host_name  # noqa: PLC0415
    from synaptic.hub.shipping.plan import write_membership  # noqa: PLC0415
    from synaptic.work.event_words import show_line  # noqa: PLC0415

    path = HubPlace.of(home).host_key
    key = SecretKey.make()
    path.unlink(missing_ok=True)  # of a hub that was left, or of a join that was broken off
    key.write(path)  # first: a disk that takes no key must not cost the code
    answer = asyncio.run(_ask(wanted, key, code.strip()))
    if not is_host_name(answer.host):
        raise SynapticError("the hub gave a name that no host can have", where=wanted.url)
    hub = show_line(answer.hub[:MOST_NAME])
    member = msgspec.structs.replace(wanted, host=answer.host, hub=hub, joined_at=time.time())
    write_membership(home, member)
    return member, _read_offered(answer.organisation_key)


def _read_offered(key: str) -> str:
    """The hub's word stands in a command that is to be typed: it is a key, or nothing."""
    from synaptic.hub.keys import KeyFormatError, PublicKey  # noqa: PLC0415

    try:
        return PublicKey.parse(key).text
    except KeyFormatError:
        return ""


async def _ask(wanted: "Membership", key: "SecretKey", code: str) -> "JoinAnswer":
    import synaptic  # noqa: PLC0415
    from synaptic.hub.shipping.hub_client import HubClient  # noqa: PLC0415
    from synaptic.hub.wire import JoinRequest  # noqa: PLC0415

    client = HubClient(wanted)
    try:
        return await client.join(
            JoinRequest(
                code=code,
                name=wanted.host,
                key=key.public.text,
                version=synaptic.__version__,
                is_managed=wanted.is_managed,
            )
        )
    finally:
        await client.close()


def _start(home: Home) -> None:
    """At once: where no daemon runs, as in some containers, nobody else does."""
    from synaptic.daemon.shipper import is_shipping, start_shipper  # noqa: PLC0415

    if not is_shipping(home):
        start_shipper(home)


def _say_other_key(offered: str, believed: str) -> None:
    screen.say()
    if believed:
        screen.warn(f"the hub names another key than the one that you gave: {offered}")
        return
    screen.say("no bundle of this hub counts here. The hub says that its organisation's key is")
    screen.say_exactly(f"  {offered}")
    again = f"synaptic leave{os.linesep}synaptic join URL --key {offered}"
    screen.say("If somebody whom you believe says the same, join with it:")
    for line in again.splitlines():
        screen.say_exactly(f"  {line}")
