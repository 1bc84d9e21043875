"""Read back what events were decided on. What is missing, damaged or was changed is a value that says so."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

import msgspec

from synaptic.engine.basis import SECTION, KeptBasis, KeptCatalog, KeptLook
from synaptic.engine.past_catalog import CatalogChange, PastCatalog, rebuild_catalog
from synaptic.model.once import computed_once
from synaptic.model.state import Section, State
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
_basis_decoder = msgspec.json.Decoder(KeptBasis)
NamedTexts = tuple[tuple[str, bytes], ...]


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
        self._texts: OrderedDict[int, PastText | None] = OrderedDict()

    def read(self, id: int | None) -> PastBasis | Unknown:
        """What a basis says. Raises DeclarationError for a change that cannot be made."""
        if id is None:
            return Unknown(NO_RECORD_TEXT)
        return _remember(self._known, MAX_FACTS, id, self._read_basis)

    def _read_basis(self, id: int) -> PastBasis | Unknown:
        seen: list[PastText] = []
        try:
            text = read_text(self._store, id)
            if text is None:
                return Unknown(DAMAGED_TEXT)
            seen.append(PastText(text))
            kept = _basis_decoder.decode(text)
            if kept.trouble:
                return Unknown(kept.trouble)
            catalog = _remember(self._catalogs, MAX_CATALOGS, kept.catalog, self._read_catalog)
            if isinstance(catalog, Unknown):
                return catalog
            return self._read_looks(kept, catalog, seen)
        except (msgspec.MsgspecError, _MissingTextError, RecursionError, ValueError, TypeError):
            # What looks like a secret may stand where nothing but a word of ours can be read.
            return Unknown(REDACTED_TEXT if any(one.is_redacted for one in seen) else DAMAGED_TEXT)

    def _read_looks(self, kept: KeptBasis, catalog: PastCatalog, seen: list["PastText"]) -> PastBasis:
        looks: dict[str, PastLook] = {}
        for look in kept.looks:
            needs = self._require(look.needs, seen).needs
            texts = {name: self._require(id, seen) for name, id in look.texts.items()}
            read = PastLook(_decode_facts(look, texts), needs)
            known = looks.get(look.of)
            looks[look.of] = _join_looks(known, read) if known else read
        return PastBasis(kept, catalog, looks, any(one.is_redacted for one in seen))

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

    def _require(self, id: int, seen: list["PastText"]) -> "PastText":
        text = _remember(self._texts, MAX_TEXTS, id, self._read_text)
        if text is None:
            raise _MissingTextError
        seen.append(text)
        return text

    def _read_text(self, id: int) -> "PastText | None":
        text = read_text(self._store, id)
        return None if text is None else PastText(text)


class PastText:
    """A text that comes with many events, and what it says: read once."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.is_redacted = REDACTED_MARK in raw

    @computed_once
    def section(self) -> Section:
        values: Section = msgspec.json.decode(self.raw)
        return values

    @computed_once
    def needs(self) -> frozenset[str]:
        return frozenset(msgspec.json.decode(self.raw, type=list[str]))


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


def _decode_facts(look: KeptLook, texts: Mapping[str, PastText]) -> Facts:
    """The facts of a look. From one event to the next a section or two are others, and hardly ever a fact."""
    sections: dict[str, Section] = {}
    plain: list[tuple[str, bytes]] = []
    for name, raw in look.facts.items():
        if name.startswith(SECTION):
            sections[name.removeprefix(SECTION)] = _decode_section(bytes(raw))
        else:
            plain.append((name, bytes(raw)))
    for name, text in texts.items():
        if name.startswith(SECTION):
            sections[name.removeprefix(SECTION)] = text.section
        else:
            plain.append((name, text.raw))
    facts = _decode_plain(tuple(plain))
    if not sections:
        return facts
    state = facts.state
    return msgspec.structs.replace(facts, state=State(sections, state.tampered, state.known))


@lru_cache(maxsize=512)
def _decode_section(raw: bytes) -> Section:
    values: Section = msgspec.json.decode(raw)
    return values


@lru_cache(maxsize=64)
def _decode_plain(plain: NamedTexts) -> Facts:
    """All facts but sections, which are of any shape."""
    return msgspec.json.decode(msgspec.json.encode({name: msgspec.Raw(raw) for name, raw in plain}), type=Facts)


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
