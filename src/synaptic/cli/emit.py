"""`synaptic emit`: one event of an orchestrator through its hooks, the merged result as JSON."""

import sys
from typing import Annotated, Any

import msgspec

from synaptic.agents.shared.lineage import require_person
from synaptic.cli import completion, screen, typer
from synaptic.cli.hints import suggest_name
from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.daemon.emit import SPEAK_AS_USER, Emission, complete_context, emit_through
from synaptic.model.context import describe_fault
from synaptic.model.errors import SynapticError
from synaptic.model.event import EVENTS
from synaptic.policies.self.verbs import SPEAKING_EVENTS

app = make_verb_app()
BLOCKED_EXIT = 2

EXAMPLES = """
echo '{"user_message": "run the billing tests"}' | synaptic emit UserPromptSubmit
echo '{"ability_id": "billing_regression"}' | synaptic emit PreAbilityCall || echo blocked
git diff --name-only | jq -R . | jq -s '{changed_files: .}' | synaptic emit SessionStop
"""


@app.command(epilog=format_examples(EXAMPLES))
def emit_event(
    event: Annotated[
        str,
        typer.Argument(
            help="UserPromptSubmit, PreAbilityCall, PostAbilityCall, SessionStop, ...",
            autocompletion=completion.complete_events,
        ),
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a context with a wrong or missing field.")] = False,
    blocking_only: Annotated[bool, typer.Option("--blocking-only", help="Ask only the hooks that block.")] = False,
) -> None:
    """Read a context as JSON from stdin, run every hook that is registered for the event, print what they said.

    Session, time and repository are filled in when they are missing. Exit code 2: the act must not happen, and `error`
    says why.
    """
    if event not in EVENTS:
        raise SynapticError(f"there is no event `{event}`", hint=suggest_name(event, EVENTS, "synaptic emit --help"))
    place = find_place()
    if event in SPEAKING_EVENTS:
        require_person(place.home, SPEAK_AS_USER)
    context = complete_context(event, read_context(sys.stdin.buffer.read()), place.root)
    if strict and (broken := describe_fault(event, context)):
        raise SynapticError(f"the context is wrong: {broken}", where="stdin")
    emitted = emit_through(place.home, Emission(event=event, context=context, blocking_only=blocking_only))
    for warning in emitted.warnings:
        screen.warn(warning)
    screen.print_json_line(emitted.result)
    if emitted.blocked:
        raise typer.Exit(BLOCKED_EXIT)


def read_context(text: bytes) -> dict[str, Any]:
    """One JSON object; nothing is an empty one."""
    if not text.strip():
        return {}
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SynapticError(f"the context is no JSON object: {error}", where="stdin") from None
