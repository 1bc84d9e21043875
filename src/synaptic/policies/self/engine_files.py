"""The files that decide whether the engine runs and what it says."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.names import names
from synaptic.parse.paths import LONGEST, Standpoint, inside, resolve
from synaptic.parse.places import CLASS, GLOB, without_everything
from synaptic.parse.shell.script import Command, Script
from synaptic.policies.base import Policy
from synaptic.policies.reading import NOWHERE, Reading, any_of, elsewhere, reading
from synaptic.policies.secrets.private import meanings, named_paths

SETTINGS = (
    ".claude/settings.json", ".claude/settings.local.json", ".claude/managed-settings.json", ".codex/config.toml",
    ".codex/hooks.json", ".gemini/settings.json", ".cursor/hooks.json", ".qwen/settings.json", ".factory/hooks.json",
    ".factory/settings.json", ".copilot/hooks", ".copilot/settings.json", ".copilot/config.json", ".cline/hooks",
    ".config/opencode/plugins", ".config/opencode/opencode.json", ".config/amp/settings.json",
)  # fmt: skip
"""Where agents keep the entry that calls the engine, and the switches that silence it."""
PROJECT = (".synaptic/config.toml", ".synaptic/hooks", ".system/hooks")
FOLDERS = (
    ".claude", ".codex", ".gemini", ".cursor", ".qwen", ".factory", ".copilot", ".cline", ".config/opencode",
    ".config/amp",
)  # fmt: skip
DOTTED = (".synaptic", *FOLDERS, ".system")
"""Every one of these files is in such a folder."""
HINTS = (
    "synaptic",
    "settings",
    *dict.fromkeys(name.partition("/")[0] for name in DOTTED[1:]),
    "*",
    "?",
    "[",
    "%",
    "hooks",
)
"""What a word holds at least that names one of them, or a pattern that may match one."""
READERS = names(
    "ls cat less more head tail bat grep egrep fgrep rg ag stat file wc jq yq diff cmp du tree test [ [[ cd pushd echo"
    " printf realpath readlink basename dirname md5sum sha256sum which type strings nl sort uniq cut awk find fd git"
    " synaptic dispatch column tac od xxd hexdump view source ."
)
COPIERS = names("cp rsync scp install ln tar zip")


class EngineFiles(Policy):
    """Changing the engine's own files or the settings that call it.

    ## What it does
    Denies tools and shell commands that write, move, delete or change the permissions of anything in `~/.synaptic`
    or the agents' own settings in the home folder. Asks for the same files of a project (`.synaptic/config.toml`,
    hooks, `.claude/settings.json`), because a person may well want them written. Reading is free.
    ## Why
    A guard that the guarded can switch off guards nothing.
    ## Known gaps
    Programs that were written for it, and links in shell commands, are not seen through.
    """

    id = "self.engine-files"
    events = (PreToolUse,)
    priority = 20
    preset = "essentials"
    needs = ("real_paths",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        at = Standpoint(event.cwd or facts.root or NOWHERE, facts.home)
        found = reading(event, facts)
        paths = dict.fromkeys(_changed(found, at) if found else _edited(event, facts, at))
        if not paths:
            return None
        own = _in(facts.home, (".synaptic", *SETTINGS))
        if path := next((path for path in paths if _covers(path, own)), ""):
            return deny(
                f"{path!r} decides whether this guard runs. Leave it as it is; the user can change it with "
                "`synaptic config` and `synaptic policy`."
            )
        mine = _in(facts.root, (*SETTINGS, *PROJECT))
        if path := next((path for path in paths if _covers(path, mine)), ""):
            return ask(f"{path!r} decides which hooks run in this project. A person should agree to the change.")
        return None


@lru_cache(maxsize=64)
def _in(folder: str, files: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in files) if folder else ()


def _covers(path: str, kept: tuple[str, ...]) -> bool:
    """Whether a path, or what its pattern may match, is one of these, below or above one of them."""
    low = path.lower()
    found = GLOB.search(low)
    named = any(name in low for name in DOTTED)
    if found is None and not named:
        return False
    files = _lower(kept)
    if named and inside(low, files):
        return True
    if found is not None and _reaches(low, found.start(), files):
        return True
    return low.endswith(FOLDERS) and any(inside(one, (low,)) for one in files)


@lru_cache(maxsize=64)
def _lower(kept: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one.lower() for one in kept)


def _reaches(pattern: str, sign: int, files: tuple[str, ...]) -> bool:
    """Whether a pattern, certain up to its first sign, may match one of these files or a folder around it."""
    certain, _, rest = pattern[:sign].rpartition("/")
    names = _below(files).get(certain, ())
    part = f"{rest}{pattern[sign:]}".partition("/")[0]
    return any(_could(part, name) for name in names) and any(_may_match(pattern, one) for one in files)


@lru_cache(maxsize=64)
def _below(files: tuple[str, ...]) -> dict[str, set[str]]:
    """The folders around these files, each with the names that the way takes from there."""
    found: dict[str, set[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        while name:
            found.setdefault(folder, set()).add(name)
            folder, _, name = folder.rpartition("/")
    return found


def _may_match(pattern: str, path: str) -> bool:
    """Whether a pattern may match a path or a folder that holds it; a leading dot has to be written."""
    pairs = list(zip(pattern.split("/"), path.split("/"), strict=False))
    if len(pairs) != pattern.count("/") + 1:
        return False
    for part, name in reversed(pairs):  # the last parts differ most
        if not _could(part, name):
            return False
    return all(fnmatchcase(name, part) and (name[:1] != "." or part[:1] == ".") for part, name in pairs)


@lru_cache(maxsize=4096)
def _pieces(pattern: str) -> tuple[str, ...]:
    return tuple(CLASS.sub("?", pattern).split("*"))


def _could(pattern: str, name: str) -> bool:
    """Whether a pattern may match a name, its classes taken for any letter: a thousand patterns are not compiled."""
    first, *rest = _pieces(pattern)
    if not _at(first, name, 0):
        return False
    if not rest:
        return len(first) == len(name)
    last, place = len(name) - len(rest[-1]), len(first)
    if last < place or not _at(rest[-1], name, last):
        return False
    for piece in filter(None, rest[:-1]):
        place = next((at + len(piece) for at in range(place, last) if _at(piece, name, at)), last + 1)
    return place <= last


def _at(piece: str, name: str, place: int) -> bool:
    found = name[place : place + len(piece)]
    return piece == found or ("?" in piece and len(found) == len(piece) and all(map(_same, piece, found)))


def _same(sign: str, letter: str) -> bool:
    return sign in ("?", letter)


def _edited(event: PreToolUse, facts: Facts, at: Standpoint) -> Iterator[str]:
    if event.tool.edits or "write" in event.tool_name.lower() or "edit" in event.tool_name.lower():
        for text in named_paths(event.tool):
            yield from meanings(text, at, facts.real_paths)


def _changed(known: Reading, at: Standpoint) -> Iterator[str]:
    """Every path that the script may change."""
    found = known.script
    hints = known.hinted(HINTS)
    if not hints:
        return
    hinted = any_of(hints).search
    for target in known.targets:
        if hinted(target.path) and not (target.command and elsewhere(target.command)):
            yield target.path
    for place, command in enumerate(found.commands):
        if elsewhere(command) or _only_reads(command) or _wraps(found, place):
            continue
        stand = Standpoint(command.cwd or at.cwd, at.home)
        everywhere = hinted(command.cwd)
        for word in command.argv[1:]:
            if len(word.text) > LONGEST or not (everywhere or hinted(word.text)):
                continue
            path = resolve(without_everything(word.text) if word.glob else word.text.rpartition("=")[2], stand) or ""
            yield path if word.glob else GLOB.sub("_", path)


def _only_reads(command: Command) -> bool:
    name = command.name
    if name == "find":
        return "-delete" not in command.args
    return name in READERS or name in COPIERS or (name == "sed" and not any(t[:2] == "-i" for t in command.args))


def _wraps(found: Script, place: int) -> bool:
    """Whether the next command is the one that this starts: that one is looked at."""
    following = found.commands[place + 1] if place + 1 < len(found.commands) else None
    return following is not None and len(following.via) > len(found.commands[place].via)
