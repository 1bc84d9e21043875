"""Options of commands that look into a registry: without what reads one, which costs a start ten milliseconds."""

from typing import Annotated

from synaptic.cli import suggestions, typer

ChannelOption = Annotated[
    str,
    typer.Option(
        help="The channel: develop, beta, main or another branch.",
        autocompletion=suggestions.complete_words(*suggestions.CHANNELS),
    ),
]
RegistryOption = Annotated[str, typer.Option(help="The registry's URL, instead of the one in use.")]
