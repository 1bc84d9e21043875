"""What a piece of code says about the database that it uses: where it is, and whether it is a loss."""

import re

import msgspec

from synaptic.shell.read.script import Word

THROWAWAY = re.compile(
    r":memory:|[Mm]emory-?[Ss]erver|\bpg-mem\b|\bfakeredis\b|\bmongomock\b|\bioredis-mock\b"
    r"|\bsqlite(?:\+\w+)?://['\"]|sqlite:///(?:/tmp/|/var/tmp/|[^'\"\s]{0,100}(?:test|tmp|temp|dev|local|demo))"
    r"|(?:app|from_object|get_config|db|get_database)\s*+[\[(]\s*+['\"](?:\w{1,40}\.){0,4}(?:test(?:ing|s)?|dev"
    r"|development|local)['\"]|\bknexfile['\"]\)\.(?:test|dev)|\bTest\w{0,20}Config\b|\bTESTING['\"]?\]?\s*+=\s*+True"
    r"|(?:ENV|SETTINGS_MODULE)['\"]?\]?\s*+[=,]\s*+['\"][\w.]{0,60}test|[-_/]test(?:s|ing)?(?:['\"?]|_\w)|['\"]tests?_\w"
)
"""What code holds whose database is no loss."""
ADDRESS = re.compile(r"['\"`]((?:[a-z][a-z0-9+]{2,20}://)[^'\"`\s]{1,200})['\"`]")
HOST = re.compile(r"\bhost['\"]?\s*+[=:]\s*+['\"]([\w.-]{1,200})['\"]")
LOCAL = re.compile(r"(?:\w+://)?(?:[^/@]*@)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0)")
PYTHON_FILLING = re.compile(r"\.(?:create|bulk_create|get_or_create|add|add_all|bulk_save_objects)\(|\bloaddata\b")
"""Rows that are put in again, as the seed of a development database does."""
MAX_CODE = 50_000


class CodeDatabase(msgspec.Struct, frozen=True):
    """The database of one piece of code."""

    is_throwaway: bool
    """For tests, for development, in memory, or of this machine."""
    address: tuple[Word, ...] = ()
    is_named: bool = False
    """Whether the code says where its server is, or has that from its environment."""
    is_made_good: bool = False
    """Whether rows are put in as well, or what was done is taken back."""


def describe_database(code: str) -> CodeDatabase:
    """What the text of the code says, wherever in it."""
    code = code[:MAX_CODE]
    addresses = ADDRESS.findall(code)
    servers = [text for text in (*addresses, *HOST.findall(code)) if not text.startswith("http")]
    is_local = bool(servers) and all(map(LOCAL.match, servers))
    return CodeDatabase(
        is_local or THROWAWAY.search(code) is not None,
        tuple(map(Word, addresses[:1])),
        bool(servers) or "process.env" in code,
        PYTHON_FILLING.search(code) is not None or ("rollback" in code and "commit" not in code),
    )
