"""Git command lines: which verb runs, where, with which arguments and settings, whatever stands in front of it."""

import re
from collections.abc import Mapping
from os.path import normpath

import msgspec

from synaptic.model.once import computed_once
from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import BOOK, UNKNOWN_PROGRAM
from synaptic.shell.read.script import Command, Word

GIT_ENTRY = BOOK["git"]
INFORMING_OPTIONS = ("version", "v", "help", "h", "html-path", "man-path", "info-path")
QUOTED_SETTING = re.compile(r"'([^'=]+)'='([^']*)'|'([^'=]+)=([^']*)'")
MAX_ALIAS_ROUNDS = 5
"""Aliases of aliases; git itself refuses loops."""
NO_SETTINGS: Mapping[str, str | None] = {}


class GitCall(msgspec.Struct, frozen=True, dict=True):
    """One call of git."""

    command: Command
    verb: str
    """With aliases of the same text resolved; empty when it cannot be known."""
    args: tuple[Word, ...] = ()
    cwd: str = ""
    """The folder it works in; empty when unknown."""
    place: Word | None = None
    """The verb as it was written, None behind an alias."""
    settings: Mapping[str, str | None] = NO_SETTINGS
    """Settings of this call in lower case; None for a value that cannot be known."""
    hidden: str = ""
    """An alias whose meaning cannot be known."""

    @computed_once
    def given(self) -> Arguments:
        """The arguments, sorted."""
        return (GIT_ENTRY.find_verb(self.verb) or UNKNOWN_PROGRAM).read(self.args)

    @property
    def is_help(self) -> bool:
        """Whether only the manual or the usage is shown. Without an option that holds an `h` it is not."""
        for word in self.args:  # a loop, because this is asked of every call
            if word.text[:1] == "-" and "h" in word.text:
                return self.given.is_help
        return False


def read_git_call(command: Command, configured: Mapping[str, str | None] = NO_SETTINGS) -> GitCall:
    """A command whose program is git, read. `configured` are settings that count already."""
    argv = command.argv
    # Nearly every call has this form; the slow way gives the same result for it.
    if command.name == "git" and len(argv) > 1 and argv[1].text[:1] != "-" and not command.assignments:
        verb = argv[1].text if argv[1].known else ""
        call = GitCall(command, verb, argv[2:], command.cwd, argv[1], configured)
    else:
        call = _read_any_form(command, configured)
    return _expand_alias(call) if call.settings else call


def _read_any_form(command: Command, configured: Mapping[str, str | None]) -> GitCall:
    """A call in any form: settings in front of it or of the verb, another case, `git-verb`."""
    words, settings, cwd = list(command.argv[1:]), {**configured, **_read_environment(command)}, command.cwd
    if command.name != command.name.lower():
        # A file system without case runs GIT as git.
        words = [msgspec.structs.replace(word, text=word.text.lower()) for word in words]
    if command.name.lower() != "git":
        verb = Word(command.name.lower().removeprefix("git-"))
        return GitCall(command, verb.text, tuple(words), cwd, None, settings)
    given = read_arguments(words, GIT_ENTRY.grammar)
    if given.has(*INFORMING_OPTIONS):
        return GitCall(command, "help", (), cwd)
    for flag in given.flags:
        if flag.role == "folder":
            cwd = _join_folder(cwd, flag.value or Word(""))
        elif flag.role == "setting":
            settings |= _read_setting(flag.name, flag.value or Word(""), command)
    words = list(given.operands)
    if not words:
        return GitCall(command, "help", (), cwd)
    verb = words[0]
    return GitCall(command, verb.text if verb.known else "", tuple(words[1:]), cwd, verb, settings)


def _join_folder(cwd: str, folder: Word) -> str:
    if not folder.known:
        return ""
    if folder.text[:1] == "/":
        return normpath(folder.text)
    return normpath(f"{cwd}/{folder.text}") if cwd else ""


def _read_setting(option: str, word: Word, command: Command) -> dict[str, str | None]:
    key, equals, value = word.text.partition("=")
    if option == "config-env":
        found = dict(command.assignments).get(value)
        return {key.lower(): found.text if found is not None and found.known else None}
    if not word.known:
        return {key.lower(): None}
    return {key.lower(): value if equals else "true"}


def _read_environment(command: Command) -> dict[str, str | None]:
    """Settings that variables in front of the command carry."""
    if not command.assignments:
        return {}
    values = {name: word.text if word.known else None for name, word in command.assignments}
    found: dict[str, str | None] = {}
    for first, second, third, fourth in QUOTED_SETTING.findall(values.get("GIT_CONFIG_PARAMETERS") or ""):
        found[(first or third).lower()] = second or fourth
    # `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x ...`: settings, and so hidden verbs, without a word of the command.
    for name, key in values.items():
        if name.startswith("GIT_CONFIG_KEY_") and key:
            found[key.lower()] = values.get(name.replace("KEY", "VALUE"))
    return found


def read_configured(given: Arguments) -> dict[str, str | None]:
    """What `git config name value` leaves behind."""
    words = [word for word in given.words if word.text not in ("set", "add")]
    if len(words) != 2:
        return {}
    return {words[0].text.lower(): words[1].text if words[1].known else None}


def _expand_alias(call: GitCall) -> GitCall:
    """The call that an alias stands for. An alias cannot take the name of a verb that git has."""
    for _ in range(MAX_ALIAS_ROUNDS):
        key = f"alias.{call.verb.lower()}"
        if GIT_ENTRY.find_verb(call.verb) or key not in call.settings:
            return call
        meaning = call.settings[key]
        if meaning is None:
            return msgspec.structs.replace(call, hidden=call.verb)
        if meaning.startswith("!"):
            # What such an alias runs is found by the reader of shell text.
            return call
        words = tuple(Word(text) for text in meaning.split())
        if not words:
            return call
        args = (*words[1:], *call.args)
        call = msgspec.structs.replace(call, verb=words[0].text, args=args, place=None)
    return call
