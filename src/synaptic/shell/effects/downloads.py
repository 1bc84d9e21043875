"""Files in a script that come from another machine."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from posixpath import basename, join, normpath

from synaptic.shell.effects.arguments import Arguments, arguments
from synaptic.shell.effects.flow import FETCHERS, OUTPUT, VALUED, Flow, addresses, fetches, interpreter, remote
from synaptic.shell.names import names
from synaptic.shell.read.script import Command, Script

COPIERS = frozenset({"mv", "cp", "install", "ln", "rsync"})
SYNCERS = frozenset({"scp", "rsync", "sftp", "rclone"})
PASSING = names(
    "cat tee sponge dd pv sed gsed awk gawk perl tr head tail grep egrep fgrep cut sort uniq jq yq iconv dos2unix"
    " gunzip gzip zcat xz unxz xzcat bzip2 bunzip2 bzcat zstd zstdcat unzstd lz4 base64 base32 openssl xxd gpg envsubst"
    " echo printf fold tac rev"
)
"""Programs that hand on what they are given, whole or in parts."""
OPENED = ("$(", "`", "<(")
"""How a word begins that is another command's output from its first letter on."""
NO_FILE = frozenset({"-", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty"})
NAMES = ("-o", "--output", "--out")
WGET_NAMES = ("-O", "--output-document")
FOLDERS = ("--output-dir", "-P", "--directory-prefix")
DOWNLOADS = names("http https xh xhs")
"""Clients that keep what they fetch when they are told to."""


def downloaded(found: Script) -> Iterator[tuple[Command, AbstractSet[str]]]:
    """Each command together with the downloaded files that exist when it starts: look before you go on."""
    known: set[str] = set()
    flow = Flow(found)
    for command in found.commands:
        yield command, known
        made = (*_made(command), *_passed(command, flow))
        known.update(file_of(text, command) for text in made if text not in NO_FILE)
        if command.name in COPIERS and command.argv[1:]:
            known.update(_copied(command, known))


def file_of(text: str, command: Command) -> str:
    """A path as one key, wherever it is named from."""
    return normpath(join(command.cwd or "/?", text))


def _made(command: Command) -> Iterator[str]:
    name = command.name.lower()
    if name in FETCHERS and fetches(command):
        yield from _fetched(command, name)
    elif name in SYNCERS:
        words = [word.text for word in command.argv[1:] if word.text[:1] != "-"]
        if any(remote(text) for text in words[:-1]) and not remote(words[-1]):
            yield words[-1]
            yield from (join(words[-1], basename(text.partition(":")[2])) for text in words[:-1])


def _passed(command: Command, flow: Flow) -> Iterator[str]:
    """The files into which it puts what another command has fetched."""
    name = command.name
    if name not in PASSING or not (files := list(_filled(command, name))):
        return
    data = {place for word in command.argv[1:] if not word.text.startswith(OPENED) for place in word.outputs}
    before = [one for one in flow.origins(command) if one.index not in data]
    if any(map(fetches, before)) and not any(interpreter(one.name) == "language" for one in before):
        yield from files


def _filled(command: Command, name: str) -> Iterator[str]:
    for redirect in command.redirects:
        if redirect.writes and redirect.descriptor in ("", "1"):
            yield redirect.target.text
    if name in ("tee", "sponge"):
        yield from (text for text in command.args if text[:1] != "-")
    elif name == "dd":
        yield from (text[3:] for text in command.args if text.startswith("of="))


def _fetched(command: Command, name: str) -> Iterator[str]:
    yield from (redirect.target.text for redirect in command.redirects if redirect.writes)
    given = arguments(command.argv[1:], VALUED.get(name, OUTPUT))
    named = given.values(*(WGET_NAMES if name.startswith("wget") else NAMES))
    folders = [word.text for word in given.values(*(("-d", "--dir") if name == "aria2c" else FOLDERS))] or [""]
    yield from (join(folders[-1] if name == "aria2c" else "", word.text) for word in named)
    if not named and _keeps(name, given):
        yield from (join(folders[-1], basename(text.partition("?")[0])) for text in addresses(command))
    texts = [text.lower() for text in command.args]
    yield from (command.args[n + 1] for n, text in enumerate(texts[:-1]) if text in ("-outfile", "-destination"))


def _keeps(name: str, given: Arguments) -> bool:
    """Whether what is fetched goes to a file that is named as its address is."""
    if name in DOWNLOADS:
        return given.has("-d", "--download")
    return name.startswith(("wget", "aria2c", "axel")) or given.has("-O", "--remote-name", "--remote-name-all", "-J")


def _copied(command: Command, known: set[str]) -> Iterator[str]:
    words = arguments(command.argv[1:], ("-m", "-o", "-g", "--mode")).operands
    for word in words[:-1]:
        if file_of(word.text, command) in known:
            yield file_of(words[-1].text, command)
            yield file_of(join(words[-1].text, basename(word.text)), command)
