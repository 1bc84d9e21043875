"""Files in a script that come from another machine."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from posixpath import basename, join, normpath

from synaptic.parse.arguments import arguments
from synaptic.parse.flow import FETCHERS, OUTPUT, VALUED, addresses, fetches, remote
from synaptic.parse.shell.script import Command, Script

COPIERS = frozenset({"mv", "cp", "install", "ln", "rsync"})
SYNCERS = frozenset({"scp", "rsync", "sftp", "rclone"})


def downloaded(found: Script) -> Iterator[tuple[Command, AbstractSet[str]]]:
    """Each command together with the downloaded files that exist when it starts: look before you go on."""
    known: set[str] = set()
    for command in found.commands:
        yield command, known
        known.update(file_of(text, command) for text in _made(command) if text not in ("-", "/dev/stdout", "/dev/null"))
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


def _fetched(command: Command, name: str) -> Iterator[str]:
    yield from (redirect.target.text for redirect in command.redirects if redirect.writes)
    given = arguments(command.argv[1:], VALUED.get(name, OUTPUT))
    named = given.values("-O", "--output-document") if name.startswith("wget") else given.values("-o", "--output")
    yield from (word.text for word in named)
    folders = [word.text for word in given.values("--output-dir", "-P", "--directory-prefix")] or [""]
    if not named and (name.startswith("wget") or given.has("-O", "--remote-name", "--remote-name-all", "-J")):
        yield from (join(folders[-1], basename(text.partition("?")[0])) for text in addresses(command))
    texts = [text.lower() for text in command.args]
    yield from (command.args[n + 1] for n, text in enumerate(texts[:-1]) if text in ("-outfile", "-destination"))


def _copied(command: Command, known: set[str]) -> Iterator[str]:
    words = arguments(command.argv[1:], ("-m", "-o", "-g", "--mode")).operands
    for word in words[:-1]:
        if file_of(word.text, command) in known:
            yield file_of(words[-1].text, command)
            yield file_of(join(words[-1].text, basename(word.text)), command)
