"""The one way in which the engine runs git: nothing that a repository's configuration names is started.

git is found in fixed places, never through a repository's PATH, and reads no configuration but the repository's own.
What there names a program is overridden by name: a `.git` folder may come with an archive that nobody has looked at.
"""

import os
import re
from functools import lru_cache
from pathlib import Path

from synaptic.files.bounded import read_content
from synaptic.model.errand import Errand
from synaptic.runners import errands

GIT_FOLDERS = (
    "/usr/bin",
    "/usr/local/bin",
    "/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/run/current-system/sw/bin",
)
SAFE_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "false",
    "core.askPass": "false",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "false",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    # A file that was changed without another size or time is seen by its other stamps, whatever the repository says.
    "core.checkStat": "default",
    "core.trustctime": "true",
    "core.quotePath": "false",
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.trustExitCode": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "interactive.diffFilter": "",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}
SAFE_OPTIONS = (
    "--no-optional-locks",
    "--no-pager",
    *(word for name, value in SAFE_SETTINGS.items() for word in ("-c", f"{name}={value}")),
)
GIT_ENVIRONMENT = {
    "PATH": ":".join(GIT_FOLDERS),
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PROTOCOL_FROM_USER": "0",
}
GIT_TIMEOUT = 3.0
CONFIG_LIMIT = 1 << 20
NAMED_PROGRAM = re.compile(rb"\[\s*(?:filter|diff|merge|include|includeif)\b|worktreeconfig", re.IGNORECASE)
"""Sections of a configuration in which any name can stand for a program."""
GIT_PARTS = ("objects", "refs")
HEAD_LIMIT = 255
PLAIN_HEAD = re.compile(rb"ref: refs/|[0-9a-f]{40}")
PROGRAM_KEYS = {
    "filter": {"clean": "", "smudge": "", "process": "", "required": "false"},
    "diff": {"command": "", "textconv": ""},
    "merge": {"driver": "false"},
}
SUBMODULE_VERBS = frozenset({"status", "diff"})
"""Verbs that would run git in submodules too, which have a configuration of their own."""
MAX_OVERRIDES = 500


async def run_git(folder: str, *words: str) -> str:
    """Run git and return what it prints; "" when it is missing, fails or takes too long, since a fact never raises."""
    return await ask_git(folder, *words) or ""


async def ask_git(folder: str, *words: str) -> str | None:
    """Run git and return what it prints; None when it is missing, fails or takes too long: then nothing is known."""
    program = _find_git()
    if not program:
        return None
    names = () if _is_plain_repository(folder) else await _list_settings(program, folder)
    return await _run(program, folder, words, names) if names is not None else None


async def _list_settings(program: str, folder: str) -> tuple[str, ...] | None:
    """The names of all settings that hold here; None when they cannot be listed. Listing starts nothing."""
    printed = await _run(program, folder, ("config", "--null", "--name-only", "--list"), ())
    if printed is None or printed.count("\0") > MAX_OVERRIDES * 10:
        return None
    return tuple(name for name in printed.split("\0") if name)


async def _run(program: str, folder: str, words: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    overrides = _make_overrides(names)
    if len(overrides) > MAX_OVERRIDES:
        return None
    env = {**GIT_ENVIRONMENT, "GIT_CONFIG_COUNT": str(len(overrides))}
    for place, (name, value) in enumerate(overrides.items()):
        # As variables, not as `-c`: a section may be called `a=b`, which an option could not name.
        env |= {f"GIT_CONFIG_KEY_{place}": name, f"GIT_CONFIG_VALUE_{place}": value}
    behind = ("--ignore-submodules=all",) if words[0] in SUBMODULE_VERBS else ()
    argv = (program, *SAFE_OPTIONS, words[0], *behind, *words[1:])
    ended = await errands.run_errand(Errand(argv=argv, cwd=folder, timeout=GIT_TIMEOUT), env)
    return ended.output if not ended.trouble and ended.exit == 0 else None


def _make_overrides(names: tuple[str, ...]) -> dict[str, str]:
    """For every section that names a program, settings that name none."""
    found: dict[str, str] = {}
    for name in names:
        kind, _, rest = name.partition(".")
        section = rest.rpartition(".")[0]
        if section:
            found.update(
                {f"{kind}.{section}.{key}": value for key, value in PROGRAM_KEYS.get(kind.lower(), {}).items()}
            )
    return found


def _is_plain_repository(folder: str) -> bool:
    """Whether the configuration of a working tree has no section that can name a program."""
    entry = f"{folder}/.git"
    if not _is_own_repository(entry):
        return False
    content = read_content(f"{entry}/config", CONFIG_LIMIT)
    return isinstance(content, bytes) and NAMED_PROGRAM.search(content) is None


def _is_own_repository(entry: str) -> bool:
    """Whether git takes this very folder for the repository, and reads the configuration in it.

    What it does not take for one it passes over, for the folder around it or one further up; and a repository with a
    common folder has its configuration there.
    """
    if os.path.lexists(f"{entry}/commondir") or not all(os.access(f"{entry}/{name}/.", os.X_OK) for name in GIT_PARTS):
        return False
    head = read_content(f"{entry}/HEAD", HEAD_LIMIT)
    return isinstance(head, bytes) and PLAIN_HEAD.match(head) is not None


@lru_cache(maxsize=1)
def _find_git() -> str:
    return next((str(path) for place in GIT_FOLDERS if os.access(path := Path(place, "git"), os.X_OK)), "")
