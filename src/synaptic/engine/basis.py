"""What an event was decided on, as texts for the journal: its facts, which ones were asked for, and the catalog."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

import msgspec

import synaptic
from synaptic.engine.described import DescribedTexts, SeenFacts
from synaptic.engine.runtime import FactLook
from synaptic.hooks.catalog import HookCatalog
from synaptic.model.call import Call, Request
from synaptic.model.event import ToolEvent
from synaptic.model.hook import Hook, OutsidePolicy
from synaptic.pipeline.decide import BLOCKING_ONLY
from synaptic.policies.facts import Facts
from synaptic.store.basis import SMALL_BYTES, seal_clean, seal_text
from synaptic.store.record import SealedText
from synaptic.store.redact_parts import redact_json

log = logging.getLogger(__name__)

FACTS_LIMIT = 64 << 10
CATALOG_LIMIT = 1 << 20
TOO_LONG_TEXT = "its facts are longer than is kept"
CATALOG_TOO_LONG_TEXT = "the declarations are longer than is kept"
FOLLOWING = frozenset({"root", "home", "now", "agent", "command", "payload"})
"""Facts that follow from the event itself."""
KEPT_VARIABLES = {"HOME": "home", BLOCKING_ONLY: "blocking", "AGENT_TOOL_NAME": "tool"}
"""Variables of the agent's environment that a decision may rest on, and their keys in the record."""
FOLDER_VARIABLE = "PWD"
"""Another one, kept beside them: its name would look like a password's."""
DEFAULTS: Mapping[str, object] = {name: getattr(Facts(), name) for name in Facts.__struct_fields__}
MAX_CATALOGS = 64
SECTION = "state/"
"""Before the name of a section among the facts."""
SESSION_SECTION = f"{SECTION}session:"
MOST_OF_SUBJECT = 64
SMALL_FACT = 160
"""Bytes of a fact that stands with the others."""
MAX_ENCODED = 512
MAX_SECTIONS = 128

_encoder = msgspec.json.Encoder(order="deterministic")


