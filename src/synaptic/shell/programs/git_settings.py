"""Settings of git that a text makes itself: with `git config`, in a file that it writes, in variables."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from synaptic.shell.programs.git_line import GitCall, read_configured
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.script import Word
from synaptic.shell.read.writing import quote_word

# A NUL cannot be in a path, so no file that the text writes can collide with this key.
SETTINGS_KEY = "\0git settings"
"""Where the settings are kept that `git config` has made."""
SETTING_VARIABLES = ("GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
CODE_SETTING = re.compile(
    r"core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..+"
    r"|(?:diff\.external|gpg\.(?:.+\.)?program|interactive\.difffilter|uploadpack\.packobjectshook|gc\.recentobjectshook)"
    r"|(?:diff|difftool|mergetool|merge|filter|trailer|man|browser|sendemail|hook|submodule|guitool|remote|credential|tar)\."
    r"(?:.+\.)?(?:cmd|command|textconv|driver|clean|smudge|process|update|uploadpack|receivepack|helper|\w*cmd)"
)
"""Settings whose value is a command that git may run."""
SECTION = re.compile(r'[ \t]*\[[ \t]*([\w.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?[ \t]*\]')
ENTRY = re.compile(r"[ \t]*([A-Za-z][\w-]*)[ \t]*(?:=[ \t]*(.*))?")
MAX_SETTINGS_TEXT = 20_000
MAX_SETTINGS_FILES = 32
"""Files that are looked at: the last ones that were written."""
NO_SETTINGS: Mapping[str, str | None] = {}
ADDRESS_BLANK = re.compile(r"(?<!%) +")
EXTERNAL_ADDRESS = "ext::"
"""What an address begins with that is a command."""


def find_settings(shell: Evaluation) -> Mapping[str, str | None]:
    """The settings that the text has made so far, whichever file they stand in."""
    if not shell.files:
        return NO_SETTINGS
    found: dict[str, str | None] = {}
    for path, text in list(shell.files.items())[-MAX_SETTINGS_FILES:]:
        if path == SETTINGS_KEY:
            found.update(msgspec.json.decode(text, type=dict[str, str | None]))
        elif "[" in text and len(text) <= MAX_SETTINGS_TEXT:
            found.update(_parse_settings(text))
    return found


def list_setting_variables(shell: Evaluation) -> tuple[tuple[str, Word], ...]:
    """The variables that hold settings and were exported before."""
    if shell.variables.keys().isdisjoint(SETTING_VARIABLES):
        return ()
    held = ((name, value) for name, value in shell.variables.items() if name.startswith("GIT_CONFIG"))
    return tuple((name, Word(value.text, value.known)) for name, value in held)


def remember_setting(shell: Evaluation, line: GitCall) -> str | None:
    """What `git config` prints: a setting that was made before. One that is made now is remembered."""
    made = read_configured(line.given)
    held = msgspec.json.decode(shell.files.get(SETTINGS_KEY, "{}"), type=dict[str, str | None])
    if made:
        shell.files[SETTINGS_KEY] = msgspec.json.encode(held | made).decode()
        return ""
    words = [word.text for word in line.given.words if word.text != "get"]
    value = held.get(words[0].lower()) if len(words) == 1 else None
    return f"{value}\n" if value is not None else None


def iter_setting_code(settings: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """The commands in settings, each with the name of its setting."""
    for name, value in settings.items():
        if value and CODE_SETTING.fullmatch(name):
            yield name, value.lstrip("!")
        for text in (name, value or ""):
            if EXTERNAL_ADDRESS in text:
                yield name, read_external_address(text.partition(EXTERNAL_ADDRESS)[2])


def read_external_address(text: str) -> str:
    """The command that an address is: a percent sign keeps a blank in its word."""
    plain = text.replace("% ", " ")
    words = [word.replace("% ", " ").replace("%%", "%") for word in ADDRESS_BLANK.split(text)]
    # A program that is named with its arguments in one word would not start; its intention is judged all the same.
    return "\n".join((plain, " ".join(quote_word(word) if " " in word else word for word in words)))


@lru_cache(maxsize=64)
def _parse_settings(text: str) -> dict[str, str | None]:
    """What a file in git's own notation sets."""
    found: dict[str, str | None] = {}
    section = ""
    for line in text.replace("\\\n", "").splitlines():
        if header := SECTION.match(line):
            section = f"{header[1].lower()}.{header[2]}." if header[2] else f"{header[1].lower()}."
            line = line[header.end() :]
        if section and (entry := ENTRY.match(line)):
            found[f"{section}{entry[1].lower()}"] = _unquote(entry[2]) if entry[2] is not None else "true"
    return found


def _unquote(text: str) -> str:
    inner = text.strip()
    if inner[:1] == '"' and inner[-1:] == '"' and len(inner) > 1:
        inner = inner[1:-1]
    return re.sub(r"\\(.)", r"\1", inner)
