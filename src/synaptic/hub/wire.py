"""What travels between a host and a hub: events up, questions up, signed answers and bundles down. One list of all."""

from collections.abc import Mapping

import msgspec

API = "/api/v1"
MOST_EVENTS = 1000
"""Of one batch."""
MOST_BATCH_BYTES = 8 << 20
"""Of one request's body, unpacked."""
EPOCH_SHIFT = 40
"""A sequence is the journal's own number, below the number of the journal it comes from: one that was lost and begun
anew counts from 1 again, and must not look like the first one."""
SIGNATURE_SECONDS = 300.0
"""How far the clocks of a host and a hub may differ."""


class HookRun(msgspec.Struct, frozen=True, array_like=True):
    """One evaluation: whose, what it said, and how long it took."""

    hook: str
    kind: str
    micros: int = 0
    fault: str = ""


class ShippedEvent(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """One event of a journal as it leaves a host: names, sizes and times; texts only where its user wants that."""

    seq: int
    call: str
    at: float
    agent: str
    event: str
    session: str = ""
    agent_id: str = ""
    """Of a sub-agent."""
    tool: str = ""
    project: str = ""
    """The project's folder, the home folder written as `~`."""
    kind: str = "none"
    by: str = ""
    code: str = ""
    """The handle of a refusal."""
    micros: int = 0
    size: int = 0
    exit: int = 0
    tool_use: str = ""
    runs: tuple[HookRun, ...] = ()
    quiet: int = 0
    """How many policies were asked and said nothing."""
    grants: tuple[str, ...] = ()
    """Exceptions that it rests on."""
    subject: str = ""
    """The command, file or words; only with contents."""
    reason: str = ""
    """Only with contents."""


class EventBatch(msgspec.Struct, frozen=True):
    """Events in their order. `after` is the sequence before the first: a hub that has another one says which."""

    after: int
    events: tuple[ShippedEvent, ...]


class BatchAnswer(msgspec.Struct, frozen=True):
    """Up to where a hub has everything of a host (200), or from where it needs it (409)."""

    seq: int


class HostAgent(msgspec.Struct, frozen=True):
    """One agent of a host, as `synaptic fleet` shows it there."""

    id: str
    kind: str
    status: str
    project: str = ""
    label: str = ""
    note: str = ""
    session: str = ""
    updated_at: float = 0.0


class HostGrant(msgspec.Struct, frozen=True):
    """One exception that somebody has made there: who overrode what."""

    id: str
    at: float
    policy: str
    scope: str
    granted_by: str
    uses: int = 0
    last_used: float = 0.0
    expires: float = 0.0
    revoked: float = 0.0
    project: str = ""
    shown: str = ""
    """Only with contents."""


class HostStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What a host says of itself every few seconds, and at once when it changes."""

    version: str
    bundle: str = ""
    """Name and version of the bundle in force, such as `acme 7`."""
    bundle_trouble: str = ""
    is_managed: bool = False
    contents: str = "structure"
    newest: int = 0
    """The sequence of the newest event: what a hub has less than that is the lag."""
    agents: tuple[HostAgent, ...] = ()
    grants: tuple[HostGrant, ...] = ()
    witness: Mapping[str, int] = {}
    """Calls of the last seven days by what became of them."""
    problems: tuple[str, ...] = ()


class HostQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that waits on a host for a person. `mark` is its name there, `acts` what a yes would lift."""

    mark: str
    code: str
    at: float
    policies: tuple[str, ...]
    acts: str
    """Digest of everything that a yes would lift, as the host computes it: it is part of what is signed."""
    tool: str = ""
    project: str = ""
    agent: str = ""
    session: str = ""
    is_held: bool = False
    """Whether a call waits for it now."""
    is_grantable: bool = True
    """Whether this host lets somebody from outside say yes to it."""
    shown: str = ""
    reason: str = ""
    has_stakes: bool = False
    """Whether what would be lost was looked at; a yes that lasts is one to whatever is lost then."""
    key: str = ""
    """The host's public key, in the words of minisign."""
    signature: str = ""
    """Of that key over the host's name and all other fields, in base64: no hub can change a word of it."""


class AnswerText(msgspec.Struct, frozen=True, kw_only=True):
    """What a person signs. Encoded with sorted keys: the bytes that are signed are the bytes that travel."""

    host: str
    mark: str
    acts: str
    says: str
    """`once`, `session`, `here`: a yes of that reach; `no`."""
    person: str
    at: float
    expires: float
    """The answer counts until then, the exception that comes of it does not outlive it."""
    because: str = ""
    session: str = ""
    """For `session`: which one, as the question named it."""


class SignedAnswer(msgspec.Struct, frozen=True):
    """An answer and its signature. `number` is the hub's: what comes after it has not been seen."""

    number: int
    text: bytes
    signature: str


class SignedBundle(msgspec.Struct, frozen=True):
    """A bundle as it travels: its text and the content of its `.minisig`."""

    text: str
    signature: str


class HubNews(msgspec.Struct, frozen=True):
    """The answer to a host that waits: answers after the last it has seen, and the bundle's version if it changed."""

    answers: tuple[SignedAnswer, ...] = ()
    bundle: int = 0
    """Version of the bundle that the hub offers; 0: none."""


class JoinRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The first words of a host: its code, its public key, and what it calls itself."""

    code: str
    name: str
    key: str
    """Public key, in the words of minisign."""
    version: str
    is_managed: bool = False


class JoinAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What it is told: its name at this hub."""

    host: str
    hub: str = ""
    organisation_key: str = ""
    """What the hub says the organisation's key is; a host believes it only on its user's word."""