class KeptHook(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A policy from outside as it was registered: its own answers are in the traces."""

    id: str
    events: tuple[str, ...]
    matcher: str = ""
    priority: int = 50
    order: int = 0
    on_error: str = "allow"
    recheck: bool = True
    source: str = ""


class KeptCatalog(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All declarations under which events were decided."""

    version: str = ""
    root: str = ""
    home: str = ""
    folders: tuple[str, ...] = ()
    environment: str = ""
    files: Mapping[str, str] = {}
    outside: tuple[KeptHook, ...] = ()
    doubt: str = ""
    trouble: str = ""
    """Why there is nothing but a version."""


class KeptLook(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts as policies were shown them."""

    of: str = ""
    """Which call, where it is not the event's own as it arrived."""
    needs: int = 0
    """The text that lists which facts were asked for."""
    facts: Mapping[str, msgspec.Raw] = {}
    """Those that are not as they are by default."""
    texts: Mapping[str, int] = {}
    """Those among them that are texts of their own."""


class KeptBasis(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one event was decided on."""

    catalog: int = 0
    env: Mapping[str, str] = {}
    looks: tuple[KeptLook, ...] = ()
    stranger: bool = False
    """The call was nobody's, so a prompt in it was not the user's."""
    cwd: str = ""
    """Where the dispatcher ran: the folder of an event that names none."""
    folder: str | None = None
    """The same as the environment has it, where that says something else: `pwd` looks like a secret."""
    trouble: str = ""
    """Why its facts are not here."""


def describe_basis(
    request: Request, call: Call, looks: Sequence[FactLook], catalog: HookCatalog
) -> tuple[SealedText, ...]:
    """The texts of one event, its own first; none where they cannot be written: the event itself always can."""
    try:
        return _describe(request, call, looks, catalog)
    except Exception:
        log.exception("what call %s was decided on cannot be written down", call.id)
        return ()


def _describe(request: Request, call: Call, looks: Sequence[FactLook], catalog: HookCatalog) -> tuple[SealedText, ...]:
    frame = _make_frame(request, call)
    if len(looks) == 1 and looks[0][0].event is call.event:
        return _describe_plain(looks[0], catalog, frame)
    return _describe_looks(looks, call, catalog, frame)


FactNews = tuple[Call, frozenset[str], list[tuple[str, object]]]
"""A look, with only what is not as it is by default."""


class _Frame(NamedTuple):
    """What an event rests on beside facts and catalog: every event of a session has the same one."""

    env: tuple[str | None, ...]
    """Of KEPT_VARIABLES, in their order."""
    stranger: bool
    cwd: str
    folder: str | None


def _make_frame(request: Request, call: Call) -> _Frame:
    pwd, cwd = request.env.get(FOLDER_VARIABLE, ""), request.cwd
    return _Frame(tuple(map(call.env.get, KEPT_VARIABLES)), bool(request.stranger), cwd, None if pwd == cwd else pwd)


@lru_cache(maxsize=256)
def _clean_frame(frame: _Frame) -> KeptBasis:
    """The same without secrets, as it is kept."""
    known = zip(KEPT_VARIABLES.values(), frame.env, strict=True)
    said = ([(key, value) for key, value in known if value is not None], frame.cwd, frame.folder)
    env, cwd, folder = msgspec.json.decode(redact_json(msgspec.json.encode(said)))
    return KeptBasis(env=dict(env), stranger=frame.stranger, cwd=cwd, folder=folder)


@lru_cache(maxsize=512)
def _clean_fact(name: str, raw: bytes) -> msgspec.Raw:
    """A short fact without secrets. A name may tell that one follows."""
    head = b'{"%s":' % name.encode()
    clean = redact_json(head + raw + b"}")
    return msgspec.Raw(clean[len(head) : -1] if clean.startswith(head) else b'"[redacted:fact]"')


def _describe_plain(look: FactLook, catalog: HookCatalog, frame: _Frame) -> tuple[SealedText, ...]:
    """One look at the call as it arrived, as with most events: with the very same facts it is the same text again."""
    about, needs, facts = look
    fields = _list_fields(needs)
    tables = fields.read_tables(facts)
    seen = SeenFacts(fields.read(facts), _encoder.encode(tables) if any(tables) else b"", facts.state, catalog)
    place = (id(catalog), needs, frame, about.root, about.event.session_id)
    known = _described.find(place, seen)
    if known is not None:
        return known
    texts: list[SealedText] = []
    kept = _describe_news((about, needs, _list_news(facts, needs)), about, texts)
    found = _seal_basis(((kept,), texts), about, catalog, frame)
    _described.keep(place, seen, found)
    return found


def _describe_looks(
    looks: Sequence[FactLook], first: Call, catalog: HookCatalog, frame: _Frame
) -> tuple[SealedText, ...]:
    texts: list[SealedText] = []
    kept = tuple(
        _describe_news((about, needs, _list_news(facts, needs)), first, texts) for about, needs, facts in looks
    )
    return _seal_basis((kept, texts), first, catalog, frame)


def _seal_basis(
    described: tuple[tuple[KeptLook, ...], list[SealedText]], first: Call, catalog: HookCatalog, frame: _Frame
) -> tuple[SealedText, ...]:
    """What names all other texts, then those. It holds nothing that was not looked at for secrets."""
    looks, texts = described
    under = _seal_catalog(catalog)
    if sum([len(text.value) for text in texts]) > FACTS_LIMIT:
        looks, texts = (), []
        basis = KeptBasis(catalog=under.id, trouble=TOO_LONG_TEXT)
    else:
        basis = msgspec.structs.replace(_clean_frame(frame), catalog=under.id, looks=looks)
    return (seal_clean(_encoder.encode(basis), _name_place(first)), under, *texts)


def _name_place(call: Call) -> str:
    event = call.event
    return f"{call.root} {event.hook_event_name} {event.subject[:MOST_OF_SUBJECT]}"


def _describe_news(look: FactNews, first: Call, texts: list[SealedText]) -> KeptLook:
    """Facts as they are kept: those that say much as texts of their own, for most of them come again."""
    about, needs, news = look
    asked = _seal_needs(needs)
    texts.append(asked)
    small: dict[str, msgspec.Raw] = {}
    large: dict[str, int] = {}
    for name, value in news:
        encoded = _encode_section(name, value, about) if name.startswith(SECTION) else _encode_fact(value, name)
        if isinstance(encoded, SealedText):
            texts.append(encoded)
            large[name] = encoded.id
        else:
            small[name] = encoded
    return KeptLook(of=name_call(about, first), needs=asked.id, facts=small, texts=large)


def _list_news(facts: Facts, needs: frozenset[str]) -> list[tuple[str, object]]:
    """The facts that are not as they are by default; of the state each section by itself."""
    fields = _list_fields(needs)
    found: list[tuple[str, object]] = [
        (name, value)
        for name, value, default in zip(fields.names, fields.read(facts), fields.defaults, strict=False)
        if value is not default and value != default
    ]
    if fields.has_sections and facts.state != DEFAULTS["state"]:
        state = facts.state
        found.append(("state", msgspec.structs.replace(state, sections={})))
        found += ((f"{SECTION}{name}", section) for name, section in state.sections.items())
    return found


def _encode_section(name: str, values: object, about: Call) -> msgspec.Raw | SealedText:
    """A section of the state: it was redacted when it was written, and most of them grow by an item."""
    raw = _encoder.encode(values)
    owner = about.event.session_id if name.startswith(SESSION_SECTION) else about.root
    place = f"{owner} {name}"
    known = _sections.get(place)
    if known is not None and known[0] is values:
        return known[1]
    raw = _encoder.encode(values)
    found = msgspec.Raw(raw) if len(raw) <= SMALL_FACT else seal_clean(raw, place)
    if len(_sections) >= MAX_SECTIONS:
        _sections.clear()
    _sections[place] = (values, found)
    return found


def _encode_fact(value: object, name: str) -> msgspec.Raw | SealedText:
    known = _encoded.get(id(value))
    if known is not None:
        return known[1]
    raw = _encoder.encode(value)
    found = seal_text(raw, name) if len(raw) > SMALL_FACT else _clean_fact(name, raw)
    if isinstance(value, msgspec.Struct) and len(raw) <= SMALL_BYTES:  # never a table: somebody may write into it
        if len(_encoded) >= MAX_ENCODED:
            _encoded.clear()
        _encoded[id(value)] = (value, found)
    return found


def name_call(about: Call, first: Call) -> str:
    """A name for a call that was made of another one; "" for the event's own."""
    event = about.event
    if event is first.event:
        return ""
    said = event.tool_input if isinstance(event, ToolEvent) else {}
    text = repr((event.hook_event_name, event.subject, event.cwd, sorted(said.items(), key=str)))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class _GatheredFields(NamedTuple):
    """The fields of Facts that are gathered for some needs."""

    names: tuple[str, ...]
    read: Callable[[Facts], tuple[object, ...]]
    read_tables: Callable[[Facts], tuple[object, ...]]
    defaults: tuple[object, ...]
    has_sections: bool


@lru_cache(maxsize=256)
def _list_fields(needs: frozenset[str]) -> _GatheredFields:
    named = {need for need in needs if ":" not in need} | {"failed"}
    names = tuple(sorted(named - FOLLOWING))
    tables = [name for name in names if isinstance(DEFAULTS[name], dict)]
    # Of one name a getter makes no tuple; two are always there.
    read, read_tables = attrgetter(*names, "failed"), attrgetter(*tables, "failed")
    defaults = tuple(map(DEFAULTS.__getitem__, names))
    return _GatheredFields(names, read, read_tables, defaults, any(":" in need for need in needs))


@lru_cache(maxsize=256)
def _seal_needs(needs: frozenset[str]) -> SealedText:
    return seal_text(_encoder.encode(sorted(needs)))


_encoded: dict[int, tuple[object, msgspec.Raw | SealedText]] = {}
"""Facts by identity, each with what it is as a text: many are the same object with every call."""
_sections: dict[str, tuple[object, msgspec.Raw | SealedText]] = {}
"""The last of each section, which the store hands out until it is written again, with what it is as a text."""
_described = DescribedTexts()
_catalogs: dict[int, tuple[HookCatalog, SealedText]] = {}
"""By identity: the catalog is kept with its text, so no other can have its number."""


def _seal_catalog(catalog: HookCatalog) -> SealedText:
    known = _catalogs.get(id(catalog))
    if known is None:
        if len(_catalogs) >= MAX_CATALOGS:
            _catalogs.clear()
        known = _catalogs[id(catalog)] = (catalog, _describe_catalog(catalog))
    return known[1]


def _describe_catalog(catalog: HookCatalog) -> SealedText:
    raw = _encoder.encode(
        KeptCatalog(
            version=synaptic.__version__,
            root=catalog.root,
            home=catalog.texts.home,
            folders=catalog.folders,
            environment=catalog.config.environment,
            files={path: text.decode("utf-8", "replace") for path, text in catalog.texts.files.items()},
            outside=tuple(_list_outside(catalog.hooks)),
            doubt=catalog.doubt,
        )
    )
    if len(raw) > CATALOG_LIMIT:
        raw = _encoder.encode(KeptCatalog(version=synaptic.__version__, trouble=CATALOG_TOO_LONG_TEXT))
    return seal_text(raw)


def _list_outside(hooks: Iterable[Hook]) -> Iterable[KeptHook]:
    for hook in hooks:
        if isinstance(hook.handler, OutsidePolicy):
            kept = {name: getattr(hook, name) for name in KeptHook.__struct_fields__}
            yield KeptHook(**kept)


def restore_environment(kept: KeptBasis) -> dict[str, str]:
    """The variables of the agent's environment that a decision may rest on."""
    env = {name: kept.env[key] for name, key in KEPT_VARIABLES.items() if key in kept.env}
    pwd = kept.cwd if kept.folder is None else kept.folder
    return {**env, FOLDER_VARIABLE: pwd} if pwd else env
