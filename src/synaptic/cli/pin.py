"""`synaptic pin`: the PIN with which you say yes where it cannot be seen that a person asks."""

from datetime import datetime

import msgspec

from synaptic.cli import screen
from synaptic.cli.by_daemon import ask_daemon_for, type_pin
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import SynapticError
from synaptic.work.consent import describe_seconds
from synaptic.work.pin import PinState, PinStatus, RemovePin, SetPin

app = make_verb_app(
    "The PIN with which you make exceptions where it cannot be seen that a person asks, or every time, as you like.",
    """
    synaptic pin set                      typed twice, never shown
    synaptic pin status                   whether you would be asked for it here
    synaptic config set grants.pin always
    """,
)


@app.command("set")
def put(as_json: Json = False) -> None:
    """Set the PIN, or change it with the old one. It is typed at the terminal only. Only for people."""
    old = type_pin("The PIN until now") if _read_status().state == "set" else ""
    new = type_pin("New PIN")
    if new != type_pin("The same again"):
        raise SynapticError("these were two different ones: nothing was changed")
    ask_daemon_for(SetPin(pin=new, old=old), PinState)
    _say_done("the PIN is set; see where it is asked for: synaptic pin status", as_json)


@app.command()
def remove(as_json: Json = False) -> None:
    """Have no PIN any more; it takes the PIN to do so. Only for people."""
    if _read_status().state != "set":
        raise SynapticError("there is no PIN", hint="synaptic pin status")
    ask_daemon_for(RemovePin(pin=type_pin("The PIN")), PinState)
    _say_done("there is no PIN any more", as_json)


@app.command()
def status(as_json: Json = False) -> None:
    """Whether a PIN is set, how many wrong tries there were, and whether you would be asked for it here."""
    found = _read_status()
    if as_json:
        screen.print_json({"ok": True, **msgspec.to_builtins(found)})
        return
    screen.say(_describe_pin(found))
    where = (
        f"this terminal is trusted ({found.sits})" if found.sits else f"here it cannot be seen who asks: {found.doubt}"
    )
    screen.say(f"{where}; " + ("it is asked for every time" if found.asked == "always" else _describe_asking(found)))
    if found.wrong_tries:
        wait = f"; the next one counts in {describe_seconds(found.wait)}" if found.wait else ""
        screen.say(f"wrong tries since the last right one: {found.wrong_tries}{wait}")


def _read_status() -> PinState:
    return ask_daemon_for(PinStatus(), PinState)


def _describe_pin(found: PinState) -> str:
    if found.state == "set":
        return f"a PIN is set, since {datetime.fromtimestamp(found.set_at).strftime('%Y-%m-%d %H:%M')}"
    if found.state == "forged":
        return "the PIN in the database was not written by this installation: set a new one with `synaptic pin set`"
    return "no PIN is set"


def _describe_asking(found: PinState) -> str:
    if found.asked != "unsure":
        return found.asked
    return "it is not asked for" if found.sits else "exceptions are made with the PIN only"


def _say_done(text: str, as_json: bool) -> None:
    screen.print_json({"ok": True}) if as_json else screen.say(text)
