"""Which paths hold keys, passwords and tokens."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from synaptic.agents.shared.discover import load_agents
from synaptic.model.once import kept_beside
from synaptic.model.tool import PATH_KEYS, SHELL, Tool
from synaptic.shell.globs import GLOB_SIGN, may_match_name
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, list_readings
from synaptic.shell.places import matches_everything
from synaptic.shell.reading import CommandReading

PRIVATE = re.compile(
    r"""
    /\.ssh(?:$|/(?!config$|known_hosts|authorized_keys|allowed_signers|.*\.pub$|sockets?/).*)
    | /id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$
    | /\.aws(?:/credentials|/sso/cache(?:/.*)?|/cli/cache(?:/.*)?)$
    | /\.gnupg(?:$|/(?!.*\.conf$|pubring).*)
    | /(?:\.netrc|_netrc|\.pgpass|\.pypirc|\.git-credentials|\.vault-token|\.htpasswd)$
    | /\.config/(?:gh/hosts\.yml|gcloud/(?:credentials|access_tokens|application_default|legacy_).*|op/.*)$
    | /\.azure/(?:accesstokens|msal_token).*$
    | /\.kube/config$ | /\.docker/config\.json$
    | /\.cargo/credentials(?:\.toml)?$ | /\.terraform\.d/credentials.*$
    | /\.password-store(?:$|/.*) | /\.local/share/keyrings(?:$|/.*) | /library/keychains(?:$|/.*)
    | /(?:login\ data|key4\.db|logins\.json|cookies\.sqlite)$ | /(?:default|profile\ \d+)/(?:network/)?cookies$
    | ^/etc/(?:g?shadow-?|master\.passwd|sudoers)$ | ^/etc/ssh/ssh_host_\w+_key$
    | ^(?:/home/[^/]+|/users/[^/]+|/root|~)/\.synaptic$
    | /\.synaptic/(?:state\.key|token)$ | /\.synaptic/hub(?:$|/(?!(?:state|joined)\.json$|shipper\.log).*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Compared without case, as some file systems do."""
PRIVATE_FOLDERS = split_names(
    ".ssh .aws .gnupg .config .azure .kube .docker .cargo .terraform.d .password-store keyrings keychains .synaptic"
)
PRIVATE_FILES = split_names(
    ".netrc _netrc .pgpass .pypirc .git-credentials .vault-token .htpasswd key4.db logins.json cookies cookies.sqlite"
) | {"login data"}
"""Every private path has one of these in it, begins with `id_` at its end, or with `/etc`: cheaper to ask than the
pattern."""
NAMES_IN_PRIVATE_FOLDERS = split_names(
    "credentials credentials.toml credentials.tfrc.json config config.json hosts.yml gh gcloud op credentials.db"
    " access_tokens.db application_default_credentials.json accesstokens.json msal_token_cache.json state.key token"
    " hub host.key person.key access.json"
)
"""Names that are private in one of those folders, as a pattern there may match them."""
SYSTEM_SECRETS = ("shadow", "gshadow", "sudoers")
KEY_NAMES = split_names("id_rsa id_dsa id_ecdsa id_ed25519")
SORTED_FOLDERS, SORTED_NAMES = sorted(PRIVATE_FOLDERS), sorted(NAMES_IN_PRIVATE_FOLDERS)
"""In an order of their own: only so many readings are looked at, and a verdict must not hang on which."""
PRIVATE_STARTS = frozenset(
    name[:2] for name in (*PRIVATE_FOLDERS, *PRIVATE_FILES, *NAMES_IN_PRIVATE_FOLDERS, *KEY_NAMES, *SYSTEM_SECRETS)
)
"""How each of all those begins."""
HISTORY = re.compile(
    r"/(?:\.(?:bash|zsh|sh|ksh|fish|python|psql|mysql|mariadb|node_repl|sqlite|rediscli|irb|php|mongo)_history"
    r"|\.histfile|\.zhistory|\.zsh_sessions/.*|fish/fish_history|consolehost_history\.txt|\.dbshell)$",
    re.IGNORECASE,
)
"""What was typed: commands with passwords and tokens in them among the rest."""
HISTORY_HINTS = ("history", ".histfile", ".zsh_sessions", ".dbshell")
ENVIRONMENT = re.compile(
    r"/(?:(?!(?:[\w-]*[_-])?(?:example|sample|template|dist|defaults?)\.)[\w-]*\.env"
    r"|\.env\.(?!(?:[\w-]+[.-])?(?:example|sample|template|tmpl|tpl|dist|schema|defaults?)\b)[\w.-]+)$",
    re.IGNORECASE,
)
"""Files of variables; examples and templates hold none that is real."""
KEY_FILES = re.compile(
    r"/[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)(?:\.\w+)?$|/(?:credentials|service[-_]?account[^/]*)\.json$"
    r"|/secrets?\.(?:ya?ml|json|toml)$",
    re.IGNORECASE,
)
HOME_TOKENS = re.compile(
    r"(?:/home/[^/]+|/users/[^/]+|/root|~)/\.(?:aws|kube|docker|azure|config/(?:gcloud|gh)|npmrc|yarnrc\.yml"
    r"|m2(?:/settings\.xml)?|gem(?:/credentials)?|(?:bash|zsh|python|psql|mysql)_history)",
    re.IGNORECASE,
)
"""What holds a user's tokens among other things: to be looked at, not to be sent."""
KEY_HINTS = (
    ".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx", ".ppk", "credentials.json", "service", "secret", ".npmrc",
    ".yarnrc", ".m2", ".gem", "_history",
)  # fmt: skip
"""What the project's own secrets, and such files of a home, hold at least."""
MAX_SETTLED = 64
"""Readings of a path with patterns that are looked at."""
UNKNOWN_SUFFIX = ("\0",)
"""An ending that no path has."""
NO_LINKS: Mapping[str, str] = {}
KEYS_OF_PATHS = (*PATH_KEYS, "paths", "source", "destination", "directory", "uri", "old_path", "new_path")


@cache
def list_credentials() -> dict[str, tuple[str, ...]]:
    """The files in which agents keep what they log in with, in lower case, by their last name."""
    # Loaded when first asked for: importing a policy must not import every agent.
    paths = sorted(f"/{path.lower()}" for agent in load_agents() for path in agent.credentials)
    names = dict.fromkeys(path.rpartition("/")[2] for path in paths)
    return {name: tuple(path for path in paths if path.endswith(f"/{name}")) for name in names}


@kept_beside
def find_private_hints(known: CommandReading) -> tuple[str, ...]:
    """What there is of it in a command: two policies look for it."""
    return known.find_hints(list_private_hints())


@cache
def list_private_hints() -> tuple[str, ...]:
    """What a private path holds at least."""
    # Behind a pattern no name may be seen: then the folder is what is.
    folders = {path.split("/")[1] for paths in list_credentials().values() for path in paths}
    names = PRIVATE_FOLDERS | PRIVATE_FILES | list_credentials().keys() | folders
    return (*sorted(names), "id_", "etc", ".mozilla")


def is_history(path: str) -> bool:
    """Whether a resolved path holds what was typed into a shell or a client."""
    # Nearly every path ends here; beyond ASCII there are letters that only the pattern takes for plain ones.
    if path.isascii():
        low = path.lower()
        if "hist" not in low and ".zsh_sessions" not in low and ".dbshell" not in low:
            return False
    return HISTORY.search(path) is not None


def is_private(path: str) -> bool:
    """Whether a resolved path, or one that its patterns match, holds a credential of the user or the machine."""
    low = path.lower()
    sign = GLOB_SIGN.search(low)
    if sign is None:
        return _is_private_name(path)
    start = low.rfind("/", 0, sign.start()) + 1
    if low.find("/", start) < 0 and _begins_otherwise(low[start : sign.start()]):
        return _is_private_name(low)
    return any(map(_is_private_name, _iter_settled(low[:start], low[start:].split("/"))))


def _begins_otherwise(stem: str) -> bool:
    """Whether no private name begins so."""
    return len(stem) > 1 and stem[:2] not in PRIVATE_STARTS


def _iter_settled(folder: str, parts: list[str]) -> list[str]:
    """A path as it is, and with private names in place of the patterns that match them; none is in the folder."""
    found = [folder.rstrip("/")]
    for place, part in enumerate(parts):
        sign = GLOB_SIGN.search(part)
        stem = part[: sign.start()] if sign else ""
        if sign is None or _begins_otherwise(stem):
            found = [f"{start}/{part}" for start in found]
            continue
        before = [*folder.rstrip("/").split("/"), *parts[:place]]
        names = (part, *_find_private_names(part, stem, before, place == len(parts) - 1))
        found = [f"{start}/{name}" for start in found for name in names][:MAX_SETTLED]
    return found


def _find_private_names(part: str, stem: str, before: list[str], last: bool) -> Iterator[str]:
    """The private names that a pattern matches, as long as it says more than that anything goes.

    `stem` is what stands in front of its first sign: most names differ there already.
    """
    if part[0] == "." and not matches_everything(part):
        yield from (name for name in SORTED_FOLDERS if name.startswith(stem) and may_match_name(name, part))
    # `.*rc` is no question for `.netrc`; `.net*` is.
    if last and len(stem) > 1:
        yield from (name for name in PRIVATE_FILES if name.startswith(stem) and may_match_name(name, part))
    if last and part.startswith("id_"):
        yield from (name for name in KEY_NAMES if name.startswith(stem) and may_match_name(name, part))
    if any(name[:1] == "." for name in before):
        yield from (name for name in SORTED_NAMES if name.startswith(stem) and may_match_name(name, part))
    if before == ["", "etc"] and not matches_everything(part):
        yield from (name for name in SYSTEM_SECRETS if name.startswith(stem) and may_match_name(name, part))


def _is_private_name(path: str) -> bool:
    low = path.lower()
    parts = low.split("/")
    if low.endswith(list_credentials().get(parts[-1], UNKNOWN_SUFFIX)):
        return True
    if (
        PRIVATE_FOLDERS.isdisjoint(parts)
        and parts[-1] not in PRIVATE_FILES
        and parts[-1][:3] != "id_"
        and low[:5] != "/etc/"
    ):
        return False
    return PRIVATE.search(path) is not None


def is_secret(path: str, home: str) -> bool:
    """Whether it holds anything that must not leave the machine, the project's own secrets included."""
    if is_private(path) or ENVIRONMENT.search(path) is not None or KEY_FILES.search(path) is not None:
        return True
    return is_tokens_file(path, home)


def is_tokens_file(path: str, home: str) -> bool:
    """Whether it holds a user's tokens among other things."""
    # Written with `~`, so that the pattern also covers a home that does not lie below /home.
    below = f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path
    return HOME_TOKENS.fullmatch(below) is not None


def iter_named_paths(tool: Tool) -> Iterator[str]:
    """Every path that a tool call names, under whatever key."""
    return iter(_list_named_paths(tool))


@kept_beside
def _list_named_paths(tool: Tool) -> tuple[str, ...]:
    if tool.name in SHELL:
        return ()  # its command names them
    return tuple(_iter_named_paths(tool))


def _iter_named_paths(tool: Tool) -> Iterator[str]:
    for key in (*KEYS_OF_PATHS, "pattern") if tool.name == "Glob" else KEYS_OF_PATHS:
        value = tool.input.get(key)
        if not value:
            continue
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and text:
                yield text
    yield from tool.carried.paths


def iter_meanings(text: str, at: Standpoint, links: Mapping[str, str] = NO_LINKS) -> Iterator[str]:
    """What a path may mean: decoded, without what follows a NUL, and where its links lead."""
    for part in (text.partition("\0")[0], text.replace("\0", "")) if "\0" in text else (text,):
        yield from list_readings(part, at)
    if text in links:
        yield links[text]
