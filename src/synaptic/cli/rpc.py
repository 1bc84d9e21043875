"""`synaptic rpc`: one call on the daemon's socket, the answer as JSON."""

from typing import Annotated, Any

import msgspec

from synaptic.agents.shared.lineage import require_person
from synaptic.cli import screen, typer
from synaptic.cli.by_daemon import call_started, read_refusal
from synaptic.cli.daemon import warn_of_other_code
from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.daemon.client import RpcError
from synaptic.daemon.emit import SPEAK_AS_USER
from synaptic.model.errors import SynapticError
from synaptic.policies.self.verbs import SPEAKING_EVENTS
from synaptic.work.command import find_commands

app = make_verb_app()
EMIT_METHOD = "ability.emit"

EXAMPLES = """
synaptic rpc rpc.methods
synaptic rpc journal.last '{"n": 2}'
"""


@app.command("rpc", epilog=format_examples(EXAMPLES))
def call(
    method: Annotated[str, typer.Argument(help="The method; `rpc.methods` lists them.")],
    params: Annotated[str, typer.Argument(metavar="[JSON]", help="Its arguments, one object.")] = "{}",
    as_json: Annotated[bool, typer.Option("--json", help="Errors as JSON too; the answer always is.")] = False,
) -> None:
    """Ask the daemon and print its answer as JSON."""
    try:
        given = msgspec.json.decode(params, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise SynapticError(f"the arguments are no JSON object: {error}", hint="quote them: '{\"n\": 1}'") from None
    # The daemon looks again, at the process: here the refusal comes without it, and with its exit code.
    if (command := find_commands().get(method)) and command.people_only:
        require_person(find_place().home, command.people_only)
    if method == EMIT_METHOD and given.get("event") in SPEAKING_EVENTS:
        require_person(find_place().home, SPEAK_AS_USER)
    try:
        screen.print_document(call_started(find_place().home, method, given))
        warn_of_other_code(find_place().home)
    except RpcError as error:
        raise read_refusal(error) from error
