"""The files that decide whether the engine runs and what it says."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

import msgspec

from synaptic.agents.shared.guarded import GuardedPaths, usual_paths
from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import any_of, elsewhere, named
from synaptic.policies.secrets.private import meanings, named_paths
from synaptic.policies.self.kept import Kept, kept
from synaptic.shell.globs import SIGN
from synaptic.shell.names import names
from synaptic.shell.paths import LONGEST, Standpoint, inside, resolve
from synaptic.shell.places import without_everything
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import NOWHERE, CommandReading

PROJECT = (".synaptic/config.toml", ".synaptic/hooks", ".system/hooks")
SIGNS = ("*", "?", "[")
"""What a pattern holds."""
DOTTED_PATTERN = re.compile(r"\.[^/\n]*[*?\[]")
READERS = names(
    "ls cat less more head tail bat grep egrep fgrep rg ag stat file wc jq yq diff cmp du tree test [ [[ cd pushd echo"
    " printf realpath readlink basename dirname md5sum sha256sum which type strings nl sort uniq cut awk find fd git"
    " synaptic dispatch column tac od xxd hexdump view source ."
)
COPIERS = names("cp rsync scp install ln tar zip")
SPARED = (READERS | COPIERS) - {"find"}
"""Programs that change nothing that they name but what they write, which is looked at anyway."""
PATTERNS = 200
"""Patterns that are compared with these files; no script that people write has so many that begin like them."""


class Guard(msgspec.Struct, frozen=True):
    """Everything that this policy keeps, for one user, one project and one environment."""

    user: Kept
    """Nobody but the user changes these."""
    project: Kept
    """About these a person is asked."""
    folders: tuple[str, ...]
    """How the folders around them end."""
    near: tuple[str, ...]
    """What a path holds at least that leads to one of them."""
    names: tuple[str, ...]
    """What a word holds at least that names one of them."""
    in_project: bool
    """Whether a variable has moved settings into the project, where their folder need not begin with a dot."""


@lru_cache(maxsize=64)
def _guard(home: str, root: str, moved: GuardedPaths) -> Guard:
    """Agents' files as the agents themselves declare them: in their usual folders, and where variables put them."""
    usual = usual_paths()
    dotted = (*usual.folders, ".system")
    at_home = tuple(f"{home}/{folder}" for folder in usual.folders) if home else ()
    # XDG_CONFIG_HOME often names the folder that is meant anyway.
    moved_folders = tuple(path.lower() for path in moved.folders if path not in at_home)
    moved_files = tuple(path.lower() for path in moved.files if not inside(path, at_home))
    moved_names = (path.rpartition("/")[2] for path in (*moved_folders, *moved_files))
    names = ("synaptic", "settings", *(name.partition("/")[0] for name in dotted), "hooks", *moved_names)
    return Guard(
        user=kept(home, (".synaptic", *usual.files), moved_files),
        project=kept(root, (*usual.files, *PROJECT)),
        folders=(*usual.folders, *moved_folders),
        near=(".synaptic", *dotted, *moved_folders, *moved_files),
        names=tuple(dict.fromkeys(names)),
        in_project=bool(root) and any(inside(path, (root.lower(),)) for path in (*moved_folders, *moved_files)),
    )


class EngineFiles(Policy):
    """Changing the engine's own files or the settings that call it.

    ## What it does
    Denies tools and shell commands that write, move, delete or change the permissions of anything in `~/.synaptic`
    or the agents' own settings, in the home folder or where the agents' variables (`CODEX_HOME`) put them. Asks for the
    same files of a project (`.synaptic/config.toml`, hooks, `.claude/settings.json`), because a person may well want
    them written. Where more than 200 patterns begin like one of these files, one of them is taken for a match. Reading
    is free.
    ## Why
    A guard that the guarded can switch off guards nothing.
    ## Known gaps
    Programs that were written for it, and links in shell commands, are not seen through.
    """

    id = "self.engine-files"
    events = (PreToolUse,)
    priority = 20
    preset = "essentials"
    needs = ("real_paths", "moved_settings")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        guard = _guard(facts.home, facts.root, facts.moved_settings)
        found = facts.command
        changed = _changed(found, guard, facts.root) if found else _edited(event, facts)
        near = _near(dict.fromkeys(changed), guard.near)
        if path := _held(near, guard.user, guard.folders):
            return deny(
                f"{path!r} decides whether this guard runs. Leave it as it is; the user can change it with "
                "`synaptic config` and `synaptic policy`."
            )
        if path := _held(near, guard.project, guard.folders):
            return ask(f"{path!r} decides which hooks run in this project. A person should agree to the change.")
        return None


