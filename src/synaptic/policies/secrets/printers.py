"""Which commands print a secret that a program keeps, and where their output goes."""

import re
from collections.abc import Iterator

from synaptic.policies.infra.verbs import matches_form
from synaptic.policies.reading import select_commands
from synaptic.shell.book.entries import BOOK, find_program
from synaptic.shell.effects.addresses import find_addresses, sends_data
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import CommandReading

FORMS = {name: re.compile(one.tokens) for name, one in BOOK.items() if one.tokens}
PRINTERS = frozenset(FORMS)
"""Programs that can print one."""
FETCHERS = split_names("curl curlie wget wget2 http https xh xhs")
RARE_WORDS = {
    "git": ("credential",),
    "npm": ("auth",),
    **dict.fromkeys(FETCHERS, ("169.254.", "metadata", "instance-data", "fd00:ec2")),
}
"""What a word holds, in lower case, where one of these prints a secret: they are in every other command. Clients of
HTTP do when they ask the service that hands a machine of a cloud its credentials."""
ECHOES = split_names("echo printf print cat tee")
QUIET_FILTERS = {"grep": ("-q", "--quiet", "--silent", "-c", "--count"), "head": ("-c",), "cut": ("-c",)}
"""Options with which a filter prints next to nothing of what it is given."""
SHAPE_FILTERS = split_names("jq yq gojq jaq")
SHAPE = re.compile(
    r"(?<![.\w])(?:keys|length)\b|^\W*(?:items\W*)?(?:metadata|type|kind)\b(?!.*data\b(?<!metadata))"
    r"|^(?!.*\bvalue)(?=.*to_entries).*\.key\b"
)
"""What such a filter is told when it prints the names of what is kept, and no value."""
KEEPERS = frozenset({"gpg"})
"""Filters that mostly keep what they are given: `gpg --import`."""
TERMINALS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"})
OUTPUT = frozenset({"", "1", "&"})
VENDORS = {
    "gh": ("github.com", "githubusercontent.com", "ghcr.io", "github.io", "githubcopilot.com"),
    "glab": ("gitlab",),
    "gcloud": ("google", "gcr.io", "pkg.dev", "run.app", "cloudfunctions.net", "appspot.com"),
    "az": ("azure", "windows.net", "microsoft", "azurecr.io", "visualstudio.com"),
    "aws": ("amazonaws.com", "aws"),
    "heroku": ("heroku",),
    "fly": ("fly.io", "fly.dev", "machines.dev"),
}
"""Who may be shown a token, by the program that prints it."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")
SCHEME = re.compile(r"^[a-z]+://")
SIGNS = re.compile(r"[$<>]\(|[()`]")
MAX_NESTING_TEXT = 4_000
MAX_HANDED = 20
SECRET_NAME = (
    r"\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)"
    r"(?!\w*(?:_ID|_FILE|_PATH|_URL|_URI|_NAME|_COUNT|_TYPE|_LENGTH|_DIR|_ARN|_EXPIR\w*|_LIMIT|S)\b)\w*"
)
SECRET_VARIABLE = re.compile(rf"\$(?:({SECRET_NAME})|\{{({SECRET_NAME})\}})")
"""A variable of the environment that is called like a secret, as it stands in a word whose value is not known."""
SECRET_HINT = re.compile(r"token|secret|passw|api_?key|access_key|private_key|credentials", re.IGNORECASE)
SECRET_HINTS = ("token", "secret", "passw", "apikey", "api_key", "access_key", "private_key", "credentials")
"""What every such name holds, as a pattern and in lower case."""
VARIABLE_PRINTERS = frozenset({"echo", "printf", "print", "printenv"})
ENVIRONMENT_PRINTERS = frozenset({"env", "printenv"})
NAME_FILTERS = frozenset({"cut", "sed", "awk", "wc", "tr"})
"""What may leave nothing but names of what `env` prints."""


def find_variable(command: Command, found: Script) -> str:
    """The variable with a secret that a command prints: `echo $API_TOKEN`, `printenv API_TOKEN`, `env | grep TOKEN`."""
    if command.name in ENVIRONMENT_PRINTERS:
        named = [text for text in command.args if re.fullmatch(SECRET_NAME, text)]
        return named[0] if named else "" if command.args else _find_picked(found.find_downstream(command))
    held = (SECRET_VARIABLE.search(word.text) for word in command.argv[1:] if not word.known)
    return next((one[1] or one[2] for one in held if one), "")


def _find_picked(after: tuple[Command, ...]) -> str:
    """The pattern with which secrets are picked out of the environment, and shown with their values."""
    if not after or not find_program(after[0].name).picks or any(one.name in NAME_FILTERS for one in after):
        return ""
    if any(text[:1] == "-" and ("v" in text or "o" in text) for text in after[0].args):
        return ""
    return next((text for text in after[0].args if text[:1] != "-" and SECRET_HINT.search(text)), "")


def prints_secret(command: Command) -> bool:
    """Whether a command prints a secret that its program keeps."""
    return matches_form(command, FORMS)


def select_printing(known: CommandReading) -> Iterator[Command]:
    """The commands that print a secret which their program keeps."""
    printing = {name for name in PRINTERS & known.programs if may_print(known, name)}
    return filter(prints_secret, select_commands(known.script, printing)) if printing else iter(())


def may_print(known: CommandReading, name: str) -> bool:
    """Whether a program that runs may print a secret here, as far as a look at the words of all commands tells."""
    hints = RARE_WORDS.get(name)
    return hints is None or known.has_long_words or any(hint in known.words for hint in hints)


class PrintedOutputs:
    """Where the output of each command of a script goes. It is built once, so that long scripts stay cheap."""

    def __init__(self, found: Script) -> None:
        self._found = found
        self._takers: dict[int, list[Command]] = {}
        for command in found.commands:
            for place in {place for word in command.argv for place in word.outputs}:
                self._takers.setdefault(place, []).append(command)

    def is_shown(self, command: Command, depth: int = 0) -> bool:
        """Whether what a command prints is read by whoever started the script, and not by a program that needs it."""
        if _is_redirected(command):
            return False
        takers = self._takers.get(command.index, ())
        if takers or _is_substituted(command, self._found):
            # `echo $(gh auth token)` shows it after all. Through more variables than this nobody hands it honestly.
            later = (one for one in takers if one.index > command.index and one.name in ECHOES)
            return any(depth > MAX_HANDED or self.is_shown(one, depth + 1) for one in later)
        after = self._found.find_downstream(command)
        return all(map(_hands_on, after)) and not any(map(_is_redirected, after[-1:]))

    def ends_shown(self, command: Command) -> bool:
        """Whether what the pipeline of a command prints is read by whoever started the script, in any form."""
        after = self._found.find_downstream(command)
        taken = self._takers.get(command.index) or _is_substituted(command, self._found)
        return not taken and not any(map(_is_redirected, (command, *after)))

    def find_stranger(self, command: Command) -> str:
        """The address of somebody else than the secret's own vendor that it is sent to; empty when there is none."""
        known = VENDORS.get(find_program(command.name).name)
        if known is None:
            return ""
        for one in self._takers.get(command.index) or self._found.find_downstream(command):
            if find_program(one.name).fetches and sends_data(one):
                for address in find_addresses(one):
                    host = SCHEME.sub("", address.lower()).partition("/")[0]
                    if "." in host and not any(name in host for name in (*known, *LOCAL)):
                        return address
        return ""


