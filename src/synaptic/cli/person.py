"""`synaptic person`: your key, with which you answer questions of other machines."""

from typing import TYPE_CHECKING, Annotated

from synaptic.cli import screen, typer
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.home import Home

if TYPE_CHECKING:
    from synaptic.hub.keys import PublicKey

app = make_verb_app(
    "Your key for answers to other machines. Which questions it is for, your organisation's bundle says.",
    """
    synaptic person key ada     once, on the machine where you will answer
    synaptic person show        the lines for the bundle once more, and this machine's own key
    """,
)


@app.command("key")
def make(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Your name, as it will stand in the bundle.")],
    as_json: Json = False,
) -> None:
    """Make your key, and show what whoever signs bundles needs to know of it. One that is there stays."""
    from synaptic.hub.questions.person import make_person_key  # noqa: PLC0415 - only where it is needed

    made = make_person_key(find_place().home, name)
    _show(made.name, made.key.public, "", as_json)


@app.command()
def show(as_json: Json = False) -> None:
    """Your public key as it stands in a bundle, and the key with which this machine signs its own questions."""
    from synaptic.hub.questions.person import read_person  # noqa: PLC0415 - only where it is needed

    home = find_place().home
    name, public = read_person(home)
    _show(name, public, _read_own_key(home), as_json)


def _show(name: str, public: "PublicKey", machine: str, as_json: bool) -> None:
    from synaptic.hub.questions.person import describe_for_bundle  # noqa: PLC0415 - only where it is needed

    if as_json:
        screen.print_json({"ok": True, "name": name, "key": public.text, "machine": machine or None})
        return
    print(describe_for_bundle(name, public))
    screen.note("for the bundle of your organisation; `grants` there names the policies that you may answer for")
    if machine:
        screen.note(f"this machine signs its questions with {machine}")


def _read_own_key(home: Home) -> str:
    """The public part; "" where this machine has joined no hub."""
    from synaptic.hub.keys import SecretKey  # noqa: PLC0415 - only where it is needed
    from synaptic.hub.place import HubPlace  # noqa: PLC0415

    path = HubPlace.of(home).host_key
    return SecretKey.read(path).public.text if path.exists() else ""
