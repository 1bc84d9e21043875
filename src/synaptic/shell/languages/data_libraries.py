"""What code empties or drops through the libraries of databases and queues, as a command that a policy can judge.

The command is `library-call CALL [ADDRESS]`; in front of a call that empties a queue stands `queue`. Code that says of
itself that its database is one for tests, of this machine, or in memory, is left alone.
"""

import re
from collections.abc import Sequence

from synaptic.shell.languages.acts import CodeAct
from synaptic.shell.read.script import Word

PYTHON_CALLS = frozenset({"drop_all", "drop_database", "delete", "_raw_delete", "purge"})
"""Last names of calls in Python that may empty something."""
PYTHON_DROPS = re.compile(r"(?:\w[\w.()\[\]'\"]*\.)?(?:drop_all|drop_database)")
PYTHON_ROWS = re.compile(
    r".*(?:\.objects(?:\.all\(\)|\.filter\(\))?\.(?:_raw_)?delete|\.query\([\w.]+\)\.delete|\.query\.delete)", re.DOTALL
)
"""Managers of Django, sessions of SQLAlchemy, and nothing that says which rows."""
PYTHON_FILLING = re.compile(r"\.(?:create|bulk_create|get_or_create|add|add_all|bulk_save_objects)\(|\bloaddata\b")
"""Rows that are put in again, as the seed of a development database does."""
PYTHON_QUEUES = re.compile(r".*\.control\.purge", re.DOTALL)
THROWAWAY = re.compile(
    r":memory:|(?i:memory-?server)|\bpg-mem\b|\bfakeredis\b|\bmongomock\b|\bioredis-mock\b|\bsqlite(?:\+\w+)?://['\"]|sqlite:///(?:/tmp/|/var/tmp/|[^'\"\s]{0,100}(?:test|tmp|temp|dev|local|demo))"
    r"|\b(?:\w{0,20}app|from_object|get_config|db|get_database)\s*+[\[(]\s*+['\"](?:\w{1,40}\.){0,4}(?:test(?:ing|s)?|dev"
    r"|development|local)['\"]|\bknexfile['\"]\)\.(?:test|dev)|\bTest\w{0,20}Config\b|\bTESTING['\"]?\]?\s*+=\s*+True"
    r"|(?:ENV|SETTINGS_MODULE)['\"]?\]?\s*+[=,]\s*+['\"][\w.]{0,60}test|[-_/]test(?:s|ing)?(?:['\"?]|_\w)|['\"]tests?_\w"
)
"""What code holds whose database is no loss."""
ADDRESS = re.compile(r"['\"`]((?:[a-z][a-z0-9+]{2,20}://)[^'\"`\s]{1,200})['\"`]")
HOST = re.compile(r"\bhost['\"]?\s*+[=:]\s*+['\"]([\w.-]{1,200})['\"]")
LOCAL = re.compile(r"(?:\w+://)?(?:[^/@]*@)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0)")
JAVASCRIPT_SIGNS = re.compile(
    r"dropDatabase|obliterate|deleteMany|\.del\(|truncate|dropTable|\.drop\(|\.sync\(|synchronize\(|flush(?:all|db)",
    re.IGNORECASE,
)
"""What JavaScript holds at least that does one of these."""
JAVASCRIPT_DROPS = frozenset({"dropDatabase", "dropTable", "dropTableIfExists", "dropAllSchemas", "dropSchema"})
REDIS_CALLS = frozenset({"flushall", "flushdb", "flushAll", "flushDb"})
QUEUE_CALLS = frozenset({"obliterate"})
KNEX_CALLS = frozenset({"del", "delete", "truncate"})
KNEX_NAMES = frozenset({"knex", "db", "trx"})
FILLING_CALLS = ("create", "createMany", "createManyAndReturn", "insertMany", "upsert")
NOTHING_GIVEN = ("( )", "( { } )", "( { where : { } } )")
"""Arguments that do not say which rows."""
FORCED = re.compile(r"\( \{ (?:\w+ : \w+ , )*+force : true\b")
Tokens = Sequence[tuple[str, str]]
NAME_END = re.compile(r"\?\.|\.")
MAX_CODE = 50_000
MAX_TOKENS = 20_000
MAX_CALL = 500


