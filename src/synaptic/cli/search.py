"""`synaptic search`: packages by words in their name, description and tags."""

from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.place import here
from synaptic.cli.sites import Channel, Registry, channel_here, opened_source
from synaptic.cli.verbs import Json, shown, verb

app = verb()


@app.command(epilog=shown("synaptic search guard bash\nsynaptic search --channel develop"))
def search(
    words: Annotated[list[str] | None, typer.Argument(help="Words; all of them must be there.")] = None,
    channel: Channel = "",
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """List the packages of a channel that have every word; without words all."""
    place = here()
    on = channel_here(place, channel)
    with opened_source(registry, place) as source:
        found = source.search(" ".join(words or ()), on)
    if as_json:
        screen.document({"ok": True, "channel": on, "packages": found})
    elif not found:
        screen.say(f"nothing found on channel {on}")
    else:
        rows = ((one.name, one.version, one.description, one.tags) for one in found)
        screen.table(("PACKAGE", "VERSION", "DESCRIPTION", "TAGS"), rows)
