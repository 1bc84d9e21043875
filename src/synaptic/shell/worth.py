"""What a path is worth to its user, by its name alone: what comes back by itself, and what everybody has."""

import re
from collections.abc import Iterable

from synaptic.shell.names import split_names
from synaptic.shell.paths import is_inside

THROWAWAY_NAMES = split_names(
    "node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .DS_Store .AppleDouble .Spotlight-V100 Thumbs.db"
    " .next .nuxt .svelte-kit .turbo .parcel-cache .vite .angular .tox .nox .ipynb_checkpoints .sass-cache"
    " .eslintcache .coverage htmlcov .nyc_output DerivedData .terragrunt-cache _npx .Trash Trash a.out"
)
"""Files and folders that programs make everywhere, and make again."""
THROWAWAY_FILE = re.compile(
    r".*\.(?:py[cod]|sw[op]|tmp|temp|part|crdownload|log|out|err|pid|sock|o|obj|class|orig|rej|stackdump)(?:\.\d+)?"
    r"|[^*]*~|\*~|\._.*|\.#.*|core(?:\.\d+)?|nohup\.out",
    re.IGNORECASE,
)
"""Files that are left over, or that are begun anew every day."""
CACHE_NAME = re.compile(r"\*?\.?[\w .-]*[cC]aches?\*?")
BUILD_NAMES = split_names(
    "dist build out target coverage tmp temp vendor venv .venv .cache .gradle .eggs bin obj output Debug Release"
)
"""Folders that a build makes again, where one works."""
AGENT_LEFTOVERS = re.compile(
    r"/\.claude/(?:projects/-(?:private-)?(?:tmp|var-tmp|var-folders)-[^/]"
    r"|(?:debug|jobs|todos|shell-snapshots|statsig|session-env|telemetry)/[^/])"
)
"""What an agent has noted about a project that lay in a scratch folder, and what it keeps for its own running."""
SCRATCH_PART = re.compile(r"/\.?(?:tmp|temp)/[^/]")
"""A path inside a folder that is scratch by its name."""
LOCK_FILE = re.compile(r"/\.git/(?:[\w/-]+/)?[\w.-]+\.lock$")
USER_FOLDERS = split_names(
    "Documents Desktop Downloads Pictures Photos Music Videos Movies Public Templates Library Applications Dropbox"
    " OneDrive Sync Nextcloud Projects projects Code code src dev work Work workspace repos .ssh .aws .gnupg .config"
    " .kube .docker .local .password-store .mozilla .thunderbird .vim .emacs.d .oh-my-zsh .nvm .cargo .rustup"
)
"""Folders of a home that hold what their user has made or set."""
ANY_HOME = re.compile(r"((/home|/Users)/[^/]+)/")
ROOT_BESIDE = {"/root": "/home", "/var/root": "/Users"}
USER_FILE = re.compile(
    r"\.(?:bash(?:rc|_profile|_login|_logout|_aliases|_history)|profile|z(?:shrc|shenv|profile|login|sh_history)|k?shrc"
    r"|git(?:config|-credentials|ignore_global|ignore)|vimrc|ideavimrc|emacs|tmux\.conf|screenrc|inputrc|npmrc|yarnrc(?:\.yml)?"
    r"|pypirc|netrc|pgpass|my\.cnf|psqlrc|curlrc|wgetrc|condarc|xinitrc|Xresources|xprofile|editorconfig|env|envrc)"
    r"|\.(?:ssh|aws|gnupg|kube|docker)/[\w./-]+|\.config/(?:fish/config\.fish|nvim/init\.\w+|git/config|starship\.toml)"
)
"""Files of a home by which its user has set something."""


def is_throwaway(path: str, home: str) -> bool:
    """Whether nothing is lost with a path: a cache, what programs leave behind, or what is inside such a folder."""
    # What a home lies in says nothing about what is in it.
    path = path[len(home) :] if home and path.startswith(f"{home}/") else path
    parts = path.rstrip("/").split("/")
    if not THROWAWAY_NAMES.isdisjoint(parts) or any("ache" in part and CACHE_NAME.fullmatch(part) for part in parts):
        return True
    if THROWAWAY_FILE.fullmatch(parts[-1]):
        return True
    return any(form.search(path) for form in (SCRATCH_PART, AGENT_LEFTOVERS, LOCK_FILE))


def is_throwaway_name(name: str) -> bool:
    """The same for a name, or a pattern for names, that a search looks for."""
    return is_throwaway(f"/{name.rstrip('/*')}" if name.rstrip("/*") else "/*", "")


def are_throwaway(names: Iterable[str]) -> bool:
    """Whether all of these are, and there is at least one."""
    listed = list(names)
    return bool(listed) and all(map(is_throwaway_name, listed))


def is_made_again(path: str, folder: str) -> bool:
    """Whether a path below a folder is one that a build makes there."""
    return is_inside(path, (folder,)) and not BUILD_NAMES.isdisjoint(path[len(folder) :].split("/"))


def has_build_name(path: str) -> bool:
    """Whether a path is called as what a build makes."""
    return path.rpartition("/")[2] in BUILD_NAMES


def is_program(path: str) -> bool:
    """Whether a path is in a folder for programs, as `~/.local/bin`."""
    return path.rpartition("/")[0].endswith("/bin")


def is_user_folder(path: str, home: str) -> bool:
    """Whether a path is a folder of a home that every user has."""
    return _name_in_home(path, home) in USER_FOLDERS


def is_user_file(path: str, home: str) -> bool:
    """Whether a path is a file of a home with which its user has set something."""
    return USER_FILE.fullmatch(_name_in_home(path, home)) is not None


def is_kept_by_user(path: str, home: str) -> bool:
    """Whether a path of a home is what people keep themselves, and not what programs put below hidden folders."""
    name = _name_in_home(path, home)
    # Homes of others stand beside this one; `/Users` means nothing on a machine that has `/home`.
    if not name and (other := ANY_HOME.match(path)) and other[2] in (home.rpartition("/")[0], ROOT_BESIDE.get(home)):
        home, name = other[1], path[other.end() :]
    if not name:
        return False
    first, inside, _ = name.partition("/")
    return not inside or not (first[:1] == "." or first == "Library") or is_user_file(path, home)


def _name_in_home(path: str, home: str) -> str:
    return path[len(home) + 1 :] if home and path.startswith(f"{home}/") else ""
