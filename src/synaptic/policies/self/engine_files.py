"""The files that decide whether the engine runs and what it says."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain

import msgspec

from synaptic.agents.shared.guarded import GuardedPaths, find_usual_paths
from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import compile_hints, runs_elsewhere, select_commands
from synaptic.policies.secrets.private import iter_meanings, iter_named_paths
from synaptic.policies.self.kept import GuardedFiles, make_guarded_files
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH, Standpoint, is_inside, resolve_path
from synaptic.shell.places import strip_match_all
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

PROJECT_FILES = (".synaptic/config.toml", ".synaptic/hooks", ".system/hooks")
SIGNS = ("*", "?", "[")
"""What a pattern holds."""
DOTTED_PATTERN = re.compile(r"\.[^/\n]*[*?\[]")
READERS = split_names(
    "ls cat less more head tail bat grep egrep fgrep rg ag stat file wc jq yq diff cmp du tree test [ [[ cd pushd echo"
    " printf realpath readlink basename dirname md5sum sha256sum which type strings nl sort uniq cut awk find fd git"
    " synaptic dispatch column tac od xxd hexdump view source ."
)
COPIERS = split_names("cp rsync scp install ln tar zip")
SPARED_PROGRAMS = (READERS | COPIERS) - {"find"}
"""Programs that change nothing that they name but what they write, which is looked at anyway."""
MAX_PATTERNS = 200
"""Patterns that are compared with these files; no script that people write has so many that begin like them."""


class Guard(msgspec.Struct, frozen=True):
    """Everything that this policy keeps, for one user, one project and one environment."""

    user: GuardedFiles
    """Nobody but the user changes these."""
    project: GuardedFiles
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
def _make_guard(home: str, root: str, moved: GuardedPaths) -> Guard:
    """Agents' files as the agents themselves declare them: in their usual folders, and where variables put them."""
    usual = find_usual_paths()
    dotted = (*usual.folders, ".system")
    at_home = tuple(f"{home}/{folder}" for folder in usual.folders) if home else ()
    # XDG_CONFIG_HOME often names the folder that is meant anyway.
    moved_folders = tuple(path.lower() for path in moved.folders if path not in at_home)
    moved_files = tuple(path.lower() for path in moved.files if not is_inside(path, at_home))
    moved_names = (path.rpartition("/")[2] for path in (*moved_folders, *moved_files))
    names = ("synaptic", "settings", *(name.partition("/")[0] for name in dotted), "hooks", *moved_names)
    return Guard(
        user=make_guarded_files(home, (".synaptic", *usual.files), moved_files),
        project=make_guarded_files(root, (*usual.files, *PROJECT_FILES)),
        folders=(*usual.folders, *moved_folders),
        near=(".synaptic", *dotted, *moved_folders, *moved_files),
        names=tuple(dict.fromkeys(names)),
        in_project=bool(root) and any(is_inside(path, (root.lower(),)) for path in (*moved_folders, *moved_files)),
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
        guard = _make_guard(facts.home, facts.root, facts.moved_settings)
        found = facts.command
        changed = chain(_iter_changed(found, guard, facts.root) if found else (), _iter_edited(event, facts))
        near = _select_near(dict.fromkeys(changed), guard.near)
        if path := _find_held(near, guard.user, guard.folders):
            return deny(
                f"{path!r} decides whether this guard runs. Leave it as it is; the user can change it with "
                "`synaptic config` and `synaptic policy`."
            )
        if path := _find_held(near, guard.project, guard.folders):
            return ask(f"{path!r} decides which hooks run in this project. A person should agree to the change.")
        return None


def _select_near(changed: Collection[str], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The paths that are patterns or hold one of these names, each also in lower case."""
    joined = "\n".join(changed).lower()
    seen = [name for name in names if name in joined]
    pairs = ((path, path.lower()) for path in changed)
    return [(path, low) for path, low in pairs if GLOB_SIGN.search(low) or any(name in low for name in seen)]


def _find_held(near: list[tuple[str, str]], files: GuardedFiles, folders: tuple[str, ...]) -> str:
    """The first path that is one of these files or may match one. Of many patterns, one too many counts as a match."""
    patterns = 0
    for path, low in near:
        beckons = files.is_near_pattern(low)
        patterns += beckons
        if patterns > MAX_PATTERNS or files.holds(low, folders) or (beckons and files.matches_pattern(low)):
            return path
    return ""


def _iter_edited(event: PreToolUse, facts: Facts) -> Iterator[str]:
    if not event.tool.may_write:
        return
    at = Standpoint(event.cwd or facts.root or UNKNOWN_PROJECT, facts.home)
    for text in iter_named_paths(event.tool):
        yield from iter_meanings(text, at, facts.real_paths)


def _stays_clear(known: CommandReading, root: str) -> bool:
    """Whether no pattern can match one of these files: all stay in the project, and none of them begins with a dot."""
    if not root or known.leads_out or is_inside(known.standpoint.home, (root,)) or GLOB_SIGN.search(known.folders):
        return False
    return known.stays_in(root) and not DOTTED_PATTERN.search(known.words)


def _iter_changed(known: CommandReading, guard: Guard, root: str) -> Iterator[str]:
    """Every path that the script may change."""
    found, at = known.script, known.standpoint
    names, signs = known.find_hints(guard.names), known.find_hints(SIGNS)
    if not names and (not signs or (not guard.in_project and _stays_clear(known, root))):
        return
    hinted = compile_hints((*names, *signs)).search
    for target in known.targets if names or GLOB_SIGN.search(known.folders) else known.pattern_targets:
        if hinted(target.path) and not runs_elsewhere(target):
            yield target.path
    # In a word, signs make a pattern only where the shell takes them for one.
    hinted = compile_hints(names).search
    everywhere = {start for start in known.start_folders if hinted(start)}
    for command in select_commands(found, found.by_name.keys() - SPARED_PROGRAMS):
        here = command.cwd in everywhere
        words = [word for word in command.argv[1:] if word.glob or here or hinted(word.text)]
        if not words or runs_elsewhere(command) or _only_reads(command) or _wraps_next(found, command.index):
            continue
        yield from (_resolve_word(word, Standpoint(command.cwd or at.cwd, at.home)) for word in words)


def _resolve_word(word: Word, at: Standpoint) -> str:
    """The path of a word or of an option's value. Signs that no shell takes for a pattern are made letters."""
    if len(word.text) > MAX_PATH:
        return ""
    if word.glob:
        return resolve_path(strip_match_all(word.text), at) or ""
    return GLOB_SIGN.sub("_", resolve_path(word.text.rpartition("=")[2], at) or "")


def _only_reads(command: Command) -> bool:
    name = command.name
    if name == "find":
        return "-delete" not in command.args
    return name == "sed" and not any(text[:2] == "-i" for text in command.args)


def _wraps_next(found: Script, place: int) -> bool:
    """Whether the next command is the one that this starts: that one is looked at."""
    following = found.commands[place + 1] if place + 1 < len(found.commands) else None
    return following is not None and len(following.via) > len(found.commands[place].via)
