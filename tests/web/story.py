"""A session as an agent has it, played through a real engine, and long ones that are written as records."""

import json
from collections.abc import Iterable

from synaptic.engine.walk import Engine
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store.db import Store
from synaptic.store.journal import append_records
from synaptic.store.record import EventRecord
from tests.daemon.setting import Setting

SESSION = "story-7f3a91c2"
PRESETS = 'presets = ["essentials", "sane"]\ntrust = "all"\n'
DENIED = {"command": "git reset --hard HEAD~3", "description": "go back"}
REWRITTEN = {"command": "git push --force origin feature/retries"}


def play_story(setting: Setting, session: str = SESSION, rounds: int = 1) -> None:
    """Prompts, calls, edits, a refusal, a rewrite and a sub-agent."""
    setting.config('presets = ["essentials"]\ntrust = "all"\n')

    async def play(engine: Engine) -> None:
        for number in range(rounds):
            for event, fields in list_events(session, f"{session}-{number}"):
                await engine.answer(setting.request(event, **fields))

    import asyncio

    asyncio.run(setting._with_engine(play))


def list_events(session: str, call: str) -> Iterable[tuple[str, dict[str, object]]]:
    """What happens in one turn."""

    def tool(name: str, given: dict[str, object], number: int, **more: object) -> dict[str, object]:
        more = {**more, "tool_name": name, "tool_input": given, "tool_use_id": f"{call}-{number}"}
        return {"session_id": session, **more}

    helper = {"agent_id": f"helper-{call[-4:]}", "agent_type": "Explore"}
    ls, edit = (
        {"command": "ls -la src"},
        {"file_path": "retry.py", "old_string": "tries = 3\n", "new_string": "tries = 5\n"},
    )
    yield (
        "UserPromptSubmit",
        {"session_id": session, "prompt": f"Make the client retry, please ({call}).\nKeep it short."},
    )
    yield "PreToolUse", tool("Bash", ls, 1)
    yield "PostToolUse", tool("Bash", ls, 1, tool_response={"stdout": "retry.py"})
    yield "PreToolUse", tool("Edit", edit, 2)
    yield "SubagentStart", {"session_id": session, **helper}
    yield "PreToolUse", tool("Grep", {"pattern": "sleep"}, 3, **helper)
    yield "PreToolUse", tool("Bash", {"command": "grep -rn timeout src | head"}, 4, **helper)
    yield "SubagentStop", {"session_id": session, **helper}
    yield "PreToolUse", tool("Bash", DENIED, 5)
    yield "PreToolUse", tool("Bash", REWRITTEN, 6)
    yield "PostToolUse", tool("Bash", {"command": "git push --force-with-lease origin feature/retries"}, 6)


def write_long_session(setting: Setting, session: str, count: int) -> None:
    """So many events: every hundredth a prompt, every fiftieth a denial."""
    store = Store.open(setting.home)
    try:
        append_records(store, (make_record(setting, session, number) for number in range(count)))
    finally:
        store.close()


def make_record(
    setting: Setting, session: str, number: int, command: str = "", prompt: str = "", reason: str = ""
) -> EventRecord:
    """One event as the engine writes it."""
    is_prompt = number % 100 == 0
    is_denied = number % 50 == 7
    event = "UserPromptSubmit" if is_prompt else "PreToolUse"
    payload = (
        {"prompt": prompt or f"Turn {number // 100}"}
        if is_prompt
        else {
            "tool_name": "Bash",
            "tool_input": {"command": command or f"make test-{number}"},
            "tool_use_id": f"u{number}",
        }
    )
    kind = Kind.DENY if is_denied else Kind.NONE
    trace = (TraceStep(hook="git.reset-hard", kind=kind, priority=20, reason=reason, micros=120),) if is_denied else ()
    by, said = ("git.reset-hard", reason or "no") if is_denied else ("", "")
    return EventRecord(
        call=f"{session}-{number}", at=1_700_000_000.0 + number, agent="claude", event=event, session=session,
        agent_id=f"helper{number // 400}" if number % 9 == 0 else "", tool="" if is_prompt else "Bash",
        root=str(setting.project), payload=json.dumps(payload).encode(),
        decision=Decision(kind=kind, by=by, reason=said, trace=trace), micros=400,
    )  # fmt: skip
