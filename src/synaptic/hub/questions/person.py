"""A person's own key, with which they answer questions of other machines, and the keys of machines that they know."""

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.replace import make_folders, replace_file
from synaptic.hooks.bundle import PERSON_NAME
from synaptic.hub.keys import COMMENT, PublicKey, SecretKey
from synaptic.hub.place import HubPlace
from synaptic.hub.questions.seal import check_question
from synaptic.hub.wire import HostQuestion
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

KNOWN_LIMIT = 4 << 20
PUBLIC_LIMIT = 4096
MOST_HOST = 200
PUBLIC_COMMENT = "synaptic person "
MAKE_HINT = "type: synaptic person key NAME"


class PersonKey(msgspec.Struct, frozen=True):
    """Who somebody is to machines that are not theirs."""

    name: str
    key: SecretKey


def make_person_key(home: Home, name: str) -> PersonKey:
    """A new key; one that is there stays. Raises SynapticError, OSError."""
    if not PERSON_NAME.fullmatch(name):
        raise SynapticError("a name is letters, digits and . _ @ + -", hint="synaptic person key ada")
    place, key = HubPlace.of(home), SecretKey.make()
    make_folders(place.root, 0o700)
    try:
        key.write(place.person_key)
    except FileExistsError as error:
        hint = "synaptic person show; a new one only after you have moved it away"
        raise SynapticError("there is a key already", where=str(place.person_key), hint=hint) from error
    text = f"{COMMENT}{PUBLIC_COMMENT}{name}\n{key.public.text}\n"
    replace_file(place.person_public, text.encode(), 0o644)
    return PersonKey(name, key)


def read_person_key(home: Home) -> PersonKey:
    """Raises SynapticError where there is none, or name and key do not belong together."""
    place = HubPlace.of(home)
    name, public = read_person(home)
    try:
        key = SecretKey.read(place.person_key)
    except OSError as error:
        raise SynapticError(f"your key cannot be read: {error.strerror}", where=str(place.person_key)) from error
    if key.public != public:
        raise SynapticError("is not the public part of your key", where=str(place.person_public), hint=MAKE_HINT)
    return PersonKey(name, key)


def read_person(home: Home) -> tuple[str, PublicKey]:
    """Name and public key. Raises SynapticError."""
    path = HubPlace.of(home).person_public
    content = read_content(str(path), PUBLIC_LIMIT)
    if content is None or isinstance(content, UnreadableFile):
        raise SynapticError("you have no key for answers to other machines", where=str(path), hint=MAKE_HINT)
    text = content.decode("utf-8", "replace")
    name = text.partition("\n")[0].removeprefix(COMMENT).removeprefix(PUBLIC_COMMENT)
    if not PERSON_NAME.fullmatch(name):
        raise SynapticError("names nobody", where=str(path), hint=MAKE_HINT)
    return name, PublicKey.parse(text)


def describe_for_bundle(name: str, public: PublicKey) -> str:
    """What whoever makes bundles is given. Which policies it is for, they say."""
    return f'[people."{name}"]\nkey = "{public.text}"\ngrants = []'


def check_words(home: Home, hub: str, host: str, question: HostQuestion) -> bool:
    """Whether the words are those of a machine that this person knows; False for one that was never seen.

    Raises SynapticError where they are not signed by the key that they name, or not by the key that is known.
    """
    if len(host) > MOST_HOST:
        raise SynapticError("no machine has a name of that length")
    key = PublicKey.parse(question.key)
    check_question(host, question, key)
    known = _read_known(home).get(hub, {}).get(host)
    if known is not None and known != key.text:
        hint = f"if that machine was set up anew: remove {host} from {HubPlace.of(home).known_hosts}"
        raise SynapticError(f"{host} signs with another key than before: nothing is answered", hint=hint)
    return known is not None


def remember_host(home: Home, hub: str, host: str, key: str) -> None:
    """From now on only this key speaks for it. Raises SynapticError."""
    known = _read_known(home)
    known.setdefault(hub, {})[host] = key
    make_folders(HubPlace.of(home).root, 0o700)
    replace_file(HubPlace.of(home).known_hosts, msgspec.json.format(msgspec.json.encode(known)))


def _read_known(home: Home) -> dict[str, dict[str, str]]:
    path = HubPlace.of(home).known_hosts
    content = read_content(str(path), KNOWN_LIMIT)
    if content is None:
        return {}
    if isinstance(content, UnreadableFile):
        raise SynapticError(content.why, where=str(path))
    try:
        return msgspec.json.decode(content, type=dict[str, dict[str, str]])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SynapticError("cannot be understood", where=str(path), hint="repair it, or move it away") from error