def _near(changed: Collection[str], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The paths that are patterns or hold one of these names, each also in lower case."""
    joined = "\n".join(changed).lower()
    seen = [name for name in names if name in joined]
    pairs = ((path, path.lower()) for path in changed)
    return [(path, low) for path, low in pairs if SIGN.search(low) or any(name in low for name in seen)]


def _held(near: list[tuple[str, str]], files: Kept, folders: tuple[str, ...]) -> str:
    """The first path that is one of these files or may match one. Of many patterns, one too many counts as a match."""
    patterns = 0
    for path, low in near:
        beckons = files.beckons(low)
        patterns += beckons
        if patterns > PATTERNS or files.holds(low, folders) or (beckons and files.matched(low)):
            return path
    return ""


def _edited(event: PreToolUse, facts: Facts) -> Iterator[str]:
    at = Standpoint(event.cwd or facts.root or NOWHERE, facts.home)
    if event.tool.edits or "write" in event.tool_name.lower() or "edit" in event.tool_name.lower():
        for text in named_paths(event.tool):
            yield from meanings(text, at, facts.real_paths)


def _stays_clear(known: CommandReading, root: str) -> bool:
    """Whether no pattern can match one of these files: all stay in the project, and none of them begins with a dot."""
    if not root or known.leads_out or inside(known.at.home, (root,)) or SIGN.search(known.folders):
        return False
    return known.stays_in(root) and not DOTTED_PATTERN.search(known.words)


def _changed(known: CommandReading, guard: Guard, root: str) -> Iterator[str]:
    """Every path that the script may change."""
    found, at = known.script, known.at
    names, signs = known.hinted(guard.names), known.hinted(SIGNS)
    if not names and (not signs or (not guard.in_project and _stays_clear(known, root))):
        return
    hinted = any_of((*names, *signs)).search
    for target in known.targets if names or SIGN.search(known.folders) else known.patterns:
        if hinted(target.path) and not elsewhere(target):
            yield target.path
    # In a word, signs make a pattern only where the shell takes them for one.
    hinted = any_of(names).search
    everywhere = {start for start in known.starts if hinted(start)}
    for command in named(found, found.by_name.keys() - SPARED):
        here = command.cwd in everywhere
        words = [word for word in command.argv[1:] if word.glob or here or hinted(word.text)]
        if not words or elsewhere(command) or _only_reads(command) or _wraps(found, command.index):
            continue
        yield from (_meant(word, Standpoint(command.cwd or at.cwd, at.home)) for word in words)


def _meant(word: Word, at: Standpoint) -> str:
    """The path of a word or of an option's value. Signs that no shell takes for a pattern are made letters."""
    if len(word.text) > LONGEST:
        return ""
    if word.glob:
        return resolve(without_everything(word.text), at) or ""
    return SIGN.sub("_", resolve(word.text.rpartition("=")[2], at) or "")


def _only_reads(command: Command) -> bool:
    name = command.name
    if name == "find":
        return "-delete" not in command.args
    return name == "sed" and not any(text[:2] == "-i" for text in command.args)


def _wraps(found: Script, place: int) -> bool:
    """Whether the next command is the one that this starts: that one is looked at."""
    following = found.commands[place + 1] if place + 1 < len(found.commands) else None
    return following is not None and len(following.via) > len(found.commands[place].via)
