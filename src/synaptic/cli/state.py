"""`synaptic state`: the sections of a project, shown and set by hand."""

from datetime import datetime
from typing import Annotated

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.person import by_a_person
from synaptic.cli.place import here, opened, required_root
from synaptic.cli.verbs import verb
from synaptic.model.errors import StoreError, SynapticError
from synaptic.store import mirror, sections
from synaptic.store.db import Store

app = verb(
    "Show and set what is remembered about this project: breaker, research, edits, loop, safemode.",
    """
    synaptic state list
    synaptic state get circuit_breaker
    synaptic state get research web --json
    synaptic state set saneloop max_iterations 30
    synaptic state reset circuit_breaker
    """,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Section = Annotated[str, typer.Argument(metavar="SECTION", help="`synaptic state list` shows them.")]


@app.command()
def get(section: Section, key: Annotated[str, typer.Argument(metavar="[KEY]")] = "", as_json: Json = False) -> None:
    """A section with every value, or one value."""
    place = here()
    root = required_root(place)
    with opened(place.home) as store:
        value = sections.get(store, root, section, key)
    if as_json:
        screen.document(value)
    elif isinstance(value, dict) and not key:
        _lines(value)
    else:
        screen.say(_text(value))


@app.command("set")
def put(
    section: Section,
    key: Annotated[str, typer.Argument(metavar="KEY")],
    value: Annotated[str, typer.Argument(metavar="JSON", help="The new value.")],
    as_json: Json = False,
) -> None:
    """Write one value. Only for people: an agent is refused."""
    by_a_person("change the state")  # what hides it is a policy's matter (`sane.engine-commands`)
    try:
        given: object = msgspec.json.decode(value)
    except msgspec.DecodeError as error:
        raise SynapticError(
            f"`{value}` is no JSON: {error}", hint="a text needs quotes of its own: '\"text\"'"
        ) from None
    place = here()
    root = required_root(place)
    with opened(place.home) as store:
        after = sections.put(durable(store), root, section, (key, given))
        _show(after, mirror.follow(store, root), as_json)


@app.command()
def reset(section: Section, as_json: Json = False) -> None:
    """A section back to how it was before anything happened. Only for people: an agent is refused."""
    by_a_person("change the state")  # what hides it is a policy's matter (`sane.engine-commands`)
    place = here()
    root = required_root(place)
    with opened(place.home) as store:
        after = sections.reset(durable(store), root, section)
        _show(after, mirror.follow(store, root), as_json)


@app.command("list")
def list_sections(as_json: Json = False) -> None:
    """Every section, whether it is as the engine wrote it, and what is in quarantine."""
    place = here()
    root = required_root(place)
    with opened(place.home) as store:
        found = sections.overview(store, root)
    if as_json:
        screen.document({"ok": True, "root": root, **found})
        return
    screen.table(("SECTION", "STANDING"), ((str(row["section"]), str(row["standing"])) for row in found["sections"]))
    for row in found["quarantine"]:
        when = datetime.fromtimestamp(float(str(row["at"]))).astimezone().isoformat(" ", "seconds")
        screen.say(f"in quarantine since {when}: {row['section']} (somebody else wrote it)")


def durable(store: Store) -> Store:
    """The store, if what is written there is still known tomorrow. Raises StoreError otherwise."""
    if not store.durable:
        raise StoreError("; ".join(store.notices) or "nothing can be written", where=str(store.path))
    return store


def _show(values: dict[str, object], warnings: tuple[str, ...], as_json: bool) -> None:
    for warning in warnings:
        screen.warn(warning)
    if as_json:
        screen.document(values)
    else:
        _lines(values)


def _lines(values: dict[str, object]) -> None:
    for name, value in values.items():
        screen.say(f"{name} = {_text(value)}")


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
