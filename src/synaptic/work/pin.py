"""The PIN: set once by a person whose terminal is sure, changed and removed with itself."""

import time
from typing import ClassVar

import msgspec

from synaptic.model.errors import LayerError
from synaptic.store import pin as pins
from synaptic.store.pin import PinStanding
from synaptic.work.command import Command, CommandContext
from synaptic.work.consent import read_grants_config, require_pin, require_sure

LEAST_CHARS, MOST_CHARS = 4, 128
CHANGE_PIN = "set or remove the PIN"


class PinState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there is a PIN, and when it is asked for."""

    state: str
    asked: str
    """`unsure` or `always`, as the config says; why not, where it cannot be read."""
    set_at: float = 0.0
    wrong_tries: int = 0
    wait: float = 0.0
    """Seconds until the next try counts."""
    sits: str = ""
    """Where whoever asks sits, if that is sure."""
    doubt: str = ""
    """Why it is not."""


class PinStatus(Command[PinState], frozen=True, kw_only=True):
    """Whether a PIN is set, how its wrong tries stand, and whether you would be asked for it here."""

    method: ClassVar[str] = "pin.status"
    needs_authority: ClassVar[bool] = True

    def run(self, context: CommandContext) -> PinState:
        standing, pin = pins.read_pin(context.store)
        state = PinState(
            state=standing.value,
            asked=_read_asked(context),
            sits=context.authority.who,
            doubt=context.authority.why,
        )
        if pin is None:
            return state
        wait = pins.measure_wait(pin, time.time())
        return msgspec.structs.replace(state, set_at=pin.at, wrong_tries=pin.tries, wait=wait)


class SetPin(Command[PinState], frozen=True, kw_only=True):
    """Set the PIN, or change it with the one before."""

    method: ClassVar[str] = "pin.set"
    people_only: ClassVar[str] = CHANGE_PIN
    needs_authority: ClassVar[bool] = True
    may_block: ClassVar[bool] = True

    pin: str
    """The new one."""
    old: str = ""
    """The one before, where there is one."""

    def run(self, context: CommandContext) -> PinState:
        store = context.require_durable_store()
        _check_text(self.pin)
        standing, _ = pins.read_pin(store)
        if standing is PinStanding.SET:
            if not self.old:
                raise LayerError("PIN_OLD", "there is a PIN already", hint="it is changed with the old one")
            require_pin(store, self.old)
        else:
            require_sure(context.authority, "the first PIN is set where it can be seen that a person does it")
        pins.write_pin(store, self.pin, time.time())
        return PinStatus().run(context)


class RemovePin(Command[PinState], frozen=True, kw_only=True):
    """Have no PIN any more."""

    method: ClassVar[str] = "pin.remove"
    people_only: ClassVar[str] = CHANGE_PIN
    needs_authority: ClassVar[bool] = True
    may_block: ClassVar[bool] = True

    pin: str
    """The one that goes."""

    def run(self, context: CommandContext) -> PinState:
        store = context.require_durable_store()
        require_pin(store, self.pin)
        pins.remove_pin(store)
        return PinStatus().run(context)


def _read_asked(context: CommandContext) -> str:
    try:
        return read_grants_config(context.home).pin
    except LayerError as error:
        return f"unknown: {error.message}"


def _check_text(text: str) -> None:
    if not LEAST_CHARS <= len(text) <= MOST_CHARS or not text.isprintable():
        raise LayerError("PIN_SHAPE", f"a PIN has {LEAST_CHARS} to {MOST_CHARS} letters or digits")
    if len(set(text)) == 1:
        raise LayerError("PIN_SHAPE", "a PIN of one and the same sign is the first that anybody tries")
