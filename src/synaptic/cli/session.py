"""`synaptic session`: context windows of efforts, open and ended."""

from typing import Annotated

from synaptic.cli import completion, screen, typer
from synaptic.cli.caller import format_moment
from synaptic.cli.carry_out import carry_out
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.session_story import print_session_page, show_session
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import LayerError
from synaptic.model.layers import Session
from synaptic.store.agent_sessions import find_agent_sessions
from synaptic.work.sessions import ListSessions, ShowSession
from synaptic.work.views import payload_to_view

app = make_verb_app(
    "Sessions: the context windows of efforts. One ends and is never resumed; its effort goes on in another.",
    """
    synaptic session list
    synaptic session list --effort 3 --all
    synaptic session show 7 --json
    synaptic session show 1f3a --turns 3-5   of an agent's session
    synaptic session show 1f3a --html > session.html
    """,
)
LONGEST_NUMBER = 18
"""Digits: a longer one does not fit the database's numbers."""


@app.command("list")
def list_sessions(
    effort: Annotated[
        int | None, typer.Option(metavar="ID", help="Of one effort.", autocompletion=completion.complete_effort_ids)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that have ended.")] = False,
    as_json: Json = False,
) -> None:
    """The sessions of this project, the newest first."""
    command = ListSessions(effort_id=effort, all=every)
    found = carry_out(command)
    if as_json:
        screen.print_json({"sessions": command.answer(found)})
        return
    if not found:
        screen.say("no session is open" if not every else "there are no sessions")
        return
    screen.print_table(("ID", "EFFORT", "WHO", "BEATS", "CONTEXT", "SINCE", "ENDED"), (_make_row(one) for one in found))


@app.command()
def show(
    which: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="Its number, or how the id of an agent's session begins.",
            autocompletion=completion.complete_session_ids,
        ),
    ],
    turns: Annotated[
        str, typer.Option(metavar="N|A-B", help="Of an agent's session: the last N turns, or some.")
    ] = "20",
    html: Annotated[
        bool, typer.Option("--html", help="Print an agent's session as one page, redacted once more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """A window of an effort by its number, or what an agent's session did, turn by turn.

    `synaptic sessions` lists the agents' sessions.
    """
    if html:
        print_session_page(which)
        return
    number = int(which) if which.isascii() and which.isdigit() and len(which) <= LONGEST_NUMBER else None
    command = ShowSession(session_id=number or 0)
    try:
        found = carry_out(command)
    except LayerError:
        # Ids of agents' sessions may begin with a number, too.
        if number is not None and not _has_agent_session(which):
            raise
        show_session(which, turns, as_json)
        return
    if as_json:
        screen.print_json(command.answer(found))
        return
    end = "open" if found.ended_at is None else f"ended {format_moment(found.ended_at)}"
    screen.say(
        f"Session {found.id} of effort {found.effort} ({found.task}): since {format_moment(found.created_at)}, {end}"
    )
    screen.say(
        f"Who: {_name_worker(found) or 'a person'}; tool calls since the last entry: {found.heartbeat}"
        f"{_describe_usage(found)}"
    )
    if found.previous is not None:
        screen.say(f"It follows session {found.previous}.")
    for path in found.loaded:
        screen.say(f"- {path}")
    if found.payload is not None:
        screen.say(f"It left ({'told' if found.handed_over else 'not told yet'}):")
        screen.print_json(payload_to_view(found.payload))


def _has_agent_session(begins: str) -> bool:
    with open_journal(find_place().home) as store:
        return bool(find_agent_sessions(store, begins))


def _make_row(one: Session) -> tuple[str, ...]:
    context = "" if one.usage is None else f"{one.usage:.0%}"
    beats, since, ended = str(one.heartbeat), format_moment(one.created_at), format_moment(one.ended_at)
    return (str(one.id), str(one.effort), _name_worker(one), beats, context, since, ended)


def _name_worker(one: Session) -> str:
    name = one.agent or one.host[:8]
    return f"{name} / {one.subagent}" if one.subagent else name


def _describe_usage(one: Session) -> str:
    return "" if one.usage is None else f"; the context is {one.usage:.0%} full"
