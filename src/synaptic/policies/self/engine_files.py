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
HINTS = ("synaptic", "settings", *DOTTED[1:], "*", "?", "[", "%", "hooks")
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
        own = (f"{facts.home}/.synaptic", *(f"{facts.home}/{name}" for name in SETTINGS)) if facts.home else ()
        if path := next((path for path in paths if _covers(path, own)), ""):
            return deny(
                f"{path!r} decides whether this guard runs. Leave it as it is; the user can change it with "
                "`synaptic config` and `synaptic policy`."
            )
        mine = tuple(f"{facts.root}/{name}" for name in (*SETTINGS, *PROJECT)) if facts.root else ()
        if path := next((path for path in paths if _covers(path, mine)), ""):
            return ask(f"{path!r} decides which hooks run in this project. A person should agree to the change.")
        return None


def _covers(path: str, kept: tuple[str, ...]) -> bool:
    """Whether a path, or what its pattern may match, is one of these, below or above one of them."""
    low = path.lower()
    found = GLOB.search(low)
    if found is None and not any(name in low for name in DOTTED):
        return False
    files = _lower(kept)
    if inside(low, files):
        return True
    if found is not None:
        certain, _, rest = low[: found.start()].rpartition("/")
        sign = f"{rest}{low[found.start() :]}".partition("/")[0]
        if any(_could(sign, name) for name in _below(files, certain)) and any(_may_match(low, one) for one in files):
            return True
    return low.endswith(FOLDERS) and any(inside(one, (low,)) for one in files)


@lru_cache(maxsize=64)
def _lower(kept: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one.lower() for one in kept)


@lru_cache(maxsize=64)
def _below(files: tuple[str, ...], folder: str) -> frozenset[str]:
    """The names that the way to these files takes below a folder."""
    return frozenset(one[len(folder) + 1 :].partition("/")[0] for one in files if one.startswith(f"{folder}/"))


def _may_match(pattern: str, path: str) -> bool:
    """Whether a pattern may match a path or a folder that holds it; a leading dot has to be written."""
    pairs = list(zip(pattern.split("/"), path.split("/"), strict=False))
    whole = len(pairs) == pattern.count("/") + 1
    return whole and all(fnmatchcase(name, part) and (name[:1] != "." or part[:1] == ".") for part, name in pairs)


def _could(pattern: str, name: str) -> bool:
    """Whether a pattern may match a name, its classes taken for any letter: a thousand patterns are not compiled."""
    first, *rest = CLASS.sub("?", pattern).split("*")
    if not _at(first, name, 0):
        return False
    if not rest:
        return len(first) == len(name)
    place = len(first)
    for piece in rest:
        place = next((at + len(piece) for at in range(place, len(name) + 1) if _at(piece, name, at)), len(name) + 1)
    return place <= len(name) and _at(rest[-1], name, len(name) - len(rest[-1]))


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