def read_python_emptying(call: str, code: str) -> CodeAct | None:
    """What a call written like this empties; None when it is nothing, or no loss."""
    if len(call) > MAX_CALL or _is_throwaway(code):
        return None
    if PYTHON_QUEUES.fullmatch(call):
        return _make_call(call, code, ["queue"])
    if PYTHON_DROPS.fullmatch(call) or (PYTHON_ROWS.fullmatch(call) and not _is_made_good(code)):
        return _make_call(call, code, [])
    return None


def _is_made_good(code: str) -> bool:
    """Whether rows that were deleted are put in again, or their deletion is taken back."""
    return PYTHON_FILLING.search(code) is not None or ("rollback" in code and "commit" not in code)


def read_javascript_emptying(row: Tokens, code: str) -> list[CodeAct]:
    """The same for JavaScript, from its names, marks and texts in their order."""
    if _is_throwaway(code):
        return []
    named = [(place, text) for place, (kind, text) in enumerate(row[:MAX_TOKENS]) if kind == "name"]
    acts: list[CodeAct] = []
    for place, text in named:
        last = NAME_END.split(text)[-1]
        if last in QUEUE_CALLS and _show_tokens(row, place + 1, 1) == "(":
            acts.append(_make_call(text, code, ["queue"]))
        elif _empties(row, place, last) or (last in REDIS_CALLS and _names_server(code)):
            acts.append(_make_call(text, code, []))
    return acts


def _empties(row: Tokens, place: int, last: str) -> bool:
    """Whether the call at a name drops tables or a database, or deletes rows and says nothing about which."""
    given = _show_tokens(row, place + 1, 9)
    owner = NAME_END.split(row[place][1])[-2:-1]
    if last in JAVASCRIPT_DROPS:
        return given[:1] == "("
    if last == "deleteMany":
        return given.startswith(NOTHING_GIVEN) and not _is_filled_again(row, place)
    if last in KNEX_CALLS:  # `knex('users').del()`: nothing stands between the table and the end
        before = _show_tokens(row, place - 5, 5)
        return given[:3] == "( )" and any(before.endswith(f"{name} ( '' ) .") for name in KNEX_NAMES)
    if last == "sync":
        return FORCED.match(_show_tokens(row, place + 1, 20)) is not None
    if last == "synchronize":
        return given.startswith("( true )")
    return last == "drop" and owner == ["sequelize"] and given[:1] == "("


def _is_filled_again(row: Tokens, place: int) -> bool:
    """Whether the same code puts rows into the same table afterwards, as the seed of a development database does."""
    table = row[place][1].removesuffix("deleteMany")
    filled = {f"{table}{name}" for name in FILLING_CALLS}
    return len(table) > 1 and any(text in filled for kind, text in row[place : place + MAX_TOKENS] if kind == "name")


def _show_tokens(row: Tokens, start: int, count: int) -> str:
    return " ".join("''" if kind == "string" else text for kind, text in row[max(start, 0) : start + count])


def _is_throwaway(code: str) -> bool:
    code = code[:MAX_CODE]
    if THROWAWAY.search(code):
        return True
    named = [*ADDRESS.findall(code), *HOST.findall(code)]
    servers = [text for text in named if not text.startswith("http")]
    return bool(servers) and all(map(LOCAL.match, servers))


def _names_server(code: str) -> bool:
    code = code[:MAX_CODE]
    return ADDRESS.search(code) is not None or HOST.search(code) is not None or "process.env" in code


def _make_call(call: str, code: str, kind: list[str]) -> CodeAct:
    address = ADDRESS.search(code[:MAX_CODE])
    place = [Word(address[1])] if address else []
    return CodeAct("argv", [Word("library-call"), *map(Word, kind), Word(f"{call}()"), *place])
