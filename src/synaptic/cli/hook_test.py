"""One hook alone on one event: a dry run of what it would say."""

import asyncio
import os
import time

import msgspec

from synaptic.cli.hints import suggest_name
from synaptic.cli.place import CommandPlace, open_journal
from synaptic.daemon.client import new_call_id
from synaptic.daemon.emit import complete_context
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.walk import open_engine
from synaptic.hooks.catalog import HookCatalog
from synaptic.model.call import Request
from synaptic.model.errors import DeclarationError, SynapticError
from synaptic.model.event import ABILITY_EVENTS
from synaptic.model.home import Home
from synaptic.model.hook import Hook
from synaptic.store import journal

OWN_EVENTS = frozenset({"UserPromptSubmit", *(kind.__name__ for kind in ABILITY_EVENTS)})
SAMPLE_FIELDS: dict[str, dict[str, object]] = {
    "UserPromptSubmit": {"user_message": "I need to run the full billing regression tests", "stage": "understand"},
    "PreAbilityCall": {"ability_id": "billing_regression", "operation_key": "workflow.billing.regression"},
    "PostAbilityCall": {
        "ability_id": "billing_regression",
        "operation_key": "workflow.billing.regression",
        "status": "success",
        "duration_ms": 187000,
        "output_summary": "All 42 test cases passed",
    },
    "SessionStop": {"changed_files": ["services/billing/src/invoice.ts"]},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": ""}},
}


def find_hook(catalog: HookCatalog, name: str) -> Hook:
    """A hook by its id. Raises DeclarationError for one that is not registered."""
    found = {hook.id: hook for hook in catalog.hooks}
    if name not in found:
        raise DeclarationError(f"no hook `{name}` is registered here", hint=suggest_name(name, found, "synaptic list"))
    return found[name]


def make_sample_request(place: CommandPlace, hook: Hook, event: str) -> Request:
    """Make up an event as its sender would send it."""
    name = event or hook.events[0]
    fields = SAMPLE_FIELDS.get(name, {})
    if name in OWN_EVENTS:
        return _make_request("synaptic", name, complete_context(name, fields, place.root))
    whole = {"hook_event_name": name, "session_id": "synaptic-test", "cwd": place.utf8_cwd, **fields}
    return _make_request("claude", name, whole)


def make_recorded_request(place: CommandPlace, number: int) -> Request:
    """Repeat an event of the journal. Raises SynapticError when it is not there with its payload."""
    with open_journal(place.home) as store:
        entry = journal.find_entry(store, number)
    if entry is None or not entry.payload:
        raise SynapticError(f"the journal has no event {number} with its payload", hint="type: synaptic tail")
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    payload = entry.payload.encode()
    return Request(agent=entry.agent, event=entry.event, stdin=payload, id=new_call_id(), env=env)


def rehearse_hook(home: Home, hook: Hook, request: Request) -> tuple[DecidedEvent, int]:
    """What the hook says, and how many microseconds it took."""
    started = time.perf_counter_ns()
    event = asyncio.run(_rehearse_in_engine(home, hook, request))
    return event, (time.perf_counter_ns() - started) // 1000


async def _rehearse_in_engine(home: Home, hook: Hook, request: Request) -> DecidedEvent:
    engine = open_engine(home)
    try:
        return await engine.rehearse(request, hook)
    finally:
        await engine.close()


def _make_request(agent: str, event: str, context: dict[str, object]) -> Request:
    # CLAUDE_PROJECT_DIR of a session around us would count before the folder in the event.
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    return Request(agent=agent, event=event, stdin=msgspec.json.encode(context), id=new_call_id(), env=env)
