"""`synaptic web`: what agents do, in a browser."""

import webbrowser
from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app

app = make_verb_app()
EXAMPLES = """
synaptic web             print a link; it opens once
synaptic web --open      and open it
synaptic web --port 0    on any port that is free
"""


@app.command(epilog=format_examples(EXAMPLES))
def web(
    opens: Annotated[
        bool, typer.Option("--open", help="Open the link in your browser; programs of yours can read it meanwhile.")
    ] = False,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="The port; 7433 or a free one without it.")] = None,
) -> None:
    """Show your agents in a browser: who needs you, what happens, why. On this machine only, until Ctrl-C."""
    from synaptic.web.server import serve_console  # noqa: PLC0415  a web server is imported for nothing else

    def tell(link: str) -> None:
        print(link, flush=True)  # also where a program waits for it
        screen.note("The link opens once, in your browser. Ctrl-C ends the console.")
        if opens and not webbrowser.open(link):
            screen.note("No browser could be opened.")

    def tell_guest(name: str) -> None:
        screen.note(f"Opened by {name or 'a program'}. If that is not your browser: Ctrl-C.")

    serve_console(find_place().home, port, tell, tell_guest)
