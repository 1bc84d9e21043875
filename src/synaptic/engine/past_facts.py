"""Read back what events were decided on. What is missing, damaged or was changed is a value that says so."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

import msgspec

from synaptic.engine.basis import SECTION, KeptBasis, KeptCatalog, KeptLook
from synaptic.engine.past_catalog import CatalogChange, PastCatalog, rebuild_catalog
from synaptic.model.state import State
from synaptic.policies.facts import Facts
from synaptic.store.basis import REDACTED_MARK, read_text
from synaptic.store.db import Store

NO_RECORD_TEXT = "nothing was kept of what it was decided on"
DAMAGED_TEXT = "what was kept of its facts is gone, damaged, or was changed by somebody else"
REDACTED_TEXT = "a secret was taken out of what it was decided on"
DOUBT_TEXT = "its declarations could not be read then"
MAX_CATALOGS = 64
MAX_FACTS = 1024
MAX_TEXTS = 256
"""Each of them is at most as long as all facts of an event."""

T = TypeVar("T")


class Unknown(msgspec.Struct, frozen=True):
    """Why something cannot be read back."""

    why: str


class PastLook(msgspec.Struct, frozen=True):
    """Facts about one call, as policies were shown them, and which of them were gathered."""

    facts: Facts
    needs: frozenset[str]


class PastBasis(msgspec.Struct, frozen=True):
    """What one event was decided on."""

    kept: KeptBasis
    catalog: PastCatalog
    looks: Mapping[str, PastLook]
    """By the name of the call that they are about."""
    is_redacted: bool = False


class PastFacts:
    """The record of one journal, seen with a change to what was declared. Keeps what comes again, within bounds."""

    def __init__(self, store: Store, change: CatalogChange) -> None:
        self._store = store
        self._change = change
        self._catalogs: OrderedDict[int, PastCatalog | Unknown] = OrderedDict()
        self._known: OrderedDict[int, PastBasis | Unknown] = OrderedDict()
        self._texts: OrderedDict[int, bytes | None] = OrderedDict()

    def read(self, id: int | None) -> PastBasis | Unknown:
        """What a basis says. Raises DeclarationError for a change that cannot be made."""
        if id is None:
            return Unknown(NO_RECORD_TEXT)
        return _remember(self._known, MAX_FACTS, id, self._read_basis)

    def _read_basis(self, id: int) -> PastBasis | Unknown:
        seen: list[bytes] = []
        try:
            text = self._require(id, seen)
            kept = msgspec.json.decode(text, type=KeptBasis)
            if kept.trouble:
                return Unknown(kept.trouble)
            catalog = _remember(self._catalogs, MAX_CATALOGS, kept.catalog, self._read_catalog)
            if isinstance(catalog, Unknown):
                return catalog
            return self._read_looks(kept, catalog, seen)
        except (msgspec.MsgspecError, _MissingTextError, RecursionError, ValueError, TypeError):
            # What looks like a secret may stand where nothing but a word of ours can be read.
            return Unknown(REDACTED_TEXT if any(REDACTED_MARK in one for one in seen) else DAMAGED_TEXT)

    def _read_looks(self, kept: KeptBasis, catalog: PastCatalog, seen: list[bytes]) -> PastBasis:
        looks: dict[str, PastLook] = {}
        for look in kept.looks:
            needs = _decode_needs(self._require(look.needs, seen))
            texts = {name: self._require(id, seen) for name, id in look.texts.items()}
            read = PastLook(_decode_facts(look, texts), needs)
            known = looks.get(look.of)
            looks[look.of] = _join_looks(known, read) if known else read
        return PastBasis(kept, catalog, looks, any(REDACTED_MARK in one for one in seen))

    def _read_catalog(self, id: int) -> PastCatalog | Unknown:
        text = read_text(self._store, id)
        if text is None:
            return Unknown(DAMAGED_TEXT)
        try:
            kept = msgspec.json.decode(text, type=KeptCatalog)
        except msgspec.MsgspecError:
            return Unknown(DAMAGED_TEXT)
        if kept.trouble or kept.doubt:
            return Unknown(kept.trouble or DOUBT_TEXT)
        return rebuild_catalog(kept, self._change)

    def _require(self, id: int, seen: list[bytes]) -> bytes:
        text = _remember(self._texts, MAX_TEXTS, id, lambda id: read_text(self._store, id))
        if text is None:
            raise _MissingTextError
        seen.append(text)
        return text


class _MissingTextError(Exception):
    """A text that is named is not there, or is another one."""


def _remember(known: "OrderedDict[int, T]", most: int, id: int, read: Callable[[int], T]) -> T:
    if id in known:
        known.move_to_end(id)
        return known[id]
    found = known[id] = read(id)
    if len(known) > most:
        known.popitem(last=False)
    return found


@lru_cache(maxsize=64)
def _decode_needs(text: bytes) -> frozenset[str]:
    return frozenset(msgspec.json.decode(text, type=list[str]))


def _decode_facts(look: KeptLook, texts: Mapping[str, bytes]) -> Facts:
    every = {**{name: bytes(raw) for name, raw in look.facts.items()}, **texts}
    sections = {
        name.removeprefix(SECTION): msgspec.json.decode(raw) for name, raw in every.items() if name.startswith(SECTION)
    }
    state = msgspec.json.decode(every["state"], type=State) if "state" in every else State()
    plain = {name: msgspec.Raw(raw) for name, raw in every.items() if name != "state" and SECTION not in name}
    facts = msgspec.json.decode(msgspec.json.encode(plain), type=Facts)
    return msgspec.structs.replace(facts, state=msgspec.structs.replace(state, sections=sections))


def _join_looks(first: PastLook, more: PastLook) -> PastLook:
    """Facts about one call that were gathered one after the other: as they were last."""
    values = {name: getattr(more.facts, name) for name in more.needs if ":" not in name}
    state = State(
        {**first.facts.state.sections, **more.facts.state.sections},
        first.facts.state.tampered | more.facts.state.tampered,
        first.facts.state.known and more.facts.state.known,
    )
    failed = {**first.facts.failed, **more.facts.failed}
    facts = msgspec.structs.replace(first.facts, **values, state=state, failed=failed)
    return PastLook(facts, first.needs | more.needs)
