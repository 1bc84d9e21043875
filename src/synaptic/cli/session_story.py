"""What one session of an agent did, printed turn by turn."""

import os
import re
import sys

from synaptic.cli import screen, typer
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.sessions import format_time
from synaptic.model.decision import Kind
from synaptic.model.errors import LayerError
from synaptic.store.agent_sessions import (
    AgentSession,
    EffortWindow,
    find_agent_sessions,
    list_windows,
    read_agent_session,
)
from synaptic.store.db import Store
from synaptic.work.event_words import drop_handle, shorten_path
from synaptic.work.session_story import MOST_TURNS, Turn, TurnRange, TurnStep, count_turns, tell_turns

TURNS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
PROMPT_LETTERS = 2000
"""Of a prompt that is shown; `--json` has all of it."""


def show_session(which: str, turns: str, as_json: bool) -> None:
    """Tell what the session did whose id begins so. Raises LayerError where there is none, or more than one."""
    with open_journal(find_place().home) as store:
        found = read_agent_session(store, _find_id(store, which))
        count = count_turns(store, found.id)
        told = tell_turns(store, found.id, read_turns(turns, count))
        windows = list_windows(store, found.id)
    if as_json:
        screen.print_json({"session": found, "windows": windows, "turnCount": count, "turns": told})
        return
    _print_head(found, windows)
    for turn in told:
        _print_turn(turn, found.root)
    if told and (told[0].number > 1 or told[-1].number < count):
        screen.note(f"turns {told[0].number} to {told[-1].number} of {count}; others with --turns 1-{min(count, 20)}")


def print_session_page(which: str) -> None:
    """Print the session whose id begins so as one page. Raises LayerError where there is none, or more than one."""
    from synaptic.web.saved import render_saved_session  # noqa: PLC0415 - templates are loaded for this alone

    with open_journal(find_place().home) as store:
        sys.stdout.write(render_saved_session(store, _find_id(store, which), os.environ))


def read_turns(text: str, count: int) -> TurnRange:
    """Read which turns are wanted: `3-5`, or `10` for the last ten. Raises BadParameter."""
    found = TURNS.fullmatch(text.strip())
    if found is None:
        raise typer.BadParameter(f"--turns {text}: write 10 for the last ten, or 3-5")
    first, last = int(found[1]), found[2]
    if last is None:
        begins = count - first + 1
        return TurnRange(begins if begins > 1 else 0, count)
    return TurnRange(first, min(int(last), first + MOST_TURNS))


def _find_id(store: Store, which: str) -> str:
    found = find_agent_sessions(store, which)
    if not found:
        hint = "type: synaptic sessions, or for windows of efforts: synaptic session list"
        raise LayerError("NOT_FOUND", f"no session's id begins with {screen.clean_text(which)}", hint=hint)
    if len(found) > 1:
        several = ", ".join(screen.clean_text(one) for one in found)
        raise LayerError("AMBIGUOUS", f"several sessions begin with {screen.clean_text(which)}", hint=several)
    return found[0]


def _print_head(one: AgentSession, windows: tuple[EffortWindow, ...]) -> None:
    context = "" if one.context is None else f", context {one.context:.0%} full"
    screen.say(f"Session {one.id} of {one.agent} in {one.root or 'no project'}{context}")
    prompts, calls = (
        f"{count} {what}{'' if count == 1 else 's'}" for count, what in ((one.prompts, "prompt"), (one.calls, "call"))
    )
    counts = f"{prompts}, {calls}, {one.denied} denied, {one.asked} asked about"
    screen.say(f"{format_time(one.began)} to {format_time(one.last)}: {counts}, {one.rewritten} rewritten")
    for window in windows:
        left = ", which left a hand-over" if window.left_something else ""
        screen.say(
            f"It is window {window.number} of effort {window.effort}{left}: synaptic session show {window.number}"
        )


def _print_turn(turn: Turn, root: str) -> None:
    if turn.number:
        screen.say(f"\nTurn {turn.number}, {format_time(turn.at)}")
        prompt = turn.prompt if len(turn.prompt) <= PROMPT_LETTERS else f"{turn.prompt[:PROMPT_LETTERS]}…"
        for line in prompt.splitlines() or ["(its text was not kept)"]:
            screen.say_under("  > ", line)
    else:
        screen.say("\nBefore the first prompt")
    for step in turn.steps:
        _print_step(step, root)


def _print_step(step: TurnStep, root: str) -> None:
    start = f"  {step.id:>6} "
    about = " ".join(
        part for part in (step.tool or step.event, shorten_path(" ".join(step.subject.split()), root)) if part
    )
    whose = f"[{step.subagent[:8]}] " if step.subagent else ""
    what = "" if step.what == "call" else f"{step.what}: "
    room = len(start)
    screen.say_exactly(screen.cut_line(f"{start}{whose}{what}{about}", 0))
    if step.became:
        screen.say_exactly(screen.cut_line(f"{' ' * room}became {' '.join(step.became.split())}", 0))
    if step.kind not in (Kind.NONE, Kind.ALLOW) or step.failed:
        by = f" by {step.by}" if step.by else ""
        told = drop_handle(step.reason)
        why = f": {told}" if told else ""
        failed = " (a hook failed)" if step.failed else ""
        screen.say_under(" " * room, f"{step.kind}{by}{failed}{why}")
