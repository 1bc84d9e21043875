"""`synaptic messages`: the dialogue of an effort's sessions."""

from typing import Annotated

from synaptic.cli import completion, screen, typer
from synaptic.cli.caller import format_moment
from synaptic.cli.carry_out import carry_out
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.work.sessions import ListMessages

app = make_verb_app()
DEFAULT_LIMIT = 50

EXAMPLES = """
synaptic messages                  of the effort that is worked on here
synaptic messages --session 7 --limit 5
"""


@app.command(epilog=format_examples(EXAMPLES))
def show(
    session: Annotated[
        int | None, typer.Option(metavar="ID", help="Of one session.", autocompletion=completion.complete_session_ids)
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many at most; the newest.")] = DEFAULT_LIMIT,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """What was asked and answered, and what failed; the oldest first."""
    command = ListMessages(session_id=session, limit=limit, newest=True)
    found = carry_out(command)
    if as_json:
        screen.print_json({"messages": command.answer(found)})
        return
    if not found:
        screen.say("there are no messages")
    for one in found:
        tool = f" {one.tool}" if one.tool else ""
        screen.say(f"{format_moment(one.at)}  {one.role}{tool}  {one.content}")
