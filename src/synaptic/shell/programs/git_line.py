"""Git command lines: which verb runs, where, with which arguments and settings, whatever stands in front of it."""

import re
from collections.abc import Mapping
from functools import cached_property
from os.path import normpath

import msgspec

from synaptic.shell.programs.git_options import GRAMMARS, Given, read_options
from synaptic.shell.read.script import Command, Word

VALUED = frozenset({"--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"})
SETTINGS = ("-c", "--config-env")
INFORMING = frozenset({"--version", "-v", "--help", "-h", "--html-path", "--man-path", "--info-path"})
QUOTED_SETTING = re.compile(r"'([^'=]+)'='([^']*)'|'([^'=]+)=([^']*)'")
EXPANSIONS = 5
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

    @cached_property
    def given(self) -> Given:
        """The arguments, sorted."""
        return read_options(self.verb, self.args)

    @property
    def helps(self) -> bool:
        """Whether only the manual or the usage is shown. Without an option that holds an `h` it is not."""
        return any("h" in word.text and word.text[:1] == "-" for word in self.args) and self.given.helps


def git_call(command: Command, configured: Mapping[str, str | None] = NO_SETTINGS) -> GitCall:
    """A command whose program is git, read. `configured` are settings that count already."""
    argv = command.argv
    if command.name == "git" and len(argv) > 1 and argv[1].text[:1] != "-" and not command.assignments:
        verb = argv[1].text if argv[1].known else ""
        call = GitCall(command, verb, argv[2:], command.cwd, argv[1], configured)
    else:
        call = _call(command, configured)
    return _expanded(call) if call.settings else call


def _call(command: Command, configured: Mapping[str, str | None]) -> GitCall:
    """A call in any form: settings in front of it or of the verb, another case, `git-verb`."""
    words, settings, cwd = list(command.argv[1:]), {**configured, **_from_environment(command)}, command.cwd
    if command.name != command.name.lower():
        # A file system without case runs GIT as git.
        words = [msgspec.structs.replace(word, text=word.text.lower()) for word in words]
    if command.name.lower() != "git":
        verb = Word(command.name.lower().removeprefix("git-"))
        return GitCall(command, verb.text, tuple(words), cwd, None, settings)
    while words and words[0].text[:1] == "-":
        word = words.pop(0)
        if word.text in INFORMING:
            return GitCall(command, "help", (), cwd, word)
        name, value = _global(word, words)
        if name == "-C":
            cwd = _below(cwd, value)
        elif name in SETTINGS:
            settings |= _setting(name, value, command)
    if not words:
        return GitCall(command, "help", (), cwd)
    return GitCall(command, words[0].text if words[0].known else "", tuple(words[1:]), cwd, words[0], settings)


def _global(word: Word, rest: list[Word]) -> tuple[str, Word]:
    """An option in front of the verb, and its value, which may be attached."""
    text = word.text
    if text[:2] in ("-C", "-c") and len(text) > 2:
        return text[:2], Word(text[2:], word.known)
    if text in ("-C", *SETTINGS, *VALUED):
        return text, rest.pop(0) if rest else Word("")
    name, _, value = text.partition("=")
    return name, Word(value, word.known)


def _below(cwd: str, folder: Word) -> str:
    if not folder.known:
        return ""
    if folder.text[:1] == "/":
        return normpath(folder.text)
    return normpath(f"{cwd}/{folder.text}") if cwd else ""


def _setting(option: str, word: Word, command: Command) -> dict[str, str | None]:
    key, equals, value = word.text.partition("=")
    if option == "--config-env":
        found = dict(command.assignments).get(value)
        return {key.lower(): found.text if found is not None and found.known else None}
    if not word.known:
        return {key.lower(): None}
    return {key.lower(): value if equals else "true"}


def _from_environment(command: Command) -> dict[str, str | None]:
    """Settings that variables in front of the command carry."""
    if not command.assignments:
        return {}
    values = {name: word.text if word.known else None for name, word in command.assignments}
    found: dict[str, str | None] = {}
    for first, second, third, fourth in QUOTED_SETTING.findall(values.get("GIT_CONFIG_PARAMETERS") or ""):
        found[(first or third).lower()] = second or fourth
    for name, key in values.items():
        if name.startswith("GIT_CONFIG_KEY_") and key:
            found[key.lower()] = values.get(name.replace("KEY", "VALUE"))
    return found


def configured(given: Given) -> dict[str, str | None]:
    """What `git config name value` leaves behind."""
    words = [word for word in given.words if word.text not in ("set", "add")]
    if len(words) != 2:
        return {}
    return {words[0].text.lower(): words[1].text if words[1].known else None}


def _expanded(call: GitCall) -> GitCall:
    """The call that an alias stands for. An alias cannot take the name of a verb that git has."""
    for _ in range(EXPANSIONS):
        key = f"alias.{call.verb.lower()}"
        if call.verb in GRAMMARS or key not in call.settings:
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
