"""`synaptic inbox`: what was refused and asked about, and what a person says to it."""

import re
import time
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from synaptic.cli import screen, typer
from synaptic.cli.carry_out import carry_out
from synaptic.cli.cells import clean_line, cut_cells
from synaptic.cli.full_screen import may_fill_screen
from synaptic.cli.inbox_view import describe_call, describe_group, describe_origin
from synaptic.cli.place import find_place, require_root
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import LayerError, StoreError, SynapticError
from synaptic.model.text import join_lines
from synaptic.store.refused import RefusedCall
from synaptic.work.consent import PIN_NEEDED
from synaptic.work.disputes import MarkedWrong, MarkWrong
from synaptic.work.inbox import InboxGroup, ListInbox, ShowRefusal, UpheldRefusal, UpholdRefusal, is_grantable, is_open

SPAN = re.compile(r"(\d{1,6})(m|h|d|w)")
SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}
MOST_SHOWN = 3
"""Refusals of one group that are shown where nobody asked for all."""

app = make_verb_app(
    "Refusals and questions that nobody has answered, by policy and by what was tried.",
    """
    synaptic inbox                      on a terminal: all of it, answered with single keys
    synaptic inbox --plain --since 1d   of the last day, as text
    synaptic inbox --project . --json   of this project, for a program
    synaptic inbox show k7qmd            everything that is known about one
    synaptic inbox uphold k7qmd          it was right to refuse
    synaptic inbox wrong k7qmd           it was not: self-test asks again from now on
    synaptic inbox --hub                 questions of all machines of the team
    synaptic inbox allow k7qmd --hub     a signed yes to one of them
    """,
)
Hub = Annotated[bool, typer.Option("--hub", help="Of another machine, by the team's hub.")]
Host = Annotated[str, typer.Option("--host", metavar="NAME", help="Of this machine, where several have the code.")]
Because = Annotated[str, typer.Option("--because", metavar="TEXT", help="Why; it is kept there.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing before it.")]
Pin = Annotated[bool, typer.Option("--pin", help="Ask for the PIN, which is typed unseen.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="The five letters that the refusal named.")]


@app.callback(invoke_without_command=True, no_args_is_help=False)
def show_all(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", "-a", help="Also what has been answered.")] = False,
    since: Annotated[str, typer.Option(metavar="SPAN", help="Of the last time, such as 30m, 8h, 7d.")] = "",
    project: Annotated[str, typer.Option(metavar="NAME|.", help="Of one project; `.` is this one.")] = "",
    agent: Annotated[str, typer.Option(metavar="NAME", help="Of one agent.")] = "",
    policy: Annotated[str, typer.Option(metavar="ID", help="Of one policy, or of a group such as git.*.")] = "",
    plain: Annotated[bool, typer.Option("--plain", help="Text, also on a terminal.")] = False,
    hub: Annotated[bool, typer.Option("--hub", help="Of all machines, as the team's hub has them.")] = False,
    as_json: Json = False,
) -> None:
    if context.invoked_subcommand:
        return
    if hub:
        from synaptic.cli.inbox_hub import show_questions  # noqa: PLC0415  the hub's client

        show_questions(as_json)
        return
    place = find_place()
    # Without a database nothing was ever refused, and nobody has looked: a look makes none.
    if not place.home.database.exists():
        raise StoreError("there is no journal yet", where=str(place.home.database), hint="type: synaptic up")
    root = require_root(place) if project == "." else project
    wanted = ListInbox(all=every, since=_read_span(since), project=root, agent=agent, policy=policy)
    found = carry_out(wanted)
    if as_json:
        screen.print_json(wanted.answer(found))
    elif not plain and found and may_fill_screen(place.home):
        from synaptic.cli.inbox_screen import show_inbox  # noqa: PLC0415  the daemon's client and the fleet's watch

        show_inbox(place, wanted)
    else:
        _print_groups(found, every)


@app.command()
def show(code: Code, as_json: Json = False) -> None:
    """Everything that is known about one refusal."""
    command = ShowRefusal(code=code)
    found = carry_out(command)
    if as_json:
        screen.print_json(command.answer(found))
        return
    for call in found:
        for line in describe_call(call):
            screen.say_under("  " if line.startswith("  ") else "", line.strip())
        for way in _list_ways(call):
            screen.say(way)


@app.command()
def allow(
    code: Code,
    hub: Hub = False,
    once: Annotated[bool, typer.Option("--once", help="One call; so it is without an option.")] = False,
    session: Annotated[bool, typer.Option("--session", help="Calls of the same session.")] = False,
    here: Annotated[bool, typer.Option("--here", help="In that project.")] = False,
    lasts: Annotated[str, typer.Option("--for", metavar="TIME", help="It counts for so long: 30m, 2h; else 1h.")] = "",
    because: Because = "",
    host: Host = "",
    yes: Yes = False,
    pin: Pin = False,
    as_json: Json = False,
) -> None:
    """Answer a question of another machine with a signed yes. What that counts for there, that machine says."""
    if not hub:
        raise SynapticError("questions of this machine are answered otherwise", hint=f"synaptic allow {code}")
    if once + session + here > 1:
        raise typer.BadParameter("give one of --once, --session, --here")
    from synaptic.cli.inbox_hub import Wish, answer_question  # noqa: PLC0415  the hub's client

    says = "session" if session else "here" if here else "once"
    answer_question(Wish(code, says, lasts, because, host), is_agreed=yes, wants_pin=pin, as_json=as_json)


@app.command()
def uphold(
    code: Code,
    hub: Hub = False,
    because: Because = "",
    host: Host = "",
    yes: Yes = False,
    pin: Pin = False,
    as_json: Json = False,
) -> None:
    """It was right to refuse: it leaves the inbox, and the agent's appeals to it are not filed any more."""
    if hub:
        from synaptic.cli.inbox_hub import Wish, answer_question  # noqa: PLC0415  the hub's client

        answer_question(Wish(code, "no", "", because, host), is_agreed=yes, wants_pin=pin, as_json=as_json)
        return
    command = UpholdRefusal(code=code)
    found = _carry_out_with_pin(command)
    if as_json:
        screen.print_json(command.answer(found))
    else:
        _print_upheld(found)


@app.command()
def wrong(
    code: Code,
    project: Annotated[bool, typer.Option("--project", help="Write the case to .synaptic/cases/ here.")] = False,
    as_json: Json = False,
) -> None:
    """It was wrong to refuse: the call becomes a case, without secrets, that `synaptic self-test` asks about."""
    command = MarkWrong(code=code, project=project)
    found = carry_out(command)
    if as_json:
        screen.print_json(command.answer(found))
    else:
        _print_marked(found)


def _print_upheld(found: UpheldRefusal) -> None:
    screen.say(f"{found.call.code} is upheld")
    for name in found.taken_back:
        screen.say(f"taken back: the exception {name}, which let this call through")
    for name in found.patterns:
        screen.warn(
            f"exception {name} is for more calls than this one and still covers it (synaptic grants show {name})"
        )


def _carry_out_with_pin(command: UpholdRefusal) -> UpheldRefusal:
    """Where it cannot be seen who types, once more with the PIN."""
    try:
        return carry_out(command)
    except LayerError as error:
        if error.code != PIN_NEEDED:
            raise
        screen.note(error.message)
    from synaptic.cli.by_daemon import type_pin  # noqa: PLC0415  the daemon's client, for those who need it

    return carry_out(msgspec.structs.replace(command, pin=type_pin("PIN")))


def _print_marked(found: MarkedWrong) -> None:
    for file in found.files:
        screen.say(f"written to {file}")
    if found.files:
        screen.say("`synaptic self-test` says from now on whether it is still judged so.")
    for name in found.unclear:
        screen.warn(f"{name} judged by more than the call, and does not stop the case as it is: add `facts` to it")
    for name in found.without:
        screen.say(f"{clean_line(name)} has no cases of its own here: only built-in policies have.")
    for way in _list_ways(found.call)[:1]:
        screen.say(way)


def _list_ways(call: RefusedCall) -> Sequence[str]:
    """What to type next about a refusal."""
    if not is_grantable(call):
        return (f"No exception can be made to {', '.join(call.policies)}.",)
    allow = f"To let exactly this call pass here: synaptic allow {call.code} --here"
    return (allow, f"It was right: synaptic inbox uphold {call.code}; wrong: synaptic inbox wrong {call.code}")


def _print_groups(found: Sequence[InboxGroup], every: bool) -> None:
    if not found:
        screen.say("Nothing was refused." if every else "Nothing waits for an answer.")
        return
    for group in found:
        screen.say(describe_group(group))
        shown = group.calls if every else group.calls[:MOST_SHOWN]
        for call in shown:
            for line in _iter_lines(call):
                print(line)
        if len(group.calls) > len(shown):
            others = " ".join(call.code for call in group.calls[len(shown) : len(shown) + 12])
            screen.say(f"  {len(group.calls) - len(shown)} more: {others}")
    screen.say()
    screen.say("Answer: synaptic allow CODE, synaptic inbox uphold CODE, synaptic inbox wrong CODE")
    screen.say("More about one: synaptic inbox show CODE")


def _iter_lines(call: RefusedCall) -> Iterator[str]:
    answer = f" [{call.answer}]" if not is_open(call) else ""
    yield _fit_line(f"  {call.code}{answer} {clean_line(join_lines(call.subject.shown) or call.subject.tool)}")
    yield _fit_line(f"       {describe_origin(call)}")
    if call.said:
        yield _fit_line(f"       it says: {clean_line(call.said)}")
    if call.appeal:
        yield _fit_line(f"       it appeals: {clean_line(call.appeal)}")


def _fit_line(line: str) -> str:
    """A clean line on one line of a terminal; whole where a program reads it."""
    return cut_cells(line, screen.find_width()) if screen.is_terminal() else line


def _read_span(text: str) -> float:
    """The moment that a span ago was; 0 without one."""
    found = SPAN.fullmatch(text.strip())
    if text and not found:
        raise typer.BadParameter("write a number and m, h, d or w, such as 8h", param_hint="--since")
    return time.time() - int(found[1]) * SECONDS[found[2]] if found else 0.0
