"""`synaptic mcp`: tools for agents on stdin and stdout, which read and file and grant nothing."""

import sys

from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.errors import SynapticError

app = make_verb_app()

EXAMPLES = """
claude mcp add synaptic -- synaptic mcp     four tools: check, explain, appeal, inbox_status
"""


@app.command(epilog=format_examples(EXAMPLES))
def mcp() -> None:
    """Serve an agent over MCP until it closes stdin. It is about the project around the folder that it starts in.

    The tools tell what the hooks say, why an event was decided so, and what a person has answered; and they file an
    appeal. None of them allows anything.
    """
    if sys.stdin.isatty():
        raise SynapticError("an agent starts this and talks to it", hint="claude mcp add synaptic -- synaptic mcp")
    place = find_place()
    try:
        from synaptic.integrations.mcp_server import serve  # noqa: PLC0415  an extra, and large
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise SynapticError(
            "the MCP SDK is not installed, or too old", hint="pip install 'synaptic-hooks[mcp]'"
        ) from None
    serve(place.home, place.cwd)