def _is_redirected(command: Command) -> bool:
    return any(
        one.is_write and one.descriptor in OUTPUT and one.target.text not in TERMINALS for one in command.redirects
    )


def _hands_on(command: Command) -> bool:
    """Whether a filter prints what it is given."""
    program = find_program(command.name)
    quiet = QUIET_FILTERS.get(program.name, ())
    if any(text.startswith(quiet) for text in command.args if quiet):
        return False
    if program.name in SHAPE_FILTERS and any(map(SHAPE.search, command.args)):
        return False
    handed = program.passes or program.chooses or program.picks or program.name in ECHOES
    return handed and program.name not in KEEPERS


def _is_substituted(command: Command, found: Script) -> bool:
    """Whether it stands in `$(...)` or backquotes, whose value nothing but a variable takes."""
    if command.span is None:
        return False
    text = found.text[max(0, command.span[0] - MAX_NESTING_TEXT) : command.span[0]]
    return any(sign != "(" for sign in _iter_open(text))


def _iter_open(text: str) -> Iterator[str]:
    """The signs in front of a place that are not closed there."""
    opened: list[str] = []
    for sign in SIGNS.findall(text):
        if sign == ")" or (sign == "`" and opened[-1:] == ["`"]):
            del opened[-1:]
        else:
            opened.append(sign)
    return iter(opened)
