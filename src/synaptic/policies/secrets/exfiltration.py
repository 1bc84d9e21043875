"""Secrets sent to another machine."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, compile_hints, select_commands
from synaptic.policies.secrets.printers import prints_secret, select_printing
from synaptic.policies.secrets.private import HISTORY_HINTS, KEY_HINTS, find_private_hints, is_history, is_secret
from synaptic.shell.book.entries import BOOK, ProgramEntry, find_program, list_names_with
from synaptic.shell.effects.addresses import SHELL_SOCKET, may_send, sends_data
from synaptic.shell.effects.commands import find_read_words
from synaptic.shell.effects.flow import TANGLED_MESSAGE, DataFlow
from synaptic.shell.paths import MAX_PATH, Standpoint, resolve_path
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

ENVIRONMENT_DUMPERS = list_names_with("environment")
ARCHIVES = list_names_with("archives")
NAMING = frozenset({"echo", "printf"})
SENDERS = frozenset(name for name, one in BOOK.items() if may_send(one))
FILE_PREFIX = re.compile(
    r"^(?:[\w.\[\]-]+=)?[@<]|^(?:OPEN|FILE|CREATE|GOPEN|EXEC|SYSTEM):|^--?[\w-]+=@?", re.IGNORECASE
)
MORE_HINTS = (*KEY_HINTS, *HISTORY_HINTS)
"""What a path with a secret holds at least that is not private in itself."""
SOCKETS = ("/dev/tcp/", "/dev/udp/")
WHOLE_FOLDERS = frozenset({".", "./", "*", "./*", "..", "~", "/", "~/"})
INSTEAD = "Keep it on this machine; if another one needs it, let the user send it."


class Exfiltration(Policy):
    """Sending keys, credentials or the whole environment somewhere else.

    ## What it does
    Follows private files, folders of credentials (`~/.aws`, `~/.kube`), `.env` files, key files and `env` through
    pipes, substitutions, copies and archives, and denies what would send them with curl, wget, nc, scp, rsync, ssh,
    mail, cloud tools or `/dev/tcp`. Asks before an archive of a whole folder is piped to another machine, and when
    more commands feed one another than can be followed. What is left out with `--exclude` is not sent.
    Keys given to `-i`, `--key` or `--cert` are used, not sent.
    ## Why
    A secret that left the machine has to be replaced everywhere, and a text that an agent read can ask for it.
    ## Known gaps
    Encryption does not make it harmless here. Variables filled from secret files by other programs are not followed.
    """

    id = "secrets.exfiltration"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        found, opened = known.script, _opens_connection(known)
        # Cheap questions first: following the flow through a long script is the expensive part.
        if not (opened or not SENDERS.isdisjoint(known.programs)) or not _has_secrets(known):
            return None
        if not opened and not any(sends_data(command) for command in select_commands(found, SENDERS)):
            return None
        trail = _SecretTrail(known, Standpoint(event.cwd or facts.root or UNKNOWN_PROJECT, facts.home))
        for command in found.commands:
            sending = sends_data(command)
            if sending and (what := trail.describe_sent(command)):
                return deny(f"`{command.name}` would send {what} to another machine. {INSTEAD}")
            # With a socket on a descriptor, whatever is printed may go there.
            if opened and trail.reads_secret(command):
                return deny(f"`{command.name}` reads a secret while a connection is open. {INSTEAD}")
            if (opened and command.name in ARCHIVES) or (sending and trail.sends_whole_folder(command)):
                return ask(
                    f"`{command.name}` would send everything in a folder to another machine. Name the files to send."
                )
            trail.follow(command)
        return ask(TANGLED_MESSAGE) if trail.flow.is_tangled else None


class _SecretTrail:
    """The files that hold something secret so far."""

    def __init__(self, known: CommandReading, at: Standpoint) -> None:
        self.flow = DataFlow(known.script)
        self.at = at
        self._hinted = compile_hints((*find_private_hints(known), *known.find_hints(MORE_HINTS))).search
        self._everywhere = {start for start in known.start_folders if self._hinted(f"{start or at.cwd}\n{at.home}")}
        self.tainted: set[str] = set()
        self._reads: dict[int, bool] = {}
        """What is known of each command, until another file is found to hold something secret."""

    def describe_sent(self, command: Command) -> str:
        """Which secret a sending command would send; empty when none."""
        for word in _iter_payload(command):
            if path := self._find_secret(word, command):
                return repr(path)
            if any(self.reads_secret(one) or _dumps_environment(one) for one in self.flow.find_sources(word)):
                return "what it reads from a secret"
        for redirect in command.redirects:
            if redirect.operator == "<" and (path := self._find_secret(redirect.target, command)):
                return repr(path)
        for one in self.flow.find_origins(command):
            if self.reads_secret(one):
                return f"what `{one.name}` reads from a secret"
            if prints_secret(one) and _shares_pipe(one, command):
                return f"the secret that `{one.name}` prints"
            if _dumps_environment(one):
                return "the environment"
        if not _says_what(find_program(command.name)) and self.reads_secret(command):
            return "a secret"
        return ""

    def sends_whole_folder(self, command: Command) -> bool:
        """Whether it is given an archive of a whole folder."""
        piped = (one for one in self.flow.find_origins(command) if one.name in ARCHIVES)
        return any(WHOLE_FOLDERS.intersection(one.args) for one in piped)

    def reads_secret(self, command: Command) -> bool:
        """Whether it is given a secret."""
        known = self._reads.get(command.index)
        if known is None:
            known = self._reads[command.index] = self._is_given_secret(command)
        return known

    def _is_given_secret(self, command: Command) -> bool:
        # What these print may be names of files that the next command packs: `printf ... | zip -@`.
        named = command.argv[1:] if command.name in NAMING else find_read_words(command)
        words = (word for word in named if word.text[:1] != "-" or "=" in word.text)
        fed = (redirect.target for redirect in command.redirects if redirect.operator == "<")
        return any(self._find_secret(word, command) for word in (*words, *fed))

    def follow(self, command: Command) -> None:
        """What a command writes after reading a secret is one, too."""
        feeding = [command, *self.flow.find_origins(command)]
        if not any(self.reads_secret(one) or _dumps_environment(one) or prints_secret(one) for one in feeding):
            return
        words = [word for word in command.argv[1:] if word.text[:1] != "-"]
        words += [redirect.target for redirect in command.redirects if redirect.is_write]
        paths = {path for word in words if (path := self._resolve_word(word, command)) and path != "/dev/null"}
        if not paths <= self.tainted:
            self.tainted |= paths
            # What was found out about other commands no longer holds: one of them may read the new file.
            self._reads.clear()

    def _find_secret(self, word: Word, command: Command) -> str:
        if not self.tainted and not self._may_be_secret(word.text, command.cwd):
            return ""
        path = self._resolve_word(word, command)
        # Compressing or encrypting a file adds a suffix: `key.gz`, `key.enc`.
        known = path in self.tainted or any(path.startswith(f"{one}.") for one in self.tainted)
        return path if known or is_secret(path, self.at.home) or is_history(path) else ""

    def _may_be_secret(self, text: str, cwd: str) -> bool:
        """Whether a word or its folder holds a hint at all; a variable may put one together."""
        return self._hinted(text) is not None or "$" in text or cwd in self._everywhere

    def _resolve_word(self, word: Word, command: Command) -> str:
        if len(word.text) > MAX_PATH:
            return ""
        # `-F "file=@key;type=text/plain"`: the path ends at the semicolon.
        text = FILE_PREFIX.sub("", word.text).rstrip("*").partition(";")[0]
        return resolve_path(text, Standpoint(command.cwd or self.at.cwd, self.at.home)) or "" if text else ""


def _opens_connection(known: CommandReading) -> bool:
    """Whether a redirection goes to another machine."""
    if not (known.has_long_words or known.holds_hint(SOCKETS, known.words)):
        return False
    return any(SHELL_SOCKET.match(redirect.target.text) for redirect in known.script.redirects)


@kept_beside
def _has_secrets(known: CommandReading) -> bool:
    """Whether there is a secret, an environment or an archive at all: without one nothing can be sent."""
    dumped = any(map(_dumps_environment, select_commands(known.script, ENVIRONMENT_DUMPERS)))
    dumped = dumped or next(select_printing(known), None) is not None
    if dumped or not ARCHIVES.isdisjoint(known.programs):
        return True
    return bool(find_private_hints(known)) or known.holds_hint(MORE_HINTS)


def _shares_pipe(one: Command, other: Command) -> bool:
    """Whether a pipe leads from one to the other; a token in an argument or a header is another guard's question."""
    places = dict(other.stages)
    return any(place < places.get(line, 0) for line, place in one.stages)


def _dumps_environment(command: Command) -> bool:
    return command.name in ENVIRONMENT_DUMPERS and not [word for word in command.argv[1:] if word.text[:1] != "-"]


def _says_what(program: ProgramEntry) -> bool:
    """Whether the words of a program tell all that it sends: an archive, and a client that takes trees, send more."""
    return program.sends or program.has_role("text")


def _iter_payload(command: Command) -> Iterator[Word]:
    """The words of a sending command that it sends: values of options made for it, or whatever it names."""
    program = find_program(command.name)
    given = program.read(command.argv[1:])
    if program.remote and not program.uploads:
        # Its words are a command for the other machine, and the files that they name are files over there.
        yield from (word for word in given.operands if word.outputs)
        return
    if program.has_role("send"):
        yield from given.get_by_role("send")
        # An address is no payload, unless the output of a command was put into it.
        yield from (word for word in given.operands if word.outputs)
        return
    yield from given.operands
    for flag in given.flags if program.uploads else ():
        if flag.value is not None:
            # A text is no file, whatever it names; what it holds of a command's output is sent all the same.
            yield msgspec.structs.replace(flag.value, text="") if flag.role == "text" else flag.value
