"""A person's yes: taken from who asks where that is sure, else from the PIN, and kept with what was agreed to."""

import time

from synaptic.hooks.config import GrantsConfig
from synaptic.hooks.sources import CatalogSources
from synaptic.model.authority import Authority
from synaptic.model.errors import LayerError
from synaptic.model.home import Home
from synaptic.store import pin as pins
from synaptic.store.db import Store
from synaptic.store.pin import PinStanding, PinTry
from synaptic.work.command import CommandContext

PIN_NEEDED, PIN_WRONG = "PIN_NEEDED", "PIN_WRONG"
"""The words of errors after which the PIN is asked for."""
UNREAD_TEXT, GRANTS_TEXT = "nothing in it counts", ": grants"
"""In a problem with the config: nothing of it is known, or not what it says about exceptions."""
SET_HINT = (
    "set one with `synaptic pin set`: in a terminal window that was open before the agents, at a console, or by ssh"
)


def obtain_yes(context: CommandContext, given: str = "") -> str:
    """Who has said yes, and how that is known. Raises LayerError where nobody has, or where nobody can tell."""
    authority = context.authority
    if authority.standing == "agent":
        raise LayerError("FOR_PEOPLE", f"an agent may not say yes ({authority.why}): this is for a person")
    if given:
        require_pin(context.require_durable_store(), given)
        return f"the PIN, {authority.who or authority.why}"
    if read_grants_config(context.home).pin != "always" and authority.standing == "sure":
        return authority.who
    raise _ask_for_pin(context.store, authority)


def require_sure(authority: Authority, what: str) -> None:
    """For what no PIN can show: the first one is set by somebody whose terminal shows who they are."""
    if authority.standing != "sure":
        hint = "type it in a terminal window that was open before the agents, at a console, or by ssh"
        raise LayerError("UNSURE", f"{what}: {authority.why}", hint=hint)


def require_pin(store: Store, given: str) -> None:
    """Raises LayerError for any other text than the PIN; what was given is in no message."""
    found = pins.try_pin(store, given)
    if found is PinTry.WAIT:
        _, pin = pins.read_pin(store)
        wait = pins.measure_wait(pin, time.time()) if pin else 0.0
        raise LayerError("PIN_WAIT", f"too many wrong PINs: the next one counts in {describe_seconds(wait)}")
    if found is PinTry.WRONG:
        raise LayerError(PIN_WRONG, "this is not the PIN", hint="after the third wrong one you have to wait")
    if found is PinTry.MISSING:
        raise _describe_missing(store, "a PIN was given")


def read_grants_config(home: Home) -> GrantsConfig:
    """What the user has set. Raises LayerError where that cannot be known: it may forbid what is asked for."""
    sources = CatalogSources(home, "")
    file = sources.read_settings()
    own = file.layers[0] if file.layers else file  # what a bundle locks is a problem, too, and no doubt
    unknown = (one for one in (*sources.problems, *own.problems) if UNREAD_TEXT in one or GRANTS_TEXT in one)
    if trouble := next(unknown, ""):
        raise LayerError("CONFIG_UNKNOWN", f"nobody knows what you have forbidden: {trouble}")
    found = file.values.get("grants", GrantsConfig())
    return found if isinstance(found, GrantsConfig) else GrantsConfig()


def describe_seconds(seconds: float) -> str:
    """A time to wait, in words."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {name}{'s' if count > 1 else ''}"
    return f"{max(round(seconds), 1)} seconds"


def _ask_for_pin(store: Store, authority: Authority) -> LayerError:
    why = authority.why or "your config asks for the PIN every time"
    standing, _ = pins.read_pin(store)
    if standing is not PinStanding.SET:
        return _describe_missing(store, f"it cannot be seen that a person asks ({why})" if authority.why else why)
    return LayerError(PIN_NEEDED, f"the PIN is needed: {why}", hint="type it with --pin")


def _describe_missing(store: Store, why: str) -> LayerError:
    standing, _ = pins.read_pin(store)
    state = "the PIN in the database was not written by this installation" if standing is PinStanding.FORGED else ""
    return LayerError("PIN_MISSING", f"{why}, and {state or 'there is no PIN'}", hint=SET_HINT)
