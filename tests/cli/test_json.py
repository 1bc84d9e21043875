"""`--json` is one envelope: whatever happens, one object with `ok` on stdout."""

import json
from collections.abc import Iterator

import click
import pytest

from synaptic.cli import typer
from synaptic.cli.main import app
from tests.cli.conftest import User

STREAMS = ("tail",)
"""A line an event, each an object by itself."""


def iter_commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that takes `--json`."""
    if any("--json" in one.opts for one in command.params):
        yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from iter_commands(found, (*path, name))


COMMANDS = sorted(set(iter_commands(typer.get_command(app))) - {()})


def test_most_verbs_take_it():
    assert len(COMMANDS) > 80


@pytest.mark.parametrize("path", [" ".join(path) for path in COMMANDS])
def test_every_verb_answers_one_object_also_about_a_mistake(user: User, path: str):
    """With nothing given, and with an option that nobody knows."""
    for more in ((), ("--no-such-option",)):
        shown = user.types(*path.split(), *more, "--json")
        if path in STREAMS and shown.code == 0:
            continue
        document = json.loads(shown.out)
        assert isinstance(document, dict), shown
        assert isinstance(document["ok"], bool), shown
        if more:
            assert document["ok"] is False
            assert shown.code == (64 if path == "check" else 2), shown
