"""`synaptic effort`: one run of a skill, from its start to its end, over as many context windows as it takes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from synaptic.cli import completion, screen
from synaptic.cli.caller import caller, moment, standard_input
from synaptic.cli.place import Here, here, opened, required_root
from synaptic.cli.state import durable
from synaptic.cli.verbs import verb
from synaptic.model.dehydration import LIMIT
from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort, Session
from synaptic.store import efforts as stored
from synaptic.store import layers, windows
from synaptic.store.db import Store
from synaptic.store.layers import Place
from synaptic.work import artifacts, efforts
from synaptic.work.effort_text import begun_text
from synaptic.work.efforts import ENTRY_LIMIT, Ask, Begun, Caller
from synaptic.work.layer_views import View, begun_view, effort_view, passed_view, session_view
from synaptic.work.phases import Asked, expected

app = verb(
    "Work on an effort: one run of a skill on a task. It survives context windows; its log and files stay in the task.",
    """
    synaptic effort start login-page --skill implement --title "A login page"
    synaptic effort phase "1: Build"
    synaptic effort log "## Form done"            or longer text on stdin: synaptic effort log <<'EOF'
    synaptic effort dehydrate < handover.json     {"summary": "...", "lastAction": "...", "nextSteps": ["..."]}
    synaptic effort resume --task .tasks/login-page
    synaptic effort finish --keyword login
    """,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Number = Annotated[
    int | None, typer.Option("--effort", metavar="ID", help="Another one.", autocompletion=completion.effort_ids)
]
Keywords = Annotated[list[str] | None, typer.Option("--keyword", metavar="WORD", help="For the task; may be repeated.")]
TaskName = Annotated[
    str,
    typer.Argument(metavar="TASK", help="A name, or a folder in the project.", autocompletion=completion.task_names),
]
SkillName = Annotated[
    str, typer.Option("--skill", metavar="NAME", help="The skill that runs.", autocompletion=completion.skill_names)
]


@app.command()
def start(
    task: TaskName,
    skill: SkillName,
    mode: Annotated[str, typer.Option(metavar="MODE", help="One of the skill's modes.")] = "",
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="What the task is about.")] = None,
    keyword: Keywords = None,
    block_after: Annotated[
        int | None, typer.Option(metavar="N", help="The tool call that is stopped without a log entry; 10 otherwise.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Begin an effort in `.tasks/TASK`. The same skill on the same task goes on where it was."""
    ask = Ask(
        task=task, skill=skill, mode=mode, title=title, keywords=_words(keyword), block_after=block_after
    )  # fmt: skip
    with _at_work() as (store, who, place):
        required_root(place)
        begun = efforts.start(durable(store), who, ask)
    _show_begun(begun, as_json)
    _mention_preset(place, as_json)


@app.command()
def phase(
    label: Annotated[
        str, typer.Argument(metavar="LABEL", help='Such as "1: Build".', autocompletion=completion.phases)
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why a phase is left out or taken again.")] = "",
    proof: Annotated[str, typer.Option(metavar="JSON", help="What shows that the last phase is done.")] = "",
    effort: Number = None,
    as_json: Json = False,
) -> None:
    """Go to another phase. The next one is free; leaving one out or going back needs a reason."""
    shown = _json(proof, "--proof") if proof else None
    with _at_work() as (store, who, _):
        before = efforts.current(store, who, effort)
        after = efforts.phase(durable(store), before, Asked(label, reason), shown)
    if as_json:
        screen.document({"ok": True, **effort_view(after), "previousPhase": before.phase or None})
        return
    ahead = expected(efforts.declared(after), after.phase)
    screen.say(f"Effort {after.id}: phase {after.phase}{f', next {ahead!r}' if ahead else ''}")


@app.command()
def log(
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="What was done; else it is read from stdin.")] = "",
    file: Annotated[str, typer.Option("--file", metavar="PATH", help="Take the text from a file.")] = "",
    effort: Number = None,
    as_json: Json = False,
) -> None:
    """Write down what was done. The time goes behind the first `## `; the tool calls are counted from zero again."""
    entry = text or _text_of(file)
    with _at_work() as (store, who, _):
        written = efforts.log(durable(store), who, efforts.current(store, who, effort), entry)
    if as_json:
        screen.document({"ok": True, "effortId": written.effort.id, "logPath": written.path})
    else:
        screen.say(f"logged: {written.path}")


@app.command()
def finish(keyword: Keywords = None, effort: Number = None, as_json: Json = False) -> None:
    """End the effort for good. Its task stays, and its files."""
    with _at_work() as (store, who, _):
        found = efforts.current(store, who, effort)
        after = stored.finish(durable(store), found.id, _words(keyword), time.time())
    if as_json:
        screen.document({"ok": True, **effort_view(after)})
        return
    screen.say(f"Effort {after.id} finished: {after.skill} of {after.task}")
    if not Path(after.artifact()).is_file():
        screen.say(f"A debrief that later efforts are shown would be {after.artifact()}")


@app.command()
def resume(
    task: Annotated[str, typer.Option(metavar="DIR", help="The task's name or folder.")] = "",
    agent: Annotated[
        str, typer.Option(metavar="ID", help="Whoever worked on it.", autocompletion=completion.agent_ids)
    ] = "",
    as_json: Json = False,
) -> None:
    """Go on with an active effort in a new context window, and read what the last one left."""
    if task and agent:
        raise typer.BadParameter("give --task or --agent, not both")
    with _at_work() as (store, who, _):
        found = _resumed(store, who, task, agent)
        name = who.who.agent or agent
        owner = msgspec.structs.replace(who, who=msgspec.structs.replace(who.who, agent=name))
        begun = efforts.resume(durable(store), owner, found.id)
    _show_begun(begun, as_json)


