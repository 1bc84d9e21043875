"""Private keys, passwords and tokens opened."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.mounts import Mount, find_host_paths, find_mounts
from synaptic.policies.reading import ELSEWHERE_PROGRAMS, compile_hints, select_commands
from synaptic.policies.secrets.patterns import takes_in_private
from synaptic.policies.secrets.private import (
    ENVIRONMENT,
    HISTORY_HINTS,
    find_private_hints,
    is_history,
    is_private,
    iter_meanings,
    iter_named_paths,
)
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, find_program
from synaptic.shell.effects.commands import find_acts
from synaptic.shell.effects.searched import FIND_PROGRAMS, LISTING_PROGRAMS, ScriptSearches
from synaptic.shell.globs import matches_glob
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH, Standpoint, resolve_path
from synaptic.shell.places import matches_everything
from synaptic.shell.programs.table import PROGRAM_HANDLERS
from synaptic.shell.read.script import Command, Redirect, Script, Word
from synaptic.shell.read.startup import STARTUP_LABEL
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

PRIVATE_NAME = re.compile(r"[.]|id_|shadow|sudoers|master|/op/|[Kk]ey|_netrc|[Ll]ogin|ssh_host|cookies", re.IGNORECASE)
"""Every private name holds one of these."""
OPTION_PREFIX = re.compile(r"^(?:--?[\w-]+=|(?:if|of)=|@|[\w.-]+=@)")
EXPORT = "--export-secret"
EXPORTS = frozenset({"--export-secret-keys", "--export-secret-subkeys", "--export-secret-key"})
PASSWORD = re.compile(r"find-(?:generic|internet)-password")
PRINTING_OPTIONS = frozenset({"-w", "-g"})
MORE_HINTS = (EXPORT, "keychain", "-password", *HISTORY_HINTS)
HISTORY_TEXT = (
    "holds what was typed, with passwords and tokens among the rest. Ask the user for the line you need, or look "
    "into the project's own scripts."
)
SSH_LABELS = split_names("ssh autossh mosh pdsh clush pssh dsh rsh sshrc ansible salt bolt fab gcloud aws az doctl")
"""Through what a command runs on another machine of the user's, whose keys are keys as well."""
CONTAINER_LABELS = ELSEWHERE_PROGRAMS - SSH_LABELS
OPENING = frozenset({"read", "write", "send", "fetch"})
"""Effects that show or change what a file holds: making a folder and deleting a file do neither."""
WELL_KNOWN = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", ".pgpass", ".git-credentials", ".vault-token")
"""Private files that a search may look for by name, wherever they lie."""
KEY_OPTION = re.compile(r"-i$|-k$|--?(?:private|ssh|identity|key|cert|auth|secret|cred)", re.IGNORECASE)
"""Options whose value is used for what it is made for."""
HintSearch = Callable[[str], re.Match[str] | None]
FIND_SIGNS = frozenset({"-o", "-or", "!", "-not", ",", "(", ")"})
"""Signs with which `find` asks for more than one thing, or for what is left."""
LOGIN_FILES = re.compile(r"/\.ssh/(?:authorized_keys2?|config|rc|environment)$")


