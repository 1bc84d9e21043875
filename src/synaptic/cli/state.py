"""`synaptic state`: the sections of a project, shown and set by hand."""

from datetime import datetime
from typing import Annotated

import msgspec

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.carry_out import carry_out
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import SynapticError
from synaptic.work.state import ChangedSection, GetSection, ListSections, ResetSection, SetValue

app = make_verb_app(
    "Show and set what is remembered about this project: breaker, research, edits, loop, safemode, your own policies'.",
    """
    synaptic state list
    synaptic state get circuit_breaker
    synaptic state get research web --json
    synaptic state set saneloop max_iterations 30
    synaptic state reset circuit_breaker
    synaptic state get policies/acme.too-many-pushes/Pushes    a section of a policy of your own
    """,
)
SectionName = Annotated[
    str,
    typer.Argument(
        metavar="SECTION", help="`synaptic state list` shows them.", autocompletion=suggestions.complete_sections
    ),
]


@app.command()
def get(section: SectionName, key: Annotated[str, typer.Argument(metavar="[KEY]")] = "", as_json: Json = False) -> None:
    """A section with every value, or one value."""
    value = carry_out(GetSection(root=find_place().root, section=section, key=key))
    if as_json:
        screen.print_document(value)
    elif isinstance(value, dict) and not key:
        _print_values(value)
    else:
        screen.say_exactly(_encode_value(value))


@app.command("set")
def put(
    section: SectionName,
    key: Annotated[str, typer.Argument(metavar="KEY")],
    value: Annotated[str, typer.Argument(metavar="JSON", help="The new value.")],
    as_json: Json = False,
) -> None:
    """Write one value. Only for people: an agent is refused."""
    try:
        given: object = msgspec.json.decode(value)
    except msgspec.DecodeError as error:
        raise SynapticError(
            f"`{value}` is no JSON: {error}", hint="a text needs quotes of its own: '\"text\"'"
        ) from None
    _print_section(carry_out(SetValue(root=find_place().root, section=section, key=key, value=given)), as_json)


@app.command()
def reset(section: SectionName, as_json: Json = False) -> None:
    """A section back to how it was before anything happened. Only for people: an agent is refused."""
    _print_section(carry_out(ResetSection(root=find_place().root, section=section)), as_json)


@app.command("list")
def list_sections(as_json: Json = False) -> None:
    """Every section, whether it is as the engine wrote it, and what is in quarantine."""
    root = find_place().root
    found = carry_out(ListSections(root=root))
    if as_json:
        screen.print_json({"ok": True, "root": root, **found})
        return
    screen.print_table(
        ("SECTION", "STANDING"), ((str(row["section"]), str(row["standing"])) for row in found["sections"])
    )
    for row in found["quarantine"]:
        when = datetime.fromtimestamp(float(str(row["at"]))).astimezone().isoformat(" ", "seconds")
        screen.say(f"in quarantine since {when}: {row['section']} (somebody else wrote it)")


def _print_section(section: ChangedSection, as_json: bool) -> None:
    for warning in section.warnings:
        screen.warn(warning)
    if as_json:
        screen.print_document(section.values)
    else:
        _print_values(section.values)


def _print_values(values: dict[str, object]) -> None:
    for name, value in values.items():
        screen.say_exactly(f"{name} = {_encode_value(value)}")


def _encode_value(value: object) -> str:
    return msgspec.json.encode(value).decode()
