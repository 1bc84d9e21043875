"""The files that a script writes or changes."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from operator import attrgetter

import msgspec

from synaptic.shell.effects.arguments import Arguments, arguments, operands
from synaptic.shell.names import names
from synaptic.shell.paths import LONGEST, PLAIN, Standpoint, resolve, settled
from synaptic.shell.places import without_everything
from synaptic.shell.programs.git_line import git_call
from synaptic.shell.read.script import WRITING, Command, Script, Word

EVERY = names("tee touch truncate mkdir shred sponge ed ex vi vim nano emacs chattr patch unlink rmdir rm")
"""Programs that change each file they name."""
EVERY_VALUED = names("-s -m --mode --size -p1")
EDITORS = names("ed ex vi vim nano emacs")
EDITOR_VALUED = names("-c --cmd -S -u -i --eval -l --load -f --funcall")
LAST = names("cp mv install ln rsync scp gcp gmv")
"""Programs that write their last argument, or the value of `-t`."""
MOVERS = frozenset({"mv", "gmv"})
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
CODE = {
    **dict.fromkeys(
        ("sed", "gsed"), (names("-e --expression -f --file -l"), re.compile(r"-[a-zA-Z]*[ef]|--expr|--file"))
    ),
    **dict.fromkeys(("perl", "ruby"), (names("-e -E -I -M -r"), re.compile(r"-[a-zA-Z0-9]*[eE]"))),
    **dict.fromkeys(("awk", "gawk"), (names("-i -e -f -v -F --file"), re.compile(r"-[ef]|--file|--source"))),
}
"""Options that take a value, and those whose value is the code."""
FETCHED = {
    "curl": ("-o", "--output", "--output-dir"),
    "wget": ("-O", "--output-document", "-P", "--directory-prefix"),
    "unzip": ("-d",),
    "sort": ("-o", "--output"),
    "gcc": ("-o",),
}
"""Options whose value is written."""
LONG = {"openssl": names("-out -keyout -CAserial"), "find": names("-fprint -fprint0 -fprintf -fls")}
"""The same for programs whose options are words behind a single dash."""
TARS = frozenset({"tar", "bsdtar", "gtar"})
TAR_VALUED = names("-C --directory -f --file -T -X --exclude --strip-components -b -I --transform --exclude-from")
MADE = {"clone": 1, "init": 0, "worktree": 1}
"""Verbs of git that make a folder, and how many words stand before it."""
WRITERS = EVERY | LAST | TARS | frozenset(IN_PLACE) | frozenset(FETCHED) | frozenset(LONG) | {"dd", "git"}


class Target(msgspec.Struct, frozen=True):
    """A file that would be written, and the word that names it."""

    path: str
    word: Word
    command: Command | None = None
    via: tuple[str, ...] = ()
    """Through what the command runs that writes it."""


def targets(found: Script, at: Standpoint, patterns: bool = False) -> Iterator[Target]:
    """Every file that is written, as far as its name is known; or only those that patterns name."""
    for word, cwd, command, via in _written(found, patterns):
        folder, text = cwd or at.cwd, word.text
        if PLAIN.fullmatch(text) and settled(folder) and len(text) <= LONGEST:
            yield Target(f"{folder}/{text}", word, command, via)
        elif path := resolve(without_everything(text) if word.glob else text, Standpoint(folder, at.home)):
            yield Target(path, word, command, via)


def _written(found: Script, patterns: bool) -> Iterator[tuple[Word, str, Command | None, tuple[str, ...]]]:
    """The words that name what is written, with the folder they are seen from and the command."""
    for redirect in found.redirects:
        if redirect.operator in WRITING and redirect.writes and (redirect.target.glob or not patterns):
            yield redirect.target, redirect.cwd, None, redirect.via
    for command in _writing(found):
        if patterns and not any(word.glob for word in command.argv):
            continue
        for word in written_words(command):
            if word.glob or not patterns:
                yield word, command.cwd, command, command.via


def _writing(found: Script) -> list[Command]:
    """The commands that may write, in their order."""
    writers = [commands for name, commands in found.by_name.items() if name.lower() in WRITERS]
    patched = [command for command in found.commands if command.paths and command.name.lower() not in WRITERS]
    if len(writers) == 1 and not patched:
        return writers[0]
    return sorted(chain(patched, *writers), key=attrgetter("index"))


def written_words(command: Command) -> list[Word]:
    """The words that name what a command writes or deletes."""
    name = command.name.lower()
    valued = EDITOR_VALUED if name in EDITORS else EVERY_VALUED
    words = operands(command.argv[1:], valued) if name in EVERY else list(_chosen(command, name))
    return [*map(Word, command.paths), *words] if command.paths else words


def _chosen(command: Command, name: str) -> Iterator[Word]:
    """What a program writes that does not change each file it names."""
    if name in LAST and not any(word.text[:1] == "-" for word in command.argv[1:]):
        yield from _behind(name, command.argv[1:])
    elif name in LAST:
        valued = {"rsync": RSYNC_VALUED, "scp": SCP_VALUED}.get(name, LAST_VALUED)
        yield from _last(name, arguments(command.argv[1:], valued))
    elif name == "dd":
        yield from (Word(word.text[3:], word.known) for word in command.argv[1:] if word.text[:3] == "of=")
    elif name in IN_PLACE and any(IN_PLACE[name].fullmatch(word.text) for word in command.argv[1:]):
        yield from _edited(name, command)
    elif name in FETCHED:
        yield from arguments(command.argv[1:], FETCHED[name]).values(*FETCHED[name])
    elif name in LONG:
        yield from (word for before, word in pairwise(command.argv) if before.text in LONG[name])
    elif name in TARS:
        yield from _tar(command)
    elif name == "git":
        yield from _made(command)


def _edited(name: str, command: Command) -> list[Word]:
    """The files behind the code, which stands in front of them unless an option brings it."""
    valued, brings = CODE[name]
    files = [word for word in operands(command.argv[1:], valued) if word.text]
    return files if any(brings.match(word.text) for word in command.argv[1:]) else files[1:]


def _last(name: str, given: Arguments) -> Iterator[Word]:
    if given.has("-t", "--target-directory"):
        yield from given.values("-t", "--target-directory")
        yield from given.operands if name in MOVERS else ()
    else:
        yield from _behind(name, given.operands)


def _behind(name: str, words: tuple[Word, ...]) -> Iterator[Word]:
    """The last of the words; what is moved changes where it was, too."""
    yield from words[-1:] if len(words) > 1 else ()
    yield from words if name in MOVERS else ()


def _tar(command: Command) -> Iterator[Word]:
    """The folder that is unpacked into, or the archive that is made."""
    given = read_tar(command)
    if given.has("-x", "--extract", "--get"):
        yield from given.values("-C", "--directory") or ((Word("/"),) if command.cwd == "/" else ())
    elif given.has("-c", "--create", "-r", "--append", "-u", "--update"):
        yield from given.values("-f", "--file")


def read_tar(command: Command) -> Arguments:
    """The arguments of tar: `tar xzf` is `tar -xzf`."""
    words = command.argv[1:]
    if words and words[0].text[:1] != "-":
        words = (msgspec.structs.replace(words[0], text=f"-{words[0].text}"), *words[1:])
    return arguments(words, TAR_VALUED)


def _made(command: Command) -> Iterator[Word]:
    """The folder that a clone or a new repository gets."""
    if not any(word.text in MADE for word in command.argv):
        return
    call = git_call(command)
    for word in call.given.words[MADE[call.verb] :][:1] if call.verb in MADE else ():
        below = call.cwd != command.cwd and word.text[:1] not in ("/", "~")
        yield Word(f"{call.cwd}/{word.text}", word.known) if below else word
