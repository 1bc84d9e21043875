"""`synaptic leave`: this machine ships nothing to its hub any more."""

from synaptic.cli import screen
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.files.replace import explain_os_error
from synaptic.model.errors import SynapticError

app = make_verb_app()

EXAMPLES = """
synaptic leave   what is at the hub stays there; whoever runs it can remove this host
"""


@app.command(epilog=format_examples(EXAMPLES))
def leave(as_json: Json = False) -> None:
    """Leave the hub: its address and this machine's key for it are removed. Only for people."""
    from synaptic.hub.place import HubPlace  # noqa: PLC0415 - only where it is needed
    from synaptic.hub.shipping.plan import read_membership  # noqa: PLC0415

    home = find_place().home
    try:
        member = read_membership(home)
    except SynapticError:  # nobody knows which it was, and it goes all the same
        member = None
    place = HubPlace.of(home)
    was_there = place.membership.exists()
    for path in (place.membership, place.host_key, place.seen):
        with explain_os_error(path, "removed"):
            path.unlink(missing_ok=True)
    if as_json:
        screen.print_json({"ok": True, "left": member.url if member else "", "was_joined": was_there})
    elif was_there:
        screen.say(f"left {member.url} ({member.host})" if member else "left a hub that could not be read any more")
    else:
        screen.say("no hub was joined")
