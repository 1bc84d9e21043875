"""Private keys, passwords and tokens opened."""

import re
from collections.abc import Iterator
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.names import names
from synaptic.parse.paths import LONGEST, Standpoint, resolve
from synaptic.parse.shell.script import Command, Word
from synaptic.policies.base import ON, Policy
from synaptic.policies.reading import NOWHERE, Reading, any_of, elsewhere, named, reading
from synaptic.policies.secrets.private import ENVIRONMENT, HINTS, meanings, named_paths, private

READERS = names(
    "cat tac nl less more most head tail bat batcat view vi vim nvim nano emacs code ed grep egrep fgrep rg ag ack"
    " sed gsed awk gawk mawk perl cut paste sort uniq tr rev fold fmt pr strings xxd od hexdump hd base64 openssl"
    " cp mv ln rsync scp install tar bsdtar zip 7z gzip gpg tee dd jq yq diff cmp comm split csplit source . mapfile"
    " readarray read pbcopy xclip xsel wl-copy curl wget nc ncat socat python python3 node ruby sponge gc type"
    " get-content zgrep base32"
)
IDENTITY = frozenset({"-i", "-F", "--key", "--cert", "-E", "--netrc-file", "-inkey", "-config"})
"""Options that use a key for what it is made for."""
NAMED = re.compile(r"[.]|id_|shadow|sudoers|master|/op/|[Kk]ey|_netrc|[Ll]ogin|ssh_host", re.IGNORECASE)
"""Every private name holds one of these."""
VALUE = re.compile(r"^(?:--?[\w-]+=|(?:if|of)=|@|[\w.-]+=@)")
EXPORT = "--export-secret"
EXPORTS = frozenset({"--export-secret-keys", "--export-secret-subkeys", "--export-secret-key"})
WRITTEN = re.compile(r"/\.ssh/(?:authorized_keys2?|config|rc|environment)$")


class Files(Policy):
    """Reading or writing the user's keys, passwords and tokens.

    ## What it does
    Denies every tool that names a private file (`~/.ssh` keys, `~/.aws/credentials`, `~/.gnupg`, `.netrc`,
    `/etc/shadow` and others), reads included, and shell commands that print, copy or change one. Public keys, `ls`,
    `ssh -i` and programs that use their own credentials are fine. Names are compared after `..`, `~`,
    percent-encoding, NUL, upper case and, for file tools, links have been seen through. `env_files` adds `.env`.
    ## Why
    What an agent has read can end up in a log, a commit or a request, and a key that was seen has to be replaced.
    ## Known gaps
    Programs that are not known to print files are not looked at. Links are not followed in shell commands.
    """

    id = "secrets.files"
    events = (PreToolUse,)
    priority = 20
    preset = "essentials"
    needs = ("real_paths",)

    env_files: Annotated[bool, ON] = False
    """Treat `.env` files as private, too. Examples and templates are never private."""
    allowed: tuple[str, ...] = ()
    """Private paths that may be used all the same, such as `~/.kube/config`."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        at = Standpoint(event.cwd or facts.root or NOWHERE, facts.home)
        found = reading(event, facts)
        paths = self._in_script(found, at) if found else _in_call(event, at, facts)
        path = next((path for path in paths if self._closed(path, at)), "")
        if not path:
            return None
        return deny(
            f"{path!r} holds keys, passwords or tokens. Work without reading it: use the program that owns it, a "
            "template such as `.env.example`, or ask the user for the one value you need."
        )

    def _closed(self, path: str, at: Standpoint) -> bool:
        if self.allowed and path in (resolve(name, at) for name in self.allowed):
            return False
        return private(path) or (self.env_files and ENVIRONMENT.search(path) is not None)

    def _in_script(self, known: Reading, at: Standpoint) -> Iterator[str]:
        hints = known.hinted((*HINTS, EXPORT, ".env") if self.env_files else (*HINTS, EXPORT))
        return _in_script(known, at, hints) if hints else iter(())


def _in_call(event: PreToolUse, at: Standpoint, facts: Facts) -> Iterator[str]:
    for text in named_paths(event.tool):
        for path in meanings(text, at, facts.real_paths):
            if not event.tool.edits or not WRITTEN.search(path):
                yield path
            else:
                yield path.rpartition("/")[0]  # whoever writes these decides who may log in: the folder is private


def _in_script(known: Reading, at: Standpoint, hints: tuple[str, ...]) -> Iterator[str]:
    found = known.script
    for command in named(found, READERS):
        if not elsewhere(command):
            yield from _read(command, at, hints)
    for redirect in found.redirects:
        if redirect.operator in ("<", "<>"):
            yield resolve(redirect.target.text, Standpoint(redirect.cwd or at.cwd, at.home)) or ""
    for target in known.targets:
        if WRITTEN.search(target.path):
            yield target.path.rpartition("/")[0]
        elif target.command is None:
            yield target.path


def _read(command: Command, at: Standpoint, hints: tuple[str, ...]) -> Iterator[str]:
    if EXPORT in hints and EXPORTS.intersection(command.args):
        yield f"{at.home}/.gnupg/private-keys"
    hinted = any_of(hints).search
    everywhere = hinted(f"{command.cwd or at.cwd}\n{at.home}")
    before = ""
    for word in command.argv[1:]:
        if len(word.text) > LONGEST or not (everywhere or hinted(word.text)) or not _may_be_private(word, command):
            before = word.text
            continue
        if before not in IDENTITY and not (word.text[:2] == "-i" and len(word.text) > 2):
            yield resolve(VALUE.sub("", word.text), Standpoint(command.cwd or at.cwd, at.home)) or ""
        before = word.text


def _may_be_private(word: Word, command: Command) -> bool:
    return NAMED.search(word.text) is not None or NAMED.search(command.cwd) is not None
