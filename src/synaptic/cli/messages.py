"""`synaptic messages`: the dialogue of an effort's sessions."""

from typing import Annotated

import typer

from synaptic.cli import completion, screen
from synaptic.cli.caller import caller, moment
from synaptic.cli.place import here, opened
from synaptic.cli.verbs import shown, verb
from synaptic.store import messages, windows
from synaptic.work import efforts
from synaptic.work.layer_views import message_view

app = verb()
LIMIT = 50

EXAMPLES = """
synaptic messages                  of the effort that is worked on here
synaptic messages --session 7 --limit 5
"""


@app.command(epilog=shown(EXAMPLES))
def show(
    session: Annotated[
        int | None, typer.Option(metavar="ID", help="Of one session.", autocompletion=completion.session_ids)
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many at most; the newest.")] = LIMIT,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """What was asked and answered, and what failed; the oldest first."""
    place = here()
    with opened(place.home) as store:
        if session is None:
            sessions = windows.of_efforts(store, (efforts.current(store, caller(place)).id,))
        else:
            sessions = [windows.required(store, session)]
        found = messages.newest(store, tuple(one.id for one in sessions), limit)
    if as_json:
        screen.document({"messages": [message_view(one) for one in found]})
        return
    if not found:
        screen.say("there are no messages")
    for one in found:
        tool = f" {one.tool}" if one.tool else ""
        screen.say(f"{moment(one.at)}  {one.role}{tool}  {one.content}")