class SecretFiles(Policy):
    """Reading or writing the user's keys, passwords and tokens.

    ## What it does
    Denies every tool that names a private file (`~/.ssh` keys, `~/.aws/credentials`, `~/.gnupg`, `.netrc`,
    `/etc/shadow`, cookies of browsers, what coding agents log in with, and others), reads included, and shell commands
    that print, copy or change one: here, on a machine that is reached with ssh, or through the mounts of a container. A
    program that nobody knows may show what it is given, and so does what is run on the results of a search. Asks before
    histories of shells and clients are read (`~/.bash_history`, `~/.psql_history`). Public keys, `ls`, `ssh -i`,
    patterns that are searched for and programs that use their own credentials are fine. Names are compared after `..`,
    `~`, percent-encoding, NUL, upper case and, for file tools, links have been seen through. `env_files` adds `.env`.
    ## Why
    What an agent has read can end up in a log, a commit or a request, and a key that was seen has to be replaced.
    ## Known gaps
    What a program does with the value of an option that is not known is not looked at. Links are not
    followed in shell commands.
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
        at = Standpoint(event.cwd or facts.root or UNKNOWN_PROJECT, facts.home)
        found = facts.command
        paths = chain(self._search_script(found, at) if found else (), _find_call_paths(event, at, facts))
        asked = ""
        for path in paths:
            if self._is_closed(path, at):
                return deny(
                    f"{path!r} holds keys, passwords or tokens. Work without reading it: use the program that owns it, "
                    "a template such as `.env.example`, or ask the user for the one value you need."
                )
            asked = asked or (path if is_history(path) and not self._is_allowed(path, at) else "")
        return ask(f"{asked!r} {HISTORY_TEXT}") if asked else None

    def _is_closed(self, path: str, at: Standpoint) -> bool:
        if self._is_allowed(path, at):
            return False
        if is_private(path) or takes_in_private(path, at.home):
            return True
        return self.env_files and ENVIRONMENT.search(path) is not None

    def _is_allowed(self, path: str, at: Standpoint) -> bool:
        # Both sides resolved, so that `~/.kube/config` and its absolute path are the same file.
        return bool(self.allowed) and path in (resolve_path(name, at) for name in self.allowed)

    def _search_script(self, known: CommandReading, at: Standpoint) -> Iterator[str]:
        hints = _find_all_hints(known, self.env_files)
        if hints or known.has_hidden_pattern:
            return _find_script_paths(known, at, hints)
        return iter(())


@kept_beside
def _find_all_hints(known: CommandReading, env_files: bool) -> tuple[str, ...]:
    more = (*MORE_HINTS, ".env") if env_files else MORE_HINTS
    return (*find_private_hints(known), *known.find_hints(more))


def _find_call_paths(event: PreToolUse, at: Standpoint, facts: Facts) -> Iterator[str]:
    for text in iter_named_paths(event.tool):
        for path in iter_meanings(text, at, facts.real_paths):
            if not event.tool.may_write or not LOGIN_FILES.search(path):
                yield path
            else:
                yield path.rpartition("/")[0]  # whoever writes these decides who may log in: the folder is private


def _find_script_paths(known: CommandReading, at: Standpoint, hints: tuple[str, ...]) -> Iterator[str]:
    found = known.script
    hinted = compile_hints(hints).search
    # In such a folder every relative name may be private, so there all words are looked at.
    everywhere = {start for start in known.start_folders if hinted(f"{start or at.cwd}\n{at.home}")}
    mounted = find_mounts(found)
    public = _seeks_public_keys(found)
    for command in found.commands:
        if STARTUP_LABEL in command.via:
            continue  # the user's own shell reads it, and shows it to nobody
        if public and _is_run_on_results(command):
            continue
        if _is_contained(command):
            yield from (
                _find_mounted_paths((word.text for word in _find_opened_words(command)), mounted, at) if mounted else ()
            )
            continue
        if EXPORT in hints and EXPORTS.intersection(command.args):
            yield f"{at.home}/.gnupg/private-keys"
        yield from _find_read_paths(command, at, None if command.cwd in everywhere else hinted)
    yield from (
        f"{at.home}/Library/Keychains" for command in select_commands(found, ("security",)) if _prints_keychain(command)
    )
    yield from _find_listed_paths(found, at)
    for redirect in found.redirects:
        if redirect.operator not in ("<", "<>") or STARTUP_LABEL in redirect.via:
            continue
        if _is_contained(redirect):
            yield from _find_mounted_paths((redirect.target.text,), mounted, at)
        else:
            yield resolve_path(redirect.target.text, Standpoint(redirect.cwd or at.cwd, at.home)) or ""
    for target in known.targets:
        if LOGIN_FILES.search(target.path):
            yield target.path.rpartition("/")[0]
        # Redirections. Commands that copy a key were seen above, as readers of it.
        elif target.command is None:
            yield target.path


def _find_read_paths(command: Command, at: Standpoint, hinted: HintSearch | None) -> Iterator[str]:
    """The files that a command reads: of all its words, or of those that hold a hint."""
    if hinted is not None and not any(word.glob or hinted(word.text) for word in command.argv[1:]):
        return
    here = Standpoint(command.cwd or at.cwd, at.home)
    for word in _find_opened_words(command):
        text = word.text
        if (hinted is None or word.glob or hinted(text)) and len(text) <= MAX_PATH and _may_be_private(word, command):
            yield resolve_path(OPTION_PREFIX.sub("", text), here) or ""


def _find_opened_words(command: Command) -> Iterator[Word]:
    """What a known program shows, copies or changes; every operand of one that nobody knows, because it may show it."""
    if find_program(command.name) is UNKNOWN_PROGRAM and command.name not in PROGRAM_HANDLERS:
        return _find_unknown_operands(command)
    return (word for kind, word in find_acts(command) if kind in OPENING)


def _find_unknown_operands(command: Command) -> Iterator[Word]:
    """The words that look like files and are not the value of an option that takes a key or a text."""
    for before, word in pairwise(command.argv):
        text = word.text
        if (
            text[:1] == "-"
            or " " in text
            or (before.text[:1] == "-" and ("/" not in text or KEY_OPTION.match(before.text)))
        ):
            continue
        yield word


def _find_listed_paths(found: Script, at: Standpoint) -> Iterator[str]:
    """Files that are opened because a search or a listing prints their names."""
    searches = ScriptSearches(found, LISTING_PROGRAMS)
    public = _seeks_public_keys(found)
    for command in found.uncertain:
        if public and _is_run_on_results(command):
            continue
        here = Standpoint(command.cwd or at.cwd, at.home)
        for word in _find_opened_words(command):
            if word.known and "{}" not in word.text:
                continue
            search = searches.find_search(word, command)
            for root in search.roots if search else ():
                names = [*search.names] if search else []
                yield from (resolve_path(path, here) or "" for path in _iter_found(root.text, names))
            for one in searches.list_printers(word, command):
                if find_program(one.name).lists:
                    listed = find_program(one.name).read(one.argv[1:]).operands
                    yield from (resolve_path(folder.text, here) or "" for folder in listed)


def _seeks_public_keys(found: Script) -> bool:
    """Whether every search of the script is one for public keys, said without alternatives and exceptions."""
    searches = [one.args for one in select_commands(found, FIND_PROGRAMS)]
    return bool(searches) and all(
        FIND_SIGNS.isdisjoint(args)
        and any(test == "-name" and name.endswith(".pub") for test, name in pairwise(args))
        and sum(text.startswith("-exec") for text in args) == 1
        for args in searches
    )


def _is_run_on_results(command: Command) -> bool:
    """Whether `find` runs it on what it finds, and it names nothing else."""
    operands = [word.text for word in command.argv[1:] if word.text[:1] != "-"]
    run = bool(command.via) and command.via[-1].startswith("find -exec")
    return run and len(operands) == 1 and operands[0].endswith("/{}")


def _iter_found(root: str, names: list[str]) -> Iterator[str]:
    """The folder that is searched, and the private names in it that are looked for."""
    yield root.rstrip("/") or "/"
    for name in names:
        if not matches_everything(name):
            yield from (f"{root}/{one}" for one in WELL_KNOWN if matches_glob(one, name.rpartition("/")[2]))


def _may_be_private(word: Word, command: Command) -> bool:
    # The dot by itself: most names have one, and the pattern would ask for everything else before it.
    text, cwd = word.text, command.cwd
    return word.glob or "." in text or "." in cwd or bool(PRIVATE_NAME.search(text) or PRIVATE_NAME.search(cwd))


def _is_contained(one: Command | Redirect) -> bool:
    """Whether it runs in a container or a machine of its own, which holds nobody's keys."""
    return bool(one.via) and any(label.partition(" ")[0] in CONTAINER_LABELS for label in one.via)


def _find_mounted_paths(texts: Iterable[str], mounted: tuple[Mount, ...], at: Standpoint) -> Iterator[str]:
    """The files of this machine that are read in a container."""
    for text in texts:
        if len(text) <= MAX_PATH:
            yield from (resolve_path(path, at) or "" for path in find_host_paths(OPTION_PREFIX.sub("", text), mounted))


def _prints_keychain(command: Command) -> bool:
    """Whether `security` of macOS prints what the keychain holds."""
    verb = command.args[0] if command.args else ""
    shown = PASSWORD.fullmatch(verb) is not None and not PRINTING_OPTIONS.isdisjoint(command.args)
    return shown or verb == "dump-keychain"
