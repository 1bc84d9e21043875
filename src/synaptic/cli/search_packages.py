"""`synaptic skill search` and `synaptic search --packages`: by words in name, description and tags."""

from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.place import find_place
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.sites import find_channel, open_chosen_source
from synaptic.cli.verbs import Json


def search(
    words: Annotated[list[str] | None, typer.Argument(help="Words; all of them must be there.")] = None,
    channel: ChannelOption = "",
    registry: RegistryOption = "",
    as_json: Json = False,
) -> None:
    """List the packages of a channel that have every word; without words all."""
    place = find_place()
    on = find_channel(place, channel)
    with open_chosen_source(registry, place) as source:
        found = source.search(" ".join(words or ()), on)
    if as_json:
        screen.print_json({"ok": True, "channel": on, "packages": found})
    elif not found:
        screen.say(f"nothing found on channel {on}")
    else:
        rows = ((one.name, one.version, one.description, one.tags) for one in found)
        screen.print_table(("PACKAGE", "VERSION", "DESCRIPTION", "TAGS"), rows)
