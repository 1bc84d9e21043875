"""The files that a script writes or changes."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.parse.arguments import Arguments, arguments
from synaptic.parse.names import names
from synaptic.parse.paths import Standpoint, resolve
from synaptic.parse.places import without_everything
from synaptic.parse.shell.script import Command, Script, Word

EVERY = names("tee touch truncate mkdir shred sponge ed ex vi vim nano emacs chattr patch unlink rmdir rm")
"""Programs that change each file they name."""
EVERY_VALUED = names("-s -m --mode --size -p1")
LAST = names("cp mv install ln rsync scp gcp gmv")
"""Programs that write their last argument, or the value of `-t`."""
LAST_VALUED = names("-t --target-directory -m --mode -o --owner -g --group -S --suffix")
RSYNC_VALUED = names("-e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from --backup-dir")
SCP_VALUED = names("-i -F -o -P -c -l -J -S")
IN_PLACE = {
    "sed": re.compile(r"-[nErsz]*i.*|--in-place.*"),
    "gsed": re.compile(r"-[nErsz]*i.*|--in-place.*"),
    "perl": re.compile(r"-\w*i\S*"),
    "ruby": re.compile(r"-\w*i\S*"),
    "awk": re.compile(r"inplace"),
    "gawk": re.compile(r"inplace"),
}
FETCHED = {
    "curl": ("-o", "--output", "--output-dir"),
    "wget": ("-O", "--output-document", "-P", "--directory-prefix"),
    "tar": ("-C", "--directory"),
    "bsdtar": ("-C", "--directory"),
    "unzip": ("-d",),
    "sort": ("-o", "--output"),
    "gcc": ("-o",),
    "openssl": ("-out",),
}
"""Options whose value is written."""
WRITERS = EVERY | LAST | frozenset(IN_PLACE) | frozenset(FETCHED) | {"dd"}


class Target(msgspec.Struct, frozen=True):
    """A file that would be written, and the word that names it."""

    path: str
    word: Word
    command: Command | None = None


def targets(found: Script, at: Standpoint) -> Iterator[Target]:
    """Every file that is written, as far as its name is known."""
    for redirect in found.writes:
        yield from _resolved([redirect.target], redirect.cwd, at, None)
    for command in found.commands:
        if command.paths or command.name.lower() in WRITERS:
            yield from _resolved(list(_written(command)), command.cwd, at, command)


def _resolved(words: list[Word], cwd: str, at: Standpoint, command: Command | None) -> Iterator[Target]:
    for word in words:
        text = without_everything(word.text) if word.glob else word.text
        if path := resolve(text, Standpoint(cwd or at.cwd, at.home)):
            yield Target(path, word, command)


def _written(command: Command) -> Iterator[Word]:
    name = command.name.lower()
    yield from (Word(path) for path in command.paths)
    if name in EVERY:
        yield from arguments(command.argv[1:], EVERY_VALUED).operands
    elif name in LAST:
        valued = {"rsync": RSYNC_VALUED, "scp": SCP_VALUED}.get(name, LAST_VALUED)
        yield from _last(name, arguments(command.argv[1:], valued))
    elif name == "dd":
        yield from (Word(word.text[3:], word.known) for word in command.argv[1:] if word.text[:3] == "of=")
    elif name in IN_PLACE and any(IN_PLACE[name].fullmatch(text) for text in command.args):
        yield from (word for word in command.argv[1:] if word.text[:1] != "-")
    elif name in FETCHED:
        yield from arguments(command.argv[1:], FETCHED[name]).values(*FETCHED[name])


def _last(name: str, given: Arguments) -> Iterator[Word]:
    yield from given.values("-t", "--target-directory")
    if not given.has("-t", "--target-directory"):
        yield from given.operands[-1:] if len(given.operands) > 1 else ()
    if name in ("mv", "gmv"):
        yield from given.operands
