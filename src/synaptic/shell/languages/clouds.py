"""What code deletes through the libraries of clouds and clusters, as the command line of the same service says it."""

import re

from synaptic.shell.languages.acts import CodeAct
from synaptic.shell.read.script import Word

CLOUD_SIGNS = ("boto3", "google.cloud", "azure", "kubernetes", "docker", "redis", "pymongo", "aws-sdk", "@google-cloud")
"""What code holds at least that uses one of the libraries."""
FAKES = re.compile(
    r"(?:^|[\n;])[ \t]*+(?:from|import)[ \t]++moto\b|['\"]aws-sdk-client-mock['\"]|EMULATOR_HOST['\"]?\]?\s*+="
    r"|\bDryRun\s*+[=:]\s*+[Tt]rue\b"
)
"""What code holds that talks to a stand-in, or only asks whether it might."""
ENDPOINT = re.compile(r"\bendpoint(?:_url)?['\"]?\s*+[=:]\s*+['\"](https?://[^'\"\s]{1,200})")
REDIS_HOST = re.compile(r"\bhost\s*+=\s*+['\"]([\w.-]{1,200})['\"]|['\"](rediss?://[^'\"\s]{1,200})")
MONGO_ADDRESS = re.compile(r"['\"](mongodb(?:\+srv)?://[^'\"\s]{1,200})")
LOCAL = re.compile(r"(?:\w+://)?(?:[^/@]*@)?(?:localhost|127\.|\[::1\])")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
VERBS = ("delete", "terminate", "begin_delete", "purge", "deregister_image", "schedule_key_deletion", "prune", "remove",
         "flush", "drop")  # fmt: skip
MONGO_EMPTYING = {"delete_many": "db.c.deleteMany({})", "drop": "db.c.drop()"}
"""Calls that empty a collection when they are given nothing that says which, as the shell of the database has them."""
SELECTIONS = frozenset({"all", "filter", "limit", "page_size", "get", "list"})
"""Methods that say which of many."""
SINGLE_THINGS = frozenset(
    {
        "object",
        "object-version",
        "object-summary",
        "message",
        "item",
        "tag",
        "blob",
        "document",
        "entity",
        "key",
        "file",
    }
)
SINGLE_CALLS = frozenset({"delete_blob", "delete_document", "delete_entity", "delete_message", "delete_messages"})
COLLECTIONS = frozenset({"objects", "object_versions"})
JAVASCRIPT_COMMAND = re.compile(r"\bnew (?:\w+\.)?((?:Delete|Terminate|Purge|Deregister|ScheduleKey)\w+)Command \(")
JAVASCRIPT_CALL = re.compile(r"\.\s?((?:delete|terminate|purge)[A-Z]\w+|deregisterImage|scheduleKeyDeletion) \(")
JAVASCRIPT_WHOLE = re.compile(
    r"\b(bucket|dataset|table|instance|vm|database|zone|cluster)s?(?: \([^()]{0,200}\))?\s?\.\s?delete \("
    r"|\b(deleteFiles|beginDelete\w*|deleteContainer|deleteTable|deleteQueue) \(",
    re.IGNORECASE,
)
MAX_JAVASCRIPT = 50_000


def uses_cloud(code: str) -> bool:
    """Whether code uses one of the libraries, and for real."""
    return any(sign in code for sign in CLOUD_SIGNS) and FAKES.search(code) is None


def read_python_deletion(name: str, code: str, words: list[Word], unfiltered: bool = False) -> CodeAct | None:
    """What a call with this dotted name deletes; a single object is left alone. `unfiltered`: nothing says which."""
    vendor, _, rest = name.partition(".")
    parts = rest.split(".")
    if vendor == "boto3":
        return _read_boto(parts, code)
    if vendor in ("google", "azure"):
        return _read_method("gcloud" if vendor == "google" else "az", parts)
    if vendor == "kubernetes" and parts[-1].startswith("delete_"):
        kind = parts[-1].removeprefix("delete_").removeprefix("collection_").removeprefix("namespaced_")
        every = [Word("--all")] if "collection" in parts[-1] else []
        return CodeAct("argv", [Word("kubectl"), Word("delete"), Word(kind.replace("_", "-")), *words[:1], *every])
    if vendor in ("redis", "pymongo"):
        return _read_distant(vendor, parts[-1], code, unfiltered)
    if vendor == "docker" and "volumes" in parts and parts[-1] in ("prune", "remove"):
        verb = "prune" if parts[-1] == "prune" else "rm"
        return CodeAct("argv", [Word("docker"), Word("volume"), Word(verb), *words[:1]])
    return None


