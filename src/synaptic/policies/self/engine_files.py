"""The files that decide whether the engine runs and what it says."""

import re
from collections.abc import Collection, Iterator
from itertools import chain

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import runs_elsewhere
from synaptic.policies.self.changed import iter_edited, list_changed, matches_hidden
from synaptic.policies.self.guard import Guard, get_guard
from synaptic.policies.self.kept import GuardedFiles
from synaptic.policies.self.searched import find_searched
from synaptic.shell.effects.commands import DELETING_PROGRAMS
from synaptic.shell.effects.targets import find_targets
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.paths import is_inside
from synaptic.shell.reading import CommandReading

TOO_MANY_TEXT = (
    "This command names more files than can be looked up; one of them may lead to where this guard lives. Split it."
)
BELONGS = "belongs to the Python that this guard runs from. A person should agree to the change."
DECLARATION = re.compile(r"/\.synaptic/(?:(?:config|rules)\.toml|hooks(?:/.*)?)$")
DECLARING_FOLDER = "/.synaptic"
PROSE_SIGN = re.compile(r"[\s~]")
NearPath = tuple[str, str, str | None, str]
"""A path, the same in lower case, and for a pattern the folder that it is in and how it begins there."""
MAX_PATTERNS = 200
"""Patterns that are compared with these files; no script that people write has so many that begin like them."""


class EngineFiles(Policy):
    """Changing the engine's own files, its code and its Python, or the settings that call it.

    ## What it does
    Denies tools and shell commands that write, move, delete or change the permissions of anything in `~/.synaptic`,
    of the agents' own settings, in the home folder or where the agents' variables (`CODEX_HOME`) put them, and of the
    interpreter and the code that the engine runs from, files that Python runs at its start (`*.pth`) among them. Links
    are followed, those on the disk and those that the same command makes; so is what a search finds
    (`find ~ -name dispatch -delete`), what an editor, `awk` or `sed` is told to write, and code that talks to the
    daemon's socket or its database. Asks for the same files in a project (`.synaptic/config.toml`, `rules.toml`, hooks,
    `.claude/settings.json`, an engine that is installed from there), because a person may well want them written, for
    declarations of any other folder, and for what else is in the engine's own environment. Where more than 200 patterns
    begin like one of these files, one of them is taken for a match. Reading is free.
    ## Why
    A guard that the guarded can switch off guards nothing.
    ## Known gaps
    Programs that were written for it are not seen through: the engine tells when its own files have changed.
    """

    id = "self.engine-files"
    events = (PreToolUse,)
    priority = 20
    preset = "essentials"
    needs = ("real_paths", "moved_settings", "engine_places", "linked_paths", "patched_paths")

    developed: bool = False
    """The engine is developed in this project (`pip install -e .`): its code there is changed without a question."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        guard = get_guard(facts, self.developed)
        found = facts.command
        told = list_changed(found, guard, facts.root) if found else ()
        looked_up = (*(facts.linked_paths or ()), *(facts.patched_paths or ()))
        changed = dict.fromkeys(chain(told, iter_edited(event, facts), looked_up))
        near = _select_near(changed, guard.near) if changed else []
        return (
            (_judge_near(near, guard, facts) if near else None)
            or (_judge_taken(found, guard, facts) if found else None)
            or (_judge_searches(found, guard, facts.root) if found else None)
            or (ask(TOO_MANY_TEXT) if facts.linked_paths is None or facts.patched_paths is None else None)
        )


def _judge_near(near: list[NearPath], guard: Guard, facts: Facts) -> Verdict | None:
    """What is said about the paths that may be one of the files that are kept."""
    hidden = facts.command is not None and matches_hidden(facts.command)
    if path := _find_held(near, guard.user, guard.folders, hidden):
        return deny(
            f"{path!r} decides whether this guard runs. Leave it as it is; the user can change it with "
            "`synaptic config` and `synaptic policy`."
        )
    started = [path for path, low, _, _ in near if guard.is_startup_file(low)]
    if path := next((path for path in started if not is_inside(path, (facts.root,))), ""):
        return deny(f"{path!r} would be run by the Python of this guard before anything else. Put it elsewhere.")
    declared = (path for path, low, _, _ in near if _is_declaration(low, facts.root.lower()))
    if path := _find_held(near, guard.project, guard.folders, hidden) or next(declared, ""):
        return ask(f"{path!r} decides which hooks run in this project. A person should agree to the change.")
    if path := next(iter(started), "") or _find_held(near, guard.environment, (), hidden):
        return ask(f"{path!r} {BELONGS}")
    return None


def _is_declaration(low: str, root: str) -> bool:
    """Whether a path declares something in any folder: those above and below the project count for calls there."""
    if DECLARATION.search(low) is None:
        return False
    # A sentence that names such a file is no path: it is seen as one below the project.
    return not root or PROSE_SIGN.search(low.removeprefix(f"{root}/")) is None or not is_inside(low, (root,))


def _judge_taken(found: CommandReading, guard: Guard, facts: Facts) -> Verdict | None:
    """What is said when a folder is deleted or moved that holds a part of the engine, or declarations."""
    has_declarations = DECLARING_FOLDER[1:] in found.words
    for path, low in _iter_taken(found, facts.home) if guard.outside or guard.inside or has_declarations else ():
        if has_declarations and low.endswith(DECLARING_FOLDER):
            return ask(f"{path!r} holds what decides which hooks run there. A person should agree to the change.")
        if any(is_inside(one, (low,)) for one in guard.outside):
            return deny(f"{path!r} holds what this guard runs from. Leave it where it is; the user can move it.")
        if any(is_inside(one, (low,)) for one in guard.inside):
            return ask(f"{path!r} {BELONGS}")
    return None


def _judge_searches(found: CommandReading, guard: Guard, root: str) -> Verdict | None:
    hit = find_searched(found, guard, root)
    if hit is None:
        return None
    if hit.certain:
        return deny(f"This search finds {hit.path!r}, which decides whether this guard runs. Search in another folder.")
    return ask(f"This may change {hit.path!r}, which decides whether this guard runs. Name the files, or search less.")


def _select_near(changed: Collection[str], names: tuple[str, ...]) -> list[NearPath]:
    """The paths that are patterns or hold one of these names."""
    joined = "\n".join(changed).lower()
    seen = [name for name in names if name in joined]
    found: list[NearPath] = []
    for path in changed:
        low = path.lower()
        if sign := GLOB_SIGN.search(low):
            folder, _, start = low[: sign.start()].rpartition("/")
            found.append((path, low, folder, start))
        elif any(name in low for name in seen):
            found.append((path, low, None, ""))
    return found


def _find_held(near: list[NearPath], files: GuardedFiles, folders: tuple[str, ...], hidden: bool) -> str:
    """The first path that is one of these files or may match one. Of many patterns, one too many counts as a match."""
    if not files.files:
        return ""
    patterns = 0
    for path, low, folder, start in near:
        beckons = folder is not None and files.is_near(folder, start, hidden)
        patterns += beckons
        if patterns > MAX_PATTERNS or files.holds(low, folders) or (beckons and files.matches_pattern(low, hidden)):
            return path
    return ""


def _iter_taken(found: CommandReading, home: str) -> Iterator[tuple[str, str]]:
    """The paths that are deleted or moved away, each also in lower case."""
    if DELETING_PROGRAMS.isdisjoint(found.programs):
        return
    for target in find_targets(found.effects.deletes, found.standpoint):
        low = target.path.lower()
        # A whole home or machine is for the policy about deletions, whose reason says more.
        if not runs_elsewhere(target) and not is_inside(home.lower(), (low or "/",)):
            yield target.path, low
