"""Patterns of a shell that take in private files of a home, however little they say: `~/.*/*`, `~/.aws/*/*`."""

import re
from functools import cache, lru_cache

from synaptic.policies.secrets.private import list_credentials
from synaptic.shell.globs import GLOB_SIGN, may_match_name

HOMES = re.compile(r"/home/[^/]+|/users/[^/]+|/root|~")
EXAMPLES = (
    ".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/id_ecdsa",
    ".aws/credentials", ".aws/sso/cache", ".aws/sso/cache/0.json", ".aws/cli/cache", ".aws/cli/cache/0.json",
    ".gnupg/secring.gpg", ".gnupg/private-keys-v1.d/0.key",
    ".config/gh/hosts.yml",
    ".config/gcloud/credentials.db", ".config/gcloud/access_tokens.db",
    ".config/gcloud/application_default_credentials.json", ".config/gcloud/legacy_credentials/me/adc.json",
    ".azure/msal_token_cache.json", ".azure/accesstokens.json",
    ".kube/config", ".docker/config.json", ".cargo/credentials.toml", ".terraform.d/credentials.tfrc.json",
    ".password-store/0.gpg", ".password-store/0/0.gpg",
    ".mozilla/firefox/0.default/key4.db", ".mozilla/firefox/0.default/logins.json",
    ".mozilla/firefox/0.default/cookies.sqlite",
    ".config/google-chrome/default/cookies", ".config/google-chrome/default/login data",
    ".config/chromium/default/cookies", ".config/chromium/default/login data",
    ".synaptic/state.key", ".synaptic/token", ".synaptic/hub/host.key",
)  # fmt: skip
"""One file of each kind, from the home, in lower case. None lies in the home itself: `~/.*` is asked of rc files."""
ANY_DEPTH = "**"
MAX_PARTS = 12


@lru_cache(maxsize=256)
def takes_in_private(path: str, home: str) -> bool:
    """Whether a resolved path with patterns matches a private file of a home. No file is looked at."""
    low = path.lower()
    if GLOB_SIGN.search(low) is None:
        return False
    below = _cut_home(low, home.lower())
    parts = tuple(below.split("/")) if below else ()
    return 0 < len(parts) <= MAX_PARTS and any(_matches(parts, one) for one in _list_examples())


def _cut_home(path: str, home: str) -> str:
    """What stands behind a home, anybody's."""
    if home and path.startswith(f"{home}/"):
        return path[len(home) + 1 :]
    found = HOMES.match(path)
    return path[found.end() + 1 :] if found and path[found.end() :][:1] == "/" else ""


@cache
def _list_examples() -> tuple[tuple[str, ...], ...]:
    agents = (path.strip("/") for paths in list_credentials().values() for path in paths)
    return tuple(tuple(one.split("/")) for one in (*EXAMPLES, *agents) if "/" in one)


def _matches(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    if not parts or not names:
        return parts == names
    if parts[0] == ANY_DEPTH and len(parts) > 1:
        return any(_matches(parts[1:], names[place:]) for place in range(len(names)) if not _has_hidden(names[:place]))
    if parts[0] == ANY_DEPTH:
        return not _has_hidden(names)
    return _matches_name(parts[0], names[0]) and _matches(parts[1:], names[1:])


def _has_hidden(names: tuple[str, ...]) -> bool:
    return any(name[0] == "." for name in names)


def _matches_name(part: str, name: str) -> bool:
    # A pattern matches hidden names only where it says so itself.
    return part == name or ((name[0] != "." or part[:1] in ".[") and may_match_name(name, part))
