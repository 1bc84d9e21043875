"""`synaptic effort`: one run of a skill, from its start to its end, over as many context windows as it takes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from synaptic.cli import completion, screen, suggestions, typer
from synaptic.cli.caller import format_moment, read_standard_input
from synaptic.cli.carry_out import carry_out
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.cli.waiting import run_to_end
from synaptic.model.dehydration import LIMIT
from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort, Session
from synaptic.store.efforts import PhaseRecord
from synaptic.work.beginnings import BegunEffort, ResumeEffort, StartEffort, begun_to_view, describe_begun
from synaptic.work.efforts import ENTRY_LIMIT, FinishEffort, ListEfforts, MoveToPhase, ShowEffort, WriteLog
from synaptic.work.phases import find_next_phase
from synaptic.work.views import effort_to_view

app = make_verb_app(
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
EffortNumber = Annotated[
    int | None,
    typer.Option("--effort", metavar="ID", help="Another one.", autocompletion=completion.complete_effort_ids),
]
Keywords = Annotated[list[str] | None, typer.Option("--keyword", metavar="WORD", help="For the task; may be repeated.")]
TaskName = Annotated[
    str,
    typer.Argument(
        metavar="TASK", help="A name, or a folder in the project.", autocompletion=completion.complete_task_names
    ),
]
SkillName = Annotated[
    str,
    typer.Option(
        "--skill", metavar="NAME", help="The skill that runs.", autocompletion=completion.complete_skill_names
    ),
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
    words = _to_words(keyword)
    command = StartEffort(task=task, skill=skill, mode=mode, title=title, keywords=words, block_after=block_after)
    _print_begun(carry_out(command), as_json)
    _mention_preset(as_json)


@app.command()
def phase(
    label: Annotated[
        str, typer.Argument(metavar="LABEL", help='Such as "1: Build".', autocompletion=completion.complete_phases)
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why a phase is left out or taken again.")] = "",
    proof: Annotated[str, typer.Option(metavar="JSON", help="What shows that the last phase is done.")] = "",
    effort: EffortNumber = None,
    as_json: Json = False,
) -> None:
    """Go to another phase. The next one is free; leaving one out or going back needs a reason."""
    shown = _parse_json(proof, "--proof") if proof else None
    command = MoveToPhase(phase=label, reason=reason, proof=shown, effort_id=effort)
    move = carry_out(command)
    if as_json:
        screen.print_json({"ok": True, **command.answer(move)})
        return
    ahead = find_next_phase(move.effort.phases, move.effort.phase)
    screen.say(f"Effort {move.effort.id}: phase {move.effort.phase}{f', next {ahead!r}' if ahead else ''}")


@app.command()
def log(
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="What was done; else it is read from stdin.")] = "",
    file: Annotated[
        str,
        typer.Option(
            "--file", metavar="PATH", help="Take the text from a file.", autocompletion=suggestions.complete_files
        ),
    ] = "",
    effort: EffortNumber = None,
    as_json: Json = False,
) -> None:
    """Write down what was done. The time goes behind the first `## `; the tool calls are counted from zero again."""
    command = WriteLog(text=text or _read_text(file), effort_id=effort)
    entry = carry_out(command)
    if as_json:
        screen.print_json({"ok": True, **command.answer(entry)})
    else:
        screen.say(f"logged: {entry.path}")


@app.command()
def finish(keyword: Keywords = None, effort: EffortNumber = None, as_json: Json = False) -> None:
    """End the effort for good. Its task stays, and its files."""
    after = carry_out(FinishEffort(keywords=_to_words(keyword), effort_id=effort))
    if as_json:
        screen.print_json({"ok": True, **effort_to_view(after)})
        return
    screen.say(f"Effort {after.id} finished: {after.skill} of {after.task}")
    if not Path(after.artifact_path()).is_file():
        screen.say(f"A debrief that later efforts are shown would be {after.artifact_path()}")


@app.command()
def resume(
    task: Annotated[
        str,
        typer.Option(metavar="DIR", help="The task's name or folder.", autocompletion=completion.complete_task_names),
    ] = "",
    agent: Annotated[
        str, typer.Option(metavar="ID", help="Whoever worked on it.", autocompletion=completion.complete_agent_ids)
    ] = "",
    as_json: Json = False,
) -> None:
    """Go on with an active effort in a new context window, and read what the last one left."""
    if task and agent:
        raise typer.BadParameter("give --task or --agent, not both")
    command = ResumeEffort(dir_path=task, agent_id=agent, current=not task and not agent)
    _print_begun(carry_out(command), as_json)


@app.command()
def dehydrate(as_json: Json = False) -> None:
    """Hand over to the next context window, and end this one. JSON on stdin, at most 1 MiB:

    summary, lastAction, nextSteps (required), handoverInstructions, userHistory, requiredFiles (at most 8).
    """
    from synaptic.work.handover import Dehydrate  # noqa: PLC0415  all policies: nothing that every log should wait for

    command = Dehydrate(payload=read_standard_input(LIMIT))
    ended = carry_out(command)
    for warning in ended.warnings:
        screen.warn(warning)
    if as_json:
        screen.print_json({"ok": True, **command.answer(ended)})
        return
    screen.say(f"Session {ended.session.id} of effort {ended.session.effort} has ended; its hand-over is kept.")
    screen.say("The next window of this effort is told. Nothing is left to do in this one.")


@app.command()
def show(
    number: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="Another one.", autocompletion=completion.complete_effort_ids)
    ] = None,
    as_json: Json = False,
) -> None:
    """An effort with its phases, its windows and its files."""
    command = ShowEffort(effort_id=number)
    found = carry_out(command)
    if as_json:
        screen.print_json(command.answer(found))
        return
    files = (f"- {path}" for path in found.artifacts)
    for line in (
        *_describe_effort(found.effort),
        *_describe_history(found.history),
        f"Sessions: {_describe_sessions(found.sessions)}",
        *files,
    ):
        screen.say(line)


@app.command("list")
def list_efforts(
    every: Annotated[bool, typer.Option("--all", help="Also the finished ones.")] = False, as_json: Json = False
) -> None:
    """The efforts of this project, the newest first."""
    command = ListEfforts(all=every)
    found = carry_out(command)
    if as_json:
        screen.print_json({"efforts": command.answer(found)})
        return
    if not found:
        screen.say("no effort is active here" if not every else "there are no efforts here")
        return
    rows = (
        (str(one.id), one.skill, one.phase, _name_state(one), format_moment(one.created_at), one.task) for one in found
    )
    screen.print_table(("ID", "SKILL", "PHASE", "STATE", "SINCE", "TASK"), rows)


def _print_begun(begun: BegunEffort, as_json: bool) -> None:
    if as_json:
        screen.print_json({"ok": True, **begun_to_view(begun)})
    else:
        screen.say(describe_begun(begun))


def _mention_preset(as_json: bool) -> None:
    """Without the policies nothing counts tool calls and nobody is told anything."""
    from synaptic.cli.registered import load_hook_catalog  # noqa: PLC0415  the registry: only a start looks at it

    presets = load_hook_catalog(find_place()).config.presets
    # `strict` brings every policy, those of `fleet` too.
    if not {"fleet", "strict"}.isdisjoint(presets):
        return
    wanted = msgspec.json.encode([*presets, "fleet"]).decode()
    say = screen.warn if as_json else screen.say
    say(
        "Heartbeat, context line and hand-over are off: they belong to the preset `fleet`. A person types:\n"
        f"  synaptic config set presets '{wanted}'"
    )


def _describe_effort(effort: Effort) -> Iterator[str]:
    mode = f", mode {effort.mode}" if effort.mode else ""
    yield f"Effort {effort.id}: {effort.skill}{mode}, {_name_state(effort)}, number {effort.ordinal} of {effort.task}"
    yield f"Phase: {effort.phase or 'none'}"
    if effort.phases:
        yield f"Phases: {'; '.join(effort.phases)}"
    yield f"Log: {effort.artifact_path('log')}"


def _describe_history(history: Iterable[PhaseRecord]) -> Iterator[str]:
    for step in history:
        reason = f" ({step.reason})" if step.reason else ""
        yield f"  {format_moment(step.at)}  {step.phase}{reason}"


def _describe_sessions(sessions: Iterable[Session]) -> str:
    ends = (
        f"{one.id} {'open' if one.ended_at is None else f'ended {format_moment(one.ended_at)}'}" for one in sessions
    )
    return ", ".join(ends) or "none"


def _name_state(effort: Effort) -> str:
    return "finished" if effort.finished else "active"


def _read_text(file: str) -> str:
    if not file:
        return read_standard_input(ENTRY_LIMIT).decode("utf-8", "replace")
    from synaptic.work.handover import explain_refused_file  # noqa: PLC0415  all policies: only a file asks them

    place, path = find_place(), Path(file).expanduser().absolute()
    # The log is read by agents: a file that policies keep from them must not reach them through it.
    if said := run_to_end(explain_refused_file(place.home, place.root or place.cwd, str(path))):
        raise LayerError("VALIDATION_ERROR", f"the file is kept from agents ({said})", where=str(path))
    with path.open("rb") as opened_file:
        # One byte more than allowed, so that too much is refused and not cut off.
        return opened_file.read(ENTRY_LIMIT + 1).decode("utf-8", "replace")


def _to_words(given: list[str] | None) -> tuple[str, ...] | None:
    return tuple(given) if given else None


def _parse_json(text: str, option: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise LayerError("PARSE_ERROR", f"`{option}` is no JSON: {error}", hint="quote it: '{\"key\": 1}'") from None