@app.command()
def dehydrate(as_json: Json = False) -> None:
    """Hand over to the next context window, and end this one. JSON on stdin, at most 1 MiB:

    summary, lastAction, nextSteps (required), handoverInstructions, userHistory, requiredFiles (at most 8).
    """
    import asyncio  # noqa: PLC0415  only this and a file have something to wait for

    raw = standard_input(LIMIT)
    with _at_work() as (store, who, _):
        left = asyncio.run(efforts.dehydrate(durable(store), who, raw))
    for warning in left.warnings:
        screen.warn(warning)
    if as_json:
        screen.document({"ok": True, **session_view(left.session), "warnings": left.warnings})
        return
    screen.say(f"Session {left.session.id} of effort {left.effort.id} has ended; its hand-over is kept.")
    screen.say("The next window of this effort is told. Nothing is left to do in this one.")


@app.command()
def show(
    number: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="Another one.", autocompletion=completion.effort_ids)
    ] = None,
    as_json: Json = False,
) -> None:
    """An effort with its phases, its windows and its files."""
    with _at_work() as (store, who, _):
        found = efforts.current(store, who, number)
        history = passed_view(stored.history(store, found.id))
        sessions = windows.of_efforts(store, (found.id,))
    files = artifacts.documents(found.task)
    if as_json:
        listed = [session_view(one) for one in sessions]
        screen.document({**effort_view(found), "history": history, "sessions": listed, "artifacts": files})
        return
    for line in (*_lines(found), *_steps(history), f"Sessions: {_ends(sessions)}", *(f"- {path}" for path in files)):
        screen.say(line)


@app.command("list")
def list_efforts(
    every: Annotated[bool, typer.Option("--all", help="Also the finished ones.")] = False, as_json: Json = False
) -> None:
    """The efforts of this project, the newest first."""
    with _at_work() as (store, _, place):
        project = layers.resolve(store, Place(place.root or place.cwd)).project
        found = [] if project is None else stored.listing(store, project, every=every)
    if as_json:
        screen.document({"efforts": [effort_view(one) for one in found]})
        return
    if not found:
        screen.say("no effort is active here" if not every else "there are no efforts here")
        return
    rows = ((str(one.id), one.skill, one.phase, _state(one), moment(one.created_at), one.task) for one in found)
    screen.table(("ID", "SKILL", "PHASE", "STATE", "SINCE", "TASK"), rows)


@contextmanager
def _at_work() -> Iterator[tuple[Store, Caller, Here]]:
    place = here()
    with opened(place.home) as store:
        yield store, caller(place), place


def _resumed(store: Store, who: Caller, task: str, agent: str) -> Effort:
    if task:
        return efforts.of_task(store, artifacts.folder_of(who.root, who.cwd, task))
    return efforts.of_agent(store, agent) if agent else efforts.current(store, who)


def _show_begun(begun: Begun, as_json: bool) -> None:
    if as_json:
        screen.document({"ok": True, **begun_view(begun)})
    else:
        screen.say(begun_text(begun))


def _mention_preset(place: Here, as_json: bool) -> None:
    """Without the policies nothing counts tool calls and nobody is told anything."""
    from synaptic.cli.registered import catalog_of  # noqa: PLC0415  the registry: only a start looks at it

    presets = catalog_of(place).config.presets
    if not {"fleet", "strict"}.isdisjoint(presets):
        return
    wanted = msgspec.json.encode([*presets, "fleet"]).decode()
    say = screen.warn if as_json else screen.say
    say(
        "Heartbeat, context line and hand-over are off: they belong to the preset `fleet`. A person types:\n"
        f"  synaptic config set presets '{wanted}'"
    )


def _lines(effort: Effort) -> Iterator[str]:
    mode = f", mode {effort.mode}" if effort.mode else ""
    yield f"Effort {effort.id}: {effort.skill}{mode}, {_state(effort)}, number {effort.ordinal} of {effort.task}"
    yield f"Phase: {effort.phase or 'none'}"
    if phases := efforts.declared(effort):
        yield f"Phases: {'; '.join(phases)}"
    yield f"Log: {effort.artifact('log')}"


def _steps(history: list[View]) -> Iterator[str]:
    for step in history:
        reason = f" ({step['reason']})" if step["reason"] else ""
        yield f"  {moment(step['at'])}  {step['phase']}{reason}"


def _ends(sessions: list[Session]) -> str:
    ends = (f"{one.id} {'open' if one.ended_at is None else f'ended {moment(one.ended_at)}'}" for one in sessions)
    return ", ".join(ends) or "none"


def _state(effort: Effort) -> str:
    return "finished" if effort.finished else "active"


def _text_of(file: str) -> str:
    if not file:
        return standard_input(ENTRY_LIMIT).decode("utf-8", "replace")
    import asyncio  # noqa: PLC0415

    from synaptic.work import required_files  # noqa: PLC0415  all policies: only a file is a question for them

    place, path = here(), Path(file).expanduser().absolute()
    if said := asyncio.run(required_files.refusal(place.home, place.root or place.cwd, str(path))):
        raise LayerError("VALIDATION_ERROR", f"the file is kept from agents ({said})", where=str(path))
    with path.open("rb") as opened_file:
        return opened_file.read(ENTRY_LIMIT + 1).decode("utf-8", "replace")


def _words(given: list[str] | None) -> tuple[str, ...] | None:
    return tuple(given) if given else None


def _json(text: str, option: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise LayerError("PARSE_ERROR", f"`{option}` is no JSON: {error}", hint="quote it: '{\"key\": 1}'") from None