def read_javascript_deletions(text: str, code: str) -> list[CodeAct]:
    """The same for JavaScript, whose words stand one blank apart here, without comments and texts."""
    text = text[:MAX_JAVASCRIPT]
    if "aws-sdk" in code:
        called = (*JAVASCRIPT_COMMAND.findall(text), *JAVASCRIPT_CALL.findall(text))
        return [_make_aws("sdk", _to_words(name), code) for name in called]
    found = (one[1] or one[2] for one in JAVASCRIPT_WHOLE.finditer(text))
    return [_make_plain("gcloud" if "@google-cloud" in code else "az", name) for name in found]


def _read_boto(parts: list[str], code: str) -> CodeAct | None:
    verb = parts[-1]
    if "client" in parts:
        return _make_aws("boto3", verb.replace("_", "-"), code)
    if "resource" not in parts:
        return None
    if verb not in ("delete", "terminate"):
        return _make_aws("boto3", verb.replace("_", "-"), code)
    owner = next((part for part in reversed(parts[:-1]) if part not in SELECTIONS), "")
    if owner in COLLECTIONS:
        return CodeAct(
            "argv", [Word("aws"), Word("s3"), Word("rm"), Word("s3://"), Word("--recursive"), *_locate(code)]
        )
    kind = _to_words(owner)
    return None if kind in SINGLE_THINGS else _make_aws("boto3", f"{verb}-{kind}", code)


def _read_distant(vendor: str, verb: str, code: str, unfiltered: bool) -> CodeAct | None:
    """What is emptied in a database of another machine; one that no text names is mostly of this one."""
    found = (REDIS_HOST if vendor == "redis" else MONGO_ADDRESS).search(code)
    if found is None or LOCAL.match(found[found.lastindex or 0]):
        return None
    address = Word(found[found.lastindex or 0])
    if vendor == "redis" and verb in ("flushall", "flushdb"):
        return CodeAct("argv", [Word("redis-cli"), Word("-u" if "://" in address.text else "-h"), address, Word(verb)])
    whole = vendor == "pymongo" and (verb == "drop_database" or (unfiltered and verb in MONGO_EMPTYING))
    said = MONGO_EMPTYING.get(verb, "db.dropDatabase()")
    return CodeAct("argv", [Word("mongosh"), address, Word("--eval"), Word(said)]) if whole else None


def _read_method(program: str, parts: list[str]) -> CodeAct | None:
    owner = next((part for part in reversed(parts[:-1]) if part not in SELECTIONS), "")
    if parts[-1] in SINGLE_CALLS or (parts[-1] == "delete" and _to_words(owner) in SINGLE_THINGS):
        return None
    return _make_plain(program, owner)


def _make_aws(library: str, verb: str, code: str) -> CodeAct:
    return CodeAct("argv", [Word("aws"), Word(library), Word(verb), *_locate(code)])


def _make_plain(program: str, what: str) -> CodeAct:
    return CodeAct("argv", [Word(program), Word(_to_words(what)), Word("delete")])


def _locate(code: str) -> list[Word]:
    """Where the service is, when the code says so: an address of this machine is no cloud."""
    found = ENDPOINT.findall(code)
    # One of several clients may be elsewhere.
    clients = code.count(".client(") + code.count(".resource(")
    return [Word(f"--endpoint-url={found[0]}")] if found and len(found) >= clients else []


def _to_words(name: str) -> str:
    """`ObjectVersion` as a command line spells it."""
    return CAMEL.sub("-", name).lower().replace("_", "-")
