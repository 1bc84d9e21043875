"""Secrets sent to another machine."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELLS, any_of, named, reading
from synaptic.policies.secrets.private import HINTS, KEY_HINTS, secret
from synaptic.policies.secrets.readers import EXCLUDES, files_of
from synaptic.shell.effects.arguments import arguments
from synaptic.shell.effects.flow import SOCKET, TANGLED, Flow, local, remote
from synaptic.shell.names import names
from synaptic.shell.paths import LONGEST, Standpoint, resolve
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import NOWHERE, CommandReading

SENDS = names(
    "curl wget wget2 nc ncat netcat socat ssh scp sftp rsync ftp lftp http https xh telnet mail mailx sendmail mutt"
    " rclone croc magic-wormhole wormhole transfer iwr irm invoke-webrequest invoke-restmethod"
)
UPLOADS = {
    "gh": re.compile(r"gist|release|issue|pr"),
    "aws": re.compile(r"s3|s3api"),
    "gsutil": re.compile(r"cp|rsync|mv"),
    "gcloud": re.compile(r"storage"),
    "az": re.compile(r"storage"),
    "glab": re.compile(r"snippet|issue|mr"),
}
FORGES = frozenset({"gh", "glab"})
TEXT = names("-b --body -t --title -n --notes -d --desc --description -m --message -s --subject")
"""Their options whose value is text, not the name of a file."""
DATA = names(
    "-d --data --data-binary --data-raw --data-urlencode --data-ascii -F --form --form-string -T --upload-file --json"
    " --post-file --body-file --post-data --body-data --url-query -InFile -Body"
)
IDENTITY = names("-i -F -o -e --rsh -J -S -c -l -p -P --key --cert --cacert -E --netrc-file --config -K")
COPYING = IDENTITY | EXCLUDES | {"--filter", "--include"}
VALUED = DATA | IDENTITY | {"-H", "--header", "-u", "--user", "-A", "-X", "-O"}
FILE = re.compile(r"^(?:[\w.\[\]-]+=)?[@<]|^(?:OPEN|FILE|CREATE|GOPEN|EXEC|SYSTEM):|^--?[\w-]+=@?", re.IGNORECASE)
DUMPS = frozenset({"env", "printenv", "set", "export", "declare", "history"})
SOCKETS = ("/dev/tcp/", "/dev/udp/")
ARCHIVES = frozenset({"tar", "bsdtar", "zip", "7z", "cpio", "pax", "rar"})
SENDERS = SENDS | ARCHIVES | frozenset(UPLOADS)
SECRETS = (*HINTS, *KEY_HINTS)
WHOLE = frozenset({".", "./", "*", "./*", "..", "~", "/", "~/"})
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
    tools = SHELLS
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = reading(event, facts)
        if known is None:
            return None
        found, opened = known.script, _opened(known)
        if not (opened or not SENDERS.isdisjoint(known.programs)) or not _worth_sending(known):
            return None
        if not opened and not any(_sends(command) for command in named(found, SENDERS)):
            return None
        trail = _Trail(known, Standpoint(event.cwd or facts.root or NOWHERE, facts.home))
        for command in found.commands:
            sends = _sends(command)
            if sends and (what := trail.sent(command)):
                return deny(f"`{command.name}` would send {what} to another machine. {INSTEAD}")
            if opened and trail.reads(command):
                return deny(f"`{command.name}` reads a secret while a connection is open. {INSTEAD}")
            if (opened and command.name in ARCHIVES) or (sends and trail.whole(command)):
                return ask(
                    f"`{command.name}` would send everything in a folder to another machine. Name the files to send."
                )
            trail.follow(command)
        return ask(TANGLED) if trail.flow.tangled else None


class _Trail:
    """The files that hold something secret so far."""

    def __init__(self, known: CommandReading, at: Standpoint) -> None:
        self.flow = Flow(known.script)
        self.at = at
        self._hinted = any_of(known.hinted(SECRETS)).search
        self._everywhere = {start for start in known.starts if self._hinted(f"{start or at.cwd}\n{at.home}")}
        self.tainted: set[str] = set()
        self._reads: dict[int, bool] = {}
        """What is known of each command, until another file is found to hold something secret."""

    def sent(self, command: Command) -> str:
        """What a sending command would send of it; empty when nothing."""
        for word in _payload(command):
            if path := self._secret(word, command):
                return repr(path)
            if any(self.reads(one) or _dumps(one) for one in self.flow.sources(word)):
                return "what it reads from a secret"
        for redirect in command.redirects:
            if redirect.operator == "<" and (path := self._secret(redirect.target, command)):
                return repr(path)
        for one in self.flow.origins(command):
            if self.reads(one):
                return f"what `{one.name}` reads from a secret"
            if _dumps(one):
                return "the environment"
        if command.name not in SENDS and command.name not in FORGES and self.reads(command):
            return "a secret"
        return ""

    def whole(self, command: Command) -> bool:
        """Whether it is given an archive of a whole folder."""
        piped = (one for one in self.flow.origins(command) if one.name in ARCHIVES)
        return any(WHOLE.intersection(one.args) for one in piped)

    def reads(self, command: Command) -> bool:
        """Whether it is given a secret."""
        known = self._reads.get(command.index)
        if known is None:
            known = self._reads[command.index] = self._looked(command)
        return known

    def _looked(self, command: Command) -> bool:
        words = (word for word in files_of(command) if word.text[:1] != "-" or "=" in word.text)
        fed = (redirect.target for redirect in command.redirects if redirect.operator == "<")
        return any(self._secret(word, command) for word in (*words, *fed))

    def follow(self, command: Command) -> None:
        """What a command writes after reading a secret is one, too."""
        feeding = [command, *self.flow.origins(command)]
        if not any(self.reads(one) for one in feeding):
            return
        words = [word for word in command.argv[1:] if word.text[:1] != "-"]
        words += [redirect.target for redirect in command.redirects if redirect.writes]
        paths = {path for word in words if (path := self._path(word, command)) and path != "/dev/null"}
        if not paths <= self.tainted:
            self.tainted |= paths
            self._reads.clear()

    def _secret(self, word: Word, command: Command) -> str:
        if not self.tainted and not self._may_be_secret(word.text, command.cwd):
            return ""
        path = self._path(word, command)
        known = path in self.tainted or any(path.startswith(f"{one}.") for one in self.tainted)
        return path if known or secret(path, self.at.home) else ""

    def _may_be_secret(self, text: str, cwd: str) -> bool:
        """Whether a word or its folder holds a hint at all; a variable may put one together."""
        return self._hinted(text) is not None or "$" in text or cwd in self._everywhere

    def _path(self, word: Word, command: Command) -> str:
        if len(word.text) > LONGEST:
            return ""
        text = FILE.sub("", word.text).rstrip("*").partition(";")[0]
        return resolve(text, Standpoint(command.cwd or self.at.cwd, self.at.home)) or "" if text else ""


def _opened(known: CommandReading) -> bool:
    """Whether a redirection goes to another machine."""
    if not (known.shortened or known.hinted(SOCKETS, known.words)):
        return False
    return any(SOCKET.match(redirect.target.text) for redirect in known.script.redirects)


def _worth_sending(known: CommandReading) -> bool:
    """Whether there is a secret, an environment or an archive at all: without one nothing can be sent."""
    dumped = any(map(_dumps, named(known.script, DUMPS)))
    return dumped or not ARCHIVES.isdisjoint(known.programs) or bool(known.hinted(SECRETS))


def _dumps(command: Command) -> bool:
    return command.name in DUMPS and not [word for word in command.argv[1:] if word.text[:1] != "-"]


def _sends(command: Command) -> bool:
    name = command.name.lower()
    if any(SOCKET.match(redirect.target.text) for redirect in command.redirects if redirect.writes):
        return True
    if name in UPLOADS:
        return any(UPLOADS[name].fullmatch(text) for text in command.args[:2])
    if name in ("scp", "rsync", "sftp"):
        return remote(command.argv[-1].text)
    if name in ARCHIVES:
        return any(remote(word.text) for word in arguments(command.argv[1:], ("-f", "--file")).values("-f", "--file"))
    return name in SENDS and not local(command)


def _payload(command: Command) -> Iterator[Word]:
    """The words of a sending command that it sends."""
    name = command.name.lower()
    if name in ("curl", "wget", "wget2"):
        given = arguments(command.argv[1:], VALUED)
        yield from given.values(*DATA)
        yield from (word for word in given.operands if word.outputs)
        return
    if name in FORGES:
        given = arguments(command.argv[1:], TEXT)
        yield from given.operands
        for option, value in given.options:
            if value is not None:
                yield msgspec.structs.replace(value, text="") if option in TEXT else value
        return
    yield from arguments(command.argv[1:], COPYING if name in ("ssh", "scp", "sftp", "rsync") else ()).operands
